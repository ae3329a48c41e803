// IntentsHost: an assistant that resolves, confirms and performs intents.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
internal import Foundation
internal import PropertyListCoding
public import PointMessages

/// Performs intents with extensions.
///
/// An answer of any size or number does no harm: lists, values, their depth and questions are bounded.
public struct IntentsHost: Sendable {
    /// The extension point of intents.
    public static let point = "com.apple.intents-service"
    /// The number of questions to the person about one parameter, or about each value of a list (ours).
    public static let mostQuestions = 8
    /// The number of parameters of a class, of cases and of results for one, and of options for a choice (ours).
    public static let largestList = 1_000
    /// The number of parameters of a class that a handler resolves (ours).
    public static let mostResolutions = 100
    /// The number of values in all answers of one conversation (ours).
    ///
    /// Lists and records count with what they hold, and each 64 bytes of text or data as one value.
    public static let largestConversation = 50_000
    /// The number of levels of lists and records in a value (ours).
    public static let deepestValue = 16

    /// A question to the person.
    public enum Question: Sendable, Hashable {
        /// The parameter needs a value. The reason is a number of the author's.
        case value(parameter: String, type: IntentType, reason: Int?)
        /// The person chooses one of several values.
        case choice(parameter: String, options: [IntentValue])
        /// The person confirms a value.
        case confirmation(parameter: String, value: IntentValue?, reason: Int?)

        /// The parameter that the question is about.
        public var parameter: String {
            switch self {
            case .value(let parameter, _, _), .choice(let parameter, _), .confirmation(let parameter, _, _): parameter
            }
        }
    }

    /// The answer to a question.
    public enum Reply: Sendable, Hashable {
        /// A value, to any question.
        case value(IntentInput)
        /// The option at an index.
        case option(Int)
        /// The value is confirmed.
        case yes
        /// The person ends the conversation.
        case stop
    }

    /// A step with its result.
    public enum Step: Sendable, Hashable {
        /// A parameter. The results are nil if the handler has no method for it.
        case resolve(parameter: String, results: [IntentResolution]?)
        /// A question with the answer.
        case question(Question, Reply)
        /// The confirmation. The answer is nil if the handler has no method for it.
        case confirm(IntentAnswer?)
        /// The handling.
        case handle(IntentAnswer)
    }

    /// The end of an intent.
    public enum Ending: Sendable, Hashable {
        /// The handler has performed the intent.
        case handled
        /// The handler has answered with a code of failure, in the confirmation or in the handling.
        case failed
        /// The extension does not allow the intent while the device is locked. Its process has not been asked.
        case restricted
        /// A parameter needs a value, and the person has given none.
        case needsValue(parameter: String)
        /// The person has not chosen one of several values.
        case ambiguous(parameter: String)
        /// The person has not confirmed a value.
        case unconfirmed(parameter: String)
        /// The app cannot do anything with a value.
        case unsupported(parameter: String, reason: Int?)
        /// The extension wants more than `mostQuestions` questions about a parameter, or about a value of a list.
        case endless(parameter: String)
        /// The extension did not answer within its time, which is 10 s by default.
        case timedOut
        /// The extension's process ended, or the request did otherwise.
        case ended(Cause?)
        /// The handler released a completion handler without a call.
        case handlerDropped
        /// A call failed, or an answer was invalid.
        case fault(ExtensionHostError)
    }

    /// The result of an intent.
    public struct Run: Sendable {
        /// The class of the intent.
        public let className: String
        /// The identifier of the intent.
        let identifier: String
        /// The end.
        public let ending: Ending
        /// The steps in their order.
        public let steps: [Step]
        /// The values of the parameters at the end.
        public let values: [String: IntentValue]
        /// The last response; nil if there was none.
        public let answer: IntentAnswer?
        /// The request; nil if the extension was not asked.
        public let request: ExtensionRequest?
        /// The parts of the answers that have no effect, in words.
        public let remarks: [String]

        /// The seconds from the delivery to the end of the request, on the daemon's clock.
        ///
        /// The getter waits for that end.
        public var duration: Double? {
            get async {
                guard let request else { return nil }
                let timings = await request.timings
                guard let end = timings.finished else { return nil }
                return timings.delivered.map { end - $0 }
            }
        }
    }

    /// Answers a question to the person.
    public typealias Person = @Sendable (Question) async throws -> Reply

    private let host: HostApplication
    private let isLocked: Bool

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - isLocked: whether the device is locked. The intents under `IntentsRestrictedWhileLocked` are refused then.
    public init(_ host: HostApplication, isLocked: Bool = false) { (self.host, self.isLocked) = (host, isLocked) }

    /// Returns the classes of intents that an extension supports, in the order of its Info.plist.
    ///
    /// - Throws: `ExtensionHostError`: `noSuchExtension`, `connectionLost`.
    public func supportedIntents(of identifier: String) async throws -> [String] {
        Self.names(try await host.attributes(of: identifier)["IntentsSupported"])
    }

    private static func names(_ list: PropertyList?) -> [String] { list?.array?.compactMap(\.string) ?? [] }

    /// Resolves the parameters of an intent, confirms it, and performs it.
    ///
    /// - Parameters:
    ///   - className: the class, as in `IntentsSupported`.
    ///   - parameters: the values that are known at the beginning.
    ///   - identifier: the extension.
    ///   - person: answers the questions; without it, each one ends the conversation.
    /// - Returns: the steps and their end. An extension at fault is an end, no error.
    /// - Throws: errors of `HostApplication.begin` and of `person`; `ExtensionHostError`: `invalidArgument` for a class
    ///   that the extension does not support, or for a parameter or a value that the class does not have, and
    ///   `notSimulated` for a class that is not built; `CocoaError.userCancelled` after the task was cancelled.
    public func perform(
        _ className: String, parameters: [String: IntentInput] = [:], by identifier: String,
        asking person: Person = { _ in .stop }
    ) async throws -> Run {
        let attributes = try await host.attributes(of: identifier)
        let supported = Self.names(attributes["IntentsSupported"])
        guard supported.contains(className) else {
            throw ExtensionHostError(
                .invalidArgument, "\(identifier) does not support \(className)",
                remedy: supported.isEmpty
                    ? "List the class in IntentsSupported" : "Use \(supported.prefix(8).joined(separator: ", "))")
        }
        if isLocked, Self.names(attributes["IntentsRestrictedWhileLocked"]).contains(className) {
            return Run(
                className: className, identifier: "", ending: .restricted, steps: [], values: [:], answer: nil,
                request: nil, remarks: [])
        }
        let request = try await host.begin(identifier, items: [])
        var conversation = IntentConversation(request, className)
        do {
            let ending = try await conversation.run(parameters, person)
            // The end does not inherit a cancellation, which would overtake the framework's completion.
            await Task { await Self.end(request) }.value
            return conversation.run(ending)
        } catch let fault as IntentConversation.Failure {
            // The other errors are the caller's own.
            try? await request.cancel()
            if Task.isCancelled { throw CocoaError(.userCancelled) }
            if let error = fault.callersError { throw error }
            return conversation.run(await Self.ending(fault.error, request))
        } catch {
            try? await request.cancel()
            throw error
        }
    }

    /// Ends the request. The framework completes it after the call.
    private static func end(_ request: ExtensionRequest) async {
        do {
            try await request.call(EndIntent(), limit: .seconds(2))
        } catch {
            try? await request.cancel()
            return
        }
        let watch = Task {
            try await Task.sleep(for: .seconds(2))
            try await request.cancel()
        }
        _ = await request.outcome
        watch.cancel()
    }

    private static func ending(_ error: any Error, _ request: ExtensionRequest) async -> Ending {
        guard let error = error as? ExtensionHostError else {
            // Only an extension that writes the protocol itself answers with another error.
            return .fault(
                ExtensionHostError(.protocolViolation, "the extension answered with an error", cause: "\(error)"))
        }
        return switch error.code {
        case .timedOut: .timedOut
        case .handlerDropped: .handlerDropped
        case .interrupted, .contextFinished, .noSuchRequest: .ended(await request.outcome.cause)
        default: .fault(error)
        }
    }
}
