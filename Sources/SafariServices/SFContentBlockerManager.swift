// SFContentBlockerManager: an app's notice that its content blocker has new rules.

import ExtensionWire
public import Foundation

/// The requests of an app to Safari about its content blockers.
///
/// There is no browser here: every request fails with `notSimulated`. `exthostctl run` begins a request of the blocker
/// itself, and shows the list that it returns.
open class SFContentBlockerManager: NSObject {
    /// - Parameter completionHandler: called on another thread.
    open class func reloadContentBlocker(
        withIdentifier identifier: String, completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let error = notSimulated(identifier)
        DispatchQueue.global().async { completionHandler?(error) }
    }

    open class func reloadContentBlocker(withIdentifier identifier: String) async throws {
        throw notSimulated(identifier)
    }

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
            .notSimulated, "there is no browser with the content blocker \(identifier)",
            remedy: "Run the blocker itself: exthostctl run \(identifier)")
    }
}

/// The enabled state of a content blocker.
///
/// This kit never creates one.
open class SFContentBlockerState: NSObject {
    public let isEnabled: Bool
    init(isEnabled: Bool) { self.isEnabled = isEnabled }
}

/// The requests of an app to Safari about its extensions for the Mac.
///
/// There is no browser here: every request fails with `notSimulated`.
open class SFSafariExtensionManager: NSObject {
    /// - Parameter completionHandler: called on another thread.
    open class func getStateOfSafariExtension(
        withIdentifier identifier: String,
        completionHandler: @escaping @Sendable (SFSafariExtensionState?, (any Error)?) -> Void
    ) {
        let error = ExtensionHostError(.notSimulated, "there is no browser with the extension \(identifier)")
        DispatchQueue.global().async { completionHandler(nil, error) }
    }
}

/// The enabled state of a Safari extension.
///
/// This kit never creates one.
open class SFSafariExtensionState: NSObject {
    public let isEnabled: Bool
    init(isEnabled: Bool) { self.isEnabled = isEnabled }
}
