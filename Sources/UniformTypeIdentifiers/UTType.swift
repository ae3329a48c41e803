// UTType: a uniform type identifier and what is known of it, as Apple's module of this name spells it.

/// A type of data, named by a uniform type identifier.
///
/// Two values are equal when their identifiers are, whatever the case of their letters. All members may be used from any
/// thread. `referenceURL`, whose `URL` would bring Foundation into every program that names a type, comes with `ExtensionItems`.
public struct UTType: Sendable {
    /// As declared where the type is, else as given.
    public let identifier: String
    /// The identifier in lower case: what is compared.
    let key: String
    /// A supertype (lower-case) that the maker of this value stated for a type that nobody declared.
    let assumedSupertype: String?

    init(identifier: String, assuming supertype: String? = nil) {
        self.identifier = identifier
        key = identifier.lowercased()
        assumedSupertype = supertype
    }

    /// For identifiers of the system table, which are lower-case: no lookup, no conversion.
    init(declared identifier: String) {
        self.identifier = identifier
        key = identifier
        assumedSupertype = nil
    }

    /// A type that is declared, or a dynamic one; nil for every other identifier.
    public init?(_ identifier: String) {
        let key = identifier.lowercased()
        if let declaration = TypeTable.current[key] {
            self.init(identifier: declaration.identifier)
        } else if DynamicType(identifier: key) != nil {
            self.init(identifier: key)
        } else {
            return nil
        }
    }

    /// A type that the calling program owns. Where no bundle declares it, this value conforms to `parentType` all the same,
    /// by default to `public.data`.
    public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self.init(identifier: identifier, stated: parentType)
    }

    /// A type that another program owns. Where no bundle declares it, this value conforms to `parentType` all the same,
    /// by default to `public.data`.
    public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self.init(identifier: identifier, stated: parentType)
    }

    private init(identifier: String, stated parentType: UTType?) {
        let declared = TypeTable.current[identifier.lowercased()]
        self.init(
            identifier: declared?.identifier ?? identifier, assuming: declared == nil ? parentType?.key ?? "public.data" : nil)
    }
}

extension UTType: Hashable {
    public static func == (left: UTType, right: UTType) -> Bool { left.key == right.key }
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension UTType: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { identifier }
    public var debugDescription: String {
        "\(identifier) (\(isDynamic ? "dynamic" : isDeclared ? "declared" : "not declared"))"
    }
}

extension UTType: Codable {
    /// Reads an identifier; it need not be declared here.
    public init(from decoder: any Decoder) throws {
        let identifier = try decoder.singleValueContainer().decode(String.self)
        self = UTType(identifier) ?? UTType(identifier: identifier)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }
}

extension UTType {
    /// A type nobody declared, named by what it was made from; see `init?(tag:tagClass:conformingTo:)`.
    public var isDynamic: Bool { key.hasPrefix("dyn.") }
    /// Whether the system's table or a bundle declares it.
    public var isDeclared: Bool { TypeTable.current[key] != nil }
    /// In the public domain, which belongs to no company: `public.jpeg`.
    public var isPublic: Bool { key.hasPrefix("public.") }
    /// The version that a bundle declares; the system's types have none.
    public var version: Int? { TypeTable.current[key]?.version }
    /// Where it is described, as the bundle that declares it says; the system's types have none.
    package var referenceLink: String? { TypeTable.current[key]?.referenceURL }
    /// What a person calls it, in English: `JPEG image`.
    public var localizedDescription: String? { TypeTable.current[key]?.summary }
}
