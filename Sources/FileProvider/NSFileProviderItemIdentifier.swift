// NSFileProviderItemIdentifier, NSFileProviderDomainIdentifier: names of items and domains.

/// The identifier of an item, which its provider chooses.
public struct NSFileProviderItemIdentifier: RawRepresentable, Hashable, Sendable {
    /// The text.
    public let rawValue: String

    /// Makes an identifier of a text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes an identifier of a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The top folder.
    public static let rootContainer = NSFileProviderItemIdentifier("NSFileProviderRootContainerItemIdentifier")
    /// The items that the system keeps in mind, such as recent ones.
    public static let workingSet = NSFileProviderItemIdentifier("NSFileProviderWorkingSetContainerItemIdentifier")
    /// The trash.
    public static let trashContainer = NSFileProviderItemIdentifier("NSFileProviderTrashContainerItemIdentifier")
}

/// The identifier of a domain, which its app chooses.
public struct NSFileProviderDomainIdentifier: RawRepresentable, Hashable, Sendable {
    /// The text.
    public let rawValue: String

    /// Makes an identifier of a text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes an identifier of a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}
