// PropertyListData: data that is a property list, for typed loads of dictionaries and arrays.

internal import Foundation
internal import PropertyListCoding

/// The property list, binary or XML, in some bytes as Foundation's objects; nil for bytes that are none.
func propertyList(in data: Data) -> Any? {
    (try? PropertyList(file: [UInt8](data), limits: .payload)).map(foundationObject)
}

/// A dictionary or array as a binary property list; nil when something in it has no place in one.
func propertyListData(_ value: Any) -> Data? {
    var encoder = ValueEncoder(providers: .refuse, values: .raw)
    return (try? encoder.value(value).encodeBinary()).map { Data($0) }
}
