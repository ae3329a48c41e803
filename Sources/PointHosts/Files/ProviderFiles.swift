// ProviderFiles: the files of one domain of a provider: its items as the host knows them, and what changes them.

import Dispatch
import ExtensionPointKit
import ExtensionProtocol
public import Foundation
import LinuxDescriptors
package import PointMessages
import UniformTypeIdentifiers

/// The files of one domain of a provider.
///
/// It keeps the lists of folders until the provider signals a change. The provider's process may end at any time: a call
/// is then made again. All that the provider tells is checked; what cannot be used stands in `faults`.
public actor ProviderFiles: ProvidedFiles {
    /// The extension's identifier.
    public nonisolated let identifier: String
    /// The domain; nil for the one of a provider without others.
    package nonisolated let domain: FileDomain?
    /// Whether the host stores the files: the provider is of the replicated form.
    public nonisolated let isReplicated: Bool
    public nonisolated let root = ProviderFiles.rootContainer
    /// The time without writes after which a provider hears of the change of an open file.
    public nonisolated let quietTime: Duration

    static let rootContainer = "NSFileProviderRootContainerItemIdentifier"
    /// The container of the items that the system keeps in mind.
    public static let workingSet = "NSFileProviderWorkingSetContainerItemIdentifier"
    /// The container of deleted items.
    public static let trash = "NSFileProviderTrashContainerItemIdentifier"

    let connection: ProviderConnection
    /// The store of a replicated provider.
    let store: ContentStore?
    /// The document storage of another one.
    let storage: DocumentStorageFolder?
    let scratch: String
    let executor = FilesExecutor()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The items, by their identifiers.
    var items: [String: FileItem] = [:]
    private var listings: [String: Listing] = [:]
    /// The lists that are on their way, with the local changes at their beginning.
    private var listing: [String: (task: Task<[FileItem], any Error>, changes: Int)] = [:]
    /// The containers whose changes are asked for, and those that are to be asked for again.
    private var refreshing: Set<String> = []
    private var refreshedAgain: Set<String> = []
    private var anchors: [String: [UInt8]] = [:]
    /// The open files, and those whose changes the provider has not got, by their identifiers.
    var contents: [String: OpenContents] = [:]
    var fetching: [String: Task<OpenContents, any Error>] = [:]
    /// The error after which contents wait for `signalErrorResolved`.
    var blocked: FileFailure?
    /// The first hundred faults of the provider's items, in words.
    public private(set) var faults: [String] = []
    private var observers: [UUID: AsyncStream<ProvidedChange>.Continuation] = [:]
    /// The changes here since the beginning of each question that waits for its answer, by the question's number.
    private var meanwhile: [Int: Meanwhile] = [:]
    private var lastQuestion = 0
    private var hasImported = false
    private var isClosed = false

    /// The items that have changed here since a question began. Its answer may have an earlier state of them.
    struct Meanwhile {
        var changed: Set<String> = []
        /// The items that are gone. New items may have their identifiers by now.
        var dropped: Set<String> = []
    }

    /// The items of a folder as the provider has listed them, with the changes since.
    private struct Listing {
        var identifiers: [ItemName: String] = [:]
        /// The number of local changes, which a list that is on its way may lack.
        var changes = 0
        var isComplete = false
    }

    /// The bounds of what one provider may tell.
    enum Bounds {
        static let itemsOfFolder = 200_000
        static let pages = 10_000
        static let identifier = 4_096
        static let name = 255
        static let linkTarget = 4_095
        static let faults = 100
        /// Bytes of an item's extended attributes, tags and versions.
        static let attributes = 1 << 20
        static let tags = 64 << 10
        static let version = 1_024
        static let thumbnail = 16 << 20
        /// The time limits within which a container must have told all its items.
        static let limitsOfEnumeration = 20
        static let repeatedFields = 5
        /// The most times that the same changes are asked for, because items have changed here meanwhile.
        static let answersThatMayBeOld = 8
    }

    init(
        _ connection: ProviderConnection, domain: FileDomain?, isReplicated: Bool, store: ContentStore?,
        storage: DocumentStorageFolder?, scratch: String, quietTime: Duration
    ) {
        (self.connection, self.domain, self.isReplicated) = (connection, domain, isReplicated)
        (self.store, self.storage, self.scratch, self.quietTime) = (store, storage, scratch, quietTime)
        identifier = connection.identifier
    }

    /// The process that serves; nil as long as none does.
    public var processIdentifier: Int? { get async { await connection.pid } }

    // MARK: Calls

    /// Makes a call whose errors are failures.
    func call<Message: PointMessage>(
        _ make: @Sendable (_ isRepeated: Bool) -> Message
    ) async throws(FileFailure) -> Message.Reply {
        if isClosed { throw FileFailure(.providerEnded, "the files are closed") }
        do {
            return try await connection.call(make)
        } catch let error as ExtensionHostError where error.code == .connectionLost {
            // The daemon is gone for good. What the provider has not got is in the store.
            isClosed = true
            for observer in observers.values { observer.finish() }
            throw FileFailure(.providerEnded, error.message)
        } catch {
            throw FileFailure(error)
        }
    }

    /// Notes the beginning of a question whose answer tells of items.
    func beginQuestion() -> Int {
        lastQuestion += 1
        meanwhile[lastQuestion] = Meanwhile()
        return lastQuestion
    }

    func endQuestion(_ question: Int) { meanwhile[question] = nil }

    /// The changes here since an open question began.
    func since(_ question: Int) -> Meanwhile { meanwhile[question] ?? Meanwhile() }

    /// Throws `noSuchItem` if an item is gone since a question began: the answer would bring the item back.
    func checkPresence(of item: FileItem, since question: Int) throws(FileFailure) {
        guard !since(question).dropped.contains(item.identifier) else {
            throw FileFailure(.noSuchItem, "\(item.name) has been deleted")
        }
    }

    /// Returns the items of an answer, and in place of those that have changed here meanwhile the present ones.
    private func newest(of items: [FileItem], since question: Int) -> [FileItem] {
        let changes = since(question)
        guard !changes.changed.isEmpty else { return items }
        return items.compactMap { item in
            guard changes.changed.contains(item.identifier) else { return item }
            // An item that is only not known here any more is as the answer has it.
            return self.items[item.identifier] ?? (changes.dropped.contains(item.identifier) ? nil : item)
        }
    }

    private func noteChange(of identifier: String, isDropped: Bool = false) {
        for question in meanwhile.keys {
            meanwhile[question]?.changed.insert(identifier)
            if isDropped { meanwhile[question]?.dropped.insert(identifier) }
        }
    }

    /// Notes something that the provider told and that cannot be used.
    func fault(_ text: String) { if faults.count < Bounds.faults { faults.append(text) } }

    // MARK: What the provider tells

    /// Checks an item, and keeps it.
    ///
    /// - Returns: nil if it cannot be used; the reason is then among the faults.
    @discardableResult
    func keep(_ item: FileItem, in container: String? = nil) -> FileItem? {
        var item = item
        let isRoot = item.identifier == Self.rootContainer
        guard !isRoot || container == nil else {
            fault("the top folder is among the items of \(container ?? "")")
            return nil
        }
        guard !item.identifier.isEmpty, item.identifier.utf8.count <= Bounds.identifier else {
            fault("an item has no identifier, or one of more than \(Bounds.identifier) bytes")
            return nil
        }
        if !isRoot, let why = Self.refusal(ofName: item.name) {
            fault("the item \(item.identifier) has a name that \(why)")
            return nil
        }
        if let target = item.linkTarget, target.utf8.count > Bounds.linkTarget || target.utf8.contains(0) {
            fault("the symbolic link \(item.identifier) leads to more than \(Bounds.linkTarget) bytes")
            return nil
        }
        if let size = item.size, size < 0 { item.size = nil }
        // Nobody here reads these values, and they have no bound.
        item.userInfo = nil
        let attributes = (item.extendedAttributes ?? [:]).reduce(0) { $0 + $1.key.utf8.count + $1.value.count }
        guard attributes <= Bounds.attributes, item.tags?.count ?? 0 <= Bounds.tags,
            item.contentVersion?.count ?? 0 <= Bounds.version, item.metadataVersion?.count ?? 0 <= Bounds.version
        else {
            fault("the item \(item.identifier) has too long attributes, tags or versions")
            return nil
        }
        if isRoot { (item.type, item.linkTarget) = ("public.folder", nil) }
        if let container, item.parent != container, !isRoot {
            fault("the item \(item.identifier) in \(container) says that its folder is \(item.parent)")
            item.parent = container
        }
        // A folder above itself would have no end.
        var above = item.parent
        for _ in 0..<1_000 {
            guard above != item.identifier || isRoot else {
                fault("the item \(item.identifier) is in itself")
                return nil
            }
            guard above != Self.rootContainer, let next = items[above] else { break }
            above = next.parent
        }
        items[item.identifier] = item
        return item
    }

    /// The reason why no file can have a name; nil if one can.
    static func refusal(ofName name: String) -> String? {
        if name.isEmpty || name == "." || name == ".." { return "is no name: “\(name)”" }
        if name.utf8.contains(UInt8(ascii: "/")) || name.utf8.contains(0) { return "has a slash or a zero byte" }
        if name.utf8.count > Bounds.name { return "has more than \(Bounds.name) bytes" }
        return nil
    }

    /// The item as others see it.
    func provided(_ item: FileItem) -> ProvidedItem {
        let kind: ProvidedItem.Kind
        if let target = item.linkTarget {
            kind = .symbolicLink(target)
        } else if item.identifier == Self.rootContainer || item.isFolder {
            kind = .folder
        } else {
            kind = .file
        }
        var provided = ProvidedItem(
            identifier: item.identifier, parent: item.parent, name: item.name, kind: kind,
            capabilities: ItemCapabilities(rawValue: item.capabilities), size: item.size,
            created: item.created.map { Date(timeIntervalSince1970: $0) },
            modified: item.modified.map { Date(timeIntervalSince1970: $0) },
            isExecutable: (item.flags ?? 0) & 1 != 0, isDownloaded: item.states?.contains("isDownloaded") ?? false,
            extendedAttributes: (item.extendedAttributes ?? [:]).mapValues { Data($0) },
            contentVersion: item.contentVersion.map { Data($0) })
        if kind == .file, let open = contents[item.identifier] {
            provided.isDownloaded = true
            if let status = open.status { provided.size = status.size }
            if open.isChanged, let changed = open.changedTime { provided.modified = changed }
        } else if let store {
            provided.isDownloaded = store.record(item.identifier)?.item.contentVersion == item.contentVersion
        }
        return provided
    }

    // MARK: Items

    /// Returns the item as the provider tells it.
    func known(_ identifier: String) async throws(FileFailure) -> FileItem {
        if let item = items[identifier], !isClosed { return item }
        let question = beginQuestion()
        defer { endQuestion(question) }
        let reply = try await call { _ in ItemForIdentifier(identifier) }
        try checkPresence(of: reply.item, since: question)
        if let item = items[identifier], since(question).changed.contains(identifier) { return item }
        guard reply.item.identifier == identifier, let item = keep(reply.item) else {
            throw FileFailure(.failed, "the provider answered with another item than \(identifier)")
        }
        return item
    }

    public func item(_ identifier: String) async throws(FileFailure) -> ProvidedItem {
        if identifier == root, items[root] == nil {
            // Not every provider has an item for its top folder.
            do {
                _ = try await known(root)
            } catch let error where error.code == .noSuchItem || error.code == .notSupported || error.code == .failed {
                items[root] = FileItem(
                    identifier: root, parent: root, name: "/", type: "public.folder",
                    capabilities: ItemCapabilities([.reading, .writing]).rawValue)
            }
        }
        return provided(try await known(identifier))
    }

    public func item(named name: String, in folder: String) async throws(FileFailure) -> ProvidedItem {
        guard let item = try await found(name, in: folder) else {
            throw FileFailure(.noSuchItem, "there is no \(name)")
        }
        return item
    }

    /// Returns the item of a name in a folder; nil if there is none.
    func found(_ name: String, in folder: String) async throws(FileFailure) -> ProvidedItem? {
        try await complete(folder)
        return listings[folder]?.identifiers[ItemName(name)].flatMap { items[$0] }.map { provided($0) }
    }

    public func items(in folder: String) async throws(FileFailure) -> [ProvidedItem] {
        if folder == Self.workingSet {
            // Its items are in other folders.
            let found: [FileItem]
            do { found = try await listed(folder).items } catch { throw FileFailure(error) }
            return found.compactMap { keep($0) }.map { provided($0) }
        }
        try await complete(folder)
        let identifiers = listings[folder]?.identifiers ?? [:]
        return identifiers.values.compactMap { items[$0] }.sorted { $0.name < $1.name }.map { provided($0) }
    }

    /// Makes sure that the items of a folder are known.
    private func complete(_ folder: String) async throws(FileFailure) {
        for _ in 0..<8 {
            if isClosed { throw FileFailure(.providerEnded, "the files are closed") }
            if listings[folder]?.isComplete == true { return }
            if folder != root, let item = items[folder], !item.isFolder || item.linkTarget != nil {
                throw FileFailure(.isNoFolder, "\(item.name) is no folder")
            }
            listings[folder] = listings[folder] ?? Listing()
            let (found, before): ([FileItem], Int)
            do { (found, before) = try await listed(folder) } catch { throw FileFailure(error) }
            // A list that was on its way while a file was made here may lack it.
            guard listings[folder, default: Listing()].changes == before else { continue }
            var identifiers: [ItemName: String] = [:]
            for item in found {
                guard let item = keep(item, in: folder) else { continue }
                if let other = identifiers[ItemName(item.name)] {
                    fault("\(folder) has two items named \(item.name): \(other) and \(item.identifier)")
                    continue
                }
                identifiers[ItemName(item.name)] = item.identifier
            }
            listings[folder] = Listing(identifiers: identifiers, changes: before, isComplete: true)
            if folder == root, isReplicated, !hasImported {
                hasImported = true
                _ = try? await call { _ in ImportDidFinish() }
            }
            return
        }
        throw FileFailure(.failed, "the folder changes without end")
    }

    /// Asks for the items of a container. Whoever asks meanwhile waits for the same answer.
    ///
    /// - Returns: the items, and the number of the folder's local changes at the beginning.
    private func listed(_ container: String) async throws -> (items: [FileItem], changes: Int) {
        if let running = listing[container] { return (try await running.task.value, running.changes) }
        let changes = listings[container]?.changes ?? 0
        let question = beginQuestion()
        let task = Task {
            defer {
                listing[container] = nil
                endQuestion(question)
            }
            return newest(of: try await enumerate(container), since: question)
        }
        listing[container] = (task, changes)
        return (try await task.value, changes)
    }

    /// Enumerates a container, page by page. After a page that has expired it begins again.
    private func enumerate(_ container: String) async throws -> [FileItem] {
        for _ in 0..<3 {
            do { return try await pages(of: container) } catch let error where FileFailure.isExpired(error) {}
        }
        return try await pages(of: container)
    }

    private func pages(of container: String) async throws -> [FileItem] {
        // The anchor is older than the items, so no change is missed between the two.
        if let anchor = try? await call({ _ in CurrentSyncAnchor(container) }).anchor { anchors[container] = anchor }
        var page = Array("NSFileProviderInitialPageSortedByName".utf8)
        var (found, seen) = ([FileItem](), Set<[UInt8]>())
        let end = ContinuousClock.now + connection.limit * Bounds.limitsOfEnumeration
        for _ in 0..<Bounds.pages {
            guard seen.insert(page).inserted else {
                throw FileFailure(.failed, "the provider enumerates \(container) in a circle")
            }
            let room = Bounds.itemsOfFolder - found.count
            let (more, reply) = try await connection.call(
                EnumerateItems(container, page: page), into: [FileItem]()
            ) { items, part in
                items += part.items
                guard items.count <= room else {
                    throw FileFailure(.failed, "\(container) has more than \(Bounds.itemsOfFolder) items")
                }
                // Each part restarts the time limit of the call.
                guard ContinuousClock.now < end else {
                    throw FileFailure(.timedOut, "the enumeration of \(container) does not end")
                }
            }
            found += more
            guard let next = reply.next else { return found }
            page = next
        }
        throw FileFailure(.failed, "\(container) has more than \(Bounds.pages) pages")
    }

    // MARK: Changes of the provider's

    public nonisolated func changes() -> AsyncStream<ProvidedChange> {
        let (stream, continuation) = AsyncStream<ProvidedChange>.makeStream(bufferingPolicy: .bufferingNewest(1_000))
        let number = UUID()
        continuation.onTermination = { [weak self] _ in Task { await self?.dropObserver(number) } }
        Task { await addObserver(number, continuation) }
        return stream
    }

    private func addObserver(_ number: UUID, _ continuation: AsyncStream<ProvidedChange>.Continuation) {
        if isClosed { continuation.finish() } else { observers[number] = continuation }
    }

    private func dropObserver(_ number: UUID) { observers[number] = nil }

    private func tell(_ change: ProvidedChange) { for observer in observers.values { observer.yield(change) } }

    /// The changes of a container since an anchor.
    public struct Changes: Sendable {
        /// The items that are new or have changed.
        public var updated: [ProvidedItem]
        /// The identifiers of items that are gone.
        public var deleted: [String]
        /// The anchor of the next question.
        public var anchor: Data
    }

    /// Asks for the changes of a container since an anchor.
    ///
    /// - Returns: nil if the provider does not know the anchor any more; then enumerate anew.
    public func changes(since anchor: Data, in container: String) async throws(FileFailure) -> Changes? {
        let question = beginQuestion()
        defer { endQuestion(question) }
        guard let (part, anchor) = try await changed(since: [UInt8](anchor), in: container) else { return nil }
        let updated = newest(of: part.updated, since: question).compactMap { keep($0) }
        return Changes(updated: updated.map { provided($0) }, deleted: part.deleted, anchor: Data(anchor))
    }

    /// The anchor of a container's present state; nil if it has none.
    public func anchor(of container: String) async throws(FileFailure) -> Data? {
        try await call { _ in CurrentSyncAnchor(container) }.anchor.map { Data($0) }
    }

    private func changed(
        since first: [UInt8], in container: String
    ) async throws(FileFailure) -> (EnumerateChanges.Part, anchor: [UInt8])? {
        var (all, anchor) = ([EnumerateChanges.Part](), first)
        let end = ContinuousClock.now + connection.limit * Bounds.limitsOfEnumeration
        for _ in 0..<Bounds.pages {
            let room = Bounds.itemsOfFolder - all.reduce(0) { $0 + $1.count }
            do {
                let (parts, reply) = try await connection.call(
                    EnumerateChanges(container, anchor: anchor), into: (parts: [EnumerateChanges.Part](), count: 0)
                ) { told, part in
                    told.parts.append(part)
                    told.count += part.count
                    guard told.count <= room, ContinuousClock.now < end else {
                        throw FileFailure(.failed, "more than \(Bounds.itemsOfFolder) changes of \(container)")
                    }
                }
                all += parts.parts
                guard reply.more else { return (EnumerateChanges.Part(last: all), reply.anchor) }
                guard reply.anchor != anchor else { break }
                anchor = reply.anchor
            } catch let error where FileFailure.isExpired(error) {
                return nil
            } catch {
                throw FileFailure(error)
            }
        }
        throw FileFailure(.failed, "the changes of \(container) have no end")
    }

    /// Learns what has changed in a container, of which the provider has signalled a change.
    public func refresh(_ container: String) async {
        // Two answers at once could be applied in the wrong order.
        guard refreshing.insert(container).inserted else {
            refreshedAgain.insert(container)
            return
        }
        repeat { await refreshOnce(container) } while refreshedAgain.remove(container) != nil
        refreshing.remove(container)
    }

    private func refreshOnce(_ container: String) async {
        for attempt in 1...Bounds.answersThatMayBeOld {
            let question = beginQuestion()
            defer { endQuestion(question) }
            guard let anchor = anchors[container], let (part, next) = try? await changed(since: anchor, in: container)
            else { break }
            let (changed, dropped) = (since(question).changed, since(question).dropped)
            // Of what has changed here meanwhile, the answer may tell an earlier state.
            let mayBeOld = !changed.isDisjoint(with: part.updated.map(\.identifier) + part.deleted)
            if mayBeOld, attempt < Bounds.answersThatMayBeOld { continue }
            anchors[container] = next
            for identifier in part.deleted {
                if let open = contents[identifier], open.isChanged { await makeAgain(open) }
                if contents[identifier] == nil || !(contents[identifier]?.isChanged ?? false) {
                    forget(identifier, isTold: true)
                }
            }
            // An item of the list may be deleted here while another one's contents are fetched.
            let later = beginQuestion()
            defer { endQuestion(later) }
            for item in part.updated {
                if dropped.contains(item.identifier) || since(later).dropped.contains(item.identifier) { continue }
                let old = items[item.identifier]
                guard let kept = keep(item, in: container == Self.workingSet ? nil : container) else { continue }
                place(kept, after: old)
                await dropStale(kept)
                tell(.updated(provided(kept)))
            }
            return
        }
        anchors[container] = nil
        // Without an anchor anything may differ. Of the working set, that is all.
        if container == Self.workingSet {
            for folder in listings.keys {
                listings[folder]?.isComplete = false
                listings[folder]?.changes += 1
            }
            items = items.filter { contents[$0.key] != nil }
        } else {
            for identifier in (listings[container]?.identifiers ?? [:]).values where contents[identifier] == nil {
                items[identifier] = nil
            }
            listings[container]?.isComplete = false
            listings[container]?.changes += 1
            items[container] = contents[container] == nil ? nil : items[container]
        }
        tell(.unknown)
    }

    // MARK: The lists of folders

    /// Puts an item into the list of its folder, and out of where it was.
    func place(_ item: FileItem, after old: FileItem?) {
        noteChange(of: item.identifier)
        if let old, old.parent != item.parent || ItemName(old.name) != ItemName(item.name),
            listings[old.parent]?.identifiers[ItemName(old.name)] == item.identifier
        {
            listings[old.parent]?.identifiers[ItemName(old.name)] = nil
            listings[old.parent]?.changes += 1
        }
        guard item.identifier != root else { return }
        listings[item.parent, default: Listing()].identifiers[ItemName(item.name)] = item.identifier
        listings[item.parent]?.changes += 1
        if item.isFolder, old == nil { listings[item.identifier] = listings[item.identifier] ?? Listing() }
    }

    /// Notes that an item has another identifier now. Its contents and its place in the store stay.
    func rename(_ old: FileItem, to new: FileItem) throws(FileFailure) {
        noteChange(of: old.identifier)
        if listings[old.parent]?.identifiers[ItemName(old.name)] == old.identifier {
            listings[old.parent]?.identifiers[ItemName(old.name)] = nil
            listings[old.parent]?.changes += 1
        }
        items[old.identifier] = nil
        if let open = contents.removeValue(forKey: old.identifier) {
            open.identifier = new.identifier
            contents[new.identifier] = open
        }
        if let store, let record = store.record(old.identifier) { try store.update(record.number, new) }
    }

    /// Notes that the list of a folder may lack items. The next question for it enumerates anew.
    func doubt(_ folder: String) {
        listings[folder]?.isComplete = false
        listings[folder]?.changes += 1
    }

    /// Notes that a folder was made here, so that its list is known.
    func placeEmpty(_ folder: FileItem) { listings[folder.identifier] = Listing(isComplete: true) }

    /// Drops an item that is not there any more.
    func forget(_ identifier: String, isTold: Bool = false) {
        noteChange(of: identifier, isDropped: true)
        let old = items.removeValue(forKey: identifier)
        if let old, listings[old.parent]?.identifiers[ItemName(old.name)] == identifier {
            listings[old.parent]?.identifiers[ItemName(old.name)] = nil
            listings[old.parent]?.changes += 1
        }
        listings[identifier] = nil
        fetching[identifier] = nil
        contents.removeValue(forKey: identifier)?.isDeleted = true
        if let record = store?.record(identifier) { store?.drop(record.number) }
        if isTold { tell(.deleted(identifier: identifier, parent: old?.parent, name: old?.name)) }
    }

    // MARK: Thumbnails, search

    /// The thumbnails of items. An item without one is not in the result.
    public func thumbnails(
        of identifiers: [String], width: Double, height: Double
    ) async throws(FileFailure) -> [String: Data] {
        let wanted = Set(identifiers)
        do {
            return try await connection.call(
                FetchThumbnails(identifiers, width: width, height: height), into: [String: Data]()
            ) { images, part in
                guard wanted.contains(part.identifier), part.data?.count ?? 0 <= Bounds.thumbnail else {
                    throw FileFailure(.failed, "the provider made a thumbnail that is too large, or of another item")
                }
                images[part.identifier] = part.data.map { Data($0) }
            }.0
        } catch {
            throw FileFailure(error)
        }
    }

    /// The items of the working set whose names have all words. What is not in it is not found.
    public func find(_ words: String) async throws(FileFailure) -> [ProvidedItem] {
        let words = words.lowercased().split(separator: " ")
        return try await items(in: Self.workingSet)
            .filter { item in words.allSatisfy { item.name.lowercased().contains($0) } }
    }

    /// Ends the provider's session, after the changes that it has not got. The files are not used any more.
    ///
    /// - Parameter storingChanges: false: the changes are dropped.
    public func close(storingChanges: Bool = true) async {
        guard !isClosed else { return }
        if storingChanges { await storeChanges() }
        isClosed = true
        for observer in observers.values { observer.finish() }
        observers = [:]
        await connection.close()
        store?.release()
    }
}

extension EnumerateChanges.Part {
    fileprivate var count: Int { updated.count + deleted.count }

    /// Merges parts in their order: of several mentions of an item, the last one counts.
    fileprivate init(last parts: [EnumerateChanges.Part]) {
        self.init()
        var seen: Set<String> = []
        for part in parts.reversed() {
            for item in part.updated.reversed() where seen.insert(item.identifier).inserted { updated.append(item) }
            for identifier in part.deleted.reversed() where seen.insert(identifier).inserted {
                deleted.append(identifier)
            }
        }
        updated.reverse()
        deleted.reverse()
    }
}

/// A name of a folder's items. Two names are one if their bytes are, as in a file system.
struct ItemName: Hashable {
    private let bytes: [UInt8]

    init(_ name: String) { bytes = Array(name.utf8) }
}

extension FileItem {
    /// Whether the item is a folder, by its type.
    var isFolder: Bool {
        guard let type else { return false }
        if type == "public.folder" || type == "public.directory" { return true }
        // A package, such as an app, is a folder to whoever reads files.
        return UTType(type)?.conforms(to: .directory) ?? false
    }
}

/// The thread of the files of one provider, on which files are read and written.
final class FilesExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "org.exthost.files")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
