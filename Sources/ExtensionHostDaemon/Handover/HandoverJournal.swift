// HandoverJournal: the file of what a successor has to know, written before the daemon acts on it.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import Glibc
import LinuxSystem

/// One file in the runtime folder, appended to and now and then written anew as a whole.
///
/// It has to outlive the daemon and not the machine: whoever was kept dies with that, too. What write(2) has taken is in the kernel, which SIGKILL
/// does not touch, so nothing is synced.
@HostActor
final class HandoverJournal {
    private let path: String
    private var file: OwnedDescriptor?
    private(set) var state = HandedState()
    private var size = 0
    private var smallest = 0
    /// A file below this is not worth writing anew.
    private static let slack = 256 * 1024
    private static let mostBytes = 64 << 20
    /// Told when nothing can be written any more, until the next `begin`: then nothing can be kept.
    var onFailure: (@HostActor (SystemError) -> Void)?

    init(path: String) { self.path = path }

    /// What the last daemon has left. An empty state where there is no file.
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
            throw JournalDamage(offset: 0, why: "others may write to \(path)")
        }
        return try JournalRecord.read(try readFile(descriptor, maximumSize: Self.mostBytes))
    }

    /// Begins to write, with this in place of what was there.
    ///
    /// - Returns: whether it was written; `onFailure` is called where not.
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

    /// Writes a record down; when this returns a successor will know of it. Where nothing can be written any more the state alone has it.
    func append(_ record: JournalRecord) {
        // Ours are sound.
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

    /// Half a journal, or that of the daemon before, would tell a successor what is not so any more.
    private func fail(_ error: SystemError) {
        remove()
        onFailure?(error)
    }

    /// The daemon has ended everything in order: there is nothing to go on with.
    func remove() {
        file = nil
        unlink(draft)
        // Where names cannot be taken away any more, what stands in it may be.
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

    /// The whole of it under another name, which then takes the place of the old one in one step.
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
