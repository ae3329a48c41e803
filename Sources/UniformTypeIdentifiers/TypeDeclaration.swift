// TypeDeclaration: one declared type, from the system table or a bundle's property list.

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
    init?(line: Slice<UnsafeBufferPointer<UInt8>>) {
        let fields = pieces(of: line, dividedBy: UInt8(ascii: "|"))
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
    return field.utf8.withContiguousStorageIfAvailable { pieces(of: $0[...], dividedBy: UInt8(ascii: ",")) } ?? []
}

/// Splits bytes by hand: the first question about a type waits for this, and the library's `split` takes five times as
/// long.
private func pieces(of bytes: Slice<UnsafeBufferPointer<UInt8>>, dividedBy divider: UInt8) -> [String] {
    var pieces: [String] = []
    var start = bytes.startIndex
    for place in bytes.indices where bytes[place] == divider {
        pieces.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<place]), as: UTF8.self))
        start = place + 1
    }
    pieces.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[start...]), as: UTF8.self))
    return pieces
}
