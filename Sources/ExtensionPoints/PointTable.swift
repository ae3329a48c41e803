// PointTable: all extension points: the built-in ones, and those that files in folders add or replace.

import Glibc
import LinuxSystem

/// The points of one daemon, as a value that is made once. Using it accesses no files.
public struct PointTable: Sendable {
    /// A file that is no point, with the reason. It disables itself only.
    public struct BadFile: Sendable, Hashable {
        public let path: String
        public let problem: String
    }

    /// The identifier of the point of a program without a bundle. It has no interface, and a process serves one request.
    public static let pointOfPrograms = "com.apple.app.non-ui-extension"

    /// The points of files in folders, by identifier.
    private let own: [String: ExtensionPoint]
    /// The bad files, in the order in which they were found.
    public let badFiles: [BadFile]

    /// The maximum number of entries that are read of one folder.
    static let entriesLimit = 1024

    /// Reads the folders. A point of an earlier folder replaces the same point of a later one, and any replaces a
    /// built-in one.
    ///
    /// A folder that does not exist holds nothing. This reads files, so it does not belong on the loop.
    public init(folders: [String] = []) {
        var found: [String: ExtensionPoint] = [:]
        var bad: [BadFile] = []
        for folder in folders { Self.read(folder, into: &found, &bad) }
        (own, badFiles) = (found, bad)
    }

    /// All points, sorted by identifier. The call reads the built-in ones that were not used before.
    public var points: [ExtensionPoint] {
        (Self.builtIn.filter { own[$0.identifier] == nil } + own.values).sorted { $0.identifier < $1.identifier }
    }

    /// Whether a file in a folder sets a limit. A built-in point sets none.
    public var hasLimits: Bool { own.values.contains { !$0.limits(in: nil).isEmpty } }

    /// The point of an identifier, if it is declared.
    public subscript(declared identifier: String) -> ExtensionPoint? { own[identifier] ?? Self.builtIn(identifier) }

    /// The point of an identifier. An undeclared one is assumed to have no interface.
    public subscript(identifier: String) -> ExtensionPoint {
        self[declared: identifier] ?? ExtensionPoint(identifier: identifier, hasInterface: false)
    }

    private static func read(_ folder: String, into found: inout [String: ExtensionPoint], _ bad: inout [BadFile]) {
        let names: [String]
        do {
            names = try listDirectory(folder, maximumCount: entriesLimit)
        } catch {
            guard error.code != ENOENT else { return }
            let remedy = error.code == EOVERFLOW ? "Keep at most \(entriesLimit) files in it" : "Name a readable folder"
            bad.append(BadFile(path: folder, problem: "cannot be read: \(error). \(remedy)"))
            return
        }
        // An earlier folder takes precedence; within one, the first file by name does.
        var own: [String: String] = [:]
        for name in names where name.hasSuffix(".plist") && !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            do {
                var point = try ExtensionPoint(file: try readFile(path, maximumSize: ExtensionPoint.fileLimit))
                point.path = path
                if let first = own.updateValue(path, forKey: point.identifier) {
                    own[point.identifier] = first
                    bad.append(
                        BadFile(
                            path: path, problem: "Identifier names a point that \(first) declares. Keep one of the two")
                    )
                } else if found[point.identifier] == nil {
                    found[point.identifier] = point
                }
            } catch let error as PointError {
                bad.append(BadFile(path: path, problem: "\(error)"))
            } catch {
                bad.append(
                    BadFile(
                        path: path,
                        problem:
                            "cannot be read: \(error). Put a readable file of at most \(ExtensionPoint.fileLimit) bytes there"
                    ))
            }
        }
    }
}
