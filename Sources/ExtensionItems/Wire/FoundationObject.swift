// FoundationObject: a property list as Foundation's objects, without interpretation, and as data.

internal import Foundation
internal import PropertyListCoding

/// Converts a property list to Foundation's objects; dictionaries with the reserved key stay dictionaries.
///
/// It is for archives, and for leaves of the wire form. The maker of the list bounds its depth.
func foundationObject(_ plist: PropertyList) -> Any {
    switch plist {
    case .boolean(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .real(let value): NSNumber(value: value)
    case .date(let value): NSDate(timeIntervalSinceReferenceDate: value)
    case .string(let value): NSString(string: value)
    case .data(let value): authorData(Data(value))
    case .array(let values): foundationArray(values.map(foundationObject))
    case .dictionary(let entries): foundationObject(entries)
    }
}

func foundationObject(_ entries: PropertyListDictionary) -> NSDictionary {
    var dictionary: [String: Any] = [:]
    dictionary.reserveCapacity(entries.count)
    for (key, value) in entries { dictionary[key] = foundationObject(value) }
    return NSDictionary(dictionary: dictionary)
}

/// Returns the property list, binary or XML, in some bytes as Foundation's objects; nil for other bytes.
func propertyList(in data: Data) -> Any? {
    (try? PropertyList(file: [UInt8](data), limits: .payload)).map(foundationObject)
}

/// Returns a dictionary or array as a binary property list; nil if something in it cannot be part of one.
func propertyListData(_ value: Any) -> Data? {
    var encoder = ValueEncoder(providers: .refuse, values: .raw)
    return (try? encoder.value(value).encodeBinary()).map { Data($0) }
}
