// UTType: a uniform type identifier with its properties, in the form of Apple's module of this name.

/// A type of data, named by a uniform type identifier.
///
/// Two values are equal if their identifiers are, regardless of case. All members may be used from any thread. The
/// member `referenceURL` is in `ExtensionItems`, because its `URL` would link Foundation into every program that names
/// a type.
public struct UTType: Sendable {
    /// The identifier as it is declared, or as given if it is not declared.
    public let identifier: String
    /// The identifier in lower case, which is compared.
    let key: String
    /// The supertype (lower-case) that this value's creator stated for an undeclared type.
    let assumedSupertype: String?

    init(identifier: String, assuming supertype: String? = nil) {
        self.identifier = identifier
        key = identifier.lowercased()
        assumedSupertype = supertype
    }

    /// Creates a type of the system table, whose identifiers are in lower case, without a lookup or a conversion.
    init(declared identifier: String) {
        self.identifier = identifier
        key = identifier
        assumedSupertype = nil
    }

    /// Creates a declared type or a dynamic one; nil for every other identifier.
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

    /// Creates a type that the calling program owns.
    ///
    /// If no bundle declares it, this value still conforms to `parentType`, by default to `public.data`.
    public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self.init(identifier: identifier, stated: parentType)
    }

    /// Creates a type that another program owns.
    ///
    /// If no bundle declares it, this value still conforms to `parentType`, by default to `public.data`.
    public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self.init(identifier: identifier, stated: parentType)
    }

    private init(identifier: String, stated parentType: UTType?) {
        let declared = TypeTable.current[identifier.lowercased()]
        self.init(
            identifier: declared?.identifier ?? identifier,
            assuming: declared == nil ? parentType?.key ?? "public.data" : nil)
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
    /// Reads an identifier, which need not be declared here.
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
    /// Whether the type is undeclared and named by what it was made from; see `init?(tag:tagClass:conformingTo:)`.
    public var isDynamic: Bool { key.hasPrefix("dyn.") }
    /// Whether the system's table or a bundle declares it.
    public var isDeclared: Bool { TypeTable.current[key] != nil }
    /// Whether it is in the public domain, which belongs to no company: `public.jpeg`.
    public var isPublic: Bool { key.hasPrefix("public.") }
    /// The version that a bundle declares; the system's types have none.
    public var version: Int? { TypeTable.current[key]?.version }
    /// The URL of its description, as the declaring bundle states it; the system's types have none.
    package var referenceLink: String? { TypeTable.current[key]?.referenceURL }
    /// The name for people, in English: `JPEG image`.
    public var localizedDescription: String? { TypeTable.current[key]?.summary }
}
