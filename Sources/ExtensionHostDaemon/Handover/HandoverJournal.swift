// HandoverJournal: the file of the state for a successor, written before the daemon acts on it.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import Glibc
import LinuxSystem

/// A file in the runtime folder, which is appended to, and rewritten as a whole now and then.
///
/// The file must outlive the daemon, but not the machine: the surviving processes die with the machine, too. Data that
/// write(2) has taken is in the kernel, which SIGKILL does not affect, so nothing is synced.
@HostActor
final class HandoverJournal {
    private let path: String
    private var file: OwnedDescriptor?
    private(set) var state = HandedState()
    private var size = 0
    private var smallest = 0
    /// The size in bytes below which the file is not rewritten.
    private static let slack = 256 * 1024
    private static let mostBytes = 64 << 20
    /// The callback for the first write that fails, until the next `begin`: no process can outlive the daemon then.
    var onFailure: (@HostActor (SystemError) -> Void)?

    init(path: String) { self.path = path }

    /// Returns the state that the last daemon left; it is empty if there is no file.
    func readBack() throws -> HandedState {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard raw >= 0 else {
            if errno == ENOENT { return HandedState() }
            throw SystemError("open")
        }
        let descriptor = OwnedDescriptor(owning: raw)
        var status = stat()
        guard fstat(descriptor.raw, &status) == 0 else { throw SystemError("fstat") }
        guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw JournalDamage(offset: 0, why: "other users can write to \(path)")
        }
        return try JournalRecord.read(try readFile(descriptor, maximumSize: Self.mostBytes))
    }

    /// Begins to write, with `state` in place of the previous contents.
    ///
    /// - Returns: whether the state was written; `onFailure` is called if not.
    @discardableResult
    func begin(with state: HandedState) -> Bool {
        self.state = state
        do throws(SystemError) {
            try rewrite()
            return true
        } catch {
            fail(error)
            return false
        }
    }

    /// Writes a record; a successor knows of it when this call returns.
    ///
    /// If nothing can be written any more, only `state` has the record.
    func append(_ record: JournalRecord) {
        // The daemon's own records are valid.
        try? state.take(record)
        guard file != nil else { return }
        KillPoint.pass()
        do throws(SystemError) {
            if size > Self.slack, size > 4 * smallest { try rewrite() } else { try write(record.bytes) }
        } catch {
            fail(error)
        }
        KillPoint.pass()
    }

    /// Removes the journal after an error: half a journal, or that of the last daemon, would mislead a successor.
    private func fail(_ error: SystemError) {
        remove()
        onFailure?(error)
    }

    /// Removes the journal, because the daemon has ended everything in order and leaves nothing to adopt.
    func remove() {
        file = nil
        unlink(draft)
        // If names cannot be removed any more, the contents possibly can.
        if unlink(path) != 0, errno != ENOENT { truncate(path, 0) }
    }

    private var draft: String { path + ".new" }

    private func write(_ bytes: [UInt8]) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file?.raw ?? -1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError("write") }
            rest = rest.dropFirst(count)
        }
        size += bytes.count
    }

    /// Writes the whole journal under another name, which then replaces the old file in one step.
    private func rewrite() throws(SystemError) {
        unlink(draft)
        let raw = open(draft, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else { throw SystemError("open") }
        file = OwnedDescriptor(owning: raw)
        size = 0
        try write(JournalRecord.mark + state.records.flatMap(\.bytes))
        smallest = size
        KillPoint.pass()
        guard rename(draft, path) == 0 else { throw SystemError("rename") }
        KillPoint.pass()
    }
}
