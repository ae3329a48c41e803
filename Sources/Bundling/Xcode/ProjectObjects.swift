// ProjectObjects: the objects of a project.pbxproj, by their identifiers.

import Foundation
import LinuxSystem
import PropertyListCoding

/// An object with its class, which Xcode calls `isa`, and its keys.
struct ProjectObject {
    let identifier: String
    let keys: PropertyListDictionary

    var isa: String { keys["isa"]?.string ?? "" }
    func text(_ key: String) -> String? { keys[key]?.string }
    /// Returns the strings of an array, without other values.
    func texts(_ key: String) -> [String] { (keys[key]?.array ?? []).compactMap(\.string) }
}

/// The object graph. A dangling identifier counts as absent, because merges leave such identifiers.
struct ProjectObjects {
    let file: String
    let root: ProjectObject
    private let objects: PropertyListDictionary

    /// Reads the file, in the old text form or in XML.
    init(file: String) throws(ProjectError) {
        self.file = file
        func failure(_ message: String, line: Int? = nil) -> ProjectError {
            ProjectError(
                ProjectFinding(
                    .projectUnreadable, file, line: line, message,
                    remedy: "Open the project in Xcode and save it, or correct the file there"))
        }
        let bytes: [UInt8]
        do {
            bytes = try readFile(file, maximumSize: OldStyleReader.sizeLimit)
        } catch {
            throw failure("it cannot be read: \(error)")
        }
        let value: PropertyList
        if bytes.starts(with: "<?xml".utf8) || bytes.starts(with: "bplist".utf8) {
            do {
                value = try PropertyList(file: bytes, limits: .file, form: .authored)
            } catch {
                var line: Int?
                if case .line(let number, _) = error.place { line = number }
                throw failure("it is not a property list: \(error)", line: line)
            }
        } else {
            do throws(OldStyleReader.Fault) {
                value = try OldStyleReader.read(bytes)
            } catch {
                throw failure(error.message, line: error.line)
            }
        }
        guard let all = value.dictionary?["objects"]?.dictionary,
            let identifier = value.dictionary?["rootObject"]?.string,
            let keys = all[identifier]?.dictionary
        else { throw failure("it has no objects, or no rootObject among them") }
        objects = all
        root = ProjectObject(identifier: identifier, keys: keys)
    }

    subscript(identifier: String?) -> ProjectObject? {
        guard let identifier, let keys = objects[identifier]?.dictionary else { return nil }
        return ProjectObject(identifier: identifier, keys: keys)
    }

    /// Returns the objects that an array of identifiers names, in its order.
    func all(_ identifiers: [String]) -> [ProjectObject] { identifiers.compactMap { self[$0] } }

    func all(isa: String) -> [ProjectObject] {
        objects.compactMap { identifier, value in
            guard let keys = value.dictionary, keys["isa"]?.string == isa else { return nil }
            return ProjectObject(identifier: identifier, keys: keys)
        }
    }
}
