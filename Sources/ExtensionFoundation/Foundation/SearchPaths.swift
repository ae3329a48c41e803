// SearchPaths: the folders of a container, which Foundation does not know on Linux.

public import Foundation
internal import Glibc

/// The folders of the container in which a program runs, as on Apple's systems.
///
/// Foundation on Linux has no library folder, and looks for caches and support files in the folders of a desktop user,
/// which a container lacks.
enum ContainerFolder {
    /// Returns the path of a folder below the home folder; nil without a container, or if Foundation knows the folder.
    ///
    /// - Parameters:
    ///   - directory: the kind of folder.
    ///   - environment: returns the value of a variable.
    static func path(
        _ directory: FileManager.SearchPathDirectory,
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) -> String? {
        // A program whose home folder is a container has this variable. The folder of the groups says nothing of that:
        // a user or `exthostctl with` sets it for programs without a container.
        guard environment("CFFIXED_USER_HOME") != nil else { return nil }
        return switch directory {
        case .libraryDirectory: "Library"
        case .cachesDirectory: "Library/Caches"
        case .applicationSupportDirectory: "Library/Application Support"
        case .documentDirectory: "Documents"
        default: nil
        }
    }
}

extension FileManager {
    /// Returns the common folders of a kind, those of the user first. The source step writes it for `urls(for:in:)`.
    ///
    /// In a container the folders of documents, the library, caches and support files are the container's. All others
    /// are Foundation's.
    ///
    /// - Parameters:
    ///   - directory: the kind of folder.
    ///   - domainMask: the domains in which to search.
    public func _urls(for directory: SearchPathDirectory, in domainMask: SearchPathDomainMask) -> [URL] {
        guard domainMask.contains(.userDomainMask), let path = ContainerFolder.path(directory) else {
            return urls(for: directory, in: domainMask)
        }
        let own = homeDirectoryForCurrentUser.appendingPathComponent(path, isDirectory: true)
        return [own] + urls(for: directory, in: domainMask.subtracting(.userDomainMask))
    }

    /// Returns a common folder, and makes it if asked to. The source step writes it for `url(for:in:…)`.
    ///
    /// - Parameters:
    ///   - directory: the kind of folder.
    ///   - domain: the domain, which is a single one.
    ///   - url: for a folder of replacements, the item that is replaced.
    ///   - shouldCreate: whether the folder is made if it is missing.
    /// - Throws: an error of Foundation if there is no such folder, or it cannot be made.
    public func _url(
        for directory: SearchPathDirectory, in domain: SearchPathDomainMask, appropriateFor url: URL?,
        create shouldCreate: Bool
    ) throws -> URL {
        guard domain == .userDomainMask, ContainerFolder.path(directory) != nil,
            let own = _urls(for: directory, in: domain).first
        else {
            return try self.url(for: directory, in: domain, appropriateFor: url, create: shouldCreate)
        }
        if shouldCreate { try createDirectory(at: own, withIntermediateDirectories: true) }
        return own
    }
}

/// Returns the paths of the common folders of a kind. The source step writes it for the function without the first
/// letter.
///
/// - Parameters:
///   - directory: the kind of folder.
///   - domainMask: the domains in which to search.
///   - expandTilde: whether the home folder is written out, or as a tilde.
public func _NSSearchPathForDirectoriesInDomains(
    _ directory: FileManager.SearchPathDirectory, _ domainMask: FileManager.SearchPathDomainMask, _ expandTilde: Bool
) -> [String] {
    guard domainMask.contains(.userDomainMask), let path = ContainerFolder.path(directory) else {
        return NSSearchPathForDirectoriesInDomains(directory, domainMask, expandTilde)
    }
    let home = expandTilde ? FileManager.default.homeDirectoryForCurrentUser.path : "~"
    let others = domainMask.subtracting(.userDomainMask)
    return ["\(home)/\(path)"] + NSSearchPathForDirectoriesInDomains(directory, others, expandTilde)
}
