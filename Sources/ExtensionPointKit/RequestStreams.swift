// RequestStreams: the streams of a request, on one of its sides.

package import ExtensionItems
package import ExtensionWire
import Locks

/// The streams of one request, which end with it.
package final class RequestStreams: Sendable {
    private struct Table {
        var last = 0
        var streams: [Int: PointStream] = [:]
        var routed: [Int: RoutedStream] = [:]
        var isOver = false
    }

    private let request: RequestIdentifier
    private let port: CallPort
    private let activity: Activity
    private let table = Mutex(Table())

    /// The most streams of a request at a time.
    package static let most = 256

    package init(of request: RequestIdentifier, _ port: CallPort, _ activity: Activity) {
        (self.request, self.port, self.activity) = (request, port, activity)
    }

    /// Makes a stream, and the offer for the other side.
    ///
    /// Only the offer holds the other end: if this side held it, too, a ring would not hear of the other side's death.
    package func make(
        isRouted: Bool, capacity: Int, _ receive: @escaping PointStream.Receiver,
        _ ended: @escaping PointStream.EndReceiver
    ) throws -> (stream: PointStream, offer: PointStreamOffer) {
        let capacity = Self.allowed(capacity)
        let number = table.withLock { table in
            table.last += 1
            return table.last
        }
        guard !isRouted else {
            let stream = try start(routed(number, isMaker: true, capacity, receive, ended), number)
            return (stream, PointStreamOffer(stream: number, capacity: capacity, parts: nil))
        }
        let (carrier, parts) = try RingStream.make(capacity: capacity, activity, receive, forgetting(number, ended))
        return (
            try start(carrier, number), PointStreamOffer(stream: number, capacity: capacity, parts: parts)
        )
    }

    /// Opens the other end of a stream.
    package func open(
        _ offer: PointStreamOffer, _ receive: @escaping PointStream.Receiver, _ ended: @escaping PointStream.EndReceiver
    ) throws -> PointStream {
        let number = offer.stream
        guard offer.capacity == Self.allowed(offer.capacity),
            table.withLock({ $0.streams[number] == nil && $0.routed[number] == nil })
        else { throw ExtensionHostError(.protocolViolation, "the stream's end is not one") }
        guard let parts = offer.parts else {
            return try start(routed(number, isMaker: false, offer.capacity, receive, ended), number)
        }
        let carrier = try RingStream.open(
            parts, capacity: offer.capacity, activity, receive, forgetting(number, ended))
        return try start(carrier, number)
    }

    private func routed(
        _ number: Int, isMaker: Bool, _ capacity: Int, _ receive: @escaping PointStream.Receiver,
        _ ended: @escaping PointStream.EndReceiver
    ) -> RoutedStream {
        RoutedStream(
            number, of: request, isMaker: isMaker, port, activity, capacity: capacity, receive,
            forgetting(number, ended),
            removed: { [weak self] in self?.table.withLock { $0.routed[number] = nil } })
    }

    /// Returns the next power of two that a ring can have.
    private static func allowed(_ capacity: Int) -> Int {
        var allowed = 4096
        while allowed < min(capacity, 16 << 20) { allowed *= 2 }
        return allowed
    }

    private func forgetting(_ number: Int, _ ended: @escaping PointStream.EndReceiver) -> PointStream.EndReceiver {
        { [weak self] error in
            self?.table.withLock { $0.streams[number] = nil }
            ended(error)
        }
    }

    /// Adds a stream, and lets it begin to receive: it may end at once.
    private func start(_ carrier: any StreamCarrier, _ number: Int) throws -> PointStream {
        let stream = PointStream(carrier)
        do {
            try table.withLock { table in
                if table.isOver { throw ExtensionHostError.streamIsClosed }
                guard table.streams.count < Self.most else {
                    throw ExtensionHostError(
                        .quotaExceeded, "the request has \(Self.most) open streams, which is the limit",
                        remedy: "Close one of them")
                }
                table.streams[number] = stream
                table.routed[number] = carrier as? RoutedStream
            }
            try carrier.start()
        } catch let error as ExtensionHostError {
            carrier.abandon()
            throw error
        } catch {
            carrier.abandon()
            table.withLock { $0.streams[number] = nil }
            throw ExtensionHostError(.internalError, "a stream cannot be started", cause: "\(error)")
        }
        return stream
    }

    /// Begins a call of a routed stream. It does not wait for the calls of the request, nor they for it.
    package func begin(_ call: IncomingCall) {
        do {
            let message = try call.decode(StreamEntries.self)
            guard let stream = table.withLock({ $0.routed[message.stream] }) else {
                throw ExtensionHostError.streamIsClosed
            }
            stream.perform(call, message)
        } catch {
            call.answer(.failure(error))
        }
    }

    /// Ends all streams, because the request has ended.
    package func end(_ error: (any Error)?) {
        let streams = table.withLock { table in
            table.isOver = true
            defer { (table.streams, table.routed) = ([:], [:]) }
            return Array(table.streams.values)
        }
        for stream in streams { stream.end(error) }
    }

    /// The name of the calls of routed streams.
    package static let callName = StreamEntries.name
}
