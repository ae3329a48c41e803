// NodeTable: the items that the kernel knows, by their numbers.

import CFuse
import Foundation
import Glibc
import PointHosts
import Synchronization

/// The items that the kernel knows. An item has a number from its first lookup until the kernel forgets it.
///
/// A number follows from the identifier, so an item has the same one after the kernel has forgotten it.
final class NodeTable: Sendable {
    /// An item that the kernel knows.
    struct Node {
        let number: UInt64
        let generation: UInt64
        var item: ProvidedItem
        /// The number of the folder.
        var parent: UInt64
        /// The number of lookups that the kernel has not forgotten.
        var lookups: UInt64
        /// The item is gone. Open handles still use it.
        var isDeleted = false
        /// The contents that the next handle gets.
        var contents: OpenContents?
        /// The version of the contents in the kernel's cache.
        var cachedVersion: Data?
    }

    private struct State {
        var nodes: [UInt64: Node] = [:]
        var numbers: [ByteText: UInt64] = [:]
        var nextGeneration: UInt64 = 1
        var nextSpare: UInt64 = 1 << 62
        var mutations: UInt64 = 0
    }

    static let root: UInt64 = 1
    /// The time for which the kernel may use an answer, in seconds.
    static let lifetime = 1.0
    /// The depth to which folders are checked for cycles. A path has no more components.
    private static let mostFolders = 4_096

    private let state = Mutex(State())
    private let started = Date()
    private let log: BoundedLog

    init(root item: ProvidedItem, log: BoundedLog) {
        self.log = log
        state.withLock { state in
            state.nodes[Self.root] = Node(
                number: Self.root, generation: 0, item: item, parent: Self.root, lookups: 1)
            state.numbers[ByteText(item.identifier)] = Self.root
        }
    }

    /// The number of changes of names and contents so far. A listing that is older says nothing certain.
    var mutations: UInt64 { state.withLock { $0.mutations } }

    /// Notes that listings of before say nothing certain.
    func noteMutation() { state.withLock { $0.mutations &+= 1 } }

    func node(_ number: UInt64) throws -> Node {
        guard let node = state.withLock({ $0.nodes[number] }) else {
            throw OperationFailure(ESTALE, "the item is not known any more")
        }
        return node
    }

    /// The identifier of an item that is still there.
    func identifier(_ number: UInt64) throws -> String {
        let node = try node(number)
        guard !node.isDeleted else { throw OperationFailure(ENOENT, "the item has been deleted") }
        return node.item.identifier
    }

    /// The identifiers of a folder and of all folders around it, none of which can be in it.
    func enclosing(_ number: UInt64) -> Set<ByteText> { state.withLock { Self.enclosing(number, in: $0) } }

    private static func enclosing(_ number: UInt64, in state: State) -> Set<ByteText> {
        var found: Set<ByteText> = []
        var current = number
        for _ in 0..<mostFolders {
            guard let node = state.nodes[current] else { break }
            guard found.insert(ByteText(node.item.identifier)).inserted, current != root else { break }
            current = node.parent
        }
        return found
    }

    /// Notes that the kernel learns of an item, and counts that. Throws ELOOP if the item is a folder around `parent`.
    func enter(_ item: ProvidedItem, in parent: UInt64) throws -> fuse_entry_param {
        let node = try state.withLock { state in
            let key = ByteText(item.identifier)
            if item.kind == .folder, Self.enclosing(parent, in: state).contains(key) {
                throw OperationFailure(ELOOP, "the folder \(item.name) is in itself")
            }
            if let number = state.numbers[key], var node = state.nodes[number] {
                if node.item.kind.sort == item.kind.sort {
                    node.lookups += 1
                    node.item = item
                    if number != Self.root { node.parent = parent }
                    state.nodes[number] = node
                    return node
                }
                // A file that has become a folder is another item, whatever its identifier.
                Self.remove(number, from: &state)
            }
            let number = Self.number(of: item.identifier, in: &state)
            let node = Node(
                number: number, generation: state.nextGeneration, item: item, parent: parent, lookups: 1)
            state.nextGeneration += 1
            state.nodes[number] = node
            state.numbers[key] = number
            return node
        }
        var entry = fuse_entry_param()
        entry.ino = fuse_ino_t(node.number)
        entry.generation = node.generation
        entry.attr = attributes(of: node)
        entry.attr_timeout = Self.lifetime
        entry.entry_timeout = Self.lifetime
        return entry
    }

    /// The number of a new item: a hash of its identifier, else a spare number, so that no choice of identifiers makes
    /// the search long.
    private static func number(of identifier: String, in state: inout State) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in identifier.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash ^= hash >> 29
        for step in 0..<UInt64(8) {
            let number = (hash &+ step) & (1 << 62 - 1)
            if number > root, state.nodes[number] == nil { return number }
        }
        repeat { state.nextSpare += 1 } while state.nodes[state.nextSpare] != nil
        return state.nextSpare
    }

    /// Notes that the kernel has forgotten lookups of an item.
    func forget(_ number: UInt64, _ count: UInt64) {
        state.withLock { state in
            guard number != Self.root, var node = state.nodes[number] else { return }
            node.lookups -= min(count, node.lookups)
            state.nodes[number] = node
            Self.dropIfUnused(number, from: &state)
        }
    }

    private static func dropIfUnused(_ number: UInt64, from state: inout State) {
        guard number != root, let node = state.nodes[number], node.lookups == 0, node.contents == nil
        else { return }
        remove(number, from: &state)
        state.nodes[number] = nil
    }

    /// Takes the identifier away from a node, which exists on for its handles.
    private static func remove(_ number: UInt64, from state: inout State) {
        guard let node = state.nodes[number] else { return }
        let key = ByteText(node.item.identifier)
        if state.numbers[key] == number { state.numbers[key] = nil }
        state.nodes[number]?.isDeleted = true
        node.contents?.orphan()
    }

    /// Notes that an item is gone. Returns its number if the kernel knows it.
    @discardableResult
    func noteDeletion(of identifier: String) -> UInt64? {
        state.withLock { state in
            state.mutations &+= 1
            guard let number = state.numbers[ByteText(identifier)], number != Self.root else { return nil }
            Self.remove(number, from: &state)
            Self.dropIfUnused(number, from: &state)
            return number
        }
    }

    /// Notes what the provider says of an item that the kernel may know. Returns what was noted before.
    @discardableResult
    func note(_ item: ProvidedItem, as number: UInt64? = nil) -> Node? {
        state.withLock { state in
            guard let number = number ?? state.numbers[ByteText(item.identifier)], let before = state.nodes[number],
                before.item.kind.sort == item.kind.sort
            else { return nil }
            let old = ByteText(before.item.identifier)
            let new = ByteText(item.identifier)
            if old != new, state.numbers[new] == nil {
                // The provider has given the item another identifier.
                state.numbers[old] = nil
                state.numbers[new] = number
            }
            state.nodes[number]?.item = item
            if number != Self.root, let parent = state.numbers[ByteText(item.parent)] {
                state.nodes[number]?.parent = parent
            }
            return before
        }
    }

    /// The number of an item that the kernel knows.
    func number(of identifier: String) -> UInt64? { state.withLock { $0.numbers[ByteText(identifier)] } }

    /// The numbers of all items, with the names by which the kernel may know them.
    func all() -> [(number: UInt64, parent: UInt64, name: String)] {
        state.withLock { state in state.nodes.values.map { ($0.number, $0.parent, $0.item.name) } }
    }

    // MARK: - Open files

    /// The open contents of a file that suffice for one more handle, which is counted.
    func use(_ number: UInt64, forWriting: Bool) -> OpenContents? {
        state.withLock { state in
            guard let contents = state.nodes[number]?.contents, !forWriting || contents.isWritable else { return nil }
            contents.use()
            return contents
        }
    }

    /// Counts one more handle of a file, on this lease or on a lease that it has. Returns whether the lease is used.
    func use(_ number: UInt64, lease: any FileLease, isWritable: Bool) throws -> (OpenContents, isUsed: Bool) {
        try state.withLock { state in
            guard let node = state.nodes[number] else {
                throw OperationFailure(ESTALE, "the item is not known any more")
            }
            if let contents = node.contents {
                contents.use()
                return (contents, contents.add(lease, isWritable: isWritable))
            }
            let contents = OpenContents(lease, isWritable: isWritable)
            if node.isDeleted { contents.orphan() }
            state.nodes[number]?.contents = contents
            return (contents, true)
        }
    }

    /// Takes contents away from a file if nobody has them open any more. Returns whether they are to be closed.
    func take(_ contents: OpenContents, from number: UInt64) -> Bool {
        state.withLock { state in
            guard contents.users == 0 else { return false }
            if state.nodes[number]?.contents === contents { state.nodes[number]?.contents = nil }
            state.mutations &+= 1
            Self.dropIfUnused(number, from: &state)
            return true
        }
    }

    /// Takes the contents away from a file, whoever has them open. Returns false if they have been taken.
    func abandon(_ number: UInt64) -> Bool {
        state.withLock { state in
            defer { state.nodes[number]?.contents = nil }
            return state.nodes[number]?.contents != nil
        }
    }

    /// Notes that the provider has newer contents: the next handle gets those, unless a program writes.
    func noteNewContents(_ number: UInt64) {
        state.withLock { state in
            guard let contents = state.nodes[number]?.contents, !contents.isWritable else { return }
            state.nodes[number]?.contents = nil
        }
    }

    /// All contents that are open, also those that nobody has open any more but that wait for delivery.
    func allContents() -> [(number: UInt64, name: String, contents: OpenContents)] {
        state.withLock { state in
            state.nodes.values.compactMap { node in node.contents.map { (node.number, node.item.name, $0) } }
        }
    }

    /// Notes which version the kernel's cache will have. Returns whether it has that one already.
    func noteCache(_ number: UInt64, version: Data?) -> Bool {
        state.withLock { state in
            guard let node = state.nodes[number] else { return false }
            // The cache that others use stays what it is.
            if node.contents?.users ?? 0 > 1 { return true }
            state.nodes[number]?.cachedVersion = version
            return version != nil && node.cachedVersion == version
        }
    }

    // MARK: - Attributes

    func attributes(of node: Node) -> stat {
        var facts = stat()
        let item = node.item
        facts.st_ino = ino_t(node.number)
        (facts.st_uid, facts.st_gid) = (getuid(), getgid())
        facts.st_blksize = 4_096
        facts.st_nlink = node.isDeleted ? 0 : 1
        let readable = item.capabilities.contains(.reading) ? 0o444 : mode_t(0)
        let writable = item.capabilities.contains(.writing) ? 0o200 : mode_t(0)
        let modified = ItemChecks.time(item.modified ?? item.created ?? started)
        (facts.st_mtim, facts.st_ctim, facts.st_atim) = (modified, modified, modified)
        switch item.kind {
        case .file:
            facts.st_mode = S_IFREG | readable | writable | (item.isExecutable ? 0o111 : 0)
            facts.st_size = off_t(ItemChecks.size(item.size) ?? 0)
            if let local = try? node.contents?.attributes() {
                facts.st_size = local.st_size
                if node.contents?.isChanged == true {
                    let time = ItemChecks.time(ItemChecks.date(local.st_mtim))
                    (facts.st_mtim, facts.st_ctim) = (time, time)
                }
            }
        case .folder:
            facts.st_mode = S_IFDIR | readable | writable | (readable == 0 ? 0 : 0o111)
        case .symbolicLink(let target):
            facts.st_mode = S_IFLNK | 0o777
            facts.st_size = off_t(target.utf8.count)
        }
        facts.st_blocks = (facts.st_size + 511) / 512
        return facts
    }
}

extension ProvidedItem.Kind {
    /// The kind without a target: a symbolic link stays one with another.
    enum Sort { case file, folder, symbolicLink }
    var sort: Sort {
        switch self {
        case .file: .file
        case .folder: .folder
        case .symbolicLink: .symbolicLink
        }
    }
}
