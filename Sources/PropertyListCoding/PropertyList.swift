// PropertyList: the value that every packet body, Info.plist and payload consists of.

/// A property list, as Apple's format has it, without Foundation.
///
/// `date` is in seconds since 2001-01-01 00:00:00 UTC, as the binary form stores it. Keyed-archiver UIDs and nulls are
/// not values here: a reader that meets one refuses the input by name.
public enum PropertyList: Sendable, Hashable {
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case date(Double)
    case string(String)
    case data([UInt8])
    case array([PropertyList])
    case dictionary(PropertyListDictionary)
}

extension PropertyList {
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var real: Double? { if case .real(let value) = self { value } else { nil } }
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var data: [UInt8]? { if case .data(let value) = self { value } else { nil } }
    public var array: [PropertyList]? { if case .array(let value) = self { value } else { nil } }
    public var dictionary: PropertyListDictionary? { if case .dictionary(let value) = self { value } else { nil } }
}

extension PropertyList: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(PropertyListDictionary(elements))
    }
}
