// ChildProcess: the process that the daemon has spawned for an extension: the program, or the init or guardian around
// it.

import EventLoop
import Glibc
import LinuxSystem

/// The spawned process of an extension: it takes signals for the process and its tree, and reports its start and its
/// end.
@HostActor
final class ChildProcess {
    private let process: SpawnedProcess
    private let clock: RealClock
    /// The program, once it has been started.
    private(set) var program: StartedProgram?
    private var startSource: IOSource?
    private var exitSource: IOSource?
    /// The handler for the start, called once, with the program's pid.
    var onStart: (@HostActor (Int) -> Void)?
    /// The time that the daemon waits for the exit status of another daemon's process, in real time, because the kernel
    /// reports it.
    ///
    /// Such a process may have ended before its parent learns of it, and only the parent can report the status.
    private static let patience = Duration.milliseconds(200)
    private var lastLook: Deadline?
    private var hasWaited = false
    /// A fault on demand: the status that the end is to show.
    private var seemingStatus: ExitStatus?
    /// The handler called before each signal.
    var willSignal: (@HostActor () -> Void)?
    /// The handler called when `reap` may return something.
    var onEnd: (@HostActor () -> Void)?

    init(_ process: consuming SpawnedProcess, _ clock: RealClock) {
        self.process = process
        self.clock = clock
    }

    // The sources end before the descriptors are closed, because a store may still have these.
    isolated deinit { forget() }

    /// The pid of the spawned process, not that of a program within it.
    var root: Int32 { process.pid }

    /// Takes over a program that was started under another daemon, as the journal says.
    func adopt(program pid: Int32) { program = StartedProgram(pid: pid) }

    /// Watches for the start and the end.
    ///
    /// - Throws: `SystemError`: the end would go unnoticed.
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

    /// Reads the program's pid as soon as the init has started it, before the program can have sent or done anything.
    func noteStart() {
        guard program == nil, let found = process.startedProgram() else { return }
        program = found
        startSource = nil
        onStart?(Int(found.pid))
    }

    /// Sends a signal to the program. Does nothing if the program has ended.
    func signal(_ number: Int32) {
        willSignal?()
        _ = try? process.signal(number)
    }

    /// Sends a signal to the program alone, whatever is around it. Does nothing before its start and after its end.
    func signalProgram(_ number: Int32) {
        willSignal?()
        if let program { _ = try? process.signal(program, number) }
    }

    /// Ends the program alone as if it had exited with that status itself, which no other process can make it do.
    func exitProgram(_ status: Int32) {
        seemingStatus = .exited(status)
        signalProgram(SIGKILL)
    }

    /// Sends a signal to all that the process has started. Does nothing if no process is left.
    func signalTree(_ number: Int32) {
        willSignal?()
        _ = try? process.signalTree(number)
    }

    /// Whether the process can be reaped, or has been. A pidfd is readable from then on (pidfd_open(2)).
    var hasEnded: Bool {
        var entry = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Reaps the process and returns how the program ended; nil while that is unknown. All processes that it left
    /// behind are killed.
    func reap() -> ProcessEnding? {
        // The kill comes before the reaping, while the group is still the process's own.
        signalTree(SIGKILL)
        // A program that has killed its guardian cannot be reached through it any more.
        _ = try? program?.signalGroup(SIGKILL)
        do {
            if let ending = try process.reap(isFinal: hasWaited) { return seeming(ending) }
        } catch {
            return ProcessEnding(status: .unknown)
        }
        if hasEnded, lastLook == nil { awaitParent() }
        return nil
    }

    /// Replaces the status of an end by the one that a fault on demand wants.
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
        // A descriptor is watched once, and the source that has fired still counts. A source without a condition
        // reports the hang-up all the same.
        exitSource = nil
        exitSource = try? EventLoop.shared.watch(descriptor: process.pidfd.raw, for: []) { [weak self] _ in
            self?.exitSource = nil
            look()
        }
        lastLook = clock.schedule(after: Self.patience, look)
    }
}
