// TypeDeclaration: one declared type, as the system table or a bundle's property list states it.

struct TypeDeclaration: Sendable {
    /// As declared; compared by `key`.
    let identifier: String
    /// Lower-case identifiers of the direct supertypes.
    let supertypes: [String]
    /// Normalized tags by class, the preferred one first.
    let tags: [UTTagClass: [String]]
    let summary: String?
    /// `UTTypeVersion` of a bundle's declaration; system types have none.
    let version: Int?

    var key: String { identifier.lowercased() }

    /// One line of the system table.
    init?(line: Substring) {
        let fields = line.split(separator: "|", omittingEmptySubsequences: false)
        guard fields.count == 5 else { return nil }
        func list(_ field: Substring) -> [String] { field.split(separator: ",").map(String.init) }
        var tags: [UTTagClass: [String]] = [:]
        if !fields[2].isEmpty { tags[.filenameExtension] = list(fields[2]) }
        if !fields[3].isEmpty { tags[.mimeType] = list(fields[3]) }
        identifier = String(fields[0])
        supertypes = list(fields[1])
        self.tags = tags
        summary = fields[4].isEmpty ? nil : String(fields[4])
        version = nil
    }
}
