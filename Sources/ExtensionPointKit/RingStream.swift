// RingStream: a stream in memory that the two processes share.

import ExtensionItems
import Glibc
import LinuxDescriptors
import Locks

/// A stream whose entries lie in shared memory. Each direction has a pair of sockets, by which its reader and its
/// writer wake each other, and learn of the other's end.
final class RingStream: StreamCarrier {
    let capacity: Int
    private let rings: SharedRings
    /// Whether this side made the rings, and so writes the first.
    private let isMaker: Bool
    private let writer: Mutex<Writing>
    /// The turn of those who send, and may wait for room.
    private let turn = Mutex(())
    private let writerSocket: Socket
    private let readerSocket: Socket
    private let receive: PointStream.Receiver
    private let ended: PointStream.EndReceiver
    private let activity: Activity
    private let closing = Mutex<Closing>(Closing())

    private struct Writing {
        var ring: RingWriter
        /// Whether a thread sends, and may wait for room.
        var isSending = false
    }

    private struct Closing {
        var isClosed = false
        /// Whether entries that have come before the end are still received.
        var drains = false
        var error: (any Error)?
    }

    /// The bounds of the entries that a receiver gets at a time.
    private static let mostEntries = 256
    private static let mostBytes = 1 << 18

    private init(
        _ rings: SharedRings, capacity: Int, isMaker: Bool, writer: consuming Socket, reader: consuming Socket,
        _ activity: Activity, _ receive: @escaping PointStream.Receiver, _ ended: @escaping PointStream.EndReceiver
    ) {
        self.rings = rings
        self.capacity = capacity
        self.isMaker = isMaker
        self.writer = Mutex(Writing(ring: rings.writer(ofFirst: isMaker)))
        writerSocket = writer
        readerSocket = reader
        self.activity = activity
        (self.receive, self.ended) = (receive, ended)
    }

    /// Makes a stream, and the other end.
    static func make(
        capacity: Int, _ activity: Activity, _ receive: @escaping PointStream.Receiver,
        _ ended: @escaping PointStream.EndReceiver
    ) throws -> (RingStream, [StreamPart]) {
        do {
            let (rings, memory) = try SharedRings.make(capacity: capacity)
            let first = try SocketPair(blocking: true)
            let second = try SocketPair(blocking: true)
            let writer = first.first
            let theirReader = first.second
            let reader = second.first
            let theirWriter = second.second
            let parts = [
                StreamPart(memory), StreamPart(SharedDescriptor(theirReader.release())),
                StreamPart(SharedDescriptor(theirWriter.release())),
            ]
            let stream = RingStream(
                rings, capacity: capacity, isMaker: true, writer: writer, reader: reader, activity, receive, ended)
            return (stream, parts)
        } catch let error as SharedRingError {
            throw ExtensionHostError(.internalError, "a stream cannot be made", cause: "\(error)")
        } catch let error as SystemError {
            throw ExtensionHostError(.internalError, "a stream cannot be made", cause: "\(error)")
        }
    }

    /// Opens the end that the other side has made.
    ///
    /// - Throws: `ExtensionHostError` `protocolViolation` if it is not one.
    static func open(
        _ parts: [StreamPart], capacity: Int, _ activity: Activity, _ receive: @escaping PointStream.Receiver,
        _ ended: @escaping PointStream.EndReceiver
    ) throws -> RingStream {
        do {
            guard parts.count == 3 else { throw SharedRingError.notRings }
            let rings = try SharedRings.open(parts[0].descriptor, capacity: capacity)
            return RingStream(
                rings, capacity: capacity, isMaker: false,
                writer: try socket(parts[2]), reader: try socket(parts[1]), activity, receive, ended)
        } catch let error as SharedRingError {
            throw ExtensionHostError(.protocolViolation, "the stream's end is not one", cause: "\(error)")
        } catch let error as SystemError {
            throw ExtensionHostError(.internalError, "the stream cannot be opened", cause: "\(error)")
        }
    }

    private static func socket(_ part: StreamPart) throws -> Socket {
        let socket = Socket(try part.descriptor.duplicate())
        guard try socket.isPacketSocket() else { throw SharedRingError.notRings }
        return socket
    }

    func start() throws {
        try startThread(named: "stream") { [self] in read() }
    }

    // MARK: Writing

    func send(_ entries: [[UInt8]]) throws {
        try turn.withLock { _ in
            writer.withLock { $0.isSending = true }
            defer { writer.withLock { $0.isSending = false } }
            var rest = entries[...]
            while !rest.isEmpty {
                let (count, isAsleep) = try writer.withLock { writing in
                    let count = try write(rest, &writing.ring)
                    guard let next = rest.dropFirst(count).first else { return (count, false) }
                    return (count, try sleeps(&writing.ring, next.count))
                }
                rest = rest.dropFirst(count)
                if isAsleep, !wait(for: writerSocket) { throw closedError() }
            }
        }
    }

    func sendNow(_ entries: ArraySlice<[UInt8]>) throws -> Int {
        try writer.withLock { writing in writing.isSending ? 0 : try write(entries, &writing.ring) }
    }

    /// Writes as many entries as there is room for, and returns their number.
    private func write(_ entries: ArraySlice<[UInt8]>, _ writer: inout RingWriter) throws -> Int {
        var count = 0
        for entry in entries {
            guard try put(entry, &writer) else { break }
            count += 1
        }
        wake(writer.publish())
        return count
    }

    private func put(_ entry: [UInt8], _ writer: inout RingWriter) throws -> Bool {
        guard !closing.withLock({ $0.isClosed }) else { throw closedError() }
        let outcome = entry.withUnsafeBytes { bytes in
            Result { () throws(SharedRingError) in try writer.write(bytes) }
        }
        return try outcome.mapError(corrupted).get()
    }

    private func sleeps(_ writer: inout RingWriter, _ count: Int) throws -> Bool {
        do { return try writer.fallAsleep(needing: count) } catch { throw corrupted(error) }
    }

    private func wake(_ isNeeded: Bool) {
        // A full socket has enough to wake the other side.
        if isNeeded { _ = try? writerSocket.send([1]) }
    }

    // MARK: Reading

    private func read() {
        var reader = rings.reader(ofFirst: !isMaker)
        var error: (any Error)?
        do {
            while try readSome(&reader) {}
        } catch let failure {
            error = failure
        }
        close(error)
        ended(closing.withLock { $0.error })
    }

    /// Passes on what there is, or waits for more; returns false at the end.
    private func readSome(_ reader: inout RingReader) throws -> Bool {
        // Both come before a last look: entries that were written earlier are still there.
        let isLast = closing.withLock({ $0.isClosed }) || reader.isEnded
        var entries: [[UInt8]] = []
        var bytes = 0
        do {
            while entries.count < Self.mostEntries, bytes < Self.mostBytes {
                guard let entry = try reader.next(largest: PointStream.largestEntry) else { break }
                bytes += entry.count
                entries.append(entry)
            }
            if entries.isEmpty {
                if isLast { return false }
                if try !reader.fallAsleep() || wait(for: readerSocket) { return true }
                if closing.withLock({ $0.isClosed }) || reader.isEnded { return true }
                guard let next = try reader.next(largest: PointStream.largestEntry) else {
                    throw ExtensionHostError(.interrupted, "the other side of the stream has ended")
                }
                entries.append(next)
            }
        } catch let error as SharedRingError {
            throw corrupted(error)
        }
        if reader.release() { _ = try? readerSocket.send([1]) }
        if stopsReading { return false }
        activity.enter()
        receive(entries)
        activity.leave()
        return !stopsReading
    }

    /// Whether this side has closed the stream, and wants no more of it.
    private var stopsReading: Bool { closing.withLock { $0.isClosed && !$0.drains } }

    /// Waits until the other side wakes this thread; returns false at its end.
    private func wait(for socket: borrowing Socket) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while true {
                guard let packet = try? socket.receive(into: buffer, waiting: true) else { return false }
                switch packet {
                case .endOfFile: return false
                case .wouldBlock: socket.waitUntilReadable()
                case .packet, .truncated, .controlTruncated: return true
                }
            }
        }
    }

    // MARK: The end

    func close(_ error: (any Error)?) { close(error, drains: false) }

    func abandon() { close(nil) }

    func requestEnded(_ error: (any Error)?) { close(error, drains: true) }

    private func close(_ error: (any Error)?, drains: Bool) {
        let isFirst = closing.withLock { closing in
            guard !closing.isClosed else { return false }
            closing = Closing(isClosed: true, drains: drains, error: error)
            return true
        }
        guard isFirst else { return }
        rings.end(first: isMaker)
        writerSocket.shutDown()
        readerSocket.shutDown()
    }

    private func closedError() -> any Error {
        closing.withLock { closing in
            if let error = closing.error { return error }
            // The other side writes the word before it shuts the sockets down.
            return closing.isClosed || rings.isEnded(first: !isMaker)
                ? ExtensionHostError.streamIsClosed
                : ExtensionHostError(.interrupted, "the other side of the stream has ended")
        }
    }

    private func corrupted(_ error: SharedRingError) -> ExtensionHostError {
        ExtensionHostError(
            .protocolViolation, "the other side of the stream has written places that cannot be", cause: "\(error)")
    }
}
