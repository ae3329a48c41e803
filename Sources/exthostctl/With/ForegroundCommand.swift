// ForegroundCommand: another program in this one's place: same terminal, same process group, with signals forwarded.

import Foundation
import Glibc
import Locks

enum ForegroundCommand {
    /// The signals that ask a program to do something, and that would make this one leave the command alone.
    private static let passedOn = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

    /// Runs the command, found on `PATH`, until it ends. Returns the exit status as shells count it.
    static func run(_ words: [String], environment: [String: String]) async throws -> Int32 {
        SignalRelay.start(for: passedOn)
        let pid: pid_t
        switch try spawn(words, environment) {
        case .started(let number): pid = number
        case .failed(let code):
            StandardError.line("exthostctl: \(words[0]) cannot be executed: \(String(cString: strerror(code)))")
            return code == ENOENT ? 127 : 126
        }
        SignalRelay.target(pid)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try wait(for: pid) }) }
        }
    }

    /// Ends the running command as a terminal's end would. Without one it does nothing.
    static func end() { SignalRelay.end() }

    /// Kills the running command. Without one it does nothing.
    static func kill() { SignalRelay.kill() }

    /// The last signal of `passedOn` that came to this program since the start of the command; 0 if none came.
    static var signal: Int32 { SignalRelay.received }

    /// Gives signals their usual effect again, until the next command. An ignored signal stays so.
    static func releaseSignals() { SignalRelay.stop(for: passedOn) }

    private enum Start {
        case started(pid_t)
        case failed(Int32)
    }

    private static func spawn(_ words: [String], _ environment: [String: String]) throws -> Start {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The command inherits none of this program's own signal handling.
        var all = sigset_t()
        var none = sigset_t()
        sigemptyset(&all)
        sigemptyset(&none)
        for number in passedOn + [SIGPIPE] { sigaddset(&all, number) }
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, words[0], nil, &attributes, &arguments, &variables)
        return code == 0 ? .started(pid) : .failed(code)
    }

    private static func wait(for pid: pid_t) throws -> Int32 {
        // The exit is awaited first and reaped afterwards: in between, no signal may go to a reused pid.
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 {
            guard errno == EINTR else { throw CommandError.unexpected("waiting for the command failed") }
        }
        SignalRelay.target(0)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        // wait(2): the low seven bits are the signal, the next byte is the exit status.
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
    }
}

/// A relay of this process's signals to the command. A terminal's signals go to the whole group already.
private enum SignalRelay {
    private static let pid = Atomic<Int32>(0)
    /// A signal that came before there was a command.
    private static let early = Atomic<Int32>(0)
    private static let last = Atomic<Int32>(0)

    static var received: Int32 { last.load(ordering: .sequentiallyConsistent) }

    static func start(for numbers: [Int32]) {
        // The atomics are initialized now: a handler must not be the first to touch them.
        pid.store(0, ordering: .relaxed)
        early.store(0, ordering: .relaxed)
        last.store(0, ordering: .relaxed)
        for number in numbers where !isIgnored(number) {
            var action = sigaction()
            action.sa_flags = SA_SIGINFO | Int32(bitPattern: UInt32(SA_RESTART))
            action.__sigaction_handler.sa_sigaction = { number, information, _ in
                SignalRelay.receive(number, information)
            }
            sigaction(number, &action, nil)
        }
    }

    static func stop(for numbers: [Int32]) {
        for number in numbers where !isIgnored(number) { signal(number, SIG_DFL) }
    }

    /// Whether somebody wants the signal to be ignored, as nohup(1) does.
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        // The handler SIG_IGN has the value 1.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }

    static func target(_ number: pid_t) {
        pid.store(number, ordering: .sequentiallyConsistent)
        let waiting = early.exchange(0, ordering: .sequentiallyConsistent)
        if number > 0, waiting > 0 { Glibc.kill(number, waiting) }
    }

    static func kill() {
        let target = pid.load(ordering: .sequentiallyConsistent)
        if target > 0 { Glibc.kill(target, SIGKILL) }
    }

    /// Sends SIGTERM, also to a command that has not been started yet.
    static func end() {
        let target = pid.load(ordering: .sequentiallyConsistent)
        if target > 0 { Glibc.kill(target, SIGTERM) } else { early.store(SIGTERM, ordering: .sequentiallyConsistent) }
    }

    /// Handles a signal in a signal handler: it uses nothing but atomics and kill(2), see signal-safety(7).
    private static func receive(_ number: Int32, _ information: UnsafeMutablePointer<siginfo_t>?) {
        let before = errno
        defer { errno = before }
        last.store(number, ordering: .sequentiallyConsistent)
        let target = pid.load(ordering: .sequentiallyConsistent)
        guard target > 0 else { return early.store(number, ordering: .sequentiallyConsistent) }
        // Codes above 0 are the kernel's own, such as that of Ctrl-C, which the command has got, too (sigaction(2)).
        if let information, information.pointee.si_code > 0 { return }
        Glibc.kill(target, number)
    }
}
