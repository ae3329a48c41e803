// DocumentLease: a host's access to a document in a provider's storage.

public import Foundation
import Glibc
public import LinuxDescriptors
import LinuxSystem
import PointMessages

/// The folder of a provider's documents: `File Provider Storage` in the container of its group.
struct DocumentStorageFolder: Sendable {
    /// The folder of all group containers, which no extension can replace.
    let containers: String
    let group: String

    var path: String { "\(containers)/\(group)/\(DocumentStorage.folderName)" }

    private static let longestPath = 4096

    /// Returns a checked path below the folder.
    ///
    /// - Throws: `DocumentPickFault` `outsideStorage` for a path that could lead out of it.
    static func check(_ path: String, _ url: String) throws(DocumentPickFault) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !path.isEmpty, path.utf8.count <= longestPath, !path.utf8.contains(0),
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else { throw .outsideStorage(url) }
        return path
    }

    /// Opens a regular file below the folder. No part of its path is a link.
    ///
    /// - Throws: `SystemError`: `ELOOP`, `ENOENT`; `EISDIR` for anything but a regular file.
    func open(_ path: String, _ flags: Int32) throws(SystemError) -> OwnedDescriptor {
        // Members of the group write in the container, so its own folder may be a link, too.
        let found = try openBeneath(containers, "\(group)/\(DocumentStorage.folderName)/\(path)")
        // A pipe or a device is not opened at all.
        guard try facts(of: found).isRegularFile else { throw SystemError("open", code: EISDIR) }
        let raw = Glibc.open("/proc/self/fd/\(found.raw)", flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard raw >= 0 else { throw SystemError("open") }
        return OwnedDescriptor(owning: raw)
    }
}

/// A host's access to one document in a provider's storage. Safe to use from any thread.
///
/// The extension may replace the document at any time. Each use opens it anew, and no link is followed.
public final class DocumentLease: Sendable {
    /// The document's URL.
    public let url: URL
    /// The path below the provider's storage.
    public let path: String
    /// The identifier of the file provider.
    public let provider: String
    private let folder: DocumentStorageFolder

    init(_ path: String, in folder: DocumentStorageFolder, of provider: String) {
        (self.path, self.folder, self.provider) = (path, folder, provider)
        url = URL(fileURLWithPath: "\(folder.path)/\(path)")
    }

    /// Whether the document's file is there. If not, only its provider can make it.
    public var isThere: Bool { (try? folder.open(path, O_RDONLY)) != nil }

    /// Opens the document for reading, or also for writing.
    ///
    /// - Throws: `DocumentPickFault` for a missing document, or one that is no regular file now.
    public func open(forWriting: Bool = false) throws(DocumentPickFault) -> SharedDescriptor {
        do throws(SystemError) {
            return SharedDescriptor(try folder.open(path, forWriting ? O_RDWR : O_RDONLY))
        } catch {
            if error.code == EISDIR { throw .notAFile(url.path) }
            throw DocumentPickFault(error, at: url.path)
        }
    }

    /// Returns the document's bytes.
    ///
    /// - Parameter limit: the largest document, in bytes.
    /// - Throws: as `open(forWriting:)`; `DocumentPickFault` `tooLarge`, `notCopied`.
    public func data(upTo limit: Int = 64 << 20) throws(DocumentPickFault) -> Data {
        let file = try open()
        do throws(SystemError) {
            return Data(try readFile(file.raw, expecting: try FileStatus(of: file.raw).size, maximumSize: limit))
        } catch {
            if error.code == EFBIG { throw .tooLarge((try? FileStatus(of: file.raw).size) ?? limit) }
            throw .notCopied("\(error)")
        }
    }
}
