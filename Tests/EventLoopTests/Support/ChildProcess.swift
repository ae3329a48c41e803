// ChildProcess: programs that tests start, each killed with its group when the test is over.

import EventLoop
import Glibc
import LinuxSystem

/// A running program with pipes to it. Started on the loop's thread, which outlives it: the program asks to be killed
/// with its parent thread, so that not even a crashed test run leaves one behind.
@HostActor
final class ChildProcess {
    let pid: pid_t
    let pidfd: SharedDescriptor
    let output: Pipe
    let errors: Pipe
    private let input: Pipe
    private var status: Int32?

    init(_ arguments: [String], environment: [String] = []) throws {
        input = try Pipe()
        output = try Pipe()
        errors = try Pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.reader.raw, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writer.raw, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.writer.raw, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        let words = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"] + arguments
        var argv = words.map { strdup($0) } + [nil]
        var envp = (environment + ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"]).map { strdup($0) } + [nil]
        defer { for string in argv + envp { free(string) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, words[0], &actions, &attributes, &argv, &envp)
        guard result == 0 else { throw SystemError("posix_spawn", code: result) }
        self.pid = pid
        let raw = pidfdOpen(pid)
        guard raw >= 0 else { throw SystemError("pidfd_open") }
        pidfd = SharedDescriptor(owning: raw)
        input.closeReader()
        output.closeWriter()
        errors.closeWriter()
    }

    isolated deinit { end() }

    func writeLine(_ line: String) { input.write(line + "\n") }

    /// The exit status; the process must have ended.
    func reap() -> Int32 {
        if let status { return status }
        var raw: Int32 = 0
        waitpid(pid, &raw, 0)
        let status = (raw & 0x7f) == 0 ? (raw >> 8) & 0xff : 128 + (raw & 0x7f)
        self.status = status
        return status
    }

    /// Kills it with everything it started, and reaps it.
    func end() {
        guard status == nil else { return }
        kill(-pid, SIGKILL)
        _ = reap()
    }

    /// Runs a program to its end and gives what it printed.
    static func run(_ arguments: [String], environment: [String] = []) async throws -> (
        status: Int32, output: String, errors: String
    ) {
        let child = try ChildProcess(arguments, environment: environment)
        async let output = child.output.readToEnd()
        async let errors = child.errors.readToEnd()
        let texts = try await (output, errors)
        var source: IOSource?
        try await callback(of: Void.self) { done in
            source = try EventLoop.shared.watchProcessExit(pidfd: child.pidfd.raw) { done(()) }
        }
        source?.cancel()
        return (child.reap(), texts.0, texts.1)
    }
}

/// pidfd_open(2), looked up by name since the Glibc module leaves sys/pidfd.h out.
private func pidfdOpen(_ pid: pid_t) -> Int32 {
    guard let symbol = dlsym(nil, "pidfd_open") else { return -1 }
    return unsafeBitCast(symbol, to: (@convention(c) (pid_t, UInt32) -> Int32).self)(pid, 0)
}
