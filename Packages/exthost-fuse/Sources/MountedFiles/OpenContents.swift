// OpenContents: the contents of a file that programs have open, and the leases that keep them here.

import CFuse
import Glibc
import LinuxDescriptors
import PointHosts
import Synchronization

/// The contents that all handles of one file share, so that each sees what the others write.
final class OpenContents: Sendable {
    private struct State {
        var leases: [any FileLease] = []
        /// The lease that may be written, which all handles use once there is one.
        var writing: (any FileLease)?
        /// The number of changes, and that of changes of which the provider knows.
        var changes = 0
        var delivered = 0
        /// The item has been deleted, or replaced: its contents last until they are closed.
        var isOrphan = false
        /// The number of open handles.
        var users = 1
    }

    private let state = Mutex(State())

    /// Makes the contents of a lease, with one handle.
    init(_ lease: any FileLease, isWritable: Bool) { _ = add(lease, isWritable: isWritable) }

    /// Adds a lease if it is needed. Returns false if these contents have as good a one.
    func add(_ lease: any FileLease, isWritable: Bool) -> Bool {
        state.withLock { state in
            guard state.leases.isEmpty || (isWritable && state.writing == nil) else { return false }
            state.leases.append(lease)
            if isWritable { state.writing = lease }
            return true
        }
    }

    var users: Int { state.withLock { $0.users } }

    /// Counts one more handle.
    func use() { state.withLock { $0.users += 1 } }

    /// Counts one handle less. Returns true for the last one.
    func unuse() -> Bool {
        state.withLock { state in
            state.users -= 1
            return state.users == 0
        }
    }

    var isWritable: Bool { state.withLock { $0.writing != nil } }
    /// Whether the provider does not know all changes.
    var isDirty: Bool { state.withLock { $0.changes != $0.delivered && !$0.isOrphan } }
    /// Whether something was changed since the file was opened.
    var isChanged: Bool { state.withLock { $0.changes > 0 } }
    var isOrphan: Bool { state.withLock { $0.isOrphan } }

    /// Notes that nothing more is to be delivered.
    func orphan() { state.withLock { $0.isOrphan = true } }

    /// The descriptor from which all handles read.
    var descriptor: SharedDescriptor {
        state.withLock { ($0.writing ?? $0.leases[0]).descriptor }
    }

    /// Performs a change on the descriptor, and notes it for the provider.
    func change<Result>(_ body: (Int32) throws -> Result) throws -> Result {
        guard let lease = state.withLock({ $0.writing }) else {
            throw OperationFailure(EBADF, "the file is open for reading only")
        }
        let result = try body(lease.descriptor.raw)
        // The provider hears of the change even if a delivery runs that read the contents before.
        let isOrphan = state.withLock { state in
            state.changes += 1
            return state.isOrphan
        }
        if !isOrphan { lease.noteChange() }
        return result
    }

    /// Delivers the changes, and waits for the answer of the provider.
    func deliver() async throws {
        let (lease, changes) = state.withLock { state in
            (state.changes != state.delivered && !state.isOrphan ? state.writing : nil, state.changes)
        }
        guard let lease else { return }
        do {
            try await lease.flush()
        } catch {
            // The file was deleted in the meantime: nobody misses the changes.
            if isOrphan { return }
            throw error
        }
        state.withLock { $0.delivered = max($0.delivered, changes) }
    }

    /// Gives all leases back. Throws the first failure of one that matters.
    func close() async throws {
        let (leases, isOrphan) = state.withLock { ($0.leases, $0.isOrphan) }
        var failure: FileFailure?
        for lease in leases {
            do { try await lease.close() } catch { failure = failure ?? error }
        }
        if let failure, !isOrphan { throw failure }
    }

    /// The state of the local file.
    func attributes() throws -> stat {
        var facts = stat()
        guard fstat(descriptor.raw, &facts) == 0 else { throw OperationFailure(errno, "fstat of a local copy failed") }
        return facts
    }
}
