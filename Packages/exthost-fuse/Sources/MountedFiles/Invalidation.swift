// Invalidation: what the kernel must forget because the provider has changed it.

import CFuse
import Foundation
import Glibc
import LinuxDescriptors
import PointHosts
import Synchronization

/// The thread that tells the kernel what to forget.
///
/// The kernel may let it wait for an operation in a folder. So it is a thread of its own, with the only copy of a
/// descriptor of its own: even if it waits when the program is killed, the kernel ends the mount.
final class Invalidation: Sendable {
    private enum Item {
        case inode(UInt64, withContents: Bool)
        case entry(parent: UInt64, name: String)
    }

    private struct State {
        var device: Int32 = -1
        var items: [Item] = []
        var isEnded = false
        /// The kernel must forget everything: more has changed than can be told one by one.
        var isOverrun = false
    }

    /// The most changes that wait.
    private static let mostItems = 100_000
    private let state = Mutex(State())
    private let turn = Condition()
    private let log: BoundedLog

    init(log: BoundedLog) { self.log = log }

    /// Starts the thread.
    func start(device: Int32, nodes: NodeTable) throws {
        state.withLock { $0.device = device }
        let clone = exthost_fuse_clone(device)
        guard clone >= 0 else {
            // The kernel then learns of changes when its answers expire.
            return log("the kernel is not told of changes: \(String(cString: strerror(-clone)))")
        }
        let isReady = Condition()
        try startThread(named: "fuse-changes") { [self] in
            let failure = exthost_fuse_leave_descriptors(clone)
            isReady.signal()
            if failure == 0 { run(clone, nodes) }
        }
        isReady.wait()
        Glibc.close(clone)
    }

    /// Makes the kernel ask for the attributes of an item. Does not wait.
    func forgetAttributes(of number: UInt64) {
        let device = state.withLock { $0.isEnded ? -1 : $0.device }
        if device >= 0 { _ = exthost_fuse_invalidate_inode(device, number, false) }
    }

    func forget(_ number: UInt64, withContents: Bool) { add(.inode(number, withContents: withContents)) }

    func forget(name: String, in parent: UInt64) { add(.entry(parent: parent, name: name)) }

    /// Makes the kernel forget everything.
    func forgetAll() {
        state.withLock { ($0.items, $0.isOverrun) = ([], true) }
        turn.signal()
    }

    private func add(_ item: Item) {
        state.withLock { state in
            guard !state.isEnded, !state.isOverrun else { return }
            state.items.append(item)
            if state.items.count > Self.mostItems { (state.items, state.isOverrun) = ([], true) }
        }
        turn.signal()
    }

    func end() {
        state.withLock { ($0.items, $0.isEnded, $0.isOverrun) = ([], true, false) }
        turn.signal()
    }

    private func run(_ device: Int32, _ nodes: NodeTable) {
        while true {
            turn.wait()
            let (items, isOverrun, isEnded) = state.withLock { state in
                defer { (state.items, state.isOverrun) = ([], false) }
                return (state.items, state.isOverrun, state.isEnded)
            }
            if isEnded { return }
            for item in items { tell(item, device) }
            guard isOverrun else { continue }
            for node in nodes.all() {
                if state.withLock({ $0.isEnded }) { return }
                tell(.entry(parent: node.parent, name: node.name), device)
                tell(.inode(node.number, withContents: true), device)
            }
        }
    }

    private func tell(_ item: Item, _ device: Int32) {
        // The kernel answers ENOENT for what it does not know, which is no failure.
        switch item {
        case .inode(let number, let withContents):
            _ = exthost_fuse_invalidate_inode(device, number, withContents)
        case .entry(let parent, let name):
            _ = exthost_fuse_invalidate_entry(device, parent, name, name.utf8.count)
        }
    }
}

/// A signal for one thread that waits. Signals that nobody waits for count as one.
///
/// Unchecked: pthread's own rules protect the three values, which `lock` guards.
final class Condition: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignalled = false

    init() {
        pthread_mutex_init(lock, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(lock)
        condition.deallocate()
        lock.deallocate()
    }

    func signal() {
        pthread_mutex_lock(lock)
        isSignalled = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(lock)
    }

    func wait() {
        pthread_mutex_lock(lock)
        while !isSignalled { pthread_cond_wait(condition, lock) }
        isSignalled = false
        pthread_mutex_unlock(lock)
    }
}

extension FileSystem {
    /// Follows what the provider tells of changes, until its stream ends.
    func follow(_ changes: AsyncStream<ProvidedChange>) async {
        for await change in changes {
            switch change {
            case .updated(let item): noteUpdate(item)
            case .deleted(let identifier, let parent, let name):
                let node = nodes.number(of: identifier).flatMap { try? nodes.node($0) }
                nodes.noteDeletion(of: identifier)
                if let node {
                    invalidation.forget(name: node.item.name, in: node.parent)
                    invalidation.forget(node.number, withContents: false)
                } else if let folder = parent.flatMap(nodes.number(of:)), let name {
                    invalidation.forget(name: name, in: folder)
                }
            case .unknown:
                nodes.noteMutation()
                invalidation.forgetAll()
            }
        }
    }

    private func noteUpdate(_ item: ProvidedItem) {
        nodes.noteMutation()
        let folder = nodes.number(of: item.parent)
        guard let before = nodes.note(item) else {
            // The kernel may know that there was no item of this name.
            if let folder { invalidation.forget(name: item.name, in: folder) }
            return
        }
        if !haveSameBytes(before.item.name, item.name) || before.parent != folder {
            invalidation.forget(name: before.item.name, in: before.parent)
            if let folder { invalidation.forget(name: item.name, in: folder) }
        }
        // The version may be known from a lookup, while the cache has what was read from an open file before.
        let isSame =
            before.contents == nil && item.contentVersion != nil
            && item.contentVersion == before.item.contentVersion
        // The contents of a program that writes are newer than the provider's.
        let isOurs = before.contents?.isWritable == true
        if !isSame, !isOurs { nodes.noteNewContents(before.number) }
        invalidation.forget(before.number, withContents: !isSame && !isOurs)
    }
}
