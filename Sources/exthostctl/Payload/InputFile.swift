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

    func propertyList() throws(CommandError) -> PropertyList {
        do {
            return try PropertyList(file: [UInt8](try data()), limits: .file)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .usage("\(path) is not a property list: \(error)", remedy: "Write an XML or binary property list")
        }
    }

    /// Returns the content of a property list or a JSON file as Foundation's objects.
    func object() throws(CommandError) -> Any {
        let data = try data()
        let first = data.first { !" \t\r\n".utf8.contains($0) }
        guard first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else {
            return foundationObject(try propertyList())
        }
        do {
            return try JSONSerialization.jsonObject(with: data)
        } catch {
            let why = (error as NSError).userInfo["NSDebugDescription"] as? String ?? error.localizedDescription
            throw .usage("\(path) is not JSON: \(why)", remedy: "Check it with a JSON tool")
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
