// ProviderFiles+Actions: the making, changing, moving and deleting of items.

import ExtensionPointKit
public import Foundation
import Glibc
import LinuxDescriptors
import Locks
import PointMessages
import UniformTypeIdentifiers

/// The parts of an item, with the numbers of `NSFileProviderItemFields`.
struct ItemFields: OptionSet {
    let rawValue: UInt
    static let contents = ItemFields(rawValue: 1 << 0)
    static let filename = ItemFields(rawValue: 1 << 1)
    static let parent = ItemFields(rawValue: 1 << 2)
    static let lastUsedDate = ItemFields(rawValue: 1 << 3)
    static let tagData = ItemFields(rawValue: 1 << 4)
    static let favoriteRank = ItemFields(rawValue: 1 << 5)
    static let creationDate = ItemFields(rawValue: 1 << 6)
    static let contentModificationDate = ItemFields(rawValue: 1 << 7)
    static let fileSystemFlags = ItemFields(rawValue: 1 << 8)
    static let extendedAttributes = ItemFields(rawValue: 1 << 9)
}

/// An action of a person on an item that no program makes with files.
public enum FileUserAction: Sendable, Hashable {
    /// The item goes to the trash.
    case trash
    /// The item comes back: into this folder, or where it was.
    case untrash(parent: String?)
    /// The time of the last use.
    case setLastUsedDate(Date?)
    /// The tags, in a form that only the system knows.
    case setTagData(Data?)
    /// The rank among favourites.
    case setFavoriteRank(Int?)
}

extension ProviderFiles {
    /// Refuses an action that the item's capabilities lack, before the provider is asked.
    private func check(_ item: FileItem, _ wanted: ItemCapabilities, _ what: String) throws(FileFailure) {
        guard ItemCapabilities(rawValue: item.capabilities).isSuperset(of: wanted) else {
            throw FileFailure(.notPermitted, "the provider does not let \(item.name) be \(what)")
        }
    }

    private func folder(_ identifier: String, adding name: String) async throws(FileFailure) -> FileItem {
        if let why = Self.refusal(ofName: name) { throw FileFailure(.invalidArgument, "the name \(why)") }
        let seen = try await item(identifier)
        guard seen.kind == .folder, let folder = items[identifier] else {
            throw FileFailure(.isNoFolder, "\(seen.name) is no folder")
        }
        try check(folder, .writing, "added to")
        return folder
    }

    /// Asks the provider to store changes, until none are left.
    func modified(
        _ item: FileItem, base: FileItem, fields: ItemFields, file: PointFile? = nil
    ) async throws(FileFailure) -> ChangedFileItem {
        var (item, base, fields) = (item, base, fields)
        for _ in 0..<Bounds.repeatedFields {
            let (asked, askedBase, askedFields) = (item, base, fields)
            let question = beginQuestion()
            defer { endQuestion(question) }
            let answer = try await call { isRepeated in
                ModifyItem(
                    asked, baseContentVersion: askedBase.contentVersion,
                    baseMetadataVersion: askedBase.metadataVersion, fields: askedFields.rawValue,
                    options: isRepeated ? 1 : 0, file: askedFields.contains(.contents) ? file : nil)
            }
            try checkPresence(of: asked, since: question)
            guard let new = answer.item else { return answer }
            let old = items[asked.identifier]
            guard let kept = keep(new) else {
                throw FileFailure(.failed, "the provider answered with an item that cannot be used")
            }
            if kept.identifier != asked.identifier { try rename(old ?? asked, to: kept) }
            place(kept, after: old?.identifier == kept.identifier ? old : nil)
            let remaining = ItemFields(rawValue: answer.remaining).intersection(fields)
            if remaining.isEmpty || answer.shouldFetch { return answer }
            // The values of what is left come from here, all else from the provider.
            (base, fields) = (kept, remaining)
            item = kept.merging(item, remaining)
        }
        throw FileFailure(.failed, "the provider leaves changes of \(item.name) again and again")
    }

    // MARK: Make

    public func create(_ new: NewItem) async throws(FileFailure) -> ProvidedItem {
        _ = try await folder(new.parent, adding: new.name)
        guard try await found(new.name, in: new.parent) == nil else {
            throw FileFailure(.filenameCollision, "there is a \(new.name) already")
        }
        return isReplicated ? try await createReplicated(new) : try await createStored(new)
    }

    private func emptyFile() throws(FileFailure) -> PointFile {
        do {
            let path = "\(scratch)/\(UUID().uuidString).snapshot"
            let file = try createFile(path)
            unlink(path)
            return try PointFile(readingAt: "/proc/self/fd/\(file.raw)")
        } catch {
            throw FileFailure(error)
        }
    }

    private func createReplicated(_ new: NewItem) async throws(FileFailure) -> ProvidedItem {
        let now = Date().timeIntervalSince1970
        var template = FileItem(
            identifier: "org.exthost.new.\(UUID().uuidString)", parent: new.parent, name: new.name,
            capabilities: ItemCapabilities.all.rawValue, created: now, modified: now)
        var fields: ItemFields = [.filename, .parent, .creationDate, .contentModificationDate]
        var file: PointFile?
        switch new.kind {
        case .folder: template.type = "public.folder"
        case .symbolicLink(let target): (template.type, template.linkTarget) = ("public.symlink", target)
        case .file:
            template.type = Self.type(of: new.name)
            template.size = 0
            template.flags = new.isExecutable ? 0b111 : 0b110
            fields.formUnion([.contents, .fileSystemFlags])
            file = try emptyFile()
        }
        let (asked, askedFields, askedFile) = (template, fields, file)
        let wasRepeated = Mutex(false)
        let answer: CreateItem.Reply
        do throws(FileFailure) {
            answer = try await call { isRepeated in
                wasRepeated.withLock { $0 = isRepeated }
                return CreateItem(asked, fields: askedFields.rawValue, options: isRepeated ? 1 : 0, file: askedFile)
            }
        } catch {
            // The provider has an item that the list here lacks.
            if error.code == .filenameCollision { doubt(new.parent) }
            throw error
        }
        guard let item = answer.item, let kept = keep(item, in: new.parent) else {
            throw FileFailure(.failed, "the provider did not make \(new.name)")
        }
        place(kept, after: nil)
        let remaining = ItemFields(rawValue: answer.remaining).intersection(fields)
        if !remaining.isEmpty {
            _ = try await modified(kept.merging(template, remaining), base: kept, fields: remaining, file: file)
        }
        // A repeated call may have found an item that was there.
        let isNew = !wasRepeated.withLock { $0 } && !answer.shouldFetch
        if kept.isFolder, isNew { placeEmpty(kept) }
        if new.kind == .file, isNew, kept.size ?? 0 == 0, let store, store.record(kept.identifier) == nil,
            contents[kept.identifier] == nil, fetching[kept.identifier] == nil
        {
            // The contents are known: there are none.
            _ = try store.make(kept)
        }
        return provided(items[kept.identifier] ?? kept)
    }

    /// The type of a file, by its name.
    private static func type(of name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "public.data" }
        return UTType(filenameExtension: String(name[name.index(after: dot)...]))?.identifier ?? "public.data"
    }

    private func createStored(_ new: NewItem) async throws(FileFailure) -> ProvidedItem {
        let message: PerformFileAction
        switch new.kind {
        case .folder: message = PerformFileAction(.createDirectory, new.parent, name: new.name)
        case .file:
            message = PerformFileAction(.importDocument, new.parent, name: new.name, file: try emptyFile())
        case .symbolicLink: throw FileFailure(.notSupported, "a provider with a document storage has no symbolic links")
        }
        let made: FileItem?
        switch await performed(message) {
        case (.success(let reply), _): made = reply.item
        case (.failure(let failure), let wasRepeated):
            // A call that was repeated after an end of the process finds what it has made.
            guard failure.code == .filenameCollision, wasRepeated else { throw failure }
            await refresh(new.parent)
            return try await item(named: new.name, in: new.parent)
        }
        guard let item = made, let kept = keep(item, in: new.parent) else {
            throw FileFailure(.failed, "the provider did not make \(new.name)")
        }
        place(kept, after: nil)
        return provided(kept)
    }

    /// Performs an action, and tells whether the call was repeated.
    private func performed(
        _ message: PerformFileAction
    ) async -> (Result<PerformFileAction.Reply, FileFailure>, wasRepeated: Bool) {
        let wasRepeated = Mutex(false)
        do throws(FileFailure) {
            let reply = try await call { isRepeated in
                wasRepeated.withLock { $0 = isRepeated }
                return message
            }
            return (.success(reply), wasRepeated.withLock { $0 })
        } catch {
            return (.failure(error), wasRepeated.withLock { $0 })
        }
    }

    // MARK: Change

    public func change(
        _ identifier: String, _ change: ItemChange, replacing: String?
    ) async throws(FileFailure) -> ProvidedItem {
        let old = try await known(identifier)
        let (name, parent) = (change.name ?? old.name, change.parent ?? old.parent)
        let isRenamed = ItemName(name) != ItemName(old.name)
        let isMoved = isRenamed || parent != old.parent
        if isMoved {
            _ = try await folder(parent, adding: name)
            if isRenamed { try check(old, .renaming, "renamed") }
            if parent != old.parent { try check(old, .reparenting, "moved") }
            if let there = try await found(name, in: parent), there.identifier != identifier {
                guard there.identifier == replacing else {
                    throw FileFailure(.filenameCollision, "there is a \(name) already")
                }
                return try await replace(there, by: old, change)
            }
        }
        return isReplicated
            ? try await changeReplicated(old, change) : try await changeStored(old, change, isMoved: isMoved)
    }

    private func changeReplicated(_ old: FileItem, _ change: ItemChange) async throws(FileFailure) -> ProvidedItem {
        var (new, fields) = (old, ItemFields())
        if let name = change.name, ItemName(name) != ItemName(old.name) {
            (new.name, fields) = (name, fields.union(.filename))
        }
        if let parent = change.parent, parent != old.parent { (new.parent, fields) = (parent, fields.union(.parent)) }
        if let modified = change.modified {
            new.modified = modified.timeIntervalSince1970
            fields.insert(.contentModificationDate)
        }
        if let isExecutable = change.isExecutable {
            new.flags = (old.flags ?? 0b110) & ~1 | (isExecutable ? 1 : 0)
            fields.insert(.fileSystemFlags)
        }
        if let attributes = change.extendedAttributes {
            new.extendedAttributes = attributes.mapValues { [UInt8]($0) }
            fields.insert(.extendedAttributes)
        }
        if fields.isEmpty { return provided(old) }
        if fields.subtracting([.filename, .parent]) != [] { try check(old, .writing, "changed") }
        return try await stored(new, base: old, fields)
    }

    /// Stores changes other than those of the contents.
    private func stored(
        _ new: FileItem, base: FileItem, _ fields: ItemFields
    ) async throws(FileFailure) -> ProvidedItem {
        let answer = try await modified(new, base: base, fields: fields)
        guard let item = answer.item, let kept = items[item.identifier] else {
            forget(base.identifier, isTold: true)
            throw FileFailure(.noSuchItem, "the provider has no \(base.name) any more")
        }
        if answer.shouldFetch {
            await dropStale(kept)
        } else if let store, let record = store.record(kept.identifier),
            record.item.contentVersion == base.contentVersion
        {
            // The contents here are those of the answer, also if it has another version. A program may have set the
            // time of the file itself, which is no change of its contents.
            if let open = contents[kept.identifier], !open.isChanged, open.number == record.number {
                try store.settle(record.number, kept, open.descriptor.raw)
            } else {
                try store.update(record.number, kept)
            }
        }
        return provided(kept)
    }

    private func changeStored(
        _ old: FileItem, _ change: ItemChange, isMoved: Bool
    ) async throws(FileFailure) -> ProvidedItem {
        // The file's own time and permissions are the file system's.
        guard isMoved else { return provided(old) }
        let (name, parent) = (change.name, change.parent)
        let message =
            parent != nil && parent != old.parent
            ? PerformFileAction(.reparent, old.identifier, name: name == old.name ? nil : name, parent: parent)
            : PerformFileAction(.rename, old.identifier, name: name)
        let question = beginQuestion()
        defer { endQuestion(question) }
        let reply = try await call { _ in message }
        try checkPresence(of: old, since: question)
        guard let item = reply.item, let kept = keep(item) else {
            throw FileFailure(.failed, "the provider did not tell of \(old.name) after its move")
        }
        if kept.identifier != old.identifier {
            let open = contents.removeValue(forKey: old.identifier)
            open?.identifier = kept.identifier
            contents[kept.identifier] = open
            forget(old.identifier)
        }
        place(kept, after: old)
        // The place of an open file may be another now.
        if let open = contents[kept.identifier] {
            let path = try? await place(of: kept.identifier)
            if let path { open.path = path }
        }
        return provided(kept)
    }

    /// Gives an item the place of another, which is gone then.
    ///
    /// The provider gets the contents for the other item, and the first is deleted after that. So at no time the place is
    /// empty, whatever ends. Open files stay what they are: those of the first item belong to the place now.
    private func replace(
        _ target: ProvidedItem, by source: FileItem, _ change: ItemChange
    ) async throws(FileFailure) -> ProvidedItem {
        guard let old = items[target.identifier] else { throw FileFailure(.noSuchItem, "there is no \(target.name)") }
        if target.kind == .folder {
            guard source.isFolder else { throw FileFailure(.isFolder, "\(target.name) is a folder") }
            try await delete(target.identifier)
            return try await self.change(source.identifier, change, replacing: nil)
        }
        if source.isFolder { throw FileFailure(.isNoFolder, "\(target.name) is no folder") }
        if source.linkTarget != nil || old.linkTarget != nil {
            // A link has no contents that could be moved.
            try await delete(target.identifier)
            return try await self.change(source.identifier, change, replacing: nil)
        }
        try check(old, .writing, "written")
        try check(source, .deleting, "moved away")
        if !isReplicated { return try await replaceStored(old, by: source) }
        let lease = try await open(source.identifier, forWriting: false)
        do throws(FileFailure) {
            let result = try await replaceContents(of: old, by: source)
            try await lease.close()
            return result
        } catch {
            try? await lease.close()
            throw error
        }
    }

    /// Writes the contents of a file in the document storage into another, and deletes the first.
    private func replaceStored(_ old: FileItem, by source: FileItem) async throws(FileFailure) -> ProvidedItem {
        let reading = try await open(source.identifier, forWriting: false)
        do throws(FileFailure) {
            let writing = try await open(old.identifier, forWriting: true)
            let failure = await copy(reading, to: writing)
            try await writing.close()
            if let failure { throw failure }
        } catch {
            try? await reading.close()
            throw error
        }
        try await reading.close()
        try await delete(source.identifier)
        return provided(items[old.identifier] ?? old)
    }

    private func copy(_ source: any FileLease, to target: any FileLease) async -> FileFailure? {
        do {
            let (from, to) = (source.descriptor, target.descriptor)
            try await beside {
                guard ftruncate(to.raw, 0) == 0 else { throw SystemError("ftruncate") }
                _ = try copyFile(from: from.raw, to: to.raw, size: try FileStatus(of: from.raw).size)
            }
            target.noteChange()
            return nil
        } catch {
            return FileFailure(error)
        }
    }

    private func replaceContents(
        of old: FileItem, by source: FileItem
    ) async throws(FileFailure) -> ProvidedItem {
        guard let moved = contents[source.identifier] else {
            throw FileFailure(.failed, "the contents of \(source.name) are not here")
        }
        // No other storing of these contents may run, or begin meanwhile. The same holds for the place: a change of it
        // that the provider performs later would win.
        while let storing = moved.storing ?? contents[old.identifier]?.storing { _ = await storing.value }
        let target = contents[old.identifier]
        // What was stored meanwhile is the base of this change.
        let old = items[old.identifier] ?? old
        let work = Task { await replacedContents(of: old, by: source, moved, target) }
        let storing = Task<FileFailure?, Never> {
            if case .failure(let failure) = await work.value { return failure }
            return nil
        }
        moved.storing = storing
        target?.storing = storing
        return try await work.value.get()
    }

    private func replacedContents(
        of old: FileItem, by source: FileItem, _ moved: OpenContents, _ target: OpenContents?
    ) async -> Result<ProvidedItem, FileFailure> {
        defer {
            moved.storing = nil
            target?.storing = nil
        }
        do throws(FileFailure) {
            return .success(try await moveContents(of: old, by: source))
        } catch {
            return .failure(error)
        }
    }

    private func moveContents(of old: FileItem, by source: FileItem) async throws(FileFailure) -> ProvidedItem {
        guard let moved = contents[source.identifier], let number = moved.number, let store else {
            throw FileFailure(.failed, "the contents of \(source.name) are not here")
        }
        let changes = moved.begin()
        let file = try await snapshot(moved)
        var new = old
        new.size = (try? FileStatus(of: file.raw).size) ?? source.size
        new.modified = moved.isChanged ? moved.changedTime?.timeIntervalSince1970 : source.modified
        new.flags = source.flags
        new.extendedAttributes = source.extendedAttributes
        let answer = try await modified(
            new, base: old, fields: [.contents, .contentModificationDate, .fileSystemFlags, .extendedAttributes],
            file: PointFile(file))
        guard let item = answer.item, let kept = items[item.identifier] else {
            throw FileFailure(.failed, "the provider has no \(old.name) any more")
        }
        if answer.shouldFetch {
            // The place keeps the contents that the provider has. The first item stays, so nothing is lost.
            await dropStale(kept)
            throw FileFailure(.failed, "\(old.name) has changed at the provider, and keeps its contents")
        }
        store.onStep(.moved)
        // Open files of the former contents have nobody to tell of changes.
        contents.removeValue(forKey: old.identifier)?.isDeleted = true
        if let record = store.record(old.identifier) { store.drop(record.number) }
        store.onStep(.dropped)
        contents[source.identifier] = nil
        (moved.identifier, contents[kept.identifier]) = (kept.identifier, moved)
        if moved.lastChange == changes {
            try store.settle(number, kept, moved.descriptor.raw)
        } else {
            try store.update(number, kept)
        }
        moved.stored(changes)
        store.onStep(.settled)
        do throws(FileFailure) {
            _ = try await call { _ in
                DeleteItem(
                    source.identifier, baseContentVersion: source.contentVersion,
                    baseMetadataVersion: source.metadataVersion)
            }
            forget(source.identifier)
        } catch {
            // The place has its new contents. What is left of the first item is the provider's to tell.
            if error.code == .noSuchItem { forget(source.identifier) }
        }
        return provided(kept)
    }

    // MARK: Delete

    public func delete(_ identifier: String) async throws(FileFailure) {
        let old = try await known(identifier)
        try check(old, .deleting, "deleted")
        if old.isFolder, old.linkTarget == nil {
            guard try await items(in: identifier).isEmpty else {
                throw FileFailure(.directoryNotEmpty, "\(old.name) is not empty")
            }
        }
        let isReplicated = isReplicated
        do throws(FileFailure) {
            if isReplicated {
                _ = try await call { _ in
                    DeleteItem(
                        identifier, baseContentVersion: old.contentVersion, baseMetadataVersion: old.metadataVersion)
                }
            } else {
                _ = try await call { _ in PerformFileAction(.delete, identifier) }
            }
        } catch let error where error.code == .noSuchItem {
            // A call that was repeated after an end of the process has deleted it already.
        }
        forget(identifier)
    }

    // MARK: Actions of people

    /// Performs an action of a person, and returns the item after it.
    public func perform(_ action: FileUserAction, on identifier: String) async throws(FileFailure) -> ProvidedItem {
        let old = try await known(identifier)
        if case .trash = action { try check(old, .trashing, "moved to the trash") }
        if isReplicated {
            var new = old
            switch action {
            case .trash:
                new.parent = Self.trash
                return try await stored(new, base: old, .parent)
            case .untrash(let parent):
                new.parent = parent ?? root
                return try await stored(new, base: old, .parent)
            case .setLastUsedDate(let date):
                new.lastUsed = date?.timeIntervalSince1970
                return try await stored(new, base: old, .lastUsedDate)
            case .setTagData(let data):
                new.tags = data.map { [UInt8]($0) }
                return try await stored(new, base: old, .tagData)
            case .setFavoriteRank(let rank):
                new.favoriteRank = rank
                return try await stored(new, base: old, .favoriteRank)
            }
        }
        let message =
            switch action {
            case .trash: PerformFileAction(.trash, identifier)
            case .untrash(let parent): PerformFileAction(.untrash, identifier, parent: parent)
            case .setLastUsedDate(let date):
                PerformFileAction(.setLastUsedDate, identifier, date: date?.timeIntervalSince1970)
            case .setTagData(let data): PerformFileAction(.setTagData, identifier, tags: data.map { [UInt8]($0) })
            case .setFavoriteRank(let rank): PerformFileAction(.setFavoriteRank, identifier, rank: rank)
            }
        let question = beginQuestion()
        defer { endQuestion(question) }
        let reply = try await call { _ in message }
        try checkPresence(of: old, since: question)
        guard let item = reply.item, let kept = keep(item) else {
            throw FileFailure(.failed, "the provider answered with no item")
        }
        place(kept, after: old)
        return provided(kept)
    }
}

extension FileItem {
    /// This item, with some parts of another.
    func merging(_ other: FileItem, _ fields: ItemFields) -> FileItem {
        var item = self
        if fields.contains(.filename) { item.name = other.name }
        if fields.contains(.parent) { item.parent = other.parent }
        if fields.contains(.contents) { item.size = other.size }
        if fields.contains(.lastUsedDate) { item.lastUsed = other.lastUsed }
        if fields.contains(.tagData) { item.tags = other.tags }
        if fields.contains(.favoriteRank) { item.favoriteRank = other.favoriteRank }
        if fields.contains(.creationDate) { item.created = other.created }
        if fields.contains(.contentModificationDate) { item.modified = other.modified }
        if fields.contains(.fileSystemFlags) { item.flags = other.flags }
        if fields.contains(.extendedAttributes) { item.extendedAttributes = other.extendedAttributes }
        return item
    }
}
