// ReapedProcess: a child of the tests' process, collected as soon as it ends.

import Glibc
package import LinuxSystem
import Locks

/// A child that is no zombie for long, however late somebody asks how it ended, and also when nobody does.
///
/// Swift Testing waits for the children of its exit tests by calling waitid(2) for any child in a loop. While another child
/// is a zombie, that loop takes a whole processor and may never hear of the exit test's child. A test that waits beside a
/// zombie of its own and an exit test would then wait for each other.
package final class ReapedProcess: Sendable {
    private let process: SpawnedProcess
    private let collected: WakeDescriptor
    private let state = Mutex<ProcessEnding?>(nil)

    /// Takes a thread until the child ends.
    package init(_ process: consuming SpawnedProcess) throws(SystemError) {
        collected = try WakeDescriptor()
        self.process = process
        try startThread(named: "exthost-reaper") { [self] in
            while !isReadable(self.process.pidfd.raw, within: -1) {}
            let ending = try? self.process.reap()
            state.withLock { $0 = ending }
            collected.signal()
        }
    }

    package var pid: Int32 { process.pid }

    package var hasEnded: Bool { hasEnded(within: 0) }

    /// Waits on this thread until it has ended; false when that takes longer than `milliseconds`.
    package func hasEnded(within milliseconds: Int32) -> Bool { isReadable(collected.raw, within: milliseconds) }

    /// How it ended; nil while it runs, and where somebody else has collected it.
    package var ending: ProcessEnding? { state.withLock { $0 } }

    /// The same on a thread of its own.
    package func ends(within milliseconds: Int32) async throws -> Bool {
        try await DaemonProcess.onThread { [self] in hasEnded(within: milliseconds) }
    }

    /// False when it is gone.
    @discardableResult
    package func signal(_ number: Int32) throws(SystemError) -> Bool { try process.signal(number) }

    /// The same for it and all that it began. False when it is gone.
    @discardableResult
    package func signalTree(_ number: Int32) throws(SystemError) -> Bool { try process.signalTree(number) }
}

/// Whether something is to be read within `milliseconds`; -1 for however long that takes.
func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
        let count = poll(&entry, 1, milliseconds)
        if count >= 0 || errno != EINTR { return count > 0 }
    }
}
