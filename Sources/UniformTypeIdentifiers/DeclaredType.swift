// DeclaredType: a type that a bundle declares, in UTExportedTypeDeclarations or UTImportedTypeDeclarations.

/// A declaration, as read from a bundle's property list.
public struct DeclaredType: Sendable, Hashable {
    public enum Origin: String, Sendable, Hashable, CaseIterable {
        /// The bundle declares that the type is its own.
        case exported
        /// The bundle declares a type of another owner.
        case imported
    }

    /// `UTTypeIdentifier`.
    public var identifier: String
    public var origin: Origin
    /// `UTTypeConformsTo`.
    public var supertypes: [String]
    /// `UTTypeTagSpecification`, the preferred tag of each class first.
    public var tags: [UTTagClass: [String]]
    /// `UTTypeDescription`.
    public var summary: String?
    /// `UTTypeReferenceURL`.
    public var referenceURL: String?
    /// `UTTypeVersion`.
    public var version: Int?

    public init(
        identifier: String, origin: Origin, supertypes: [String] = [], tags: [UTTagClass: [String]] = [:],
        summary: String? = nil,
        referenceURL: String? = nil, version: Int? = nil
    ) {
        self.identifier = identifier
        self.origin = origin
        self.supertypes = supertypes
        self.tags = tags
        self.summary = summary
        self.referenceURL = referenceURL
        self.version = version
    }

    /// Whether this declaration takes precedence over others of the same identifier.
    var isOwner: Bool { origin == .exported && !identifier.lowercased().hasPrefix("public.") }
}
