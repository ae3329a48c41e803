// Keychain: the files of the process's own keychain and of its app groups, changed as one.

internal import AppGroups
internal import CoreFoundationNames
internal import ExtensionWire
internal import Foundation
internal import LinuxDescriptors
internal import PropertyListCoding

/// The keychains that a process may use: its own, and one for each of its app groups.
///
/// A change of one file replaces it. A change of several is first written to a journal in the own container: the next
/// call of this process, or of a later one in the same container, completes what a killed process began.
struct Keychain {
    /// The items to add or replace, and those to remove, of one keychain.
    struct Change {
        var put: [KeychainItem] = []
        var removed: Set<String> = []
    }

    /// A keychain that was read.
    struct Content {
        let group: String
        let values: PropertyListDictionary
        var items: [KeychainItem]

        /// The marks of the newest items that journals have added.
        var marks: [String] { values[Keychain.marks]?.array?.compactMap(\.string) ?? [] }
    }

    /// The most items of one keychain (ours).
    private static let mostItems = 10_000
    private static let folders = ["Library", "Keychains"]
    private static let items = "items"
    private static let marks = "added"
    /// The marks that a keychain keeps (ours): those of moves that other processes have not completed yet.
    private static let mostMarks = 64
    /// The seconds to wait for another process, which may be suspended.
    private static let patience = 3

    /// The access group of the own keychain.
    let own: String
    private let files: [(group: String, file: StoreFile)]
    private let journal: StoreFile

    init(home: String, own: String, groups: [(group: String, container: String)]) {
        self.own = own
        let all = [(group: own, container: home)] + groups.sorted { $0.group < $1.group }
        files = all.map {
            ($0.group, StoreFile("keychain.plist", in: Self.folders, of: $0.container, patience: Self.patience))
        }
        journal = StoreFile("keychain-journal.plist", in: Self.folders, of: home, patience: Self.patience)
    }

    /// The keychain of this process; nil without a home folder.
    static func current() -> Keychain? {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        guard home.hasPrefix("/") else { return nil }
        let held = HeldGroups.current
        // A group of the Mac's form may have the name of the own keychain, and is no access group on iOS.
        let groups = held.groups.filter(\.hasGroupPrefix).compactMap { group in
            (try? held.container(of: group.text).get()).map { (group: group.text, container: $0.path) }
        }
        let own = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return Keychain(home: home, own: own, groups: groups)
    }

    /// Returns the access groups of a query: all, or the one that it names.
    func groups(named name: String?) throws(KeychainFault) -> [String] {
        guard let name else { return files.map(\.group) }
        guard files.contains(where: { $0.group == name }) else {
            KeychainQuery.say(
                "this process has no access group “\(name.prefix(200))”; name one of its app groups, or \(own)")
            throw KeychainFault(errSecMissingEntitlement)
        }
        return [name]
    }

    // MARK: Reading

    /// Reads the keychains of some groups, in the order of the groups.
    func read(_ groups: [String]) throws(KeychainFault) -> [Content] {
        if journal.exists { try locked(files) { () throws(KeychainFault) in try complete() } }
        return try contents(of: chosen(groups))
    }

    private func chosen(_ groups: [String]) -> [(group: String, file: StoreFile)] {
        files.filter { groups.contains($0.group) }
    }

    private func contents(of files: [(group: String, file: StoreFile)]) throws(KeychainFault) -> [Content] {
        var found: [Content] = []
        for (group, file) in files { found.append(try content(group, file)) }
        return found
    }

    private func content(_ group: String, _ file: StoreFile) throws(KeychainFault) -> Content {
        let values = try reporting { () throws(StoreError) in try file.read() }.values
        guard let stored = values[Self.items] else {
            guard values.isEmpty else { throw damaged(file, "it has no items") }
            return Content(group: group, values: values, items: [])
        }
        guard let list = stored.array else { throw damaged(file, "its items are no array") }
        let items = list.compactMap { KeychainItem(stored: $0) }
        guard items.count == list.count else { throw damaged(file, "an item has no class or identifier") }
        return Content(group: group, values: values, items: items)
    }

    // MARK: Changing

    /// Changes the keychains of some groups while no other process does.
    ///
    /// - Parameters:
    ///   - groups: the groups that are locked and read.
    ///   - body: gets their contents, and returns the changes by group.
    func change(
        _ groups: [String], _ body: ([Content]) throws(KeychainFault) -> [String: Change]
    ) throws(KeychainFault) {
        // The own keychain is locked with every change of several: the journal is in its folder.
        let chosen = journal.exists || groups.count > 1 ? files : chosen(groups)
        try locked(chosen) { () throws(KeychainFault) in
            if journal.exists {
                // Another thread may have begun since: then only some of the files are locked.
                guard chosen.count == files.count else { throw KeychainFault(errSecNotAvailable) }
                try complete()
            }
            try commit(try body(try contents(of: chosen.filter { groups.contains($0.group) })))
        }
    }

    private func commit(_ changes: [String: Change]) throws(KeychainFault) {
        let changes = changes.filter { !$0.value.put.isEmpty || !$0.value.removed.isEmpty }
        guard changes.count > 1 else {
            for (group, change) in changes { try apply(change, to: group) }
            return
        }
        // What an earlier call could not complete stays in the journal.
        var entries = journal.exists ? try journaled() : []
        // Nothing is written before every new file is known to be valid.
        for (group, change) in changes {
            _ = try result(of: change, on: group)
            let ids = change.removed.union(change.put.map(\.id))
            let former = try content(group, file(of: group)).items.filter { ids.contains($0.id) }
            entries.append(
                Entry(
                    id: UUID().uuidString, group: group, put: change.put, removed: Array(change.removed), former: former
                ))
        }
        try write(entries)
        try complete()
    }

    // MARK: The journal

    /// A change of the journal.
    private struct Entry {
        /// The identifier of the change; empty in a journal of an earlier version.
        let id: String
        let group: String
        var put: [KeychainItem]
        var removed: [String]
        /// The items as they were before the change; a new one has none.
        let former: [KeychainItem]

        /// The mark of an item that the change adds.
        func mark(of item: KeychainItem) -> String { "\(id) \(item.id)" }

        var stored: PropertyList {
            .dictionary([
                "id": .string(id), "group": .string(group), "put": .array(put.map(\.stored)),
                "removed": .array(removed.map { .string($0) }), "former": .array(former.map(\.stored)),
            ])
        }
    }

    private func journaled() throws(KeychainFault) -> [Entry] {
        let values = try reporting { () throws(StoreError) in try journal.read() }.values
        var entries: [Entry] = []
        for entry in values["changes"]?.array ?? [] {
            guard let entry = entry.dictionary, let group = entry["group"]?.string, let put = entry["put"]?.array,
                let removed = entry["removed"]?.array
            else { throw damaged(journal, "a change has no group or items") }
            let former = entry["former"]?.array ?? []
            let items = put.compactMap { KeychainItem(stored: $0) }
            let formerItems = former.compactMap { KeychainItem(stored: $0) }
            guard items.count == put.count, formerItems.count == former.count else {
                throw damaged(journal, "an item has no class or identifier")
            }
            entries.append(
                Entry(
                    id: entry["id"]?.string ?? "", group: group, put: items, removed: removed.compactMap(\.string),
                    former: formerItems))
        }
        return entries
    }

    private func write(_ entries: [Entry]) throws(KeychainFault) {
        let values: PropertyListDictionary = ["changes": .array(entries.map(\.stored))]
        try reporting { () throws(StoreError) in
            try journal.synchronize(try journal.replace(with: values, durably: true))
        }
    }

    /// Makes the changes of the journal, which may have been made in part, and removes it.
    ///
    /// All items are put before any is removed: one that moves is in its new keychain before it leaves the old one.
    /// Changes of a keychain that is damaged or full stay in the journal. A journal that is damaged itself stays as it
    /// is: only changes of several keychains need one.
    private func complete() throws(KeychainFault) {
        let entries: [Entry]
        do throws(KeychainFault) { entries = try journaled() } catch {
            guard error.status == errSecDecode else { throw error }
            KeychainQuery.say(
                "\(journal.path) is damaged: until it has gone, no change of several keychains is possible")
            return
        }
        var kept: [Entry] = []
        // The items that are not put, for good or for now. Their removal elsewhere would lose them.
        var (dropped, waiting) = (Set<String>(), Set<String>())
        for entry in entries where !entry.put.isEmpty {
            guard isMember(of: entry.group) else {
                dropped.formUnion(entry.put.map(\.id))
                continue
            }
            do throws(KeychainFault) { dropped.formUnion(try put(entry)) } catch {
                guard Self.mayPass(error) else { throw error }
                waiting.formUnion(entry.put.map(\.id))
                kept.append(
                    Entry(id: entry.id, group: entry.group, put: entry.put, removed: [], former: entry.former))
            }
        }
        for entry in entries where !entry.removed.isEmpty {
            guard isMember(of: entry.group) else { continue }
            var entry = entry
            entry.put = []
            entry.removed.removeAll { dropped.contains($0) }
            var later = entry
            later.removed.removeAll { !waiting.contains($0) }
            entry.removed.removeAll { waiting.contains($0) }
            do throws(KeychainFault) { try remove(entry) } catch {
                guard Self.mayPass(error) else { throw error }
                later.removed += entry.removed
            }
            if !later.removed.isEmpty { kept.append(later) }
        }
        if kept.isEmpty {
            try reporting { () throws(StoreError) in try journal.remove() }
        } else if kept.map(\.stored) != entries.map(\.stored) {
            try write(kept)
        }
    }

    /// Whether the keychain may be changed after a repair or a deletion of items.
    private static func mayPass(_ fault: KeychainFault) -> Bool {
        fault.status == errSecDecode || fault.status == errSecDiskFull
    }

    private func isMember(of group: String) -> Bool {
        if files.contains(where: { $0.group == group }) { return true }
        KeychainQuery.say("a change of the keychain of \(group) is dropped: this process has left the group")
        return false
    }

    /// Puts the items that nobody has changed since; returns the identifiers of those that are not in the keychain.
    private func put(_ entry: Entry) throws(KeychainFault) -> Set<String> {
        let content = try content(entry.group, file(of: entry.group))
        var items = content.items
        var change = Change()
        var (dropped, marks) = (Set<String>(), [String]())
        for item in entry.put {
            let current = items.first { $0.id == item.id }
            if current?.stored == item.stored { continue }
            // It was added before its process was killed. Another has changed or deleted it since.
            if !entry.id.isEmpty, content.marks.contains(entry.mark(of: item)) { continue }
            let former = entry.former.first { $0.id == item.id }
            guard current?.stored == former?.stored,
                !items.contains(where: { $0.id != item.id && $0.isSame(as: item) })
            else {
                sayChanged(entry.group)
                if current == nil { dropped.insert(item.id) }
                continue
            }
            items.removeAll { $0.id == item.id }
            items.append(item)
            change.put.append(item)
            if former == nil { marks.append(entry.mark(of: item)) }
        }
        if !change.put.isEmpty { try apply(change, to: entry.group, limited: false, marks: marks) }
        return dropped
    }

    /// Removes the items that nobody has changed since.
    private func remove(_ entry: Entry) throws(KeychainFault) {
        guard !entry.removed.isEmpty else { return }
        var change = Change()
        for item in try content(entry.group, file(of: entry.group)).items where entry.removed.contains(item.id) {
            if entry.former.contains(where: { $0.stored == item.stored }) {
                change.removed.insert(item.id)
            } else {
                sayChanged(entry.group)
            }
        }
        if !change.removed.isEmpty { try apply(change, to: entry.group, limited: false) }
    }

    private func sayChanged(_ group: String) {
        KeychainQuery.say("a change of an item of \(group) is dropped: another process has changed the keychain since")
    }

    // MARK: One file

    private func file(of group: String) -> StoreFile { files.first { $0.group == group }!.file }

    private func result(
        of change: Change, on group: String, limited: Bool = true, marks: [String] = []
    ) throws(KeychainFault) -> PropertyListDictionary {
        let file = file(of: group)
        var content = try content(group, file)
        let replaced = change.removed.union(change.put.map(\.id))
        content.items.removeAll { replaced.contains($0.id) }
        content.items += change.put
        guard !limited || content.items.count <= Self.mostItems else {
            KeychainQuery.say("\(file.path) has \(Self.mostItems) items already: delete some")
            throw KeychainFault(errSecDiskFull)
        }
        // A later version's further entries stay.
        var values = content.values
        values[Self.items] = .array(content.items.map(\.stored))
        if !marks.isEmpty {
            values[Self.marks] = .array((content.marks + marks).suffix(Self.mostMarks).map { .string($0) })
        }
        _ = try reporting { () throws(StoreError) in try StoreFile.bytes(of: values) }
        return values
    }

    private func apply(
        _ change: Change, to group: String, limited: Bool = true, marks: [String] = []
    ) throws(KeychainFault) {
        let file = file(of: group)
        let values = try result(of: change, on: group, limited: limited, marks: marks)
        try reporting { () throws(StoreError) in try file.synchronize(try file.replace(with: values, durably: true)) }
    }

    // MARK: Locks and errors

    /// Runs `body` with the locks of the files, taken in the order of their paths, so that no two processes wait for
    /// each other. The wait for all of them has one limit.
    private func locked(
        _ files: [(group: String, file: StoreFile)], _ body: () throws(KeychainFault) -> Void
    ) throws(KeychainFault) {
        let began = SystemClock.monotonicNanoseconds()
        try locked(files.map(\.file).sorted { $0.path < $1.path }[...], since: began, body)
    }

    private func locked(
        _ files: ArraySlice<StoreFile>, since began: UInt64, _ body: () throws(KeychainFault) -> Void
    ) throws(KeychainFault) {
        guard let file = files.first else { return try body() }
        let outcome: Result<Void, KeychainFault> = try reporting { () throws(StoreError) in
            try file.withLock(since: began) { () throws(StoreError) in
                Result { () throws(KeychainFault) in try locked(files.dropFirst(), since: began, body) }
            }
        }
        try outcome.get()
    }

    private func damaged(_ file: StoreFile, _ reason: String) -> KeychainFault {
        KeychainQuery.say(
            "\(file.path) is no keychain: \(reason). It stays as it is; repair it, or move it aside to begin anew")
        return KeychainFault(errSecDecode)
    }

    private func reporting<Value>(_ body: () throws(StoreError) -> Value) throws(KeychainFault) -> Value {
        do throws(StoreError) { return try body() } catch {
            switch error {
            case .damaged(let path, let reason):
                KeychainQuery.say(
                    "\(path) is no keychain: \(reason). It stays as it is; repair it, or move it aside to begin anew")
                throw KeychainFault(errSecDecode)
            case .tooMuch(let reason):
                KeychainQuery.say("the keychain cannot store this: \(reason)")
                throw KeychainFault(errSecDiskFull)
            case .locked:
                KeychainQuery.say("\(error)")
                throw KeychainFault(errSecNotAvailable)
            case .system(let cause, let path):
                KeychainQuery.say("\(path): \(cause)")
                throw KeychainFault(errSecIO)
            }
        }
    }
}
