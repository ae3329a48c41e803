// PointStream: entries that a host half and a framework send each other while a request is open.

import ExtensionItems
import LinuxDescriptors

/// A two-way stream of entries, which are arrays of bytes, within one request. Safe to use from any thread.
///
/// It has one of two carriers, which give the same entries in the same order. With a *ring*, the two processes share
/// memory, and nothing goes through the daemon. Under a virtual clock, and while a session is recorded, the stream is
/// *routed*: its entries are calls (`stream.entries`) through the daemon. The property list of the extension point has
/// `stream.entries` in `Accepts` and `Sends`.
///
/// A stream ends with its request at the latest.
public final class PointStream: Sendable {
    /// A receiver of entries: one call at a time, with one or more entries. A fence waits for it.
    public typealias Receiver = @Sendable ([[UInt8]]) -> Void
    /// A receiver of the end: called once, after all entries. Nil: one of the sides has closed the stream.
    public typealias EndReceiver = @Sendable ((any Error)?) -> Void

    /// The most bytes of one entry.
    public static let largestEntry = 1 << 17

    private let carrier: any StreamCarrier

    init(_ carrier: any StreamCarrier) { self.carrier = carrier }

    /// Sends entries. They arrive in the order of these invocations, those of one invocation one after the other.
    ///
    /// The invocation blocks the calling thread while the other side's buffer is full. A receiver may call it, as long as
    /// the other side does not block in its receiver likewise.
    ///
    /// - Throws: `ExtensionHostError` `payloadTooLarge` for an entry over `largestEntry` or the stream's capacity,
    ///   `contextFinished` after the end, `interrupted` if the other side's process has ended, `protocolViolation` if
    ///   it has written places that cannot be.
    public func send(_ entries: [[UInt8]]) throws {
        for entry in entries { try check(entry) }
        try carrier.send(entries)
    }

    /// Sends as many entries as there is room for, without waiting: none while another thread is in `send(_:)`.
    ///
    /// - Returns: the number of entries that were sent.
    /// - Throws: as `send(_:)`.
    public func sendNow(_ entries: ArraySlice<[UInt8]>) throws -> Int {
        for entry in entries { try check(entry) }
        return try carrier.sendNow(entries)
    }

    private func check(_ entry: [UInt8]) throws {
        let most = min(Self.largestEntry, carrier.capacity / 2)
        guard entry.count <= most else {
            throw ExtensionHostError(
                .payloadTooLarge, "an entry of \(entry.count) bytes is larger than a stream's \(most)",
                remedy: "Divide it")
        }
    }

    /// Ends the stream. The other side still receives what was sent before.
    public func close() { carrier.close(nil) }

    /// Ends the stream, because its request has ended.
    func end(_ error: (any Error)?) { carrier.requestEnded(error) }
}

/// The other end of a stream, as an argument of the call that offers it.
public struct PointStreamOffer: Codable, Sendable {
    /// The number of the stream in its request.
    let stream: Int
    /// The bytes of each direction that may be under way.
    let capacity: Int
    /// The shared memory, and the sockets that wake the reader of the first ring and the writer of the second. Nil for
    /// a routed stream.
    let parts: [StreamPart]?
}

/// The memory of a stream's rings, or a socket of them. Who opens the stream checks it.
///
/// Only `PointEncoder` and `PointDecoder` can code it.
struct StreamPart: Sendable, Codable {
    let descriptor: SharedDescriptor

    init(_ descriptor: SharedDescriptor) { self.descriptor = descriptor }

    init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "a stream is decoded by PointDecoder only"))
    }

    func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self, .init(codingPath: encoder.codingPath, debugDescription: "a stream is encoded by PointEncoder only"))
    }
}

/// The way of a stream's entries.
protocol StreamCarrier: AnyObject, Sendable {
    var capacity: Int { get }
    /// Begins to receive.
    func start() throws
    /// Ends it before it has begun. The receiver of the end is not called.
    func abandon()
    func send(_ entries: [[UInt8]]) throws
    func sendNow(_ entries: ArraySlice<[UInt8]>) throws -> Int
    /// Ends it; the receiver of the end gets the error.
    func close(_ error: (any Error)?)
    /// Ends it with its request. Entries that have come are still received.
    func requestEnded(_ error: (any Error)?)
}

/// Entries of a routed stream, in either direction.
struct StreamEntries: PointMessage {
    static let name = "stream.entries"

    let stream: Int
    /// The number of entries that were sent before these. A repeated call is recognized by it.
    let first: Int
    let entries: [[UInt8]]
    /// Whether nothing follows.
    var ends: Bool?
    /// Whether entries are missing before the end.
    var hasFailed: Bool?
}

extension ExtensionHostError {
    /// The stream has been closed, or its request has ended.
    static var streamIsClosed: ExtensionHostError { ExtensionHostError(.contextFinished, "the stream is closed") }
}
