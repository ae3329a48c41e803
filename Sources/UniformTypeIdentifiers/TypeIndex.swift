// TypeIndex: declared types by identifier, and the walk up their supertypes.

/// What is known of types: built once from declarations, immutable, free to share between threads.
///
/// Types that bundles declare enter here: as further declarations behind the system's, so that a system type cannot be
/// taken over (the first declaration of an identifier counts).
struct TypeIndex: Sendable {
    let declarations: [TypeDeclaration]
    private let byIdentifier: [String: Int]

    /// The index in force: read from the system table when the first question is asked.
    static let current = TypeIndex(table: systemTypeTable)

    init(table: String) {
        var table = table
        self.init(table.withUTF8 { bytes in bytes.split(separator: UInt8(ascii: "\n")).compactMap(TypeDeclaration.init(line:)) })
    }

    init(_ declared: [TypeDeclaration]) {
        var kept: [TypeDeclaration] = []
        var byIdentifier: [String: Int] = [:]
        kept.reserveCapacity(declared.count)
        byIdentifier.reserveCapacity(declared.count)
        for declaration in declared where byIdentifier[declaration.key] == nil {
            byIdentifier[declaration.key] = kept.count
            kept.append(declaration)
        }
        declarations = kept
        self.byIdentifier = byIdentifier
    }

    /// The declaration of a lower-case identifier.
    subscript(key: String) -> TypeDeclaration? { byIdentifier[key].map { declarations[$0] } }

    /// The types one step above: of a declared type what it declares, of a dynamic one what its own name says.
    private func directSupertypes(of key: String) -> [String] {
        if let declaration = self[key] { return declaration.supertypes }
        return DynamicType(identifier: key)?.supertype.map { [$0] } ?? []
    }

    /// Every type above `key`, nearest first, each once. `assumed` is a supertype that only the asking value knows.
    /// Ends for declarations that go round in a circle, too: nothing is visited twice.
    func supertypes(of key: String, assuming assumed: String? = nil) -> [String] {
        var found = directSupertypes(of: key)
        if let assumed, !found.contains(assumed) { found.append(assumed) }
        var seen = Set(found)
        var next = 0
        while next < found.count {
            for supertype in directSupertypes(of: found[next]) where seen.insert(supertype).inserted {
                found.append(supertype)
            }
            next += 1
        }
        return found
    }

    /// Whether a type is another one or stands below it; both lower-case. An undeclared type is itself only.
    func type(_ key: String, conformsTo other: String, assuming assumed: String? = nil) -> Bool {
        key == other || supertypes(of: key, assuming: assumed).contains(other)
    }
}
