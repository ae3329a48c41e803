// ItemCodingError: the reasons why a value cannot travel, or an arrived one cannot be read.

public import Foundation

/// A failure to encode or decode a value, with a remedy if the author can do something.
public enum ItemCodingError: Error, Sendable, Hashable {
    /// Writing: no form for values of this type.
    case unsupportedValue(type: String)
    /// Writing: an attribute of a text that is neither URL, string, number nor boolean.
    case unsupportedAttribute(name: String, type: String)
    /// Writing: a dictionary key that is no string.
    case nonStringKey(String)
    /// Writing: an unsigned integer above `Int64.max`, or a decimal number.
    case unsupportedNumber(String)
    /// Writing: a provider where none may stand.
    case providerNotAllowed
    /// Writing, in strict mode: an attachment that is no provider.
    case noProvider(type: String)
    /// Writing and reading: too many values inside values.
    case tooDeep(limit: Int)
    /// Writing and reading: more of something than the limit.
    case tooMany(String, limit: Int)
    /// Reading: not of the form in `WireFormat`.
    case malformed(String)
    /// Reading: a provider came back that was never given away.
    case unknownProvider(Int)
    /// Reading: data names a descriptor that did not come.
    case missingDescriptor(Int)
    /// Reading: a descriptor that is not what it should be.
    case unreadableDescriptor(String)
}

extension ItemCodingError: CustomStringConvertible, LocalizedError {
    public var description: String {
        switch self {
        case .unsupportedValue(let type):
            "a value of type \(type) cannot be sent; use strings, numbers, dates, data, URLs, attributed strings, errors, arrays and dictionaries of them"
        case .unsupportedAttribute(let name, let type):
            "the text attribute \(name) of type \(type) cannot be sent; use URLs, strings, numbers and booleans"
        case .nonStringKey(let key): "the dictionary key \(key) cannot be sent; use strings for keys"
        case .unsupportedNumber(let number):
            "the number \(number) cannot be sent; use 64-bit signed integers and doubles"
        case .providerNotAllowed: "an item provider cannot be sent here; put it among an item's attachments"
        case .noProvider(let type):
            "an attachment of type \(type) is not an NSItemProvider, which strict mode refuses; wrap it in NSItemProvider(item:typeIdentifier:)"
        case .tooDeep(let limit): "values are nested more than \(limit) deep; flatten them"
        case .tooMany(let what, let limit): "more than \(limit) \(what); send fewer"
        case .malformed(let what): "not a valid encoded item: \(what)"
        case .unknownProvider(let number): "this process did not send provider \(number)"
        case .missingDescriptor(let index): "the data refers to descriptor \(index), which did not arrive"
        case .unreadableDescriptor(let why): "the descriptor of some data was refused: \(why)"
        }
    }

    public var errorDescription: String? { description }
}
