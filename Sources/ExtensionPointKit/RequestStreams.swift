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
    package func make(
        isRouted: Bool, capacity: Int, _ receive: @escaping PointStream.Receiver,
        _ ended: @escaping PointStream.EndReceiver
    ) throws -> PointStream {
        let capacity = Self.allowed(capacity)
        let number = table.withLock { table in
            table.last += 1
            return table.last
        }
        let forget = forgetting(number, ended)
        if isRouted {
            let carrier = RoutedStream(
                number, of: request, isMaker: true, port, activity, capacity: capacity, receive, forget)
            let offer = PointStreamOffer(stream: number, capacity: capacity, parts: nil)
            return try keep(PointStream(carrier, offer: offer), number, carrier)
        }
        let (carrier, parts) = try RingStream.make(capacity: capacity, activity, receive, forget)
        let offer = PointStreamOffer(stream: number, capacity: capacity, parts: parts)
        return try keep(PointStream(carrier, offer: offer), number, nil)
    }

    /// Opens the other end of a stream.
    package func open(
        _ offer: PointStreamOffer, _ receive: @escaping PointStream.Receiver, _ ended: @escaping PointStream.EndReceiver
    ) throws -> PointStream {
        guard offer.capacity == Self.allowed(offer.capacity), table.withLock({ $0.streams[offer.stream] == nil }) else {
            throw ExtensionHostError(.protocolViolation, "the stream's end is not one")
        }
        let forget = forgetting(offer.stream, ended)
        guard let parts = offer.parts else {
            let carrier = RoutedStream(
                offer.stream, of: request, isMaker: false, port, activity, capacity: offer.capacity, receive, forget)
            let stream = try keep(PointStream(carrier, offer: nil), offer.stream, carrier)
            carrier.start()
            return stream
        }
        let carrier = try RingStream.open(parts, capacity: offer.capacity, activity, receive, forget)
        return try keep(PointStream(carrier, offer: nil), offer.stream, nil)
    }

    /// Returns the next power of two that a ring can have.
    private static func allowed(_ capacity: Int) -> Int {
        var allowed = 4096
        while allowed < min(capacity, 16 << 20) { allowed *= 2 }
        return allowed
    }

    private func forgetting(_ number: Int, _ ended: @escaping PointStream.EndReceiver) -> PointStream.EndReceiver {
        { [weak self] error in
            self?.table.withLock { table in
                table.streams[number] = nil
                table.routed[number] = nil
            }
            ended(error)
        }
    }

    private func keep(_ stream: PointStream, _ number: Int, _ routed: RoutedStream?) throws -> PointStream {
        let refusal = table.withLock { table -> ExtensionHostError? in
            if table.isOver { return .streamIsClosed }
            guard table.streams.count < Self.most else {
                return ExtensionHostError(
                    .quotaExceeded, "the request has \(Self.most) open streams, which is the limit",
                    remedy: "Close one of them")
            }
            table.streams[number] = stream
            table.routed[number] = routed
            return nil
        }
        if let refusal {
            stream.end(refusal)
            throw refusal
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
            return Array(table.streams.values)
        }
        for stream in streams { stream.end(error) }
    }

    /// The name of the calls of routed streams.
    package static let callName = StreamEntries.name
}
