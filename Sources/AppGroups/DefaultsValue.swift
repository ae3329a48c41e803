// DefaultsValue: the conversion of Foundation's values to property lists, and back.

internal import Foundation
package import PropertyListCoding

/// The reason why a property list cannot hold a value.
package struct UnsupportedValue: Error, CustomStringConvertible {
    package let description: String
}

/// The nesting that the reader of a store still allows (PropertyListLimits.file), less the dictionary of all values.
private let greatestDepth = 250

/// Converts a value to a property list: text, numbers, truth values, dates, data, arrays and dictionaries of them.
package func propertyList(_ value: Any, depth: Int = 0) throws(UnsupportedValue) -> PropertyList {
    guard depth < greatestDepth else { throw UnsupportedValue(description: "nested more than \(greatestDepth) deep") }
    // A cast from NSData to Data goes byte by byte on Linux.
    if type(of: value) == Data.self, let data = value as? Data { return .data([UInt8](data)) }
    if type(of: value) is NSData.Type, let data = value as? NSData {
        return .data([UInt8](Data(bytes: data.bytes, count: data.length)))
    }
    switch value {
    case let text as String: return .string(text)
    case let number as NSNumber: return try propertyList(number)
    case let date as Date:
        let seconds = date.timeIntervalSinceReferenceDate
        guard !seconds.isNaN else { throw UnsupportedValue(description: "a date that is not a number") }
        return .date(seconds)
    case let array as [Any]:
        var elements: [PropertyList] = []
        elements.reserveCapacity(array.count)
        for element in array { elements.append(try propertyList(element, depth: depth + 1)) }
        return .array(elements)
    case let dictionary as [AnyHashable: Any]:
        var entries = PropertyListDictionary(minimumCapacity: dictionary.count)
        for (key, value) in dictionary {
            guard let key = key.base as? String else {
                throw UnsupportedValue(description: "a dictionary whose keys are not all text")
            }
            entries[key] = try propertyList(value, depth: depth + 1)
        }
        return .dictionary(entries)
    default: throw UnsupportedValue(description: "a value of type \(type(of: value))")
    }
}

private func propertyList(_ number: NSNumber) throws(UnsupportedValue) -> PropertyList {
    // Foundation has one object for each truth value; its type letter is that of small integers, too.
    if number === NSNumber(value: true) || number === NSNumber(value: false) { return .boolean(number.boolValue) }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"): return .real(number.doubleValue)
    default:
        guard number.uint64Value <= UInt64(Int64.max) || number.compare(NSNumber(value: 0)) == .orderedAscending else {
            throw UnsupportedValue(description: "the number \(number), which does not fit 64 bits with sign")
        }
        return .integer(number.int64Value)
    }
}

/// Converts a property list to Foundation's objects, which on Linux pass every cast, `as? String`, `as? Bool`,
/// `as? [String: Any]`.
///
/// Large data is `Data`, because a cast of ten megabytes from an object would take a second.
package func foundationValue(_ plist: PropertyList) -> Any {
    switch plist {
    case .boolean(let value): return NSNumber(value: value)
    case .integer(let value): return NSNumber(value: value)
    case .real(let value): return NSNumber(value: value)
    case .date(let value): return NSDate(timeIntervalSinceReferenceDate: value)
    case .string(let value): return NSString(string: value)
    case .data(let value): return value.count <= 4096 ? NSData(data: Data(value)) : Data(value)
    // The cast bridges; no initialiser is used: in a static program that includes what casts of arrays need.
    case .array(let values): return values.map(foundationValue) as NSArray
    case .dictionary(let entries): return NSDictionary(dictionary: foundationValues(entries))
    }
}

package func foundationValues(_ entries: PropertyListDictionary) -> [String: Any] {
    var dictionary: [String: Any] = [:]
    dictionary.reserveCapacity(entries.count)
    for (key, value) in entries { dictionary[key] = foundationValue(value) }
    return dictionary
}
