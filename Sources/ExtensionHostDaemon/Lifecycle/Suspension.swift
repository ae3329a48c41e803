// Suspension: the suspension of a process whose hosts are in the background, or its end if it holds a lock.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The code that stops and continues the tree of a process, for the effects `suspend` and `resume` of its machine.
///
/// The effects pause the time limits of the process separately.
@HostActor
final class Suspension {
    private unowned let process: ExtensionProcess
    /// The deadline of the next check whether the tree has stopped; nil once it has.
    private var stopDeadline: Deadline?

    /// The number of checks for a stop, and the time between two of them.
    ///
    /// Together they last ten seconds, for an init that waits for a processor. The time is real, because signals act in
    /// the kernel's time, and a virtual clock does not advance meanwhile (`isUnderWay`).
    private static let looks = 2_000
    private static let pause = Duration.milliseconds(5)
    /// The number of attempts to take a lock that the tree releases once it has run, two milliseconds apart.
    ///
    /// Together they last ten seconds, for a tree that waits for a processor or the disk.
    private static let attempts = 5_000
    /// The number of app groups, one after the other, whose defaults the tree may be changing when it is stopped.
    private static let rounds = 10

    init(of process: ExtensionProcess) { self.process = process }

    /// Whether the tree is being stopped.
    var isUnderWay: Bool { stopDeadline?.isPending == true }

    /// Stops the whole tree.
    ///
    /// A process that holds a lock in a shared container is killed (spec 5.4): it would block others while its hosts
    /// are away. The daemon finds most locks before the stop, and a lock that was taken meanwhile after it.
    func begin() {
        if let lock = heldLock, !lock.isMomentary { return end(with: lock) }
        process.signalTree(SIGSTOP)
        process.tell(.suspended)
        lookAfterStop(Self.looks, Self.rounds)
    }

    func end() {
        stopDeadline = nil
        process.signalTree(SIGCONT)
        process.tell(.resumed)
    }

    /// Checks after a pause whether the init has stopped the tree, then whether the tree holds a lock. Runs on the real
    /// clock.
    ///
    /// A program may not stop at all, because it waits in the kernel (vfork(2)). Then the lock check follows once the
    /// attempts are used up, because other processes of its tree may hold a lock.
    ///
    /// - Parameter taken: a lock that the daemon holds until the tree has stopped.
    private func lookAfterStop(_ looks: Int, _ rounds: Int, taken: DefaultsLock? = nil) {
        stopDeadline = process.context.realClock.schedule(after: Self.pause) { [weak self] in
            guard let self, process.isSuspended else { return }
            let standsStill = ProcessTree.standsStill(below: process.root, program: Int32(process.pid))
            guard standsStill || looks == 0 else { return lookAfterStop(looks - 1, rounds, taken: taken) }
            // Releasing the deadline also releases the lock in `taken`.
            guard let lock = heldLock else { return stopDeadline = nil }
            guard standsStill, lock.isMomentary, rounds > 0 else { return end(with: lock) }
            // The process was stopped while it changed shared defaults: it continues until the change is done.
            guard let wanted = defaultsLock(lock) else { return end(with: lock) }
            process.signalTree(SIGCONT)
            stopWith(wanted, attempts: Self.attempts, rounds - 1)
        }
    }

    /// Stops the tree again as soon as the daemon has the lock, which the tree then cannot have.
    ///
    /// A process that holds the lock for all of the ten seconds does so on purpose. A round is for one group; the next
    /// round may be for another.
    private func stopWith(_ wanted: DefaultsLock, attempts: Int, _ rounds: Int) {
        stopDeadline = process.context.realClock.schedule(after: .milliseconds(2)) { [weak self] in
            guard let self, process.isSuspended else { return }
            // A stopped process has not got SIGCONT yet: a new stop before the init has continued the tree would cancel
            // it (signal(7)).
            let isTaken = ProcessStatus(of: process.pid)?.isStopped != true && wanted.take()
            if !isTaken, attempts > 0 { return stopWith(wanted, attempts: attempts - 1, rounds) }
            process.signalTree(SIGSTOP)
            lookAfterStop(Self.looks, isTaken ? rounds : 0, taken: wanted)
        }
    }

    private var heldLock: HeldLock? {
        process.containersFolder.flatMap {
            HeldLock.find(inTreeOf: process.root, below: $0 + "/Shared", of: process.identity)
        }
    }

    private func defaultsLock(_ lock: HeldLock) -> DefaultsLock? {
        guard let folder = process.containersFolder.flatMap({ HeldLock.realPath($0, of: process.identity) }) else {
            return nil
        }
        guard let identity = process.identity else { return DefaultsLock(lock.path, below: folder) }
        return (try? withFileAccess(of: identity) { DefaultsLock(lock.path, below: folder) })?.get() ?? nil
    }

    private func end(with lock: HeldLock) {
        let why = ExtensionHostError(
            .interrupted, "it held a lock before its suspension: \(lock)",
            remedy:
                "Close files and databases of a shared container, or release their locks, when the host enters the background",
            cause: "0xdead10cc")
        process.kill(.lockHeldAtSuspension, by: "daemon", why: why)
    }
}
