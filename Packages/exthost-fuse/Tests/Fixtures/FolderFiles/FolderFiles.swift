// FolderFiles: a plain folder in the place of a provider, with local copies of its files as a host has them.

import Foundation
import Glibc
import LinuxDescriptors
public import PointHosts
import Synchronization

/// The files of a plain folder, which is what the provider has. Contents are copied when they are opened, and copied back
/// when they are delivered.
public final class FolderFiles: ProvidedFiles {
    struct Place: Hashable {
        var parent: String
        var name: String
    }

    struct State {
        /// The place of each item that was seen.
        var places: [String: Place] = [:]
        /// The identifiers by the numbers of files. The number of a deleted file may come again, and its identifier not.
        var identifiers: [ino_t: String] = [:]
        var nextIdentifier = 1
        var attributes: [String: [String: Data]] = [:]
        var copies: [String: LocalCopy] = [:]
        var streams: [AsyncStream<ProvidedChange>.Continuation] = []
        var nextCopy = 0

        mutating func identifier(of number: ino_t) -> String {
            if let known = identifiers[number] { return known }
            let new = "item \(nextIdentifier)"
            nextIdentifier += 1
            identifiers[number] = new
            return new
        }

        /// Notes that an item is gone.
        mutating func remove(_ identifier: String) {
            places[identifier] = nil
            copies[identifier] = nil
            attributes[identifier] = nil
            if let number = identifiers.first(where: { $0.value == identifier })?.key { identifiers[number] = nil }
        }
    }

    public let root = "root"
    let folder: String
    let store: String
    let faults: Faults
    let state = Mutex(State())

    /// Makes the files.
    ///
    /// - Parameters:
    ///   - folder: what the provider has.
    ///   - store: an empty folder for the copies.
    public init(_ folder: String, store: String, faults: Faults = Faults(path: nil)) {
        (self.folder, self.store, self.faults) = (folder, store, faults)
    }

    // MARK: - Places

    static func failure(_ call: String, _ code: Int32 = errno) -> FileFailure {
        let kind: FileFailure.Code =
            switch code {
            case ENOENT: .noSuchItem
            case EEXIST: .filenameCollision
            case ENOTEMPTY: .directoryNotEmpty
            case EISDIR: .isFolder
            case ENOTDIR: .isNoFolder
            case EINVAL, ENAMETOOLONG: .invalidArgument
            case ENOSPC: .noSpace
            default: .failed
            }
        return FileFailure(kind, "\(call): \(String(cString: strerror(code)))")
    }

    /// The path of an item.
    func path(_ identifier: String) throws(FileFailure) -> String {
        var names: [String] = []
        var current = identifier
        let places = state.withLock { $0.places }
        while current != root {
            guard let place = places[current], names.count < 1_000 else {
                throw FileFailure(.noSuchItem, "there is no item \(identifier)")
            }
            names.append(place.name)
            current = place.parent
        }
        return ([folder] + names.reversed()).joined(separator: "/")
    }

    /// The item at a place, which is noted.
    func item(_ place: Place, at path: String) throws(FileFailure) -> ProvidedItem {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { throw Self.failure("lstat") }
        let (identifier, attributes) = state.withLock { state in
            let identifier = path == folder ? root : state.identifier(of: facts.st_ino)
            if identifier != root { state.places[identifier] = place }
            return (identifier, state.attributes[identifier] ?? [:])
        }
        var item = ProvidedItem(
            identifier: identifier, parent: place.parent, name: place.name, kind: .file, size: facts.st_size,
            modified: Self.date(facts.st_mtim), isExecutable: facts.st_mode & 0o100 != 0,
            extendedAttributes: attributes, contentVersion: Self.version(facts))
        switch facts.st_mode & S_IFMT {
        case S_IFDIR: item.kind = .folder
        case S_IFLNK:
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = readlink(path, &bytes, bytes.count)
            guard count > 0 else { throw Self.failure("readlink") }
            item.kind = .symbolicLink(String(decoding: bytes.prefix(count), as: UTF8.self))
        default: break
        }
        if place.name.hasPrefix("readonly") { item.capabilities = [.reading] }
        return item
    }

    /// The version of a file's contents.
    static func version(_ facts: stat) -> Data {
        Data("\(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec) \(facts.st_size)".utf8)
    }

    static func date(_ time: timespec) -> Date {
        Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    static func time(_ date: Date) -> timespec {
        let seconds = date.timeIntervalSince1970
        let whole = seconds.rounded(.down)
        return timespec(tv_sec: Int(whole), tv_nsec: Int((seconds - whole) * 1e9))
    }

    // MARK: - Reading

    public func item(_ identifier: String) async throws(FileFailure) -> ProvidedItem {
        try await faults.perform("item")
        let path = try path(identifier)
        let place = state.withLock { $0.places[identifier] } ?? Place(parent: root, name: "")
        let item = try item(place, at: path)
        guard item.identifier == identifier else { throw FileFailure(.noSuchItem, "another item is in its place") }
        return item
    }

    public func item(named name: String, in folder: String) async throws(FileFailure) -> ProvidedItem {
        try await faults.perform("named")
        return try item(Place(parent: folder, name: name), at: path(folder) + "/" + name)
    }

    public func items(in folder: String) async throws(FileFailure) -> [ProvidedItem] {
        try await faults.perform("items")
        let path = try path(folder)
        guard let stream = opendir(path) else { throw Self.failure("opendir") }
        defer { closedir(stream) }
        var items: [ProvidedItem] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            // It may have gone since.
            if let item = try? item(Place(parent: folder, name: name), at: path + "/" + name) { items.append(item) }
        }
        return items
    }

    // MARK: - Changes

    public func create(_ new: NewItem) async throws(FileFailure) -> ProvidedItem {
        try await faults.perform("create")
        let path = try path(new.parent) + "/" + new.name
        switch new.kind {
        case .file:
            let file = Glibc.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, new.isExecutable ? 0o755 : 0o644)
            guard file >= 0 else { throw Self.failure("open") }
            _ = close(file)
        case .folder: guard mkdir(path, 0o755) == 0 else { throw Self.failure("mkdir") }
        case .symbolicLink(let target): guard symlink(target, path) == 0 else { throw Self.failure("symlink") }
        }
        return try item(Place(parent: new.parent, name: new.name), at: path)
    }

    public func change(_ identifier: String, _ change: ItemChange, replacing: String?) async throws(FileFailure)
        -> ProvidedItem
    {
        try await faults.perform("change")
        var path = try path(identifier)
        var place = state.withLock { $0.places[identifier] } ?? Place(parent: root, name: "")
        if place.name.hasPrefix("readonly") { throw FileFailure(.notPermitted, "the provider lets it be read only") }
        if change.name != nil || change.parent != nil {
            place = Place(parent: change.parent ?? place.parent, name: change.name ?? place.name)
            let target = try self.path(place.parent) + "/" + place.name
            var facts = stat()
            let isThere = lstat(target, &facts) == 0
            if isThere, replacing != state.withLock({ $0.identifier(of: facts.st_ino) }) {
                throw FileFailure(.filenameCollision, "the name is taken")
            }
            guard Glibc.rename(path, target) == 0 else { throw Self.failure("rename") }
            path = target
            state.withLock { state in
                if let replacing { state.remove(replacing) }
                state.places[identifier] = place
            }
        }
        if let isExecutable = change.isExecutable {
            guard chmod(path, isExecutable ? 0o755 : 0o644) == 0 else { throw Self.failure("chmod") }
        }
        if let modified = change.modified {
            let time = Self.time(modified)
            guard utimensat(AT_FDCWD, path, [time, time], Int32(AT_SYMLINK_NOFOLLOW)) == 0 else {
                throw Self.failure("utimensat")
            }
        }
        if let attributes = change.extendedAttributes { state.withLock { $0.attributes[identifier] = attributes } }
        return try item(place, at: path)
    }

    public func delete(_ identifier: String) async throws(FileFailure) {
        try await faults.perform("delete")
        let path = try path(identifier)
        let place = state.withLock { $0.places[identifier] }
        if place?.name.hasPrefix("readonly") == true { throw FileFailure(.notPermitted, "it may be read only") }
        guard remove(path) == 0 else { throw Self.failure("remove") }
        state.withLock { $0.remove(identifier) }
    }

    // MARK: - What the provider tells

    public func changes() -> AsyncStream<ProvidedChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: ProvidedChange.self)
        state.withLock { $0.streams.append(continuation) }
        return stream
    }

    /// Tells what the faults' file says: `announce NAME`, `announce-deletion NAME`, `announce-anything`, `end`.
    public func announce() async {
        let streams = state.withLock { $0.streams }
        for words in faults.lines(of: "announce") where words.count > 1 {
            if let item = try? item(Place(parent: root, name: words[1]), at: folder + "/" + words[1]) {
                for stream in streams { stream.yield(.updated(item)) }
            }
        }
        for words in faults.lines(of: "announce-deletion") where words.count > 1 {
            let known = state.withLock { state in
                state.places.first { $0.value == Place(parent: root, name: words[1]) }?.key
            }
            for stream in streams { stream.yield(.deleted(identifier: known ?? "?", parent: root, name: words[1])) }
        }
        for _ in faults.lines(of: "announce-anything") { for stream in streams { stream.yield(.unknown) } }
        for _ in faults.lines(of: "end") { for stream in streams { stream.finish() } }
    }
}
