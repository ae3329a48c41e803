// CredentialSession: a request for a credential, until the extension's answer.

public import ExtensionHost
public import ExtensionPointKit
import ExtensionProtocol
public import Foundation
import Locks
import PointMessages

/// A credential that a provider has given. Its descriptions do not show the password.
public struct ProvidedCredential: Sendable, Hashable {
    /// The user's name.
    public let user: String
    /// The password. Keep its text out of logs.
    public let password: ConfidentialText
}

/// An open or ended request for a credential. Safe to use from any thread.
public final class CredentialSession: Sendable {
    /// The end of a request.
    public enum Ending: Sendable {
        /// The extension has given a credential.
        case provided(ProvidedCredential)
        /// The extension has completed the request without a credential, as after its configuration.
        case completed
        /// The extension, with an error such as those of `CredentialFault`, or the host has given the request up.
        case cancelled(NSError)
        /// The process has ended, or a time limit expired.
        case ended(ExtensionHostError)
    }

    /// The request with the answer.
    public let request: ExtensionRequest
    /// The request before it, in which the extension asked for the person; nil without one.
    public let first: ExtensionRequest?
    /// Whether the extension shows a view.
    public let isInteractive: Bool

    private let choice: CredentialChoice
    private let failure = Mutex<ExtensionHostError?>(nil)

    /// The time in which the framework completes a request after its end is agreed (ours), in real time.
    private static let grace = Duration.seconds(5)

    init(_ request: ExtensionRequest, _ choice: CredentialChoice, isInteractive: Bool, after first: ExtensionRequest?) {
        (self.request, self.choice, self.isInteractive, self.first) = (request, choice, isInteractive, first)
    }

    /// The extension's last view; nil before the first one.
    public var view: ViewElement? { request.view }

    /// Performs a person's action on the view, as `ExtensionRequest.use(_:)` does.
    @discardableResult public func use(_ action: ViewAction) async throws -> ViewElement? {
        try await request.use(action)
    }

    /// Gives the request up, unless it has ended, or the host has a credential. The latter ends by itself.
    public func cancel() async {
        guard choice.credential == nil else { return await Self.settle(request) }
        try? await request.cancel()
    }

    /// The end of the request. The getter waits for it.
    public var ending: Ending {
        get async {
            let outcome = await request.outcome
            // The host has the credential, whatever becomes of the request afterwards.
            if let credential = choice.credential { return .provided(credential) }
            if let failure = failure.withLock({ $0 }) { return .ended(failure) }
            switch outcome {
            case .completed: return .completed
            case .cancelled(.cancelledByExtension, let error):
                if let kit = ExtensionHostError(crossed: error) { return .ended(kit) }
                return .cancelled(error as NSError)
            case .cancelled(_, let error): return .cancelled(error as NSError)
            case .interrupted(let cause), .timedOut(let cause), .refused(let cause):
                if let reason = await request.explanation { return .ended(reason) }
                return .ended(ExtensionHostError(.interrupted, "the request ended early (\(cause.rawValue))"))
            }
        }
    }

    // MARK: The calls

    /// Makes the first call. A request without a view is over when this returns.
    func start<Message: PointMessage>(_ message: Message) async where Message.Reply == Nothing {
        choice.follow { [weak request] in if let request { await Self.close(request) } }
        do {
            try await request.call(message)
            // The author has answered, or the view is shown.
            if !isInteractive { await Self.settle(request) }
        } catch {
            await settle(after: error)
        }
    }

    /// Tells the extension that the host has its credential. The framework completes the request after that.
    private static func close(_ request: ExtensionRequest) async {
        do {
            try await request.call(EndCredentials())
            await settle(request)
        } catch {
            try? await request.cancel()
        }
    }

    /// Waits for the end of a request that the extension has ended, or is about to end.
    private static func settle(_ request: ExtensionRequest) async {
        let isDue = Task {
            try await Task.sleep(for: grace)
            try await request.cancel()
        }
        _ = await request.outcome
        isDue.cancel()
    }

    private func settle(after error: any Error) async {
        let kit = error as? ExtensionHostError
        switch kit?.code {
        // The author has ended the request while the call was open, or the process has gone.
        case .contextFinished, .noSuchRequest, .interrupted: await Self.settle(request)
        default:
            // A credential that was chosen before counts.
            if choice.credential == nil {
                let reason =
                    kit ?? ExtensionHostError(.interrupted, "the extension has failed: \(error as NSError)")
                failure.withLock { $0 = reason }
            }
            try? await request.cancel()
            _ = await request.outcome
            // The reason why there is no extension to call says more than the failed call.
            if case .refused = await request.outcome { failure.withLock { $0 = nil } }
        }
    }
}

/// The extension's choice of a credential. The first counts. Safe to use from any thread.
///
/// It is taken on the thread that reads the connection, so it is known before the replies and the end that follow it.
final class CredentialChoice: Sendable {
    private struct State {
        var credential: ProvidedCredential?
        var onChoice: (@Sendable () async -> Void)?
    }

    private let takesCredential: Bool
    private let state = Mutex(State())

    init(takesCredential: Bool) { self.takesCredential = takesCredential }

    var credential: ProvidedCredential? { state.withLock { $0.credential } }

    /// Begins `body` when the extension has chosen, also if it has done so before.
    func follow(_ body: @escaping @Sendable () async -> Void) {
        let isDue = state.withLock { state in
            state.onChoice = body
            return state.credential != nil
        }
        if isDue { Task { await body() } }
    }

    var handlers: PointHandlers {
        var handlers = PointHandlers()
        handlers.direct = { [self] call in
            do {
                let body = try take(call)
                call.answer(.success(try PointEncoder.encode(Nothing())))
                if let body { Task { await body() } }
            } catch {
                call.answer(.failure(error))
            }
        }
        return handlers
    }

    private func take(_ call: IncomingCall) throws -> (@Sendable () async -> Void)? {
        guard call.name == SelectCredential.name else {
            throw ExtensionHostError(.notImplemented, "this side has no handler of \(call.name)")
        }
        guard takesCredential else {
            throw ExtensionHostError(
                .notPermitted, "a configuration takes no credential",
                remedy: "Call completeExtensionConfigurationRequest()")
        }
        let message = try call.decode(SelectCredential.self)
        guard message.user.utf8.count <= SelectCredential.longestUser,
            message.password.text.utf8.count <= SelectCredential.longestPassword
        else { throw ExtensionHostError(.quotaExceeded, "the name or the password is longer than this host takes") }
        return try state.withLock { state in
            guard state.credential == nil else {
                throw ExtensionHostError(.contextFinished, "the host has a credential already")
            }
            state.credential = ProvidedCredential(user: message.user, password: message.password)
            return state.onChoice
        }
    }
}
