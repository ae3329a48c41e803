// StandardObjects: text, URLs and attributed text as objects that read and write themselves.

public import Foundation
internal import PropertyListCoding
internal import UniformTypeIdentifiers

/// The type of an attributed text in this project's own form; Apple's types for it, RTF among them, need a text system.
private let attributedStringType = "org.exthost.attributed-string"

private func made<Object>(_ object: Any?, _ type: Object.Type, of identifier: String) throws -> Object {
    guard let object = object as? Object else {
        throw NSItemProvider.error(.unavailableCoercionError, "The bytes are not a \(type) of type \(identifier).")
    }
    return object
}

private func text(in data: Data, _ identifier: String) -> String? {
    if UTType.identifier(identifier, conformsTo: "public.utf16-plain-text") {
        return String(data: data, encoding: .utf16)
    }
    return String(validating: data, as: UTF8.self)
}

extension NSString: NSItemProviderReading, NSItemProviderWriting {
    /// The readable types: plain text in UTF-8 first, then any text, then the text of a URL.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        ["public.utf8-plain-text", "public.utf16-plain-text", "public.plain-text", "public.text", "public.url"]
    }
    /// The writable type: plain text in UTF-8.
    public static var writableTypeIdentifiersForItemProvider: [String] { ["public.utf8-plain-text"] }

    /// Reads text in UTF-8, or in UTF-16 if the type says so.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        try made(text(in: data, typeIdentifier).map { NSString(string: $0) }, Self.self, of: typeIdentifier)
    }

    /// Writes the text; returns `nil`, as the work is done by then.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        completionHandler(Data((self as String).utf8), nil)
        return nil
    }
}

extension NSURL: NSItemProviderReading, NSItemProviderWriting {
    /// The readable types: a file's URL first, then any URL.
    public static var readableTypeIdentifiersForItemProvider: [String] { ["public.file-url", "public.url"] }
    /// The writable type: a URL.
    public static var writableTypeIdentifiersForItemProvider: [String] { ["public.url"] }

    /// The writable types of this URL, of which a file's URL has its own.
    public var writableTypeIdentifiersForItemProvider: [String] { isFileURL ? ["public.file-url"] : ["public.url"] }

    /// Reads the URL's text.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        try made(text(in: data, typeIdentifier).flatMap { NSURL(string: $0) }, Self.self, of: typeIdentifier)
    }

    /// Writes the text of the URL; returns `nil`, as the work is done by then.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        completionHandler(Data(absoluteString.utf8), nil)
        return nil
    }
}

extension NSAttributedString: NSItemProviderReading, NSItemProviderWriting {
    /// The readable types: this project's own form first, then plain text.
    ///
    /// Other text is excluded: the marks of RTF or HTML are not part of its words.
    public static var readableTypeIdentifiersForItemProvider: [String] {
        [attributedStringType, "public.utf8-plain-text", "public.utf16-plain-text", "public.plain-text"]
    }
    /// The writable types: this project's own form, with the attributes; plain text without them.
    public static var writableTypeIdentifiersForItemProvider: [String] {
        [attributedStringType, "public.utf8-plain-text"]
    }

    /// Reads this project's own form with its attributes, or plain text.
    public static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        guard typeIdentifier == attributedStringType else {
            return try made(
                text(in: data, typeIdentifier).map { NSAttributedString(string: $0) }, Self.self, of: typeIdentifier)
        }
        let plist = try PropertyList(binary: [UInt8](data), limits: .payload)
        return try made(try decodeValue(EncodedValue(plist: plist)), Self.self, of: typeIdentifier)
    }

    /// Writes the text; returns `nil`, as the work is done by then.
    public func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
        do {
            let isOwn = typeIdentifier == attributedStringType
            completionHandler(isOwn ? Data(try encodeValue(self).plist.encodeBinary()) : Data(string.utf8), nil)
        } catch {
            completionHandler(nil, NSItemProvider.error(.unexpectedValueClassError, "\(error).", underlying: error))
        }
        return nil
    }
}
