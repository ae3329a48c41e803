// FileWrapper: a file or folder read into memory, for loads that request one; Foundation has none here.

public import Foundation
internal import Glibc
internal import LinuxDescriptors

/// The content of a file URL when the wrapper was made.
///
/// Apple's type can also write and change; this one is for reading only.
public final class FileWrapper: NSObject, Sendable {
    /// The limits of files and folders, of their bytes, and of nested folders: a wrapper is for documents, not for
    /// disks.
    private static let mostEntries = 10_000
    private static let mostBytes = 1 << 30
    private static let deepest = 32

    private enum Contents: Sendable {
        case file(Data)
        case folder([String: FileWrapper])
        case link(URL)
    }

    /// The name of the file.
    public let filename: String?
    private let contents: Contents

    /// Reads a file, a folder with all in it, or the target of a link.
    ///
    /// - Throws: an `NSItemProvider` error, `itemUnavailableError`, if it is not there, cannot be read, or is too much.
    public convenience init(url: URL) throws {
        var left = Budget(entries: Self.mostEntries, bytes: Self.mostBytes)
        try self.init(url, depth: 0, left: &left)
    }

    private struct Budget {
        var entries: Int
        var bytes: Int
    }

    private init(_ url: URL, depth: Int, left: inout Budget) throws {
        let tooMuch = NSItemProvider.error(.itemUnavailableError, "\(url.path) is too large for a file wrapper.")
        left.entries -= 1
        guard left.entries >= 0, depth < Self.deepest else { throw tooMuch }
        filename = url.lastPathComponent
        var status = stat()
        // The top entry may be a link, as a person would open it; those inside stay links.
        if depth > 0, lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            contents = .link(URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: url.path)))
        } else if FileKind(of: url) == .directory {
            var entries: [String: FileWrapper] = [:]
            for name in try listDirectory(url.path, maximumCount: Self.mostEntries) {
                entries[name] = try FileWrapper(url.appendingPathComponent(name), depth: depth + 1, left: &left)
            }
            contents = .folder(entries)
        } else {
            let file = try OpenedFile(url, inPlace: false)
            left.bytes -= file.status.size
            guard left.bytes >= 0 else { throw tooMuch }
            contents = .file(try file.contents())
        }
        super.init()
    }

    /// Reads one file that is open already. Throws as `init(url:)`.
    init(file: OpenedFile) throws {
        guard file.status.size <= Self.mostBytes else {
            throw NSItemProvider.error(.itemUnavailableError, "\(file.label) is too large for a file wrapper.")
        }
        (filename, contents) = (file.name, .file(try file.contents()))
        super.init()
    }

    /// Whether it is an ordinary file.
    public var isRegularFile: Bool { regularFileContents != nil }
    /// Whether it is a folder.
    public var isDirectory: Bool { fileWrappers != nil }
    /// Whether it is a symbolic link.
    public var isSymbolicLink: Bool { symbolicLinkDestinationURL != nil }

    /// The bytes of a file; nil for anything else.
    public var regularFileContents: Data? { if case .file(let data) = contents { data } else { nil } }
    /// The entries of a folder, by name; nil for anything else.
    public var fileWrappers: [String: FileWrapper]? { if case .folder(let entries) = contents { entries } else { nil } }
    /// The target of a link; nil for anything else.
    public var symbolicLinkDestinationURL: URL? { if case .link(let url) = contents { url } else { nil } }
}
