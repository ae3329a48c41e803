// SafariMessages: the orders of an app to its browser about its content blockers, as calls to a service.

public import ExtensionPointKit

/// The service of the browser.
public enum SafariService {
    /// The name under which a browser provides it.
    public static let name = "org.exthost.safari"
}

/// Asks the browser to load and compile the list of a content blocker again. The answer comes after that.
public struct ReloadContentBlocker: PointMessage {
    public static let name = "safari.reloadContentBlocker"
    /// The blocker, which is in the caller's app.
    public var identifier: String
    public init(_ identifier: String) { self.identifier = identifier }
}

/// Asks the browser whether its user has switched a content blocker on.
public struct ContentBlockerState: PointMessage {
    public static let name = "safari.contentBlockerState"

    public struct Reply: Codable, Sendable {
        public var isEnabled: Bool
        public init(isEnabled: Bool) { self.isEnabled = isEnabled }
    }

    /// The blocker, which is in the caller's app.
    public var identifier: String
    public init(_ identifier: String) { self.identifier = identifier }
}
