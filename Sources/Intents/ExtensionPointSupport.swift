// ExtensionPointSupport: the calls of an intents extension, as calls of the author's code on the queue of the request.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The framework's half of `com.apple.intents-service`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        guard type is any INIntentHandlerProviding.Type else {
            throw ExtensionHostError(
                .principalUnsuitable, "\(type) is not a subclass of INExtension",
                remedy: "Name one in NSExtensionPrincipalClass")
        }
        return session.makeObject(of: type)
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case DescribeIntent.name:
            let type = try IntentClasses.type(try call.decode(DescribeIntent.self).className, session)
            return try PointEncoder.encode(
                DescribeIntent.Reply(
                    type._parameters.map {
                        .init($0.property.name, $0.property.type, isResolved: $0.resolve != nil)
                    }))
        case ResolveIntent.name:
            return try PointEncoder.encode(try await resolve(try call.decode(ResolveIntent.self), session))
        case ConfirmIntent.name:
            let request = try Request(try call.decode(ConfirmIntent.self).intent, session)
            do {
                let answer = try await Self.perform("confirm", request.handling.confirm, request, session)
                return try PointEncoder.encode(ConfirmIntent.Reply(answer))
            } catch let error as ExtensionHostError where error.code == .notImplemented {
                // The method is optional (documented).
                return try PointEncoder.encode(ConfirmIntent.Reply(nil))
            }
        case HandleIntent.name:
            let request = try Request(try call.decode(HandleIntent.self).intent, session)
            return try PointEncoder.encode(
                HandleIntent.Reply(try await Self.perform("handle", request.handling.handle, request, session)))
        case EndIntent.name: return try PointEncoder.encode(Nothing())
        default: throw ExtensionHostError(.notImplemented, "Intents has no call \(call.name)")
        }
    }

    // MARK: Steps

    private func resolve(_ message: ResolveIntent, _ session: PointSession) async throws -> ResolveIntent.Reply {
        let request = try Request(message.intent, session)
        guard let parameter = request.parameters.first(where: { $0.property.name == message.parameter }) else {
            throw ExtensionHostError(
                .invalidArgument, "\(message.intent.className) has no parameter \(message.parameter)")
        }
        guard let resolve = parameter.resolve else { return ResolveIntent.Reply(nil) }
        let type = parameter.property.type
        let both = Author(resolve)
        let method =
            "\(request.author).resolve\(message.parameter.prefix(1).uppercased())"
            + "\(message.parameter.dropFirst())(for:with:)"
        do {
            let results = try await session.eitherForm(
                of: method,
                handler: { (handler: @escaping @Sendable ([IntentResolution]) -> Void) in
                    both.value.handler(request.handler, request.intent) { handler($0._results.map(\.resolution)) }
                },
                async: { await both.value.async(request.handler, request.intent)._results.map(\.resolution) })
            if let fault = results.lazy.compactMap({ Self.fault(of: $0, type) }).first {
                throw ExtensionHostError(.protocolViolation, "\(method) answered with \(fault)")
            }
            return ResolveIntent.Reply(results)
        } catch let error as ExtensionHostError where error.code == .notImplemented {
            return ResolveIntent.Reply(nil)
        }
    }

    /// Names what is wrong with a result; nil if nothing is.
    private static func fault(of result: IntentResolution, _ type: IntentType) -> String? {
        for value in [result.value].compactMap({ $0 }) + result.options where !type.element.holds(value) {
            return "a value that is no \(type.record ?? type.kind.rawValue)"
        }
        if result.kind == .success, result.value == nil { return "a success without a value" }
        if result.kind == .disambiguation, result.options.isEmpty { return "a disambiguation without options" }
        return nil
    }

    private static func perform(
        _ name: String, _ step: _IntentHandling.Step, _ request: Request, _ session: PointSession
    ) async throws -> IntentAnswer {
        let both = Author(step)
        return try await session.eitherForm(
            of: "\(request.author).\(name)(intent:completion:)",
            handler: { (handler: @escaping @Sendable (IntentAnswer) -> Void) in
                both.value.handler(request.handler, request.intent) { handler(answer($0)) }
            },
            async: { answer(await both.value.async(request.handler, request.intent)) })
    }

    private static func answer(_ response: INIntentResponse) -> IntentAnswer {
        let type = Swift.type(of: response)
        var values: [String: IntentValue] = [:]
        for property in type._properties { values[property.name] = property.get(response) }
        let code = response._code
        return IntentAnswer(
            "\(type)", code: code.name, number: code.number, isSuccess: code.isSuccess, values: values,
            activity: response.userActivity.map { activity in
                IntentAnswer.Activity(
                    type: activity.activityType, title: activity.title, userInfo: entries(activity.userInfo ?? [:]),
                    webpage: activity.webpageURL?.absoluteString)
            })
    }

    /// The entries with a name and a value that travels.
    private static func entries(_ information: [AnyHashable: Any]) -> [String: IntentValue] {
        var values: [String: IntentValue] = [:]
        for (key, value) in information {
            guard let key = key as? String else { continue }
            values[key] = (value as? any _IntentRepresentable)?._intentValue
        }
        return values
    }

    // MARK: Handlers

    /// An intent of the author's code with its handler.
    private struct Request: @unchecked Sendable {  // its objects are used on the queue of the request
        let intent: INIntent
        let handler: Any
        let handling: _IntentHandling
        let parameters: [_IntentParameter]

        /// The class of the handler.
        var author: String { "\(Swift.type(of: handler))" }

        /// Makes the intent, and asks the author for its handler.
        init(_ description: IntentDescription, _ session: PointSession) throws {
            let type = try IntentClasses.type(description.className, session)
            intent = try IntentClasses.intent(description, type)
            parameters = type._parameters
            guard let handling = type._handling, let provider = session.principal as? any INIntentHandlerProviding
            else { throw ExtensionHostError(.contextFinished, "the request has ended") }
            guard let found = provider.handler(for: intent) else {
                throw ExtensionHostError(
                    .principalUnsuitable,
                    "\(Swift.type(of: provider)).handler(for:) returned no object for \(description.className)",
                    remedy: "Return one that adopts \(handling.name)")
            }
            guard handling.accepts(found) else {
                throw ExtensionHostError(
                    .principalUnsuitable, "\(Swift.type(of: found)) does not adopt \(handling.name)",
                    remedy: "Adopt the protocol, or return another object in handler(for:)")
            }
            (handler, self.handling) = (found, handling)
            // The handler lives as long as the request, as the author may keep only the completion handler.
            session.state(Handlers.self) { Handlers() }.add(found)
        }
    }

    /// The latest handlers of a request.
    private final class Handlers: Sendable {
        private struct Held: @unchecked Sendable { let object: Any }
        private let last = Mutex<Held?>(nil)

        func add(_ object: Any) {
            let held = Held(object: object)
            // The previous handler is released outside of the lock.
            let previous = last.withLock { last in
                defer { last = held }
                return last
            }
            _ = previous
        }
    }

    /// The author's methods, which run on the queue of the request.
    private struct Author<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}
