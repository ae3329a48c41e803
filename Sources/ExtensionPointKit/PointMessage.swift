// PointMessage: the vocabulary of an extension point, and a host's handlers of it.

public import ExtensionItems
public import ExtensionWire

/// The absence of a reply or of parts.
public struct Nothing: Codable, Sendable, Hashable {
    /// Makes the only value.
    public init() {}
}

/// A call of an extension point, with its arguments as properties.
///
/// Two versions of a program may talk to each other. So a property may be added only if it is optional, and none ever
/// changes its meaning. A call that changes otherwise gets another name.
public protocol PointMessage: Codable, Sendable {
    /// The type of the reply.
    associatedtype Reply: Codable & Sendable = Nothing
    /// A part of the reply that travels ahead of it.
    associatedtype Part: Codable & Sendable = Nothing
    /// The name in the extension point's property list, such as `today.performUpdate`.
    static var name: String { get }
}

/// The handlers of the calls that one side of a request receives.
///
/// A call without a handler gets the error `notImplemented`.
public struct PointHandlers: Sendable {
    /// A handler of a call's encoded form.
    public typealias Handler = @Sendable (IncomingCall) async throws -> EncodedValue

    private var handlers: [String: Handler] = [:]
    /// The handler of all other calls. Nil answers them with `notImplemented`.
    package var others: Handler?
    /// The receiver of all other calls, on the thread that reads the connection. It must not block. It comes before
    /// `others`.
    package var direct: (@Sendable (IncomingCall) -> Void)?

    /// Makes a set without handlers.
    public init() {}

    /// Adds the handler of one call, or replaces it.
    ///
    /// - Parameters:
    ///   - type: the call.
    ///   - body: called for each such call. Its task is cancelled when the caller cancels the call or the request ends.
    ///     An error that it throws goes to the caller.
    public mutating func on<Message: PointMessage>(
        _ type: Message.Type, _ body: @escaping @Sendable (Message, IncomingCall) async throws -> Message.Reply
    ) {
        handlers[Message.name] = { call in
            try PointEncoder.encode(try await body(try call.decode(type), call))
        }
    }

    /// Begins a call on a queue.
    public func begin(_ call: IncomingCall, on queue: CallQueue) {
        if handlers[call.name] == nil, let direct { return direct(call) }
        guard let handler = handlers[call.name] ?? others else {
            call.answer(
                .failure(
                    ExtensionHostError(.notImplemented, "this side has no handler of \(call.name)")))
            return
        }
        call.perform(on: queue) { try await handler(call) }
    }
}

extension IncomingCall {
    /// Decodes the arguments.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument`, with the path of the value that does not fit.
    public func decode<Message: PointMessage>(_ type: Message.Type) throws(ExtensionHostError) -> Message {
        do {
            return try PointDecoder.decode(type, from: arguments)
        } catch {
            throw ExtensionHostError(.invalidArgument, "the arguments of \(name) do not fit", cause: "\(error)")
        }
    }

    /// Runs `body` on a queue, and answers with its value or error. Calls begin in the order of these invocations.
    ///
    /// The task is cancelled when the caller cancels the call, or the request ends.
    ///
    /// - Parameters:
    ///   - queue: the queue.
    ///   - body: performs the call.
    ///   - didAnswer: called after the answer was sent.
    public func perform(
        on queue: CallQueue, _ body: @escaping @Sendable () async throws -> EncodedValue,
        didAnswer: @escaping @Sendable () -> Void = {}
    ) {
        let task = Task(executorPreference: queue) { [self] in
            do {
                answer(.success(try await body()))
            } catch {
                answer(.failure(error))
            }
            didAnswer()
        }
        whenCancelled { task.cancel() }
    }
}

extension CallPort {
    /// Makes a typed call. The cancellation of the task cancels the call.
    public func call<Message: PointMessage>(
        _ message: Message, of request: RequestIdentifier, _ options: Options = Options()
    ) async throws -> Message.Reply {
        let reply = try await call(Message.name, of: request, try PointEncoder.encode(message), options)
        return try Self.reply(to: Message.self, reply)
    }

    /// Makes a typed call without waiting. Calls reach the other side in the order of these invocations.
    ///
    /// - Parameters:
    ///   - message: the call.
    ///   - request: the request.
    ///   - options: the options.
    ///   - completion: called once, on any thread.
    /// - Returns: a function that cancels the call.
    @discardableResult
    public func send<Message: PointMessage>(
        _ message: Message, of request: RequestIdentifier, _ options: Options = Options(),
        completion: @escaping @Sendable (Result<Message.Reply, any Error>) -> Void
    ) -> @Sendable () -> Void {
        do {
            return call(Message.name, of: request, try PointEncoder.encode(message), options) { answer in
                completion(answer.flatMap { reply in Result { try Self.reply(to: Message.self, reply) } })
            }
        } catch {
            completion(.failure(error))
            return {}
        }
    }

    /// Decodes the reply to a call.
    static func reply<Message: PointMessage>(to type: Message.Type, _ reply: EncodedValue) throws
        -> Message.Reply
    {
        do {
            return try PointDecoder.decode(Message.Reply.self, from: reply)
        } catch {
            throw ExtensionHostError(.protocolViolation, "the reply to \(Message.name) does not fit", cause: "\(error)")
        }
    }
}
