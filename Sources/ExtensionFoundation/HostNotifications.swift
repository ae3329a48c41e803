// HostNotifications: the four notifications that tell an extension its host's state (spec 1.7).

import ExtensionWire
public import Foundation

/// The notifications about the host's state.
///
/// Each is posted to `NotificationCenter.default` once for each open request, on the request's own queue, in the order
/// in which the host changed (spec 1.7, documented). None comes before `beginRequest` or after the request's end.
extension NSNotification.Name {
    /// The host stops receiving events; the extension may be suspended. The object is the `NSExtensionContext`.
    public static let NSExtensionHostWillResignActive = NSNotification.Name(
        "NSExtensionHostWillResignActiveNotification")
    /// The host is in the background; a short time is left.
    public static let NSExtensionHostDidEnterBackground = NSNotification.Name(
        "NSExtensionHostDidEnterBackgroundNotification")
    /// The host is about to return from the background.
    public static let NSExtensionHostWillEnterForeground = NSNotification.Name(
        "NSExtensionHostWillEnterForegroundNotification")
    /// The host receives events again.
    public static let NSExtensionHostDidBecomeActive = NSNotification.Name("NSExtensionHostDidBecomeActiveNotification")
}

extension HostNotification {
    var name: NSNotification.Name {
        switch self {
        case .willResignActive: .NSExtensionHostWillResignActive
        case .didEnterBackground: .NSExtensionHostDidEnterBackground
        case .willEnterForeground: .NSExtensionHostWillEnterForeground
        case .didBecomeActive: .NSExtensionHostDidBecomeActive
        }
    }
}
