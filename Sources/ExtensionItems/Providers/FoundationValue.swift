// FoundationValue: the one form in which values reach an author's code.

internal import Foundation

/// A value that one party hands over to another: a loaded item, a handler's options.
// Unchecked: the giver does not touch the value again, as Apple's API asks of load handlers; the box only carries it
// over.
struct Handover<Value>: @unchecked Sendable {
    let value: Value
}

/// Returns the bytes of a `Data` or `NSData`; nil for anything else.
///
/// The cast `as? Data` of an `NSData` object goes byte by byte on Linux: a second for ten mebibytes (measured on Swift
/// 6.3). So no code here makes that cast.
func swiftData(_ value: Any?) -> Data? {
    guard let value else { return nil }
    if type(of: value) == Data.self { return value as? Data }
    guard type(of: value) is NSData.Type, let object = value as? NSData else { return nil }
    return Data(bytes: object.bytes, count: object.length)
}

/// Returns the value as an object of a class; nil for any other.
///
/// Data is excluded: a cast from `Data` to a class first makes an `NSData` of it, a copy of every byte (measured on
/// Swift 6.3).
func object<Class: AnyObject>(_ value: Any?, _ class: Class.Type = Class.self) -> Class? {
    guard let value, type(of: value) != Data.self else { return nil }
    return value as? Class
}

/// Returns the value if it is an object already; nil for a Swift value.
///
/// A cast from a Swift value to a class first makes an object of it, with everything in a dictionary. A cast from an
/// object to a Swift type searches all conformances of the program. So the two kinds of values are distinguished before
/// either is cast.
func classInstance(_ value: Any) -> AnyObject? { type(of: value) is AnyClass ? value as AnyObject : nil }

/// Returns the value in an optional or an `AnyHashable`, as casts see it; nil for any other value, and for an empty
/// one.
func opened(_ value: Any) -> Any? {
    if type(of: value) == AnyHashable.self { return (value as? AnyHashable)?.base }
    return (value as? any Optionality)?.held
}

/// A protocol that distinguishes optionals from other values of `Any`: an object in one is no instance of a class by
/// its type.
protocol Optionality {
    var held: Any? { get }
}

extension Optional: Optionality {
    var held: Any? { map { $0 } }
}

/// Returns data as authors get it: small data as an object, which passes every cast; else Swift's.
///
/// The cast of Swift's data to `NSData` is quick, and only the one to `NSSecureCoding` fails.
func authorData(_ data: Data) -> Any { data.count <= WireLimits.inlineData ? NSData(data: data) : data }

/// Returns Foundation's object for a Swift value.
///
/// On Linux only the object form passes every cast that an author may write, `as? URL` and `as? NSURL`,
/// `as? [String: Any]` and `as? NSDictionary`, `as? any NSSecureCoding`; a Swift value fails the last. Values of other
/// types are unchanged.
func foundationValue(_ value: Any) -> Any {
    if let data = swiftData(value) { return authorData(data) }
    return switch value {
    case let object as NSNumber: object
    case let text as String: NSString(string: text)
    case is NSObject where type(of: value) is NSURL.Type: value
    case let url as URL: NSURL(string: url.relativeString, relativeTo: url.baseURL) ?? url as NSURL
    case let date as Date: NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    case let text as NSAttributedString: text.copy()
    case let dictionary as NSDictionary: dictionary.copy()
    case let array as [Any]: foundationArray(array)
    default: value
    }
}

/// Returns the array as an object.
///
/// It is bridged and not made by `NSArray(array:)`, which is the same object. In a program that contains Swift's
/// libraries (`-static-stdlib`, `-static-executable`) the linker includes only what is called. Without this call every
/// cast between arrays and `NSArray`, the author's own too, fails there.
func foundationArray(_ array: [Any]) -> NSArray { array as NSArray }

/// Returns the value, or its copy if the object could be changed later.
func immutableCopy(_ value: Any) -> Any {
    guard let object = classInstance(value) else {
        if type(of: value) == String.self { return value }
        return opened(value).map(immutableCopy) ?? value
    }
    return switch object {
    case let string as NSMutableString: string.copy()
    case let string as NSMutableAttributedString: string.copy()
    case let data as NSMutableData: data.copy()
    case let dictionary as NSMutableDictionary: dictionary.copy()
    case let array as NSMutableArray: array.copy()
    default: value
    }
}
