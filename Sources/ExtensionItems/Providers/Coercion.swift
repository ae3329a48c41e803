// Coercion: which values become which, when an author asks for a type (spec 1.6).

internal import Foundation
internal import PropertyListCoding
internal import UniformTypeIdentifiers

/// Turns a loaded value into a `T`.
///
/// | stored \ asked | URL | Data | String | NSAttributedString | [String: Any] | [Any] |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | URL | itself | of a file: its bytes | absolute string | – | – | – |
/// | Data | – | itself | as UTF-8 | – | as a property list | as a property list |
/// | String | – | in UTF-8 | itself | – | – | – |
/// | NSAttributedString | – | – | its text | itself | – | – |
/// | dictionary | – | binary property list | – | – | itself | – |
/// | array | – | binary property list | – | – | – | itself |
struct Coercion<T>: Sendable {
    /// Whether a load handler made the value and had been told what was expected.
    let isHandled: Bool

    /// What a load handler is told to make.
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
        if let direct = loaded as? T { return direct }
        let coerced: Any? =
            switch T.self {
            case is Data.Type, is NSData.Type: try coercedData(loaded)
            case is String.Type, is NSString.Type: text(loaded)
            case is [String: Any].Type, is NSDictionary.Type: dictionary(loaded)
            case is [Any].Type, is NSArray.Type: array(loaded)
            default: nil
            }
        if let result = coerced.flatMap({ $0 as? T }) { return result }
        throw refused(loaded, asked: "\(T.self)", isHandled: isHandled)
    }

    private func text(_ loaded: Any?) -> Any? {
        switch loaded {
        case let url as URL: NSString(string: url.absoluteString)
        case let data as Data: String(validating: data, as: UTF8.self).map { NSString(string: $0) }
        case let text as NSAttributedString: NSString(string: text.string)
        default: nil
        }
    }

    private func dictionary(_ loaded: Any?) -> Any? {
        (loaded as? Data).flatMap(propertyList(in:)).flatMap { $0 as? NSDictionary }
    }

    private func array(_ loaded: Any?) -> Any? {
        (loaded as? Data).flatMap(propertyList(in:)).flatMap { $0 as? NSArray }
    }
}

/// The bytes of a value that has them by the matrix above; nil for one that has none.
private func coercedData(_ loaded: Any?) throws(NSError) -> Any? {
    switch loaded {
    case let data as Data: return NSData(data: data)
    case let url as URL: return url.isFileURL ? NSData(data: try contents(ofFile: url)) : nil
    case let text as String: return NSData(data: Data(text.utf8))
    case is NSDictionary, is NSArray: return loaded.flatMap(propertyListData).map { NSData(data: $0) }
    default: return nil
    }
}

/// The data representation of a loaded value.
func bytes(of loaded: Any?, typeIdentifier: String, isHandled: Bool) throws -> Data {
    if let url = loaded as? URL, !url.isFileURL || UTType.identifier(typeIdentifier, conformsTo: UTType.url.identifier) {
        return Data(url.absoluteString.utf8)
    }
    if let data = try coercedData(loaded) as? Data { return data }
    throw refused(loaded, asked: "data", isHandled: isHandled)
}

private func refused(_ loaded: Any?, asked: String, isHandled: Bool) -> NSError {
    let found = loaded.map { "\(type(of: $0))" } ?? "no value"
    return isHandled
        ? NSItemProvider.error(.unexpectedValueClassError, "The load handler was asked for \(asked) and made \(found).")
        : NSItemProvider.error(.unavailableCoercionError, "There is no way from \(found) to \(asked).")
}
