// FileActionMessages: the calls of an extension with a view for the actions of a file provider.

public import ExtensionPointKit

/// Begins an action, and shows the view afterwards.
public struct PrepareAction: PointMessage {
    public static let name = "files.prepareForAction"
    public var action: String
    /// The identifiers of the items.
    public var items: [String]
    /// The provider's domain; absent for the default one.
    public var domain: String?

    /// Makes the call; each value is described at its property.
    public init(action: String, items: [String], domain: String?) {
        (self.action, self.items, self.domain) = (action, items, domain)
    }
}

/// Lets the person mend an error of the provider, such as a missing login. Shows the view afterwards.
public struct PrepareForError: PointMessage {
    public static let name = "files.prepareForError"
    public var errorDomain: String
    public var code: Int
    /// The description for the person; absent if the error has none.
    public var text: String?
    /// The provider's domain; absent for the default one.
    public var domain: String?

    /// Makes the call; each value is described at its property.
    public init(errorDomain: String, code: Int, text: String?, domain: String?) {
        (self.errorDomain, self.code, self.text, self.domain) = (errorDomain, code, text, domain)
    }
}
