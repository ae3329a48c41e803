// ProviderFiles+Contents: the contents of files while they are open, and their way to the provider and back.

import Dispatch
import ExtensionPointKit
import Foundation
import Glibc
import LinuxDescriptors
import Locks
import PointMessages
import PropertyListCoding

/// The contents of a file on this machine, while somebody has it open or the provider has not got its changes.
///
/// Its descriptor stays the same for as long as it is open, whatever happens to the item. Safe to use from any thread,
/// but the two properties that say so.
final class OpenContents: @unchecked Sendable {
    // Unchecked: the executor of the files uses `identifier`, `number`, `path`, `leases`, `isDeleted`; the rest is locked.
    var identifier: String
    let descriptor: SharedDescriptor
    /// The number in the store of a replicated provider.
    var number: Int?
    /// The path below the document storage.
    var path: String?
    var leases = 0
    /// Whether the item is gone: there is nobody to tell of changes.
    var isDeleted = false

    private struct Changes {
        /// The changes so far, and those that the provider has got.
        var (made, stored) = (0, 0)
        var timer: Task<Void, Never>?
    }

    private let changes = Mutex(Changes())
    /// The storing that is on its way.
    var storing: Task<FileFailure?, Never>?

    init(_ identifier: String, _ descriptor: SharedDescriptor, number: Int? = nil, path: String? = nil) {
        (self.identifier, self.descriptor, self.number, self.path) = (identifier, descriptor, number, path)
    }

    var isChanged: Bool { changes.withLock { $0.made != $0.stored } }
    /// The number of the last change, and whether the provider has that or a later one.
    var lastChange: Int { changes.withLock { $0.made } }
    func has(_ number: Int) -> Bool { changes.withLock { $0.stored >= number } }
    /// The time of the last change, as the file has it.
    var changedTime: Date? {
        var status = stat()
        guard fstat(descriptor.raw, &status) == 0 else { return nil }
        return Date(
            timeIntervalSince1970: Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1_000_000_000)
    }
    var status: FileStatus? { try? FileStatus(of: descriptor.raw) }

    /// Notes a change.
    ///
    /// - Parameter wait: makes the task that stores the change after the quiet time. A further change replaces it.
    func note(_ wait: () -> Task<Void, Never>) {
        let old = changes.withLock { changes in
            changes.made += 1
            defer { changes.timer = wait() }
            return changes.timer
        }
        old?.cancel()
    }

    /// Notes a change that the provider is told of by the caller.
    func noteWithoutTimer() {
        changes.withLock { $0.made += 1 }
    }

    /// The number of the last change. The timer is not needed any more.
    func begin() -> Int {
        changes.withLock { changes in
            changes.timer?.cancel()
            changes.timer = nil
            return changes.made
        }
    }

    /// Notes that the provider has all changes up to a number.
    func stored(_ number: Int) { changes.withLock { $0.stored = max($0.stored, number) } }
}

/// A lease of a file.
final class ProviderLease: FileLease {
    private let files: ProviderFiles
    private let contents: OpenContents
    let descriptor: SharedDescriptor
    private let state = Mutex((isClosed: false, hasChanged: false))
    /// The item's identifier when the file was opened.
    let identifier: String

    init(_ files: ProviderFiles, _ contents: OpenContents, _ identifier: String, _ descriptor: SharedDescriptor) {
        (self.files, self.contents, self.identifier) = (files, contents, identifier)
        self.descriptor = descriptor
    }

    deinit {
        // A lease that nobody closed is over all the same.
        let state = state.withLock { $0 }
        guard !state.isClosed else { return }
        Task { [files, contents] in try? await files.close(contents, hasChanged: state.hasChanged) }
    }

    func noteChange() {
        let (files, contents, quiet) = (files, contents, files.quietTime)
        state.withLock { $0.hasChanged = true }
        contents.note {
            Task {
                guard (try? await Task.sleep(for: quiet)) != nil else { return }
                try? await files.flush(contents)
            }
        }
    }

    func flush() async throws(FileFailure) { try await files.flush(contents) }

    func close() async throws(FileFailure) {
        let old = state.withLock { state in
            defer { state.isClosed = true }
            return state
        }
        if !old.isClosed { try await files.close(contents, hasChanged: old.hasChanged) }
    }
}

extension ProviderFiles {
    /// The leases of all files, by the items.
    public var leases: [String: Int] { contents.mapValues(\.leases).filter { $0.value > 0 } }

    /// The items whose changes the provider has not got.
    public var pending: [String] { contents.filter { $0.value.isChanged }.map(\.key).sorted() }

    // MARK: Open and close

    public func open(_ identifier: String, forWriting: Bool) async throws(FileFailure) -> any FileLease {
        let item = try await known(identifier)
        if item.isFolder || item.identifier == root { throw FileFailure(.isFolder, "\(item.name) is a folder") }
        let wanted: ItemCapabilities = forWriting ? [.writing] : [.reading]
        guard ItemCapabilities(rawValue: item.capabilities).isSuperset(of: wanted) else {
            throw FileFailure(
                .notPermitted, "the provider does not let \(item.name) be \(forWriting ? "written" : "read")")
        }
        let contents = try await materialized(item)
        contents.leases += 1
        return ProviderLease(self, contents, identifier, contents.descriptor)
    }

    /// The contents of a file on this machine. Whoever asks while they are fetched waits for the same.
    private func materialized(_ item: FileItem) async throws(FileFailure) -> OpenContents {
        if let open = contents[item.identifier] { return open }
        let question = beginQuestion()
        defer { endQuestion(question) }
        do {
            if let task = fetching[item.identifier] {
                let found = try await task.value
                try checkPresence(of: item, since: question)
                return found
            }
            let task = Task { try await isReplicated ? fetched(item) : started(item) }
            fetching[item.identifier] = task
            defer { if fetching[item.identifier] == task { fetching[item.identifier] = nil } }
            let found = try await task.value
            if since(question).dropped.contains(item.identifier) {
                found.isDeleted = true
                if let number = found.number { store?.drop(number) }
            }
            try checkPresence(of: item, since: question)
            contents[item.identifier] = found
            return found
        } catch {
            throw FileFailure(error)
        }
    }

    /// Runs work with files beside the executor.
    func beside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Ends a lease. Whoever has only read hears of no failure to store what others have written.
    func close(_ open: OpenContents, hasChanged: Bool) async throws(FileFailure) {
        var failure: FileFailure?
        do { try await flush(open) } catch { failure = hasChanged ? error : nil }
        open.leases -= 1
        await release(open)
        if let failure { throw failure }
    }

    /// Gives contents back that nobody uses. Those that the provider has not got stay until it can take them.
    private func release(_ open: OpenContents) async {
        guard open.leases == 0, !open.isChanged, contents[open.identifier] === open else { return }
        contents[open.identifier] = nil
        if let path = open.path { _ = try? await call { _ in StopProvidingItem(path) } }
    }

    /// Tells the provider of the changes of a file until now. Whoever asks meanwhile waits for the same.
    func flush(_ open: OpenContents) async throws(FileFailure) {
        let wanted = open.lastChange
        while !open.has(wanted), !open.isDeleted {
            if let storing = open.storing {
                if let failure = await storing.value, !open.isDeleted, !open.has(wanted) { throw failure }
                continue
            }
            let task = Task<FileFailure?, Never> {
                // Before anybody who waits goes on.
                defer { open.storing = nil }
                do throws(FileFailure) {
                    try await store(open)
                    return nil
                } catch {
                    return error
                }
            }
            open.storing = task
            if let failure = await task.value, !open.isDeleted, !open.has(wanted) { throw failure }
        }
    }

    private func store(_ open: OpenContents) async throws(FileFailure) {
        let number = open.begin()
        if isReplicated {
            if let blocked { throw blocked }
            do throws(FileFailure) {
                try await upload(open)
            } catch {
                if error.code == .serverUnreachable || error.code == .notAuthenticated { blocked = error }
                throw error
            }
        } else if let path = open.path {
            _ = try await call { _ in ItemChanged(path) }
            items[open.identifier]?.size = open.status?.size ?? items[open.identifier]?.size
        }
        open.stored(number)
    }

    /// Stores all changes that the provider has not got.
    func storeChanges() async {
        for open in contents.values where open.isChanged {
            try? await flush(open)
            await release(open)
        }
    }

    /// Notes that the reason of an error is over, and stores what waits.
    public func resolve() async {
        blocked = nil
        await storeChanges()
    }

    // MARK: A replicated provider

    /// The contents in the store, fetched if they are not there in the item's version.
    private func fetched(_ item: FileItem) async throws -> OpenContents {
        guard let store else { throw FileFailure(.failed, "there is no store") }
        if let record = store.record(item.identifier) {
            let file = try reopened(store.path(record.number))
            let open = OpenContents(item.identifier, file, number: record.number)
            if store.isChanged(record.number, file.raw) {
                // A host has ended before the provider got this.
                open.noteWithoutTimer()
                return open
            }
            if record.item.contentVersion == item.contentVersion { return open }
        }
        let question = beginQuestion()
        defer { endQuestion(question) }
        let reply = try await newestContents(of: item)
        try checkPresence(of: item, since: question)
        // Of an item that has changed meanwhile, the answer has the contents alone, which may be older.
        let present = since(question).changed.contains(item.identifier) ? items[item.identifier] : nil
        guard reply.item.identifier == item.identifier, var newest = present ?? keep(reply.item) else {
            throw FileFailure(.failed, "the provider fetched another item than \(item.identifier)")
        }
        newest.contentVersion = reply.item.contentVersion
        let draft = "\(store.folder)/\(UUID().uuidString)"
        do {
            let source = reply.file.descriptor
            let file = try await beside {
                let file = SharedDescriptor(try createFile(draft))
                _ = try copyFile(from: source.raw, to: file.raw, size: try Self.size(of: source.raw))
                return file
            }
            store.onStep(.copied)
            try checkPresence(of: item, since: question)
            let record = try store.adopt(draft, newest, file.raw)
            items[newest.identifier]?.size = try FileStatus(of: file.raw).size
            return OpenContents(item.identifier, file, number: record.number)
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// The size of a file that the provider has fetched, found without a call that a stranger's file could block.
    private static func size(of raw: Int32) throws -> Int {
        switch PassedFile(raw) {
        case .file(let size), .memory(let size): size
        case .other: throw FileFailure(.failed, "the contents that the provider fetched are no regular file")
        }
    }

    /// Fetches the contents in the item's version, or in the newest if that is gone.
    private func newestContents(of item: FileItem) async throws(FileFailure) -> FetchContents.Reply {
        do throws(FileFailure) {
            return try await call { _ in
                FetchContents(
                    item.identifier, contentVersion: item.contentVersion, metadataVersion: item.metadataVersion)
            }
        } catch {
            guard error.code == .noSuchItem, item.contentVersion != nil else { throw error }
            return try await call { _ in FetchContents(item.identifier) }
        }
    }

    private func reopened(_ path: String) throws(SystemError) -> SharedDescriptor {
        let raw = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard raw >= 0 else { throw SystemError("open") }
        return SharedDescriptor(owning: raw)
    }

    /// Gives the provider the contents of a file.
    private func upload(_ open: OpenContents) async throws(FileFailure) {
        let question = beginQuestion()
        defer { endQuestion(question) }
        let old = try await known(open.identifier)
        guard let number = open.number, let store else { return }
        let identifier = open.identifier
        let change = open.lastChange
        let before = try? ContentStore.stamp(open.descriptor.raw)
        let file = try await snapshot(open)
        // A new item may have the identifier by now.
        try checkPresence(of: old, since: question)
        var item = old
        item.size = (try? FileStatus(of: file.raw).size) ?? item.size
        item.modified = (open.changedTime ?? Date()).timeIntervalSince1970
        let base = store.record(identifier)?.item ?? old
        let answer = try await modified(
            item, base: base, fields: [.contents, .contentModificationDate], file: PointFile(file))
        guard let new = answer.item else { return forget(identifier, isTold: true) }
        if answer.shouldFetch { return try await replace(open, with: new, after: change) }
        // What was written meanwhile is a further change.
        if open.lastChange == change, let before, let now = try? ContentStore.stamp(open.descriptor.raw), before == now
        {
            try store.settle(number, new, open.descriptor.raw)
        } else {
            try store.update(number, new)
        }
    }

    /// The contents at this moment, in a file of their own.
    func snapshot(_ open: OpenContents) async throws(FileFailure) -> SharedDescriptor {
        do {
            let (descriptor, scratch) = (open.descriptor, scratch)
            return try await beside { try PointHosts.snapshot(of: descriptor.raw, in: scratch) }
        } catch {
            throw FileFailure(error)
        }
    }

    /// Makes an item again that the provider has deleted while it was changed here.
    func makeAgain(_ open: OpenContents) async {
        guard let old = items[open.identifier], isReplicated, let file = try? await snapshot(open) else { return }
        var template = old
        template.identifier = "org.exthost.new.\(UUID().uuidString)"
        template.size = (try? FileStatus(of: file.raw).size) ?? old.size
        let change = open.lastChange
        let asked = template
        let question = beginQuestion()
        defer { endQuestion(question) }
        // The parts of a new file, and that its deletion is in conflict.
        let fields: ItemFields = [.filename, .parent, .contents, .contentModificationDate, .fileSystemFlags]
        let answer = try? await call { isRepeated in
            CreateItem(asked, fields: fields.rawValue, options: isRepeated ? 3 : 2, file: PointFile(file))
        }
        guard let item = answer?.item, let kept = keep(item, in: old.parent) else {
            return fault("\(old.name) was deleted by the provider, and its changes here are lost")
        }
        if since(question).dropped.contains(old.identifier) {
            // The item was deleted here, too. If this call fails, the provider tells of the new item later.
            _ = try? await call { _ in
                DeleteItem(
                    kept.identifier, baseContentVersion: kept.contentVersion,
                    baseMetadataVersion: kept.metadataVersion)
            }
            return forget(kept.identifier)
        }
        try? rename(old, to: kept)
        place(kept, after: nil)
        open.stored(change)
        if open.lastChange == change, let number = open.number { try? store?.settle(number, kept, open.descriptor.raw) }
    }

    /// Replaces the contents of an open file by the provider's, which has others than it was given.
    ///
    /// - Parameter change: the last change that may be lost. After a later one, the contents here stay.
    private func replace(
        _ open: OpenContents, with item: FileItem, after change: Int
    ) async throws(FileFailure) {
        let reply = try await call { _ in FetchContents(item.identifier) }
        guard !open.isDeleted, let newest = keep(reply.item), let store, let number = open.number,
            open.lastChange == change
        else { return }
        do {
            let (source, target) = (reply.file.descriptor, open.descriptor)
            let size = try Self.size(of: source.raw)
            try store.beginReplacing(number)
            try await beside {
                guard ftruncate(target.raw, 0) == 0 else { throw SystemError("ftruncate") }
                _ = try copyFile(from: source.raw, to: target.raw, size: size)
            }
        } catch {
            throw FileFailure(error)
        }
        store.onStep(.replaced)
        if open.isDeleted { return }
        try store.settle(number, newest, open.descriptor.raw)
    }

    /// Drops contents in the store that are older than an item, unless they are open.
    func dropStale(_ item: FileItem) async {
        guard let store, let record = store.record(item.identifier),
            record.item.contentVersion != item.contentVersion
        else { return }
        if let open = contents[item.identifier] {
            // Whoever reads sees the new contents; what was written here goes to the provider first.
            if !open.isChanged { try? await replace(open, with: item, after: open.lastChange) }
        } else if let file = try? reopened(store.path(record.number)), !store.isChanged(record.number, file.raw) {
            store.drop(record.number)
        }
    }

    /// Takes up the changes that a former host could not store.
    func recover() async {
        guard let store else { return }
        for record in store.all() {
            guard let file = try? reopened(store.path(record.number)), store.isChanged(record.number, file.raw) else {
                continue
            }
            let open = OpenContents(record.item.identifier, file, number: record.number)
            open.noteWithoutTimer()
            items[record.item.identifier] = items[record.item.identifier] ?? record.item
            contents[record.item.identifier] = open
        }
        await storeChanges()
    }

    /// Removes the contents of an item from this machine.
    ///
    /// - Throws: `FileFailure` `notPermitted` for a file that is open, or whose changes the provider has not got.
    public func evict(_ identifier: String) async throws(FileFailure) {
        let item = try await known(identifier)
        guard contents[identifier] == nil, fetching[identifier] == nil else {
            throw FileFailure(.notPermitted, "\(item.name) is open, or the provider has not got its changes")
        }
        if let store {
            if let record = store.record(identifier) { store.drop(record.number) }
            _ = try? await call { _ in MaterializedItemsDidChange() }
        } else if let path = try await place(of: identifier) {
            _ = try await call { _ in StopProvidingItem(path) }
        }
    }

    // MARK: A provider with a document storage

    /// The path of an item below the document storage; nil if there is no such item.
    func place(of identifier: String) async throws(FileFailure) -> String? {
        let path = try await call { _ in URLForItem(identifier) }.path
        guard let path else { return nil }
        guard !path.hasPrefix("/"), !path.utf8.contains(0), path.utf8.count <= 4_000,
            !path.split(separator: "/").contains("..")
        else { throw FileFailure(.failed, "the provider's place of \(identifier) is outside of its storage") }
        return path
    }

    /// The stand-in of a file that is not on this machine.
    public struct Placeholder: Sendable, Hashable {
        /// The name of the file.
        public let name: String?
        /// The number of bytes of the file.
        public let size: Int?
        /// The uniform type identifier.
        public let type: String?
    }

    /// Asks the provider for the placeholder of an item, and reads it.
    ///
    /// - Throws: `FileFailure` `notSupported` for a replicated provider, which has none.
    public func placeholder(of identifier: String) async throws(FileFailure) -> Placeholder {
        guard let storage else { throw FileFailure(.notSupported, "a replicated provider has no placeholders") }
        guard let path = try await place(of: identifier) else {
            throw FileFailure(.noSuchItem, "the provider has no place for \(identifier)")
        }
        _ = try await call { _ in ProvidePlaceholder(path) }
        let parts = path.split(separator: "/").map(String.init)
        let beside = (parts.dropLast() + [".\(parts.last ?? "").icloud"]).joined(separator: "/")
        do {
            let bytes = try await placeholderBytes(storage, beside)
            let values = try PropertyList(file: bytes, limits: .file).dictionary
            return Placeholder(
                name: values?["NSURLNameKey"]?.string,
                size: values?["NSURLFileSizeKey"]?.integer.flatMap { Int(exactly: $0) },
                type: values?["NSURLTypeIdentifierKey"]?.string)
        } catch {
            throw FileFailure(error)
        }
    }

    private func placeholderBytes(_ storage: DocumentStorageFolder, _ path: String) async throws -> [UInt8] {
        try await beside {
            let file = SharedDescriptor(try storage.open(path, O_RDONLY))
            return try readFile(file.raw, expecting: try FileStatus(of: file.raw).size, maximumSize: 1 << 20)
        }
    }

    /// Asks the provider for the item of a path below its document storage; nil if it has none.
    public func identifier(ofPath path: String) async throws(FileFailure) -> String? {
        try await call { _ in IdentifierForURL(path) }.identifier
    }

    /// The file of an item in the document storage, which the provider is asked for if it is not there.
    private func started(_ item: FileItem) async throws -> OpenContents {
        guard let storage, let path = try await place(of: item.identifier) else {
            throw FileFailure(.noSuchItem, "the provider has no place for \(item.name)")
        }
        let flags = ItemCapabilities(rawValue: item.capabilities).contains(.writing) ? O_RDWR : O_RDONLY
        @Sendable func opened() throws -> SharedDescriptor { SharedDescriptor(try storage.open(path, flags)) }
        do {
            return OpenContents(item.identifier, try await beside { try opened() }, path: path)
        } catch let error as SystemError where error.code == ENOENT {
            _ = try await call { _ in StartProvidingItem(path) }
            return OpenContents(item.identifier, try await beside { try opened() }, path: path)
        }
    }
}
