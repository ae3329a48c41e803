// FPUIActionExtensionContext: the context of a file provider's action, and its errors.

public import ExtensionFoundation
public import FileProvider
import Locks
import PointFrameworkKit

/// The domain of the errors of actions.
public let FPUIErrorDomain = "FPUIErrorDomain"

/// The errors of actions.
public enum FPUIExtensionErrorCode: UInt, Sendable {
    /// The person has cancelled the action.
    case userCancelled
    /// The action has failed.
    case failed
}

/// The context of an action: it ends the action.
open class FPUIActionExtensionContext: NSExtensionContext, @unchecked Sendable {  // it has no state
    /// The provider's domain; nil for the default one.
    open var domainIdentifier: NSFileProviderDomainIdentifier? {
        PointSession.of(self).flatMap { ActionState.of($0).domain.withLock { $0 } }
    }

    /// Completes the action: the host takes the view down.
    ///
    /// - Parameter completionHandler: as for `NSExtensionContext.completeRequest(returningItems:completionHandler:)`.
    open func completeRequest(completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        completeRequest(returningItems: [], completionHandler: completionHandler)
    }
}

/// The framework's state of one request. Safe to use from any thread.
final class ActionState: Sendable {
    let domain = Mutex<NSFileProviderDomainIdentifier?>(nil)

    private init() {}

    static func of(_ session: PointSession) -> ActionState { session.state(ActionState.self) { ActionState() } }
}
