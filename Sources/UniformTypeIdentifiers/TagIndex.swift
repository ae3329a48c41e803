// TagIndex: declared types by filename extension and MIME type.

/// Apart from `TypeTable`, because most programs ask about conformance only and shall not wait for it.
struct TagIndex: Sendable {
    private var byTag: [UTTagClass: [String: [TypeDeclaration]]] = [:]

    /// That of the system's types: made when the first tag is looked up.
    static let system = TagIndex(TypeTable.system)

    init(_ types: TypeTable) {
        for declaration in types.declarations {
            for (tagClass, tags) in declaration.tags {
                for tag in tags { byTag[tagClass, default: [:]][tag, default: []].append(declaration) }
            }
        }
    }

    /// Declared types with this normalized tag, in the order of declaration.
    func declarations(tag: String, tagClass: UTTagClass) -> [TypeDeclaration] { byTag[tagClass]?[tag] ?? [] }
}
