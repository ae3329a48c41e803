// TagIndex: the declared types by filename extension and MIME type.

/// An index of types by tag. It is separate from `TypeTable`, as most programs need conformance only and must not wait.
struct TagIndex: Sendable {
    private var byTag: [UTTagClass: [String: [TypeDeclaration]]] = [:]

    /// The index of the system's types, which is made at the first lookup of a tag.
    static let system = TagIndex(TypeTable.system)

    init(_ types: TypeTable) {
        for declaration in types.declarations {
            for (tagClass, tags) in declaration.tags {
                for tag in tags { byTag[tagClass, default: [:]][tag, default: []].append(declaration) }
            }
        }
    }

    /// Returns the declared types with this normalized tag, in the order of declaration.
    func declarations(tag: String, tagClass: UTTagClass) -> [TypeDeclaration] { byTag[tagClass]?[tag] ?? [] }
}
