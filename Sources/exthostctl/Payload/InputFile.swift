// InputFile: a file that the command line names, and its content.

import Foundation
import PropertyListCoding

struct InputFile {
    let path: String

    init(_ path: String) { self.path = path }

    func data() throws(CommandError) -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        } catch {
            let reason = (error as NSError).userInfo[NSUnderlyingErrorKey].map {
                "\(($0 as? NSError)?.localizedDescription ?? "\($0)")"
            }
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            if isFolder.boolValue { throw .missing("\(path) is a folder, not a file", remedy: "Name a file in it") }
            throw .missing(
                isThere
                    ? "\(path) cannot be read: \(reason ?? error.localizedDescription)" : "there is no file \(path)",
                remedy: isThere
                    ? "Name a file that you may read"
                    : NearestPath.question(path) + "Paths start at the current folder, or at /")
        }
    }

    func propertyList() throws(CommandError) -> PropertyList { try propertyList(of: try data()) }

    private func propertyList(of data: Data) throws(CommandError) -> PropertyList {
        do {
            return try PropertyList(file: [UInt8](data), limits: .file)
        } catch {
            throw .usage("\(path) is not a property list: \(error)", remedy: "Write an XML or binary property list")
        }
    }

    private static func isJSON(_ data: Data) -> Bool {
        let first = data.first { !" \t\r\n".utf8.contains($0) }
        return first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
    }

    /// Returns the content of a property list or a JSON file. A null member counts as missing.
    func values() throws(CommandError) -> PropertyList {
        // A pipe gives its content once.
        let data = try data()
        guard Self.isJSON(data) else { return try propertyList(of: data) }
        return try Self.propertyList(try object(of: data), path) ?? [:]
    }

    /// Returns the content of a property list or a JSON file as Foundation's objects.
    func object() throws(CommandError) -> Any { try object(of: try data()) }

    private func object(of data: Data) throws(CommandError) -> Any {
        guard Self.isJSON(data) else { return foundationObject(try propertyList(of: data)) }
        do {
            return try JSONSerialization.jsonObject(with: data)
        } catch {
            let why = (error as NSError).userInfo["NSDebugDescription"] as? String ?? error.localizedDescription
            throw .usage("\(path) is not JSON: \(why)", remedy: "Check it with a JSON tool")
        }
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

/// Returns a property list as Foundation's objects. The reader has bounded its depth.
func foundationObject(_ plist: PropertyList) -> Any {
    switch plist {
    case .boolean(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .real(let value): NSNumber(value: value)
    case .date(let value): NSDate(timeIntervalSinceReferenceDate: value)
    case .string(let value): NSString(string: value)
    case .data(let value): NSData(data: Data(value))
    case .array(let values): NSArray(array: values.map(foundationObject))
    case .dictionary(let entries):
        NSDictionary(dictionary: Dictionary(entries.map { ($0, foundationObject($1)) }, uniquingKeysWith: { $1 }))
    }
}
