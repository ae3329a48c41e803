// TypeDeclaration: one declared type, from the system table or a bundle's property list.

internal import Glibc

struct TypeDeclaration: Sendable {
    let identifier: String
    /// The identifier in lower case.
    let key: String
    /// Lower-case identifiers of the direct supertypes.
    let supertypes: [String]
    private let writtenTags: Tags
    private let text: String
    /// `UTTypeVersion` of a bundle's declaration; system types have none.
    let version: Int?
    /// `UTTypeReferenceURL` of a bundle's declaration; system types have none.
    let referenceURL: String?

    private enum Tags: Sendable {
        /// Normalized tags, separated by commas, the preferred one first. They are split on demand.
        case line(filenameExtensions: String, mimeTypes: String)
        case given([UTTagClass: [String]])
    }

    /// Reads one line of the system table.
    init?(line: UnsafeBufferPointer<UInt8>) {
        let fields = pieces(of: line, dividedBy: "|").map { String(decoding: $0, as: UTF8.self) }
        guard fields.count == 5 else { return nil }
        identifier = fields[0]
        key = identifier.lowercased()
        supertypes = list(fields[1])
        writtenTags = .line(filenameExtensions: fields[2], mimeTypes: fields[3])
        text = fields[4]
        (version, referenceURL) = (nil, nil)
    }

    /// Converts a bundle's declaration. It omits tags that are invalid in their class.
    init(_ declared: DeclaredType) {
        identifier = declared.identifier
        key = identifier.lowercased()
        supertypes = declared.supertypes.map { $0.lowercased() }
        var tags: [UTTagClass: [String]] = [:]
        for (tagClass, names) in declared.tags {
            let normalized = names.compactMap(tagClass.normalized)
            if !normalized.isEmpty { tags[tagClass] = normalized }
        }
        writtenTags = .given(tags)
        text = declared.summary ?? ""
        version = declared.version
        referenceURL = declared.referenceURL
    }

    var tags: [UTTagClass: [String]] {
        switch writtenTags {
        case .given(let tags): return tags
        case .line(let filenameExtensions, let mimeTypes):
            var tags: [UTTagClass: [String]] = [:]
            if !filenameExtensions.isEmpty { tags[.filenameExtension] = list(filenameExtensions) }
            if !mimeTypes.isEmpty { tags[.mimeType] = list(mimeTypes) }
            return tags
        }
    }

    var summary: String? { text.isEmpty ? nil : text }
}

/// Returns the words of a field; an empty field has none.
private func list(_ field: String) -> [String] {
    guard !field.isEmpty else { return [] }
    var field = field
    return field.withUTF8 { pieces(of: $0, dividedBy: ",").map { String(decoding: $0, as: UTF8.self) } }
}

/// Splits bytes by the C library, because the first question about a type waits for this.
func pieces(
    of bytes: UnsafeBufferPointer<UInt8>, dividedBy divider: Unicode.Scalar
) -> [UnsafeBufferPointer<UInt8>] {
    var pieces: [UnsafeBufferPointer<UInt8>] = []
    var rest = bytes
    while let start = rest.baseAddress, let found = memchr(start, Int32(divider.value), rest.count) {
        let count = UnsafeRawPointer(found) - UnsafeRawPointer(start)
        pieces.append(UnsafeBufferPointer(rebasing: rest[..<count]))
        rest = UnsafeBufferPointer(rebasing: rest[(count + 1)...])
    }
    return pieces + [rest]
}
