// Tags: the conversion of filename extensions and MIME types to types, and back.

extension UTType {
    /// The best type for a filename extension without its dot, regardless of case.
    ///
    /// It is a declared type that has the extension and conforms to `supertype`. If there is none, it is a dynamic type
    /// that conforms to it. Nil if the text cannot be an extension.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
    }

    /// The best type for a MIME type, regardless of case.
    ///
    /// Parameters (`; charset=…`) count only if a type declares them. The rest is as for filename extensions.
    public init?(mimeType: String, conformingTo supertype: UTType = .data) {
        self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
    }

    /// The best type for a tag: the first of `types(tag:tagClass:conformingTo:)`.
    public init?(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) {
        guard let best = UTType.types(tag: tag, tagClass: tagClass, conformingTo: supertype).first else { return nil }
        self = best
    }

    /// Returns all declared types that have a tag and conform to `supertype`.
    ///
    /// If there are none, it returns one dynamic type. It is empty if the text cannot be a tag of its class.
    public static func types(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) -> [UTType] {
        guard let tag = tagClass.normalized(tag) else { return [] }
        let index = TypeTable.currentTags
        var found = index.declarations(tag: tag, tagClass: tagClass)
        if found.isEmpty, tagClass == .mimeType, let end = tag.firstIndex(of: ";") {
            found = index.declarations(tag: String(tag[..<end]), tagClass: tagClass)
        }
        let types = found.map { UTType(identifier: $0.identifier) }
            .filter { type in supertype.map { type.conforms(to: $0) } ?? true }
        if !types.isEmpty { return types }
        let dynamic = DynamicType(supertype: supertype?.key, tagClass: tagClass, tag: tag)
        return [UTType(identifier: dynamic.identifier)]
    }

    /// The tags by class, preferred ones first; for a dynamic type, the tag that it was made from.
    public var tags: [UTTagClass: [String]] {
        if let declaration = TypeTable.current[key] { return declaration.tags }
        return DynamicType(identifier: key).map { [$0.tagClass: [$0.tag]] } ?? [:]
    }

    /// The first filename extension, without its dot; nil if there is none.
    public var preferredFilenameExtension: String? { tags[.filenameExtension]?.first }
    /// The first MIME type; nil if there is none.
    public var preferredMIMEType: String? { tags[.mimeType]?.first }
}
