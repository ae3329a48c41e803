// ItemsRepresentation: the input of a rule, from a property list or a JSON file.

import Foundation
import PropertyListCoding

enum ItemsRepresentation {
    /// Reads the input. Its top is a dictionary, such as `{"extensionItems": […]}`. A null member counts as missing.
    static func read(_ path: String) throws(CommandError) -> PropertyList {
        let file = InputFile(path)
        let first = try file.data().first { !" \t\r\n".utf8.contains($0) }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        let value = isJSON ? try propertyList(try file.object(), path) : try file.propertyList()
        guard case .dictionary? = value else {
            throw .usage(
                "\(path) contains no dictionary", remedy: #"Write {"extensionItems": [{"attachments": [{…}]}]}"#)
        }
        return value ?? [:]
    }

    /// Returns a value as a property list. Nil for null. The JSON reader has bounded the depth.
    private static func propertyList(_ value: Any, _ path: String) throws(CommandError) -> PropertyList? {
        switch value {
        case is NSNull: return nil
        case let text as String: return .string(text)
        case let number as NSNumber:
            // Foundation has one object for each truth value.
            if number === NSNumber(value: true) || number === NSNumber(value: false) {
                return .boolean(number.boolValue)
            }
            if let integer = number as? Int64 { return .integer(integer) }
            return .real(number.doubleValue)
        case let list as [Any]:
            var values: [PropertyList] = []
            for element in list { if let value = try propertyList(element, path) { values.append(value) } }
            return .array(values)
        case let entries as [String: Any]:
            var dictionary = PropertyListDictionary(minimumCapacity: entries.count)
            for key in entries.keys.sorted() { dictionary[key] = try propertyList(entries[key] as Any, path) }
            return .dictionary(dictionary)
        default:
            throw .usage(
                "\(path) has a value of an unknown kind", remedy: "Write texts, numbers, lists and dictionaries")
        }
    }
}
