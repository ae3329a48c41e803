// Suspension: how a process whose hosts are away is made to stand still, and ended instead when it holds a lock.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// What the effects `suspend` and `resume` of a process's machine do to its tree. Its time limits stand still by themselves.
@HostActor
final class Suspension {
    /// Which it is part of.
    private unowned let process: ExtensionProcess
    /// Until the tree is known to have stopped.
    private var stopDeadline: Deadline?

    /// Looks for a stop, and the time between two of them: ten seconds together, for an init that waits for a processor. Real time: signals
    /// act in the kernel's, and a virtual clock stands still meanwhile (`isUnderWay`).
    private static let looks = 2_000
    private static let pause = Duration.milliseconds(5)
    /// To take a lock that the tree lets go of when it has run, two milliseconds apart: ten seconds, for one that waits for a processor or the disk.
    private static let attempts = 5_000
    /// Groups whose defaults the tree may be changing when it is stopped, one after the other.
    private static let rounds = 10

    init(of process: ExtensionProcess) { self.process = process }

    /// Whether the tree is on its way to stand still.
    var isUnderWay: Bool { stopDeadline?.isPending == true }

    /// The whole tree stops. What holds a lock in a shared container then would keep others from it for as long as its hosts are
    /// away: it is killed (spec 5.4). Before the stop most are found; a lock taken meanwhile is found after it.
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

    /// The init stops the tree in its own time; a moment, on the real clock. A program that does not stop for a second, as it stands
    /// still in the kernel (vfork(2)), is asked for locks then: what else is in its tree may hold one.
    ///
    /// - Parameter taken: held until the tree stands still.
    private func lookAfterStop(_ looks: Int, _ rounds: Int, taken: DefaultsLock? = nil) {
        stopDeadline = process.context.realClock.schedule(after: Self.pause) { [weak self] in
            guard let self, process.isSuspended else { return }
            let standsStill = ProcessTree.standsStill(below: process.root, program: Int32(process.pid))
            guard standsStill || looks == 0 else { return lookAfterStop(looks - 1, rounds, taken: taken) }
            // With the deadline goes what was taken.
            guard let lock = heldLock else { return stopDeadline = nil }
            guard standsStill, lock.isMomentary, rounds > 0 else { return end(with: lock) }
            // It was stopped while it changed shared defaults: it goes on until that is done.
            guard let wanted = defaultsLock(lock) else { return end(with: lock) }
            process.signalTree(SIGCONT)
            stopWith(wanted, attempts: Self.attempts, rounds - 1)
        }
    }

    /// Stops the tree again as soon as the daemon has the lock, which the tree then cannot have. Whoever keeps it for all the time, ten
    /// seconds, does so by hand. A round is for one group; another may be the next one's.
    private func stopWith(_ wanted: DefaultsLock, attempts: Int, _ rounds: Int) {
        stopDeadline = process.context.realClock.schedule(after: .milliseconds(2)) { [weak self] in
            guard let self, process.isSuspended else { return }
            // Not while it is still stopped: a stop before the init has continued the tree takes that order back (signal(7)).
            let isTaken = ProcessStatus(of: process.pid)?.isStopped != true && wanted.take()
            if !isTaken, attempts > 0 { return stopWith(wanted, attempts: attempts - 1, rounds) }
            process.signalTree(SIGSTOP)
            lookAfterStop(Self.looks, isTaken ? rounds : 0, taken: wanted)
        }
    }

    private var heldLock: HeldLock? {
        process.containersFolder.flatMap { HeldLock.find(inTreeOf: process.root, below: $0 + "/Shared", of: process.identity) }
    }

    private func defaultsLock(_ lock: HeldLock) -> DefaultsLock? {
        guard let folder = process.containersFolder.flatMap({ HeldLock.realPath($0, of: process.identity) }) else { return nil }
        guard let identity = process.identity else { return DefaultsLock(lock.path, below: folder) }
        return (try? withFileAccess(of: identity) { DefaultsLock(lock.path, below: folder) })?.get() ?? nil
    }

    private func end(with lock: HeldLock) {
        let why = ExtensionHostError(
            .interrupted, "it held a lock when it was to be suspended: \(lock)",
            remedy: "Close files and databases of a shared container, or end their locks, when the host enters the background",
            cause: "0xdead10cc")
        process.kill(.lockHeldAtSuspension, by: "daemon", why: why)
    }
}
