// Suspension: how a process whose hosts are away is made to stand still, and ended instead when it holds a lock.

import EventLog
import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import Glibc

/// What the effects `suspend` and `resume` of a process's machine do to its tree. Its time limits stand still by themselves.
@HostActor
final class Suspension {
    /// Which it is part of.
    private unowned let process: ExtensionProcess
    /// Until the tree is known to have stopped.
    private var stopDeadline: Deadline?

    /// Looks for a stop, and the time between two of them: a second together.
    private static let looks = 200
    private static let pause = Duration.milliseconds(5)

    init(of process: ExtensionProcess) { self.process = process }

    /// Whether every host of its requests is: in the background, or by the profile where it is not active any more.
    var hostsAreAway: Bool {
        let isInactiveAway = process.engine.options.suspendsWhenInactive
        return !process.requests.isEmpty
            && process.requests.values.allSatisfy { isInactiveAway ? $0.hostState != .active : $0.hostState == .background }
    }

    /// The whole tree stops. What holds a lock in a shared container then would keep others from it for as long as its hosts are
    /// away: it is killed (spec 5.4). Before the stop most are found; a lock taken meanwhile is found after it.
    func begin() {
        if endIfLocked() { return }
        process.signalTree(SIGSTOP)
        process.engine.log.append(.processSuspended, extensionIdentifier: process.bundle.identifier, pid: process.pid)
        lookAfterStop(Self.looks)
    }

    func end() {
        stopDeadline = nil
        process.signalTree(SIGCONT)
        process.engine.log.append(.processResumed, extensionIdentifier: process.bundle.identifier, pid: process.pid)
    }

    /// The init stops the tree in its own time; a moment, on the real clock. A program that does not stop for a second, as it stands
    /// still in the kernel (vfork(2)), is asked for locks then: what else is in its tree may hold one.
    private func lookAfterStop(_ looks: Int) {
        stopDeadline = process.engine.realClock.schedule(after: Self.pause) { [weak self] in
            guard let self, process.machine.state == .suspended else { return }
            if looks == 0 || ProcessStatus(of: process.pid)?.isStopped == true {
                _ = endIfLocked()
            } else {
                lookAfterStop(looks - 1)
            }
        }
    }

    private func endIfLocked() -> Bool {
        guard let containers = process.engine.options.containersFolder,
            let lock = HeldLock.find(inTreeOf: process.root, below: containers + "/Shared")
        else { return false }
        let why = ExtensionHostError(
            .interrupted, "it held a lock when it was to be suspended: \(lock)",
            remedy: "Close files and databases of a shared container, or end their locks, when the host enters the background",
            cause: "0xdead10cc")
        process.kill(.lockHeldAtSuspension, by: "daemon", why: why)
        return true
    }
}
