// SourceStamps: the state of the files that an app was made from, so that whoever runs the app can tell that it is out
// of date.

import Foundation
import Glibc
import LinuxSystem

/// The sizes and times of an app's sources when it was made. `exthostctl bundle` writes them into the app, the test
/// kits compare them.
public struct SourceStamps: Sendable, Hashable, Codable {
    struct Stamp: Sendable, Hashable, Codable {
        /// Bytes.
        let size: Int
        /// Nanoseconds since 1970.
        let modified: Int
    }

    /// The first file that is not as it was.
    public struct Difference: Sendable, Hashable, CustomStringConvertible {
        public enum Kind: String, Sendable, Hashable { case changed, added, removed }

        public let kind: Kind
        /// Absolute.
        public let path: String

        public var description: String { "\(path) was \(kind.rawValue) since" }
    }

    /// The name of the file at the top of an app.
    public static let fileName = "SourceStamps.json"
    private static let sizeLimit = 8 << 20
    /// Entries of one tree, levels below its top, and entries of one folder. What lies beyond is not compared.
    private static let (filesLimit, depthLimit, entriesLimit) = (20_000, 16, 10_000)

    /// The folder of the sources, absolute.
    public let project: String
    /// The folders that are compared with all that is in them.
    let folders: [String]
    /// Every file, by its absolute path.
    let files: [String: Stamp]

    /// Looks at the files. A path that does not exist is left out.
    ///
    /// - Parameters:
    ///   - project: the folder of the sources.
    ///   - folders: folders whose files count, except hidden files, apps, an editor's old copies and what Python
    ///     compiles.
    ///   - files: more files.
    public init(project: String, folders: [String], files: [String]) {
        self.project = project
        self.folders = Set(folders).sorted()
        self.files = Self.stamps(of: self.folders, files)
    }

    /// Reads the stamps in an app; nil where there are none, or the file is not one of stamps.
    public init?(app: String) {
        guard let bytes = try? readFile("\(app)/\(Self.fileName)", maximumSize: Self.sizeLimit, followingLinks: false),
            let stamps = try? JSONDecoder().decode(SourceStamps.self, from: Data(bytes))
        else { return nil }
        self = stamps
    }

    /// The contents of the file.
    public var encoded: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            return Array(try encoder.encode(self))
        }
    }

    /// Compares the stamps with the files as they are now; nil where they agree, and where the project is not on this
    /// machine.
    public var difference: Difference? { difference { _ in false } }

    /// Compares as `difference` does, without the files for which `isExcluded` holds.
    public func difference(without isExcluded: (String) -> Bool) -> Difference? {
        var status = stat()
        guard stat(project, &status) == 0 else { return nil }
        let now = Self.stamps(of: folders, Array(files.keys))
        for path in Set(files.keys).union(now.keys).sorted() where files[path] != now[path] && !isExcluded(path) {
            return Difference(kind: files[path] == nil ? .added : now[path] == nil ? .removed : .changed, path: path)
        }
        return nil
    }

    // MARK: Files

    private static func stamps(of folders: [String], _ files: [String]) -> [String: Stamp] {
        var found: [String: Stamp] = [:]
        for file in files { found[file] = stamp(of: file)?.stamp }
        for folder in folders {
            var queue = [(path: folder, depth: 0)]
            while let (path, depth) = queue.popLast() {
                for name in ((try? listDirectory(path, maximumCount: entriesLimit)) ?? []).sorted() where isSource(name)
                {
                    guard found.count < filesLimit else { return found }
                    let entry = "\(path)/\(name)"
                    guard let (stamp, isFolder) = stamp(of: entry) else { continue }
                    if let stamp { found[entry] = stamp }
                    if isFolder, depth < depthLimit { queue.append((entry, depth + 1)) }
                }
            }
        }
        return found
    }

    /// Whether an entry of a folder counts: none that is hidden, an editor's old copy, or made from sources.
    public static func isSource(_ name: String) -> Bool {
        !name.hasPrefix(".") && name != "__pycache__"
            && !["~", ".pyc", ".app", ".appex"].contains(where: name.hasSuffix)
    }

    /// The stamp of a regular file, also of one behind a link; a folder behind a link counts as nothing.
    private static func stamp(of path: String) -> (stamp: Stamp?, isFolder: Bool)? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR { return (nil, true) }
        if status.st_mode & S_IFMT == S_IFLNK, stat(path, &status) != 0 { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        let modified = Int(status.st_mtim.tv_sec) * 1_000_000_000 + Int(status.st_mtim.tv_nsec)
        return (Stamp(size: Int(status.st_size), modified: modified), false)
    }
}
