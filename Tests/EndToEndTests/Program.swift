// Program: a built program run by a test, its streams read as it writes them, ended with the test.

import ExtensionHostTesting
import Foundation
import Glibc
import LinuxSystem
import Locks
import Testing

/// A running program. When the last reference goes it is killed, by its own process descriptor, with its process group.
final class Program: Sendable {
    struct Ending: Sendable {
        /// The exit status; nil when a signal ended it.
        let status: Int32?
        let output: String
        let errors: String
    }

    /// The bound of a wait for something that is due.
    static let patience: Int32 = 120_000

    private let process: ReapedProcess
    private let output: Reader
    private let errors: Reader?

    /// Starts `exthostctl`, beside the tests. `socket` names its daemon by the environment.
    static func control(
        _ arguments: [String], socket: String? = nil, environment: [String: String] = [:], terminal: Terminal? = nil
    ) throws -> Program {
        var variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        variables["EXTHOST_SOCKET"] = socket
        return try Program(SampleApplications.buildFolder + "/exthostctl", arguments, variables, terminal)
    }

    /// Starts any other program, with the same environment; `socket` names its daemon.
    /// `input` becomes its standard input, which is empty otherwise.
    static func run(
        _ path: String, _ arguments: [String], socket: String, input: SharedDescriptor? = nil,
        environment: [String: String] = [:]
    ) throws -> Program {
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            .merging(["EXTHOST_SOCKET": socket]) { $1 }
        return try Program(path, arguments, variables, nil, input: input)
    }

    /// Starts `exthostd` as a user's service, in the runtime folder `folder`, and waits until it serves. `state` is
    /// where it keeps what outlasts it, by default there, too.
    static func daemon(in folder: String, state: String? = nil, _ arguments: [String]) async throws -> Program {
        let variables = ProcessInfo.processInfo.environment.merging(
            [
                "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": state ?? folder,
                "XDG_DATA_HOME": (state ?? folder) + "/data",
            ]) { $1 }
        let daemon = try Program(
            SampleApplications.buildFolder + "/exthostd", ["--bus", "none"] + arguments, variables, nil)
        try await daemon.shows("daemon.started")
        return daemon
    }

    /// Starts `exthostd` as the system's service, with its folders as systemd names them, and waits until it serves.
    static func systemDaemon(runtime: String, state: String, _ arguments: [String]) async throws -> Program {
        let variables = ProcessInfo.processInfo.environment.merging([
            "RUNTIME_DIRECTORY": runtime, "STATE_DIRECTORY": state,
        ]) {
            $1
        }
        let daemon = try Program(
            SampleApplications.buildFolder + "/exthostd", ["--system", "--bus", "none"] + arguments, variables, nil)
        try await daemon.shows("daemon.started")
        return daemon
    }

    /// With a terminal, standard error goes to it.
    private init(
        _ path: String, _ arguments: [String], _ environment: [String: String], _ terminal: Terminal?,
        input: SharedDescriptor? = nil
    ) throws {
        var attributes = SpawnAttributes(
            executable: path, arguments: arguments, environment: environment.map { "\($0.key)=\($0.value)" })
        if let input { attributes.standardInput = .descriptor(input.raw) }
        let outputEnds = try Self.pipe()
        let errorEnds = terminal == nil ? try Self.pipe() : nil
        attributes.standardOutput = .descriptor(outputEnds.writing.raw)
        attributes.standardError = .descriptor(errorEnds?.writing.raw ?? terminal?.program?.raw ?? 2)
        attributes.onDaemonExit = .keep  // the parent-death signal would follow this thread
        process = try ReapedProcess(try spawn(attributes))
        terminal?.handOver()
        output = try Reader(outputEnds.reading)
        errors = try errorEnds.map { try Reader($0.reading) }
    }

    deinit {
        _ = try? process.signalTree(SIGKILL)
        _ = process.hasEnded(within: Self.patience)
    }

    var pid: pid_t { process.pid }

    /// Sends any signal; one that has ended gets none.
    func signal(_ number: Int32) throws { try process.signal(number) }

    func interrupt() throws { try process.signal(SIGINT) }

    func kill() throws { try process.signal(SIGKILL) }

    /// As a service is ended.
    func end() throws { try process.signal(SIGTERM) }

    /// The lines of standard output, as they come.
    var lines: AsyncStream<String> { output.lines }

    /// Waits until standard output or standard error holds `text`.
    func shows(_ text: String) async throws {
        let found = await withTaskGroup(of: Bool.self) { group in
            for reader in [output, errors].compactMap({ $0 }) {
                group.addTask { await reader.lines.contains { $0.contains(text) } }
            }
            for await found in group where found {
                group.cancelAll()
                return true
            }
            return false
        }
        try #require(found, "the program ended and had not shown “\(text)”")
    }

    /// Waits for its end.
    ///
    /// - Parameter patience: milliseconds.
    func ending(within patience: Int32 = Program.patience) async throws -> Ending {
        try #require(try await process.ends(within: patience), "the program did not end")
        let status: Int32? = if case .exited(let code) = process.ending?.status { code } else { nil }
        return Ending(status: status, output: await output.all, errors: await errors?.all ?? "")
    }

    static func pipe() throws -> (reading: SharedDescriptor, writing: SharedDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (SharedDescriptor(owning: ends[0]), SharedDescriptor(owning: ends[1]))
    }
}

/// A terminal of its own for a program's standard error.
final class Terminal: Sendable {
    private let reader: Reader
    private let programEnd: Mutex<SharedDescriptor?>

    init() throws {
        // By ioctl (ioctl_tty(2)), as the C library's calls for it are not imported.
        let own = SharedDescriptor(owning: open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
        var (number, unlocked): (Int32, Int32) = (0, 0)
        guard own.raw >= 0, ioctl(own.raw, 0x4004_5431, &unlocked) == 0, ioctl(own.raw, 0x8004_5430, &number) == 0
        else {
            throw SystemError("ioctl")
        }
        programEnd = Mutex(SharedDescriptor(owning: open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)))
        reader = try Reader(own, separators: ["\n", "\r"])
    }

    /// The end for one program, until it is handed over.
    var program: SharedDescriptor? { programEnd.withLock { $0 } }

    /// From here on the program alone has its end: what it shows ends with it.
    func handOver() { programEnd.withLock { $0 = nil } }

    /// Waits until it shows `text`; false when its program has ended and had not.
    func shows(_ text: String) async -> Bool { await reader.lines.contains { $0.contains(text) } }
}

/// Reads a stream to its end, on a thread of its own.
private final class Reader: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var hasEnded = false
        var watchers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    private let separators: [UInt8]

    init(_ descriptor: SharedDescriptor, separators: [Character] = ["\n"]) throws {
        self.separators = separators.compactMap(\.asciiValue)
        try startThread(named: "test-reader") { [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor.raw, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard let self, count > 0 else { break }
                change { $0.bytes += buffer[..<count] }
            }
            self?.change { $0.hasEnded = true }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let watchers = state.withLock { state in
            body(&state)
            return state.watchers
        }
        for watcher in watchers { watcher() }
    }

    /// From the first on.
    var lines: AsyncStream<String> {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
        state.withLock { $0.watchers.append { continuation.yield() } }
        return AsyncStream { [self] lines in
            let task = Task {
                var start = 0
                for await _ in changes {
                    let (bytes, hasEnded) = state.withLock { ($0.bytes, $0.hasEnded) }
                    while let end = bytes[start...].firstIndex(where: separators.contains) {
                        lines.yield(String(decoding: bytes[start..<end], as: UTF8.self))
                        start = end + 1
                    }
                    if hasEnded { break }
                }
                lines.finish()
            }
            lines.onTermination = { _ in task.cancel() }
        }
    }

    /// Everything, once the stream has ended.
    var all: String {
        get async {
            for await _ in lines {}
            return state.withLock { String(decoding: $0.bytes, as: UTF8.self) }
        }
    }
}
