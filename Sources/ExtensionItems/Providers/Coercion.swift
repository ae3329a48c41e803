// Coercion: the conversion of a loaded value to the type that an author requests (spec 1.6).

internal import Foundation
internal import PropertyListCoding
internal import UniformTypeIdentifiers

/// A converter of a loaded value to a `T`.
///
/// | stored \ asked | URL | Data | String | NSAttributedString | [String: Any] | [Any] | FileWrapper | ItemImage |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | URL | itself | of a file: its bytes | absolute string | – | – | – | of a file | of a file: its bytes |
/// | Data | – | itself | as UTF-8 | – | as a property list | as a property list | – | its bytes |
/// | String | – | in UTF-8 | itself | – | – | – | – | – |
/// | NSAttributedString | – | – | its text | itself | – | – | – | – |
/// | dictionary | – | binary property list | – | – | itself | – | – | – |
/// | array | – | binary property list | – | – | – | itself | – | – |
struct Coercion<T>: Sendable {
    /// Whether a load handler that knew the expected class made the value.
    let isHandled: Bool
    /// The preferred size in pixels, for images.
    var preferredSize: CGSize?

    /// The class that a load handler is told to make.
    static var expectedClass: AnyClass? {
        switch T.self {
        case is URL.Type: NSURL.self
        case is Data.Type: NSData.self
        case is String.Type: NSString.self
        case is [String: Any].Type: NSDictionary.self
        case is [Any].Type: NSArray.self
        default: T.self as? AnyClass
        }
    }

    func value(_ loaded: Any?) throws -> T {
        if let returned = object(loaded, NamedFile.self) { return try value(of: returned) }
        if let sealed = object(loaded, SealedBytes.self) { return try value(try sealed.data()) }
        if T.self is Data.Type, let direct = swiftData(loaded) as? T { return direct }
        if let direct = loaded as? T { return direct }
        let coerced: Any? =
            switch T.self {
            case is Data.Type, is NSData.Type: try coercedData(loaded)
            case is String.Type, is NSString.Type: text(loaded)
            case is [String: Any].Type, is NSDictionary.Type: dictionary(loaded)
            case is [Any].Type, is NSArray.Type: array(loaded)
            case is FileWrapper.Type: try (loaded as? URL).flatMap { $0.isFileURL ? try FileWrapper(url: $0) : nil }
            case is ItemImage.Type: try image(loaded)
            default: nil
            }
        if let result = coerced.flatMap({ $0 as? T }) { return result }
        throw refused(loaded, asked: "\(T.self)", isHandled: isHandled)
    }

    /// Converts a returned file like a file's URL, except that nothing is read by its name.
    private func value(of returned: NamedFile) throws -> T {
        switch T.self {
        case is Data.Type, is NSData.Type: try value(authorData(try returned.contents()))
        case is ItemImage.Type: try value(ItemImage(data: try returned.contents(), preferredSize: preferredSize))
        case is FileWrapper.Type: try value(FileWrapper(file: try returned.file))
        default: try value(returned.url)
        }
    }

    private func text(_ loaded: Any?) -> Any? {
        if let data = swiftData(loaded) { return String(validating: data, as: UTF8.self).map { NSString(string: $0) } }
        return switch loaded {
        case let url as URL: NSString(string: url.absoluteString)
        case let text as NSAttributedString: NSString(string: text.string)
        default: nil
        }
    }

    private func dictionary(_ loaded: Any?) -> Any? {
        swiftData(loaded).flatMap(propertyList(in:)).flatMap { $0 as? NSDictionary }
    }

    private func image(_ loaded: Any?) throws -> Any? {
        let isFile = (loaded as? URL)?.isFileURL == true
        guard let data = try swiftData(loaded) ?? (isFile ? coercedData(loaded) : nil) else { return nil }
        return ItemImage(data: data, preferredSize: preferredSize)
    }

    private func array(_ loaded: Any?) -> Any? {
        swiftData(loaded).flatMap(propertyList(in:)).flatMap { $0 as? NSArray }
    }
}

/// Whether the matrix above can convert a value to an object class. The value's contents are not examined.
func canBecome(_ wanted: AnyClass, _ value: Any?) -> Bool {
    guard let value else { return false }
    if let returned = object(value, NamedFile.self) { return canBecome(wanted, returned.url) }
    if swiftData(value) != nil || object(value, SealedBytes.self) != nil {
        return [NSData.self, NSString.self, NSDictionary.self, NSArray.self, ItemImage.self].contains { $0 == wanted }
    }
    if let object = foundationValue(value) as? NSObject, object.isKind(of: wanted) { return true }
    return switch value {
    case let url as URL:
        [NSURL.self, NSString.self].contains { $0 == wanted }
            || url.isFileURL && [NSData.self, FileWrapper.self, ItemImage.self].contains { $0 == wanted }
    case is NSAttributedString: wanted == NSString.self
    case is String, is NSDictionary, is NSArray: wanted == NSData.self
    default: false
    }
}

/// Returns the bytes of a value that has them by the matrix above; nil otherwise.
private func coercedData(_ loaded: Any?) throws(NSError) -> Data? {
    if let data = swiftData(loaded) { return data }
    switch loaded {
    case let url as URL: return url.isFileURL ? try contents(ofFile: url) : nil
    case let text as String: return Data(text.utf8)
    case is NSDictionary, is NSArray: return loaded.flatMap(propertyListData)
    default: return nil
    }
}

/// Returns a loaded value as its reader gets it: one of Foundation's objects.
func authorValue(_ loaded: Any?) throws -> Any? {
    if swiftData(loaded) != nil { return loaded }
    return switch loaded {
    case let sealed as SealedBytes: try sealed.data()
    case let file as OpenedFile: authorData(try file.contents())
    case let returned as NamedFile: returned.url
    default: loaded
    }
}

/// Returns the data representation of a loaded value.
func bytes(of loaded: Any?, typeIdentifier: String, isHandled: Bool) throws -> Data {
    if let data = swiftData(loaded) { return data }
    if let sealed = loaded as? SealedBytes { return try sealed.data() }
    if let file = loaded as? OpenedFile { return try file.contents() }
    if let returned = loaded as? NamedFile {
        let isText = UTType.identifier(typeIdentifier, conformsTo: UTType.url.identifier)
        return isText ? Data((returned.url as URL).absoluteString.utf8) : try returned.contents()
    }
    if let url = loaded as? URL, !url.isFileURL || UTType.identifier(typeIdentifier, conformsTo: UTType.url.identifier)
    {
        return Data(url.absoluteString.utf8)
    }
    if let data = try coercedData(loaded) { return data }
    throw refused(loaded, asked: "data", isHandled: isHandled)
}

private func refused(_ loaded: Any?, asked: String, isHandled: Bool) -> NSError {
    let found = loaded.map { "\(type(of: $0))" } ?? "no value"
    return isHandled
        ? NSItemProvider.error(.unexpectedValueClassError, "The load handler should make \(asked), and made \(found).")
        : NSItemProvider.error(.unavailableCoercionError, "\(found) cannot be converted to \(asked).")
}
