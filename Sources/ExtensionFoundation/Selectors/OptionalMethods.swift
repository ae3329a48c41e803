// OptionalMethods: the optional requirements of an author's protocol, called through the tables.

import Foundation

/// Calls a method that a protocol has as an optional requirement: not for use. The source step writes the call.
///
/// - Parameters:
///   - target: the object that adopts the protocol.
///   - selector: the requirement's Objective-C name.
///   - arguments: as many as the method takes.
///   - type: the type of the method's value.
/// - Returns: the method's value; nil if the object's class has no such method.
public func _optional<Value>(
    _ target: AnyObject, _ selector: Selector, _ arguments: [Any?], _ type: Value.Type
) -> Value? {
    guard SelectorCall.responds(target, to: selector) else { return nil }
    let value = SelectorCall.call(target, selector, arguments)
    if Value.self == Void.self { return () as? Value }
    return value.flatMap { $0 as? Value }
}
