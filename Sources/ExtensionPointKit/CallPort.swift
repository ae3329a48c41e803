// CallPort: the open calls of a connection, in both directions.

public import ExtensionConnection
public import ExtensionItems
public import ExtensionWire
import Foundation
import Locks
import PropertyListCoding

/// Makes calls over a connection to the daemon, and receives those of the other side. Safe to use from any thread.
public final class CallPort: Sendable {
    /// A reply, or an error.
    public typealias Answer = Result<EncodedValue, any Error>
    /// A receiver of a part. It calls the function when it has taken the part.
    public typealias PartReceiver = @Sendable (EncodedValue, _ taken: @escaping @Sendable () -> Void) -> Void

    /// The options of a call.
    public struct Options: Sendable {
        /// The time until the other side is told that the call expires. Nil: as the extension point says.
        public var limit: Duration?
        /// The further time until the call fails with `timedOut`. Nil: none.
        public var grace: Duration?
        /// Whether the port makes the call again if the daemon was replaced meanwhile. The other side may then perform
        /// it twice.
        public var isRepeatable = false
        /// The receiver of the parts of the reply.
        public var onPart: PartReceiver?

        /// Makes options; each is described at its property.
        public init(
            limit: Duration? = nil, grace: Duration? = nil, isRepeatable: Bool = false, onPart: PartReceiver? = nil
        ) {
            self.limit = limit
            self.grace = grace
            self.isRepeatable = isRepeatable
            self.onPart = onPart
        }
    }

    private struct Key: Hashable {
        let request: RequestIdentifier
        let number: Int
    }

    private struct Outgoing {
        let onPart: PartReceiver?
        let completion: @Sendable (Answer) -> Void
    }

    private struct Incoming {
        weak var call: IncomingCall?
        let serial: UInt32
    }

    private struct Table {
        var last = 0
        var outgoing: [Key: Outgoing] = [:]
        /// The receiver of each call owns it.
        var incoming: [Key: Incoming] = [:]
    }

    /// The connection.
    package let channel: Channel
    private let table = Mutex(Table())

    /// Makes a port without calls.
    public init(channel: Channel) { self.channel = channel }

    // MARK: Calls of this side

    /// Calls the other side of a request. Calls reach it in the order of these invocations.
    ///
    /// - Parameters:
    ///   - name: the name of the call.
    ///   - request: the request.
    ///   - arguments: the encoded arguments.
    ///   - options: the options.
    ///   - completion: called once, on any thread, with the reply, the error of the other side's author, or an
    ///     `ExtensionHostError`.
    /// - Returns: a function that cancels the call. `completion` then gets `CocoaError.userCancelled`.
    @discardableResult
    public func call(
        _ name: String, of request: RequestIdentifier, _ arguments: EncodedValue, _ options: Options = Options(),
        completion: @escaping @Sendable (Answer) -> Void
    ) -> @Sendable () -> Void {
        let key = table.withLock { table in
            table.last += 1
            let key = Key(request: request, number: table.last)
            table.outgoing[key] = Outgoing(onPart: options.onPart, completion: completion)
            return key
        }
        start(key, name, arguments, options)
        return { [self] in
            guard let call = table.withLock({ $0.outgoing.removeValue(forKey: key) }) else { return }
            try? channel.send(CancelCall(request: key.request, number: key.number))
            call.completion(.failure(CocoaError(.userCancelled)))
        }
    }

    /// Calls the other side of a request. The cancellation of the task cancels the call.
    ///
    /// - Throws: the error of the other side's author, an `ExtensionHostError`, or `CocoaError.userCancelled`.
    public func call(
        _ name: String, of request: RequestIdentifier, _ arguments: EncodedValue, _ options: Options = Options()
    ) async throws -> EncodedValue {
        let cancellation = Mutex<(isDue: Bool, cancel: (@Sendable () -> Void)?)>((false, nil))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let cancel = call(name, of: request, arguments, options) { continuation.resume(with: $0) }
                let isDue = cancellation.withLock { state in
                    state.cancel = cancel
                    return state.isDue
                }
                if isDue { cancel() }
            }
        } onCancel: {
            let cancel = cancellation.withLock { state in
                state.isDue = true
                return state.cancel
            }
            cancel?()
        }
    }

    private func start(_ key: Key, _ name: String, _ arguments: EncodedValue, _ options: Options) {
        do {
            let message = Call(
                request: key.request, number: key.number, name: name, limit: options.limit.map { $0 / .seconds(1) },
                grace: options.grace.map { $0 / .seconds(1) })
            let daemon = channel.restarts
            let payload = try Payload(try arguments.plist.encodeBinary())
            try channel.request(message, payload: payload, descriptors: arguments.descriptors) { [self] answer in
                if case .failure(let error) = answer, error.code == .connectionLost, options.isRepeatable,
                    channel.restarts != daemon, table.withLock({ $0.outgoing[key] != nil })
                {
                    return start(key, name, arguments, options)
                }
                finish(key, Answer { try Self.read(answer) })
            }
        } catch {
            finish(key, .failure(error))
        }
    }

    private func finish(_ key: Key, _ answer: Answer) {
        table.withLock { $0.outgoing.removeValue(forKey: key) }?.completion(answer)
    }

    private static func read(_ answer: Channel.Answer) throws -> EncodedValue {
        let packet = try answer.get()
        guard packet.kind == .called, let bytes = try packet.payload.bytes() else {
            throw ExtensionHostError(.protocolViolation, "the answer to the call is not one")
        }
        return try decodeAnswer(try PropertyList(binary: bytes, limits: .payload), descriptors: packet.descriptors)
    }

    // MARK: Calls of the other side

    /// Takes a packet of a call. Call it on the connection's reader thread.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - begin: called with a new call, which it owns.
    /// - Throws: `ProtocolError` if the packet cannot be read or is of another kind.
    public func receive(_ packet: Packet, begin: (IncomingCall) -> Void) throws {
        switch packet.kind {
        case .call: try receiveCall(packet, begin)
        case .cancelCall:
            let message: CancelCall = try packet.message()
            incoming(Key(request: message.request, number: message.number))?.cancel()
        case .callExpires:
            let message: CallExpires = try packet.message()
            incoming(Key(request: message.request, number: message.number))?.expire()
        case .callPart: try receivePart(packet)
        default: throw ProtocolError.unexpected(kind: "\(packet.kind)", state: "as a packet of a call")
        }
    }

    /// Cancels the incoming calls of a request that has ended.
    public func requestEnded(_ request: RequestIdentifier) {
        let calls = table.withLock { table in
            guard !table.incoming.isEmpty else { return [IncomingCall]() }
            return table.incoming.filter { $0.key.request == request }.compactMap(\.value.call)
        }
        for call in calls { call.cancel() }
    }

    /// Cancels all incoming calls, because their callers are gone or will make them again.
    public func cancelIncoming() {
        for call in table.withLock({ $0.incoming.values.compactMap(\.call) }) { call.cancel() }
    }

    private func incoming(_ key: Key) -> IncomingCall? { table.withLock { $0.incoming[key]?.call } }

    private func receiveCall(_ packet: Packet, _ begin: (IncomingCall) -> Void) throws {
        let message: Call = try packet.message()
        let key = Key(request: message.request, number: message.number)
        let serial = packet.serial
        let arguments: EncodedValue
        do {
            let bytes = try packet.payload.bytes()
            let plist = try bytes.map { try PropertyList(binary: $0, limits: .payload) } ?? .dictionary([:])
            arguments = EncodedValue(plist: plist, descriptors: packet.descriptors)
        } catch {
            let why = ExtensionHostError(
                .invalidArgument, "the arguments of \(message.name) cannot be read", cause: "\(error)")
            return try channel.send(ErrorReply(why), replyTo: serial)
        }
        let call = IncomingCall(
            message, arguments, send: { [weak self] in self?.answer($0, key, serial) },
            sendPart: { [channel] value in
                let payload = try Payload(try value.plist.encodeBinary())
                let message = CallPart(request: key.request, number: key.number)
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    do {
                        try channel.request(message, payload: payload, descriptors: value.descriptors) { answer in
                            continuation.resume(with: answer.map { _ in }.mapError { $0 as any Error })
                        }
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            })
        table.withLock { $0.incoming[key] = Incoming(call: call, serial: serial) }
        begin(call)
    }

    private func answer(_ answer: Answer, _ key: Key, _ serial: UInt32) {
        // After a restart of the daemon the caller may have made the call again.
        table.withLock { if $0.incoming[key]?.serial == serial { $0.incoming[key] = nil } }
        do {
            // An error of ours says why the call failed; an author's error is an answer.
            if case .failure(let error as ExtensionHostError) = answer { throw error }
            let value = encodeAnswer(answer)
            try channel.send(
                Called(), payload: try Payload(try value.plist.encodeBinary()), descriptors: value.descriptors,
                replyTo: serial)
        } catch let error as ExtensionHostError {
            try? channel.send(ErrorReply(error), replyTo: serial)
        } catch {
            let why = ExtensionHostError(.payloadTooLarge, "the reply cannot travel", cause: "\(error)")
            try? channel.send(ErrorReply(why), replyTo: serial)
        }
    }

    private func receivePart(_ packet: Packet) throws {
        let message: CallPart = try packet.message()
        let serial = packet.serial
        let receiver = table.withLock { $0.outgoing[Key(request: message.request, number: message.number)]?.onPart }
        guard let receiver else {
            let why = ExtensionHostError(.contextFinished, "nobody waits for parts of the call")
            return try channel.send(ErrorReply(why), replyTo: serial)
        }
        let plist: PropertyList
        do {
            plist =
                try packet.payload.bytes().map { try PropertyList(binary: $0, limits: .payload) } ?? .dictionary([:])
        } catch {
            let why = ExtensionHostError(.invalidArgument, "the part cannot be read", cause: "\(error)")
            return try channel.send(ErrorReply(why), replyTo: serial)
        }
        receiver(EncodedValue(plist: plist, descriptors: packet.descriptors)) { [channel] in
            try? channel.send(Success(), replyTo: serial)
        }
    }
}
