// ChildProcess: what the daemon has spawned for an extension: the program, or the init or guardian around it.

import EventLoop
import Glibc
import LinuxSystem

/// Signals to it and to all that it has started, and news of its start and its end.
@HostActor
final class ChildProcess {
    private let process: SpawnedProcess
    private let clock: RealClock
    /// The program, once it has been started.
    private(set) var program: StartedProgram?
    private var startSource: IOSource?
    private var exitSource: IOSource?
    /// Told once, with the program's pid.
    var onStart: (@HostActor (Int) -> Void)?
    /// One of another daemon's may be dead before its parent knows, and how it ended may be told only then: how long that is waited for. Real time: it is
    /// the kernel's doing.
    private static let patience = Duration.milliseconds(200)
    private var lastLook: Deadline?
    private var hasWaited = false
    /// A fault on demand: what its end is to look like.
    private var seemingStatus: ExitStatus?
    /// Told before each signal.
    var willSignal: (@HostActor () -> Void)?
    /// Told when `reap` has something to say.
    var onEnd: (@HostActor () -> Void)?

    init(_ process: consuming SpawnedProcess, _ clock: RealClock) {
        self.process = process
        self.clock = clock
    }

    // Before the descriptors are closed: a store may have them still.
    isolated deinit { forget() }

    /// Its own number, not that of a program within it.
    var root: Int32 { process.pid }

    /// It was started under another daemon, as its journal tells.
    func adopt(program pid: Int32) { program = StartedProgram(pid: pid) }

    /// - Throws: `SystemError`: its end would not be seen.
    func watch() throws {
        exitSource = try EventLoop.shared.watchProcessExit(pidfd: process.pidfd.raw) { [weak self] in self?.onEnd?() }
        if program == nil, let report = process.report {
            startSource = try EventLoop.shared.watch(descriptor: report.raw, for: .readable) { [weak self] _ in
                self?.noteStart()
                self?.startSource = nil
            }
        }
    }

    func forget() {
        (exitSource, startSource, lastLook) = (nil, nil, nil)
        (onStart, onEnd, willSignal) = (nil, nil, nil)
    }

    /// Learns the program's pid as soon as the init has started it: before it can have said or done anything.
    func noteStart() {
        guard program == nil, let found = process.startedProgram() else { return }
        program = found
        startSource = nil
        onStart?(Int(found.pid))
    }

    /// To the program. Nothing when it is gone.
    func signal(_ number: Int32) {
        willSignal?()
        _ = try? process.signal(number)
    }

    /// To the program alone, whatever is around it. Nothing while it has not been started, and when it is gone.
    func signalProgram(_ number: Int32) {
        willSignal?()
        if let program { _ = try? process.signal(program, number) }
    }

    /// Ends the program alone as if it had left with that status itself, which nobody can make it do.
    func exitProgram(_ status: Int32) {
        seemingStatus = .exited(status)
        signalProgram(SIGKILL)
    }

    /// To all that it has started. Nothing when nobody is left.
    func signalTree(_ number: Int32) {
        willSignal?()
        _ = try? process.signalTree(number)
    }

    /// It can be reaped, or has been. A pidfd is readable from then on (pidfd_open(2)).
    var hasEnded: Bool {
        var entry = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// How the program ended; nil while it has not. Whoever it left behind goes with it.
    func reap() -> ProcessEnding? {
        // Before the reaping, while the group is still its own.
        signalTree(SIGKILL)
        // One that has killed its guardian is reached no longer through it.
        _ = try? program?.signalGroup(SIGKILL)
        do {
            if let ending = try process.reap(isFinal: hasWaited) { return seeming(ending) }
        } catch {
            return ProcessEnding(status: .unknown)
        }
        if hasEnded, lastLook == nil { awaitParent() }
        return nil
    }

    /// As a fault on demand wants its end to look.
    private func seeming(_ ending: ProcessEnding) -> ProcessEnding {
        guard let seemingStatus, case .signalled(SIGKILL, _) = ending.status else { return ending }
        return ProcessEnding(
            status: seemingStatus, peakMemory: ending.peakMemory, processorMicroseconds: ending.processorMicroseconds)
    }

    private func awaitParent() {
        let look = { @HostActor [weak self] in
            self?.hasWaited = true
            self?.onEnd?()
        }
        // A descriptor is watched once: the source that has fired is still one. Without a condition to wait for, the hang-up is told all the same.
        exitSource = nil
        exitSource = try? EventLoop.shared.watch(descriptor: process.pidfd.raw, for: []) { [weak self] _ in
            self?.exitSource = nil
            look()
        }
        lastLook = clock.schedule(after: Self.patience, look)
    }
}
