// Shelf: a file provider whose server is a folder. Some of its files are slow, and some fail.

import FileProvider
import Glibc
import UniformTypeIdentifiers

/// The principal class: it answers the host with what the server has.
///
/// A file whose name begins with “slow” takes a second, and one whose name begins with “failing” is never reachable.
final class Shelf: NSObject, NSFileProviderReplicatedExtension {
    private let server: Server

    required init(domain: NSFileProviderDomain) {
        let name = domain.identifier.rawValue.isEmpty ? "Shelf" : domain.identifier.rawValue
        server = Server(folder: "\(NSHomeDirectory())/Documents/\(name)")
    }

    func invalidate() {}

    func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator {
        // The trash and the working set are empty here.
        if containerItemIdentifier == .trashContainer { throw CocoaError(.featureUnsupported) }
        return FolderEnumerator(server, containerItemIdentifier)
    }

    func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        answer {
            completionHandler(try $0.item(identifier), nil)
        } orElse: {
            completionHandler(nil, $0)
        }
    }

    func fetchContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
        request: NSFileProviderRequest,
        completionHandler: @escaping @Sendable (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        answer { server in
            let item = try server.item(itemIdentifier)
            if item.filename.hasPrefix("failing") { throw NSFileProviderError(.serverUnreachable) }
            if item.filename.hasPrefix("slow") { sleep(1) }
            // The host takes this file over.
            let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.copyItem(atPath: try server.path(itemIdentifier), toPath: url.path)
            completionHandler(url, try server.item(itemIdentifier), nil)
        } orElse: {
            completionHandler(nil, nil, $0)
        }
    }

    func createItem(
        basedOn itemTemplate: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
        completionHandler:
            @escaping @Sendable (
                (any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?
            ) -> Void
    ) -> Progress {
        nonisolated(unsafe) let template = itemTemplate
        return answer {
            completionHandler(try $0.create(template, url, options), [], false, nil)
        } orElse: {
            completionHandler(nil, [], false, $0)
        }
    }

    func modifyItem(
        _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?,
        options: NSFileProviderModifyItemOptions, request: NSFileProviderRequest,
        completionHandler:
            @escaping @Sendable (
                (any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?
            ) -> Void
    ) -> Progress {
        nonisolated(unsafe) let item = item
        return answer {
            completionHandler(try $0.modify(item, changedFields, newContents), [], false, nil)
        } orElse: {
            completionHandler(nil, [], false, $0)
        }
    }

    func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress {
        answer {
            try $0.delete(identifier, isRecursive: options.contains(.recursive))
            completionHandler(nil)
        } orElse: {
            completionHandler($0)
        }
    }

    /// Asks the server on its queue.
    private func answer(
        _ body: @escaping @Sendable (Server) throws -> Void, orElse fail: @escaping @Sendable (any Error) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: 1)
        server.queue.async { [server] in
            do { try body(server) } catch { fail(error) }
        }
        return progress
    }
}

/// The items of one folder. All fit into a page.
private final class FolderEnumerator: NSObject, NSFileProviderEnumerator {
    private let server: Server
    private let folder: NSFileProviderItemIdentifier

    init(_ server: Server, _ folder: NSFileProviderItemIdentifier) { (self.server, self.folder) = (server, folder) }

    func invalidate() {}

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        server.queue.async { [server, folder] in
            do {
                if folder != .workingSet { observer.didEnumerate(try server.items(folder)) }
                observer.finishEnumerating(upTo: nil)
            } catch {
                observer.finishEnumeratingWithError(error)
            }
        }
    }
}

/// A server: a folder, whose files have their inode as identifier. A name may change, the inode does not.
private final class Server: @unchecked Sendable {
    // Unchecked: all but `init` runs on the queue.
    let queue = DispatchQueue(label: "org.exthost.samples.shelf")
    private let folder: String
    /// The paths below the folder, by the inodes.
    private var paths: [ino_t: String] = [:]

    init(folder: String) {
        self.folder = folder
        let files = FileManager.default
        if !files.fileExists(atPath: folder) {
            try? files.createDirectory(atPath: folder + "/Reports", withIntermediateDirectories: true)
            for (name, text) in [
                ("Welcome.txt", "Files of a provider.\n"), ("Reports/slow report.txt", "Worth the wait.\n"),
                ("Reports/failing report.txt", "Nobody reads this.\n"),
            ] { try? Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
        }
        for path in files.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
            if let status = Self.status("\(folder)/\(path)") { paths[status.st_ino] = path }
        }
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Throws the system's error.
    private func check(_ code: Int32) throws {
        guard code != 0 else { return }
        switch errno {
        case EEXIST: throw NSFileProviderError(.filenameCollision)
        case ENOENT: throw NSFileProviderError(.noSuchItem)
        case ENOTEMPTY: throw NSFileProviderError(.directoryNotEmpty)
        case ENOSPC, EDQUOT: throw NSFileProviderError(.insufficientQuota)
        default: throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
        }
    }

    func path(_ identifier: NSFileProviderItemIdentifier) throws -> String {
        if identifier == .rootContainer { return folder }
        guard let inode = ino_t(identifier.rawValue), let path = paths[inode] else {
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
        }
        return "\(folder)/\(path)"
    }

    func item(_ identifier: NSFileProviderItemIdentifier) throws -> Item {
        let path = try path(identifier)
        guard let status = Self.status(path) else {
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
        }
        guard identifier != .rootContainer else { return Item(status, identifier, parent: .rootContainer, path) }
        let above = (path as NSString).deletingLastPathComponent
        let parent: NSFileProviderItemIdentifier =
            above == folder ? .rootContainer : .init(Self.status(above).map { "\($0.st_ino)" } ?? "")
        return Item(status, identifier, parent: parent, path)
    }

    func items(_ container: NSFileProviderItemIdentifier) throws -> [Item] {
        let path = try path(container)
        return try FileManager.default.contentsOfDirectory(atPath: path).compactMap { name in
            guard let status = Self.status("\(path)/\(name)") else { return nil }
            return Item(status, .init("\(status.st_ino)"), parent: container, "\(path)/\(name)")
        }
    }

    /// Notes that an item, with all below it, has another path.
    private func moved(from old: String, to new: String) {
        let (old, new) = (String(old.dropFirst(folder.count + 1)), String(new.dropFirst(folder.count + 1)))
        for (inode, path) in paths {
            if path == old { paths[inode] = new }
            if path.hasPrefix(old + "/") { paths[inode] = new + path.dropFirst(old.count) }
        }
    }

    func create(
        _ template: any NSFileProviderItem, _ contents: URL?, _ options: NSFileProviderCreateItemOptions
    ) throws -> Item {
        let path = try path(template.parentItemIdentifier) + "/" + template.filename
        if let type = template.contentType, type.conforms(to: .folder) {
            let code = mkdir(path, 0o755)
            if !(code != 0 && errno == EEXIST && options.contains(.mayAlreadyExist)) { try check(code) }
        } else if let target = template.symlinkTargetPath {
            let code = symlink(target, path)
            if !(code != 0 && errno == EEXIST && options.contains(.mayAlreadyExist)) { try check(code) }
        } else {
            let raw = open(path, O_WRONLY | O_CREAT | (options.contains(.mayAlreadyExist) ? 0 : O_EXCL), 0o644)
            try check(raw < 0 ? -1 : 0)
            close(raw)
            try write(contents, to: path)
        }
        guard let status = Self.status(path) else { throw NSFileProviderError(.noSuchItem) }
        paths[status.st_ino] = String(path.dropFirst(folder.count + 1))
        try apply(template, [.fileSystemFlags, .contentModificationDate], path)
        return try item(.init("\(status.st_ino)"))
    }

    func modify(
        _ changed: any NSFileProviderItem, _ fields: NSFileProviderItemFields, _ contents: URL?
    ) throws -> Item {
        let old = try path(changed.itemIdentifier)
        let name = fields.contains(.filename) ? changed.filename : (old as NSString).lastPathComponent
        let parent =
            fields.contains(.parentItemIdentifier)
            ? try path(changed.parentItemIdentifier) : (old as NSString).deletingLastPathComponent
        let new = "\(parent)/\(name)"
        if new != old {
            if Self.status(new) != nil { throw NSFileProviderError(.filenameCollision) }
            try check(rename(old, new))
            moved(from: old, to: new)
        }
        if fields.contains(.contents) { try write(contents, to: new) }
        try apply(changed, fields, new)
        return try item(changed.itemIdentifier)
    }

    func delete(_ identifier: NSFileProviderItemIdentifier, isRecursive: Bool) throws {
        let path = try path(identifier)
        if isRecursive {
            try FileManager.default.removeItem(atPath: path)
        } else {
            try check(remove(path))
        }
        let below = String(path.dropFirst(folder.count + 1))
        for (inode, path) in paths where path == below || path.hasPrefix(below + "/") { paths[inode] = nil }
    }

    /// Writes contents into the file, which keeps its inode.
    private func write(_ contents: URL?, to path: String) throws {
        let data = try contents.map { try Data(contentsOf: $0) } ?? Data()
        let file = FileHandle(forWritingAtPath: path)
        guard let file else { throw NSFileProviderError(.noSuchItem) }
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
        try file.close()
    }

    private func apply(_ item: any NSFileProviderItem, _ fields: NSFileProviderItemFields, _ path: String) throws {
        guard item.contentType != .folder, item.symlinkTargetPath == nil else { return }
        if fields.contains(.fileSystemFlags) {
            try check(chmod(path, item.fileSystemFlags.contains(.userExecutable) ? 0o755 : 0o644))
        }
        if fields.contains(.contentModificationDate), let date = item.contentModificationDate {
            let seconds = date.timeIntervalSince1970
            let time = timespec(
                tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1_000_000_000))
            var times = (time, time)
            let code = withUnsafePointer(to: &times) { pair in
                pair.withMemoryRebound(to: timespec.self, capacity: 2) { utimensat(AT_FDCWD, path, $0, 0) }
            }
            try check(code)
        }
    }
}

/// An item of the server, as it was when it was asked for.
private final class Item: NSObject, NSFileProviderItem, Sendable {
    let itemIdentifier: NSFileProviderItemIdentifier
    let parentItemIdentifier: NSFileProviderItemIdentifier
    let filename: String
    let contentType: UTType
    let documentSize: NSNumber?
    let contentModificationDate: Date?
    let itemVersion: NSFileProviderItemVersion
    let symlinkTargetPath: String?
    let fileSystemFlags: NSFileProviderFileSystemFlags
    let capabilities: NSFileProviderItemCapabilities = [.allowsAll, .allowsEvicting]

    init(
        _ status: stat, _ identifier: NSFileProviderItemIdentifier, parent: NSFileProviderItemIdentifier, _ path: String
    ) {
        (itemIdentifier, parentItemIdentifier) = (identifier, parent)
        filename = (path as NSString).lastPathComponent
        let kind = status.st_mode & S_IFMT
        symlinkTargetPath =
            kind == S_IFLNK ? try? FileManager.default.destinationOfSymbolicLink(atPath: path) : nil
        let type = UTType(filenameExtension: (path as NSString).pathExtension) ?? .data
        contentType = kind == S_IFDIR ? .folder : kind == S_IFLNK ? .symbolicLink : type
        documentSize = kind == S_IFREG ? NSNumber(value: status.st_size) : nil
        let seconds = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1_000_000_000
        contentModificationDate = Date(timeIntervalSince1970: seconds)
        let version = Data("\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec).\(status.st_size)".utf8)
        itemVersion = NSFileProviderItemVersion(contentVersion: version, metadataVersion: Data(filename.utf8))
        fileSystemFlags =
            status.st_mode & S_IXUSR == 0
            ? [.userReadable, .userWritable] : [.userReadable, .userWritable, .userExecutable]
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
