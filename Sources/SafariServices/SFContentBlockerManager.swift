// SFContentBlockerManager: an app's word that its content blocker has other rules.

import ExtensionWire
public import Foundation

/// What an app asks of Safari about its content blockers. There is no browser here: every question is answered `notSimulated`.
/// `exthostctl run` begins a request of the blocker itself, and shows the list that it returns.
open class SFContentBlockerManager: NSObject {
    /// - Parameter completionHandler: called on another thread.
    open class func reloadContentBlocker(
        withIdentifier identifier: String, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let error = notSimulated(identifier)
        DispatchQueue.global().async { completionHandler?(error) }
    }

    open class func reloadContentBlocker(withIdentifier identifier: String) async throws { throw notSimulated(identifier) }

    /// - Parameter completionHandler: called on another thread.
    open class func getStateOfContentBlocker(
        withIdentifier identifier: String,
        completionHandler: @escaping @Sendable (SFContentBlockerState?, (any Error)?) -> Void
    ) {
        let error = notSimulated(identifier)
        DispatchQueue.global().async { completionHandler(nil, error) }
    }

    open class func stateOfContentBlocker(withIdentifier identifier: String) async throws -> SFContentBlockerState {
        throw notSimulated(identifier)
    }

    private class func notSimulated(_ identifier: String) -> ExtensionHostError {
        ExtensionHostError(
            .notSimulated, "there is no browser that has the content blocker \(identifier)",
            remedy: "Run the blocker itself: exthostctl run \(identifier)")
    }
}

/// Whether a content blocker is enabled. Never made here.
open class SFContentBlockerState: NSObject {
    public let isEnabled: Bool
    init(isEnabled: Bool) { self.isEnabled = isEnabled }
}

/// What an app asks of Safari about its extensions for the Mac. There is no browser here: every question is answered
/// `notSimulated`.
open class SFSafariExtensionManager: NSObject {
    /// - Parameter completionHandler: called on another thread.
    open class func getStateOfSafariExtension(
        withIdentifier identifier: String,
        completionHandler: @escaping @Sendable (SFSafariExtensionState?, (any Error)?) -> Void
    ) {
        let error = ExtensionHostError(.notSimulated, "there is no browser that has the extension \(identifier)")
        DispatchQueue.global().async { completionHandler(nil, error) }
    }
}

/// Whether an extension of Safari's is enabled. Never made here.
open class SFSafariExtensionState: NSObject {
    public let isEnabled: Bool
    init(isEnabled: Bool) { self.isEnabled = isEnabled }
}
