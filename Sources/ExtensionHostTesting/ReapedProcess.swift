// ReapedProcess: a child of the tests' process, reaped as soon as it ends.

import Glibc
package import LinuxSystem
import Locks

/// A child that is reaped at once, however late its ending is read, and even if it is never read.
///
/// Swift Testing waits for the children of its exit tests by calling waitid(2) for any child in a loop. While another
/// child is a zombie, that loop takes a whole processor and may never find the exit test's child. A test with its own
/// zombie and an exit test would then wait for each other.
package final class ReapedProcess: Sendable {
    private let process: SpawnedProcess
    private let collected: WakeDescriptor
    private let state = Mutex<ProcessEnding?>(nil)

    /// Takes over the process; uses a thread until the child ends.
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

    /// Blocks this thread until the process has ended; returns false if that takes longer than `milliseconds`.
    package func hasEnded(within milliseconds: Int32) -> Bool { isReadable(collected.raw, within: milliseconds) }

    /// The way in which it ended; nil while it runs, and if another process has reaped it.
    package var ending: ProcessEnding? { state.withLock { $0 } }

    /// Waits on a separate thread until the process has ended; returns false if that takes longer than `milliseconds`.
    package func ends(within milliseconds: Int32) async throws -> Bool {
        try await DaemonProcess.onThread { [self] in hasEnded(within: milliseconds) }
    }

    /// Sends a signal; returns false if the process is gone.
    @discardableResult
    package func signal(_ number: Int32) throws(SystemError) -> Bool { try process.signal(number) }

    /// Sends a signal to the process and all its descendants; returns false if it is gone.
    @discardableResult
    package func signalTree(_ number: Int32) throws(SystemError) -> Bool { try process.signalTree(number) }
}

/// Whether the descriptor is readable within `milliseconds`; -1 waits without a limit.
func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
        let count = poll(&entry, 1, milliseconds)
        if count >= 0 || errno != EINTR { return count > 0 }
    }
}
