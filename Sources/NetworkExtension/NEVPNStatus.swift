// NEVPNStatus: the state of a session, and the notifications of it. The numbers are Apple's (header).

public import Foundation

/// The state of a session.
public enum NEVPNStatus: Int, Sendable {
    /// The configuration is not saved.
    case invalid = 0
    case disconnected = 1
    case connecting = 2
    case connected = 3
    /// The provider connects again.
    case reasserting = 4
    case disconnecting = 5
}

extension NSNotification.Name {
    /// A session has another status. The object is its `NEVPNConnection`.
    public static let NEVPNStatusDidChange = NSNotification.Name("com.apple.networkextension.statusdidchange")
    /// A configuration was saved or removed.
    public static let NEVPNConfigurationChange = NSNotification.Name("com.apple.networkextension.configurationchange")
}
