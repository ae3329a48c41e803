// DaemonProcess: the daemon's process for its starter: a lease on its standard input, a pidfd, its greeting.

import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Locks

/// A started daemon. It ends when the lease is closed, by `end` or with this process.
final class DaemonProcess: Sendable {
    /// The one line by which an ephemeral daemon reports that it serves.
    struct Greeting: Decodable {
        let socket: String
        let bus: String?
        let pid: Int
        /// The folder of containers; absent for an older daemon.
        let containers: String?
    }

    /// The milliseconds that a daemon may take to start, and to end in order.
    private static let patience: Int32 = 30_000

    private let process: ReapedProcess
    private let lease: Mutex<SharedDescriptor?>

    private init(process: ReapedProcess, lease: SharedDescriptor) {
        self.process = process
        self.lease = Mutex(lease)
    }

    /// Starts the daemon's process; returns it with its standard output.
    ///
    /// The child's own descriptors are closed here when this returns: otherwise the end of a daemon that fails to start
    /// would not show.
    private static func launch(_ program: String, _ arguments: [String]) throws -> (DaemonProcess, SharedDescriptor) {
        let input = try pipe()
        let output = try pipe()
        var attributes = SpawnAttributes(
            executable: program, arguments: arguments,
            environment: ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" })
        attributes.standardInput = .descriptor(input.reading.raw)
        attributes.standardOutput = .descriptor(output.writing.raw)
        attributes.standardError = .descriptor(2)
        // The lease ends the process. A parent-death signal would follow the thread, and this one may end before the
        // test does.
        attributes.onDaemonExit = .keep
        return (DaemonProcess(process: try ReapedProcess(try spawn(attributes)), lease: input.writing), output.reading)
    }

    static func start(_ program: String, _ arguments: [String]) async throws -> (DaemonProcess, Greeting) {
        let (process, reading) = try launch(program, arguments)
        let line = try await onThread { try readLine(reading) }
        guard let greeting = try? JSONDecoder().decode(Greeting.self, from: Data(line)) else {
            process.kill()
            _ = try await process.process.ends(within: patience)
            // EX_USAGE: the daemon has already reported the fault of its options.
            let isMisused = if case .exited(64)? = process.process.ending?.status { true } else { false }
            guard !isMisused else {
                throw ExtensionHostError(
                    .invalidArgument, "exthostd rejects these options", remedy: "exthostd --help lists its options")
            }
            throw ExtensionHostError(
                .noDaemon, "\(program) did not start", remedy: "Read the reason on standard error",
                cause: "its output was “\(String(decoding: line, as: UTF8.self))”")
        }
        return (process, greeting)
    }

    /// Whether the process has ended, for any reason.
    var hasEnded: Bool { process.hasEnded }

    /// Closes the lease and waits until the daemon is gone; one that does not end is killed, and that is an error.
    ///
    /// - Returns: how it ended; nil if another process has reaped it.
    func end() async throws -> LinuxSystem.ExitStatus? {
        lease.withLock { $0 = nil }
        guard try await process.ends(within: Self.patience) else {
            kill()
            throw ExtensionHostError(
                .internalError, "the daemon did not exit within \(Self.patience) ms",
                remedy: "Read its log on standard error for the cause, and report it")
        }
        return process.ending?.status
    }

    /// Sends a signal; does nothing if the process is gone.
    func signal(_ number: Int32) { _ = try? process.signal(number) }

    func kill() { _ = try? process.signalTree(SIGKILL) }

    // MARK: Waiting, on threads of their own

    /// Runs `body`, which may wait, on a new thread.
    static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try startThread(named: "exthost-wait") { continuation.resume(with: Result(catching: body)) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Returns the first line, or the bytes before the end.
    private static func readLine(_ descriptor: SharedDescriptor) throws -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 64 * 1024, isReadable(descriptor.raw, within: patience) {
            let count = read(descriptor.raw, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { return line }
            line.append(byte)
        }
        return line
    }

    private static func pipe() throws(SystemError) -> (reading: SharedDescriptor, writing: SharedDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw SystemError("pipe") }
        // A child that another thread starts without `spawn` in between could hold the lease open; `spawn` closes it.
        for end in ends where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 { throw SystemError("fcntl") }
        return (SharedDescriptor(owning: ends[0]), SharedDescriptor(owning: ends[1]))
    }
}
