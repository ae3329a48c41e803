// FoundationValue: the one form in which values reach an author's code.

internal import Foundation

/// A value that one party gives away and another takes: a loaded item, a handler's options.
// Unchecked: the giver does not touch the value again, as Apple's API asks of load handlers; the box only carries it over.
struct Handover<Value>: @unchecked Sendable {
    let value: Value
}

/// The bytes of a `Data` or `NSData`; nil for anything else.
///
/// The cast `as? Data` of an `NSData` object goes through it byte by byte on Linux: a second for ten mebibytes (measured on Swift 6.3).
/// So nothing here makes that cast.
func swiftData(_ value: Any?) -> Data? {
    guard let value else { return nil }
    if type(of: value) == Data.self { return value as? Data }
    guard type(of: value) is NSData.Type, let object = value as? NSData else { return nil }
    return Data(bytes: object.bytes, count: object.length)
}

/// The value as an object of a class; nil for any other, data among them, which is not looked at: a cast from `Data` to a class makes an
/// `NSData` of it first, a copy of every byte (measured on Swift 6.3).
func object<Class: AnyObject>(_ value: Any?, _ class: Class.Type = Class.self) -> Class? {
    guard let value, type(of: value) != Data.self else { return nil }
    return value as? Class
}

/// The value, if it is an object already; nil for a Swift value. A cast from that to a class makes an object of it first, all that a dictionary
/// holds included, and a cast from an object to a Swift type asks all conformances of the program whether they lead there: so the two kinds of
/// values are told apart before either is cast.
func classInstance(_ value: Any) -> AnyObject? { type(of: value) is AnyClass ? value as AnyObject : nil }

/// What an optional or an `AnyHashable` holds that is all of a value of `Any`, as casts look through it; nil for any other value, and where there is
/// nothing in it.
func opened(_ value: Any) -> Any? {
    if type(of: value) == AnyHashable.self { return (value as? AnyHashable)?.base }
    return (value as? any Optionality)?.held
}

/// To be told from other values of `Any`: an object in it is no instance of a class by its type.
protocol Optionality {
    var held: Any? { get }
}

extension Optional: Optionality {
    var held: Any? { map { $0 } }
}

/// Data as authors get it: an object, which passes every cast, where it is small; else Swift's, whose cast to `NSData` is quick, and
/// which fails only the one to `NSSecureCoding`.
func authorData(_ data: Data) -> Any { data.count <= WireLimits.inlineData ? NSData(data: data) : data }

/// Foundation's object for a Swift value.
///
/// On Linux only the object form passes every cast that an author may write, `as? URL` and `as? NSURL`, `as? [String: Any]`
/// and `as? NSDictionary`, `as? any NSSecureCoding`; a Swift value fails the last. Values of other types stay as they are.
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

/// The array as an object.
///
/// Bridged and not made by `NSArray(array:)`, which is the same object: in a program that contains Swift's libraries
/// (`-static-stdlib`, `-static-executable`) the linker takes in only what is called, and without this call every cast between
/// arrays and `NSArray`, the author's own too, fails there.
func foundationArray(_ array: [Any]) -> NSArray { array as NSArray }

/// The value, or its copy where the object could be changed behind our back.
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
