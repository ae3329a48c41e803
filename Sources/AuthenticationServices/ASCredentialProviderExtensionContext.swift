// ASCredentialProviderExtensionContext: the context of a credential provider, which ends the request.

public import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages

/// The context of a request for a credential. The first answer counts; others are ignored and logged.
open class ASCredentialProviderExtensionContext: NSExtensionContext, @unchecked Sendable {
    // Its state is behind a mutex.
    private struct Answer {
        /// Ends the call that waits for the answer; nil without one.
        var finish: (@Sendable () -> Void)?
        var completionHandler: (@Sendable (Bool) -> Void)?
        /// Whether the author has chosen a credential.
        var isChosen = false
        /// Whether the host has it.
        var isTaken = false
        /// Whether the request is over.
        var isOver = false

        /// Whether an answer of the author's comes after the first one.
        var isLate: Bool { isChosen && !isTaken }
    }

    private let state = Mutex(Answer())

    // MARK: Passwords

    /// Gives the host a credential, and completes the request.
    ///
    /// - Parameters:
    ///   - credential: a name of at most 1,024 bytes, and a password of at most 4,096 bytes (ours). A longer one
    ///     cancels the request with `ASExtensionError.failed`.
    ///   - completionHandler: as for `NSExtensionContext.completeRequest(returningItems:completionHandler:)`. It is
    ///     not called if the request ends otherwise.
    open func completeRequest(
        withSelectedCredential credential: ASPasswordCredential, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard let session = PointSession.of(self) else {
            return super.completeRequest(returningItems: [], completionHandler: completionHandler)
        }
        let isFirst = state.withLock { state in
            defer { state.isChosen = true }
            if !state.isChosen, !state.isOver { state.completionHandler = completionHandler }
            return !state.isChosen
        }
        guard isFirst else { return reportLate("completeRequest(withSelectedCredential:)") }
        let user = credential.user
        guard user.utf8.count <= SelectCredential.longestUser,
            credential.password.utf8.count <= SelectCredential.longestPassword
        else {
            let reason = "the name or the password is longer than a host takes"
            return giveUp(ASExtensionError(.failed, userInfo: [NSLocalizedDescriptionKey: reason]))
        }
        let message = SelectCredential(user: user, password: ConfidentialText(credential.password))
        session.send(message) { [self] answer in
            if case .failure(let error) = answer { return giveUp(error) }
            finish()
        }
    }

    /// Gives the host a credential, and waits until the host has it.
    ///
    /// - Parameter credential: as for the form with a completion handler.
    /// - Returns: whether the time of the process is up, as for a completion handler. False if the request ends
    ///   otherwise, such as by the host.
    @discardableResult
    open func completeRequest(withSelectedCredential credential: ASPasswordCredential) async -> Bool {
        await OneResult.wait { result in
            completeRequest(withSelectedCredential: credential) { result.set($0) }
        }
    }

    /// Completes a request for the configuration of the provider.
    open func completeExtensionConfigurationRequest() { completeRequest(returningItems: [], completionHandler: nil) }

    /// Completes the request without a credential.
    ///
    /// - Parameters:
    ///   - items: no host here takes items.
    ///   - completionHandler: as for `NSExtensionContext.completeRequest(returningItems:completionHandler:)`.
    open override func completeRequest(
        returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        let (handler, isLate) = state.withLock { state in
            guard !state.isLate else { return (completionHandler, true) }
            defer { state.completionHandler = nil }
            return (state.completionHandler ?? completionHandler, false)
        }
        guard !isLate else { return reportLate("completeRequest") }
        super.completeRequest(returningItems: [], completionHandler: handler)
        finish()
    }

    /// Gives the request up.
    ///
    /// - Parameter error: an error of `ASExtensionErrorDomain`. `userInteractionRequired` makes the host begin anew.
    open override func cancelRequest(withError error: any Error) {
        guard !state.withLock({ $0.isChosen }) else { return reportLate("cancelRequest(withError:)") }
        giveUp(error)
    }

    private func giveUp(_ error: any Error) {
        super.cancelRequest(withError: error)
        finish()
        dropHandler()
    }

    /// Releases the completion handler of a credential that the host does not get. The `async` form then returns.
    private func dropHandler() {
        // The release runs code of the waiting task, so the mutex is free by then.
        _ = state.withLock { state in
            defer { state.completionHandler = nil }
            return state.completionHandler
        }
    }

    private func reportLate(_ method: String) {
        PointSession.of(self)?.report("\(method) was ignored: the host has a credential (E_CONTEXT_FINISHED)")
    }

    // MARK: The framework

    /// Notes the function that ends the call of the host, which waits for the author's answer.
    func whenAnswered(_ finish: @escaping @Sendable () -> Void) { state.withLock { $0.finish = finish } }

    /// Notes that the host has the credential: what follows ends the request.
    func isTaken() { state.withLock { $0.isTaken = true } }

    /// Notes that the request is over: no completion handler is called any more.
    func isOver() {
        state.withLock { $0.isOver = true }
        dropHandler()
    }

    private func finish() {
        let finish = state.withLock { state in
            defer { state.finish = nil }
            return state.finish
        }
        finish?()
    }

    // MARK: Others, which no host here takes

    /// Cancels the request with `notSimulated`: no host here asks for a passkey.
    open func completeAssertionRequest(
        using credential: ASPasskeyAssertionCredential, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        notSimulated("passkeys")
    }

    /// Cancels the request with `notSimulated`: no host here asks for a passkey.
    @discardableResult
    open func completeAssertionRequest(using credential: ASPasskeyAssertionCredential) async -> Bool {
        notSimulated("passkeys")
    }

    /// Cancels the request with `notSimulated`: no host here asks for a passkey.
    open func completeRegistrationRequest(
        using credential: ASPasskeyRegistrationCredential, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        notSimulated("passkeys")
    }

    /// Cancels the request with `notSimulated`: no host here asks for a passkey.
    @discardableResult
    open func completeRegistrationRequest(using credential: ASPasskeyRegistrationCredential) async -> Bool {
        notSimulated("passkeys")
    }

    /// Cancels the request with `notSimulated`: no host here asks for a one-time code.
    open func completeOneTimeCodeRequest(
        using credential: ASOneTimeCodeCredential, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        notSimulated("one-time codes")
    }

    /// Cancels the request with `notSimulated`: no host here asks for a one-time code.
    @discardableResult
    open func completeOneTimeCodeRequest(using credential: ASOneTimeCodeCredential) async -> Bool {
        notSimulated("one-time codes")
    }

    /// Cancels the request with `notSimulated`: no host here asks for a text to insert.
    open func completeRequest(withTextToInsert text: String, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        notSimulated("texts to insert")
    }

    @discardableResult
    private func notSimulated(_ what: String) -> Bool {
        cancelRequest(withError: ExtensionHostError(.notSimulated, "\(what) are not simulated"))
        return false
    }
}

/// A result of a completion handler that may be called twice, or never.
private final class OneResult: Sendable {
    private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

    private init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Mutex(continuation) }

    deinit { set(false) }

    static func wait(_ body: (OneResult) -> Void) async -> Bool {
        await withCheckedContinuation { body(OneResult($0)) }
    }

    func set(_ result: Bool) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: result)
    }
}
