// FolderHandle: an open folder, with the list of its items as it was at the first read.

import CFuse
import Foundation
import Glibc
import PointHosts
import Synchronization

/// An open folder. Its list stays as it is until a program rewinds, so each position means the same item.
final class FolderHandle: Sendable {
    private struct State {
        var items: [ProvidedItem]?
        var mutations: UInt64 = 0
    }

    let node: UInt64
    private let system: FileSystem
    private let state = Mutex(State())

    init(_ node: UInt64, _ system: FileSystem) { (self.node, self.system) = (node, system) }

    /// Gives the list back.
    func close() { setItems(nil, mutations: 0) }

    private func setItems(_ items: [ProvidedItem]?, mutations: UInt64) {
        let before = state.withLock { state in
            defer { (state.items, state.mutations) = (items, mutations) }
            return state.items?.count ?? 0
        }
        system.listedItems.add((items?.count ?? 0) - before, ordering: .relaxed)
    }

    /// Answers with the items from a position on. The position of an item is its place in the list, and 3.
    func read(_ request: KernelRequest, size: Int, offset: Int, withAttributes: Bool) {
        if offset > 0, state.withLock({ $0.items != nil }) {
            return send(request, size: size, offset: offset, withAttributes: withAttributes)
        }
        system.operations.start(request, "listing a folder") { [self] in
            let mutations = system.nodes.mutations
            setItems(try await load(), mutations: mutations)
            return Answer { [self] request in
                send(request, size: size, offset: offset, withAttributes: withAttributes)
            }
        }
    }

    /// The items of the folder that can be shown. The log has the reason for each other one.
    private func load() async throws -> [ProvidedItem] {
        let (nodes, log, options) = (system.nodes, system.log, system.options)
        let folder = try nodes.node(node)
        guard !folder.isDeleted else { throw OperationFailure(ENOENT, "the folder has been deleted") }
        let items = try await system.files.items(in: folder.item.identifier)
        guard items.count <= options.mostItems,
            system.listedItems.load(ordering: .relaxed) + items.count <= 4 * options.mostItems
        else {
            throw OperationFailure(
                EOVERFLOW, "the folder has \(items.count) items: at most \(options.mostItems) can be listed")
        }
        let enclosing = nodes.enclosing(node)
        var names: Set<ByteText> = []
        names.reserveCapacity(items.count)
        let place = node == NodeTable.root ? "the top folder" : folder.item.name
        return items.filter { item in
            var problem = ItemChecks.problem(ofName: item.name)
            if problem == nil, !haveSameBytes(item.parent, folder.item.identifier) {
                problem = "its parent is another folder"
            }
            if problem == nil, enclosing.contains(ByteText(item.identifier)) {
                problem = "it is a folder around itself"
            }
            if problem == nil, !names.insert(ByteText(item.name)).inserted { problem = "there is another of that name" }
            if let problem { log("\(item.name) in \(place) is not shown: \(problem)") }
            return problem == nil
        }
    }

    private func send(_ request: KernelRequest, size: Int, offset: Int, withAttributes: Bool) {
        let (items, mutations) = state.withLock { ($0.items ?? [], $0.mutations) }
        let nodes = system.nodes
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: max(size, 1)) { bytes in
            var used = 0
            var entered: [UInt64] = []
            var position = Int(clamping: offset)
            while position < items.count + 2 {
                let free = bytes.baseAddress! + used
                let room = size - used
                let needed: Int
                if position < 2 {
                    var entry = fuse_entry_param()
                    entry.attr.st_mode = S_IFDIR
                    let folder = try? nodes.node(node)
                    entry.attr.st_ino = ino_t(position == 0 ? node : folder?.parent ?? node)
                    let name = position == 0 ? "." : ".."
                    needed = add(request, free, room, name, &entry, position + 1, withAttributes: withAttributes)
                } else {
                    let item = items[position - 2]
                    // A list that is older than a change might bring back an item that is gone. So the kernel then gets
                    // names alone, and asks for the rest.
                    let isFresh = withAttributes && mutations == nodes.mutations
                    var entry = fuse_entry_param()
                    if isFresh, let known = try? nodes.enter(item, in: node) {
                        entry = known
                        entered.append(UInt64(known.ino))
                    } else {
                        entry.attr.st_mode =
                            item.kind.sort == .folder ? S_IFDIR : item.kind.sort == .file ? S_IFREG : S_IFLNK
                        entry.attr.st_ino = ino_t(nodes.number(of: item.identifier) ?? UInt64(position) + 1 << 32)
                    }
                    needed = add(request, free, room, item.name, &entry, position + 1, withAttributes: withAttributes)
                    if needed > room, entry.ino != 0 { nodes.forget(entered.removeLast(), 1) }
                }
                guard needed <= room else { break }
                used += needed
                position += 1
            }
            // The kernel counts a lookup for each entry, unless it does not take the answer.
            if exthost_fuse_reply_buf(request.raw, bytes.baseAddress, used) != 0 {
                for number in entered { nodes.forget(number, 1) }
            }
        }
    }

    private func add(
        _ request: KernelRequest, _ bytes: UnsafeMutablePointer<CChar>, _ room: Int, _ name: String,
        _ entry: inout fuse_entry_param, _ next: Int, withAttributes: Bool
    ) -> Int {
        withAttributes
            ? exthost_fuse_add_direntry_plus(request.raw, bytes, room, name, &entry, off_t(next))
            : exthost_fuse_add_direntry(request.raw, bytes, room, name, &entry.attr, off_t(next))
    }
}
