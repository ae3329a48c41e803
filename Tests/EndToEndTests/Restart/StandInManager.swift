// StandInManager: plays systemd's part for a daemon: a socket, a descriptor store, and a new start after each end.

import ExtensionHost
import Foundation
import Glibc
import LinuxSystem
import Locks
import Testing

/// Holds the listening socket and what the daemon puts into its store, starts the daemon, and starts it again when it
/// has ended. When it goes, the daemon is killed, and with the store whatever was kept.
final class StandInManager: Sendable {
    private struct State {
        var store: [(name: String, descriptor: SharedDescriptor)] = []
        var pid: pid_t = 0
        /// Daemons that have ended, as wait(2) tells it, and those that were told to.
        var ended = 0
        var killed = 0
        var isEnding = false
        /// The daemon that runs has said that it serves.
        var isReady = false
        /// For the starts to come, in order.
        var killPoints: [Int] = []
        var log: [String] = []
        /// Whether those that have ended are followed by another.
        var restarts = true
        /// Whether the next one is started only when somebody connects.
        var waitsForHosts = false
        var starts = 0
        var daemons: [pid_t] = []
    }

    let folder: TemporaryDirectory
    var address: DaemonAddress { DaemonAddress(path: folder.path + "/exthost/host.sock") }
    private let state = Mutex(State())
    private let notify: SharedDescriptor
    private let listening: SharedDescriptor
    private let bundles: String
    private let arguments: [String]
    private let variables: [String: String]
    private let isOver = DispatchSemaphore(value: 0)

    /// - Parameter killPoints: where the first daemon is killed, then the second, and so on; 0 for not at all.
    init(
        bundles: String, arguments: [String] = [], variables: [String: String] = [:], killPoints: [Int] = []
    ) throws {
        self.variables = variables
        folder = try TemporaryDirectory(prefix: "exthost-manager")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/exthost", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        mkdir(folder.path + "/state", 0o711)
        self.bundles = bundles
        self.arguments = arguments
        notify = try Self.datagrams(at: folder.path + "/notify")
        listening = SharedDescriptor(try Socket.listen(at: folder.path + "/exthost/host.sock", backlog: 512).release())
        state.withLock { $0.killPoints = killPoints }
        let thread = Thread { [self] in manage() }
        thread.stackSize = 4 << 20
        thread.start()
    }

    // MARK: For tests

    /// As the system's service has its socket and its folders.
    func openToEverybody() throws {
        for path in [folder.path, folder.path + "/exthost"] { chmod(path, 0o755) }
        chmod(address.path, 0o666)
    }

    var daemon: pid_t { state.withLock { $0.pid } }
    var starts: Int { state.withLock { $0.starts } }
    /// Every one that was started.
    var daemons: [pid_t] { state.withLock { $0.daemons } }
    /// How often a daemon was killed.
    var deaths: Int { state.withLock { $0.killed } }
    /// Names in the store.
    var kept: [String] { Set(state.withLock { $0.store.map(\.name) }).sorted() }
    var log: String { state.withLock { $0.log.joined(separator: "\n") } }
    func stopRestarting() { state.withLock { $0.restarts = false } }
    /// As a service that is stopped and whose socket is not.
    func startOnlyWhenAsked() { state.withLock { $0.waitsForHosts = true } }
    /// Whether somebody has connected whom no daemon has seen.
    var isAsked: Bool {
        var entry = pollfd(fd: listening.raw, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 1
    }
    /// As systemd does once it has given up.
    func emptyStore() { state.withLock { $0.store = [] } }

    /// Returns false if no daemon runs.
    @discardableResult
    func kill(_ signal: Int32 = SIGKILL) -> Bool {
        state.withLock { $0.pid > 0 && Glibc.kill($0.pid, signal) == 0 }
    }

    /// As `systemctl stop` of a service that runs: waits until the daemon has ended.
    func stop() async throws {
        try await eventually { state.withLock { $0.isReady } }
        state.withLock {
            $0.isEnding = true
            if $0.pid > 0 { _ = Glibc.kill($0.pid, SIGTERM) }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [isOver] in
                isOver.wait()
                isOver.signal()
                continuation.resume()
            }
        }
    }

    /// Kills and lets go of everything.
    func abandon() {
        state.withLock {
            $0.isEnding = true
            if $0.pid > 0 { _ = Glibc.kill($0.pid, SIGKILL) }
        }
        isOver.wait()
        isOver.signal()
        emptyStore()
    }

    // MARK: The manager's thread

    private func manage() {
        while !state.withLock({ $0.isEnding || !$0.restarts && $0.starts > 0 }) {
            if state.withLock({ $0.waitsForHosts }) {
                var entry = pollfd(fd: listening.raw, events: Int16(POLLIN), revents: 0)
                guard poll(&entry, 1, 20) == 1 else { continue }
            }
            guard let daemon = try? start() else { break }
            tend(daemon)
        }
        // Of a service that has ended for good nothing is kept.
        emptyStore()
        isOver.signal()
    }

    /// Until it has ended, and everything that it sent was read.
    private func tend(_ daemon: borrowing SpawnedProcess) {
        while true {
            var entries = [
                pollfd(fd: notify.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: daemon.pidfd.raw, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 2, -1)
            readNotifications()
            guard entries[1].revents != 0 else { continue }
            readNotifications()
            let ending = try? daemon.reap()
            state.withLock { state in
                (state.pid, state.isReady) = (0, false)
                state.ended += 1
                if case .signalled(SIGKILL, _) = ending?.status {
                    state.killed += 1
                } else {
                    state.log.append("ended: \(String(describing: ending?.status))")
                }
            }
            return
        }
    }

    private func start() throws -> SpawnedProcess {
        let (store, killPoint) = state.withLock { state in
            return (state.store, state.killPoints.isEmpty ? 0 : state.killPoints.removeFirst())
        }
        let script = """
            export NOTIFY_SOCKET="$MANAGER_NOTIFY" LISTEN_FDS="$MANAGER_FDS" LISTEN_FDNAMES="$MANAGER_NAMES" LISTEN_PID=$$
            exec "$@"
            """
        var variables = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        variables["XDG_RUNTIME_DIR"] = folder.path
        variables["XDG_STATE_HOME"] = folder.path + "/state"
        variables["XDG_DATA_HOME"] = folder.path + "/data"
        if arguments.contains("--system") {
            variables["RUNTIME_DIRECTORY"] = folder.path + "/exthost"
            variables["STATE_DIRECTORY"] = folder.path + "/state"
        }
        variables["MANAGER_NOTIFY"] = folder.path + "/notify"
        variables["MANAGER_FDS"] = "\(store.count + 1)"
        variables["MANAGER_NAMES"] = (["exthostd.socket"] + store.map(\.name)).joined(separator: ":")
        variables["EXTHOST_KILL_POINT"] = killPoint > 0 ? "\(killPoint)" : nil
        let program = [
            SampleApplications.buildFolder + "/exthostd", "--keep", "--bus", "none", "--applications", bundles,
            "--timer",
            "idle=1h",
        ]
        var attributes = SpawnAttributes(
            executable: "/bin/sh", arguments: ["-c", script, "sh"] + program + arguments,
            environment: variables.map { "\($0.key)=\($0.value)" })
        let descriptors = [listening] + store.map(\.descriptor)
        attributes.descriptors = descriptors.enumerated().map {
            .init(parent: $0.element.raw, child: Int32(3 + $0.offset))
        }
        let output = SharedDescriptor(
            owning: open(folder.path + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600))
        attributes.standardError = .descriptor(output.raw)
        attributes.standardOutput = .descriptor(output.raw)
        attributes.onDaemonExit = .keep
        let daemon = try withExtendedLifetime((descriptors, output)) { try spawn(attributes) }
        state.withLock { state in
            state.pid = daemon.pid
            state.daemons.append(daemon.pid)
            state.starts += 1
        }
        if state.withLock({ $0.isEnding }) { kill() }
        return daemon
    }

    private func readNotifications() {
        let socket = Socket(OwnedDescriptor(owning: dup(notify.raw)))
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while case .packet(let count, let descriptors)? = try? socket.receive(
                into: UnsafeMutableRawBufferPointer(buffer))
            {
                let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
                let name = lines.first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) } ?? "stored"
                state.withLock { state in
                    if lines.contains("READY=1") { state.isReady = true }
                    if lines.contains("FDSTORE=1") { state.store += descriptors.map { (name, $0) } }
                    if lines.contains("FDSTOREREMOVE=1") { state.store.removeAll { $0.name == name } }
                }
            }
        }
    }

    private static func datagrams(at path: String) throws -> SharedDescriptor {
        let raw = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        let result = SharedDescriptor(owning: raw)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
        let code = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard raw >= 0, code == 0 else { throw SystemError("bind") }
        return result
    }

    /// What all its daemons wrote.
    var words: String { (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "" }
}

/// Runs a test with daemons that follow one another, and lets nothing of it stay.
func withRestartingDaemon<Result>(
    bundles: TestBundles, _ arguments: [String] = [], variables: [String: String] = [:], killPoints: [Int] = [],
    isSystem: Bool = false, _ body: (StandInManager) async throws -> Result
) async throws -> Result {
    let manager = try StandInManager(
        bundles: bundles.path, arguments: arguments, variables: variables, killPoints: killPoints)
    defer {
        manager.abandon()
        try? manager.folder.remove()
        withExtendedLifetime(bundles) {}
    }
    if isSystem { try manager.openToEverybody() }
    do {
        return try await body(manager)
    } catch {
        Issue.record("what the daemons wrote:\n\(manager.words)")
        throw error
    }
}
