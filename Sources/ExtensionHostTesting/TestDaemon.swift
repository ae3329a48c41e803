// TestDaemon: a private, disposable daemon for one test.

public import ExtensionHost
public import ExtensionProtocol
public import Foundation
import Glibc
import LinuxSystem
import Locks

/// A private daemon for one test, with its own folder and socket.
///
/// It lives as long as its standard input is open, and so ends with its starter, however that ends. Safe to use from
/// any thread.
public final class TestDaemon: Sendable {
    /// The clock that moves the daemon's timers.
    public enum ClockKind: String, Sendable {
        /// The system's clock.
        case real
        /// The test's clock, moved by `TestDaemon.clock`.
        case virtual
    }

    /// The address to which hosts connect.
    public let address: DaemonAddress
    /// The address of its message bus, if it was started with one.
    public let bus: String?
    /// The folder in which each app group has its container, as a member finds it in `EXTHOST_GROUP_CONTAINERS`.
    ///
    /// It is removed with the daemon.
    public let groupContainers: String?
    /// The daemon's pid.
    public let processIdentifier: Int
    /// The warnings: a line for each app that is older than its sources. They stand above the timeline, too.
    public let warnings: [String]
    /// The clock of the daemon; only with `clock: .virtual`.
    public let clock: TestClock
    /// The connection for queries and orders.
    public let control: DaemonControl
    /// The faults on demand.
    public var faults: TestFaults { TestFaults(control: control) }

    /// The daemon of the running test, if the trait `extensionHost` or `ExtensionHostTestCase` has started one.
    @TaskLocal public static var current: TestDaemon?

    /// The time limit for the slowest machine.
    private static let patience = Duration.seconds(120)

    private let process: DaemonProcess
    private let clockKind: ClockKind

    /// Starts a daemon and waits until it serves.
    ///
    /// - Parameters:
    ///   - applications: folders of `.app` bundles, or such bundles.
    ///   - clock: with `.virtual`, timers move by `clock.advance(by:)` only.
    ///   - arguments: more options of `exthostd`, for example `["--timer", "idle=1s"]`. Background transfers use no
    ///     network, unless the options have `--transfers network`: `answerTransfers(_:)` sets the answers.
    /// - Throws: `ExtensionHostError` `noDaemon` if the program is not found or does not start; `invalidArgument` for
    ///   an app that is older than its sources, if the environment has `CI=true`. Without it that is a warning.
    public static func start(
        applications: [String], clock: ClockKind = .real, arguments: [String] = []
    ) async throws -> TestDaemon {
        let transfers = arguments.contains("--transfers") ? [] : ["--transfers", "scripted"]
        return try await start(
            DaemonProgram.locate(), applications: applications, clock: clock, arguments: transfers + arguments)
    }

    /// Starts this program, which need not be the daemon itself, and waits until it serves. Background transfers use the
    /// network on a real clock.
    package static func start(
        _ program: String, applications: [String], clock: ClockKind = .real, arguments: [String] = []
    ) async throws -> TestDaemon {
        let options =
            ["--ephemeral", "--clock", clock.rawValue] + applications.flatMap { ["--applications", $0] } + arguments
        let warnings = try StaleApps.warnings(ofOptions: options)
        let (process, greeting) = try await DaemonProcess.start(program, options)
        let address = DaemonAddress(path: greeting.socket)
        let control = try await DaemonControl.connect(name: "test", to: address)
        return TestDaemon(
            process: process, greeting: greeting, address: address, control: control, clock: clock, warnings: warnings)
    }

    private init(
        process: DaemonProcess, greeting: DaemonProcess.Greeting, address: DaemonAddress, control: DaemonControl,
        clock kind: ClockKind, warnings: [String]
    ) {
        self.process = process
        self.warnings = warnings
        clockKind = kind
        self.address = address
        self.control = control
        bus = greeting.bus
        groupContainers = greeting.containers.map { "\($0)/\(ContainerNames.groups)" }
        processIdentifier = greeting.pid
        clock = TestClock(control: control)
    }

    /// Connects a host application. Throws as `HostApplication.connect`.
    ///
    /// - Parameters:
    ///   - name: the name of the host in the log.
    ///   - comesBack: whether the daemon waits for a host to reconnect while its process lives; pass false for one that
    ///     will `crash`.
    ///   - onOutput: gets the output of its extensions, on the connection's thread.
    public func host(
        _ name: String, comesBack: Bool = true, onOutput: (@Sendable ([UInt8]) -> Void)? = nil
    ) async throws -> FakeHost {
        try await host(name, comesBack: comesBack, policy: RequestPolicy(), onOutput: onOutput)
    }

    /// - Parameter policy: what every request gets, also one that a host half begins.
    package func host(
        _ name: String, comesBack: Bool = true, policy: RequestPolicy, onOutput: (@Sendable ([UInt8]) -> Void)?
    ) async throws -> FakeHost {
        var tell: (@Sendable (ExtensionOutput) -> Void)?
        if let onOutput { tell = { onOutput($0.bytes) } }
        let application = try await HostApplication.connect(
            name: name, to: address, patience: .zero, comesBack: comesBack, policy: policy, onOutput: tell)
        return fake(application)
    }

    private func fake(_ application: HostApplication, holding held: HeldLoads? = nil) -> FakeHost {
        FakeHost(application, holding: held) { [weak self] in (try? await self?.timeline()) ?? " not available" }
    }

    /// Connects a host whose loads wait until `held` answers them.
    func host(_ name: String, holding held: HeldLoads) async throws -> FakeHost {
        let application = try await HostApplication.connect(
            name: name, to: address, patience: .zero, comesBack: true, holding: held)
        return fake(application, holding: held)
    }

    /// Returns every event that the daemon still stores, in order.
    public func events() async throws -> [EventRecord] {
        var records: [EventRecord] = []
        for try await batch in control.watch(since: 0, follow: false) { records += batch.events }
        return records
    }

    /// Waits until an event satisfies `condition`, even one that has happened already.
    ///
    /// - Parameters:
    ///   - limit: the time limit, in real time, even if the clock is virtual.
    ///   - condition: called for every event in order, on a separate task.
    /// - Throws: `ExtensionHostError` `timedOut` after `limit`, with the timeline as its cause; `CancellationError`.
    @discardableResult
    public func event(
        within limit: Duration = .seconds(60), where condition: @escaping @Sendable (EventRecord) -> Bool
    ) async throws -> EventRecord {
        let watcher = try await DaemonControl.connect(name: "test-wait", to: address)
        return try await withThrowingTaskGroup(of: EventRecord?.self) { group in
            group.addTask {
                for try await batch in watcher.watch(since: 0, follow: true) {
                    if let found = batch.events.first(where: condition) { return found }
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: limit)  // the bound of the wait, not the wait
                return nil
            }
            defer { group.cancelAll() }
            guard let found = try await group.next() ?? nil else {
                // The control connection has one watch at a time: a cancelled wait leaves it to others.
                try Task.checkCancellation()
                throw ExtensionHostError(
                    .timedOut, "no such event within \(limit)", remedy: "Read the events in the timeline",
                    cause: try await timeline())
            }
            return found
        }
    }

    /// Returns the warnings, then the events so far, one line an event.
    public func timeline() async throws -> String {
        var timeline = Timeline()
        let lines = warnings.map { "warning: \($0)" } + (try await events().map { timeline.line($0) })
        return lines.map { "\n  " + $0 }.joined()
    }

    /// Ends the daemon in order and waits until it is gone.
    ///
    /// Then it searches for leftovers, and checks the log against the written state machines (`LogChecker`).
    ///
    /// - Throws: `ExtensionHostError` `internalError` naming leftover processes or folders, or the first impossible
    ///   event.
    public func stop() async throws { try await stop(patience: Self.patience) }

    /// Ends the daemon, which has this long, in real time, to answer the last requests.
    package func stop(patience: Duration) async throws {
        let hadEnded = process.hasEnded
        // The requests below have no time limit of their own. A daemon that does not answer is ended, if possible with
        // a core dump, on a thread that waits for no task of the test's.
        let bound = DispatchWorkItem { [process] in
            // SIGCONT is for a daemon that was stopped: it gets SIGABRT when it continues.
            for signal in [SIGABRT, SIGCONT] { process.signal(signal) }
        }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .milliseconds(Int(patience / .milliseconds(1))), execute: bound)
        defer { bound.cancel() }
        // A watch that the test has left occupies its connection. If the daemon takes no other connection, its log is
        // read in part, and it is ended all the same.
        let other = control.followsLog ? try? await DaemonControl.connect(name: "test-stop", to: address) : nil
        let control = other ?? control
        var log = CheckedLog(timeIsVirtual: clockKind == .virtual)
        // The present log is read first: a watcher that is far behind at the daemon's end would miss its last events,
        // which count too.
        await log.read(control.watch(since: 0, follow: false))
        let rest = control.watch(since: log.last, follow: true)
        try? await control.fence()
        let status = try await process.end()
        // A daemon that was killed could not clean up. Its janitor may be doing it, too, or there is none.
        if case .signalled? = status { try? removeTree(folder) }
        await log.read(rest)
        // Leftovers of a killed daemon are gone a moment later: the bound of the wait, not the wait.
        let deadline = ContinuousClock.now + .seconds(30)
        var left = leftBehind(of: log.running)
        while !left.isEmpty, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(2))
            left = leftBehind(of: log.running)
        }
        guard left.isEmpty else {
            throw ExtensionHostError(
                .internalError, "the daemon left behind: \(left.joined(separator: ", "))",
                remedy: "Report it: a private daemon must not leave processes or folders")
        }
        switch status {
        // The test's own process has killed it, such as one that tests a daemon's death.
        case nil, .signalled(SIGKILL, _), .signalled(SIGTERM, _): break
        case .exited(0):
            guard log.isWhole || hadEnded else {
                throw ExtensionHostError(
                    .internalError, "the daemon's log ended too early", remedy: "Find out what closed its connection",
                    cause: log.timeline)
            }
        case .exited, .signalled, .notStarted, .unknown:
            throw ExtensionHostError(
                .internalError, "the daemon did not stop in order: \(status.map { "\($0)" } ?? "")",
                remedy: "Report it with the text on standard error, and the timeline below", cause: log.timeline)
        }
        guard let violation = log.violation else { return }
        throw ExtensionHostError(
            .internalError, "the daemon logged an impossible event: \(violation)",
            remedy: "Report it with the timeline below",
            cause: log.timeline)
    }

    private var folder: String { URL(fileURLWithPath: address.path).deletingLastPathComponent().path }

    private func leftBehind(of running: [Int: String]) -> [String] {
        running.filter { kill(pid_t($0.key), 0) == 0 }.map { "process \($0.key) of \($0.value)" }.sorted()
            + (FileManager.default.fileExists(atPath: folder) ? ["the folder \(folder)"] : [])
    }
}

/// Runs `body` with a private daemon, then ends the daemon and checks that nothing is left.
///
/// If `body` throws, the timeline goes to standard error, and the error on to the caller. `body` runs where the caller
/// does.
///
/// - Parameters:
///   - applications: folders of `.app` bundles, or such bundles.
///   - clock: with `.virtual`, timers move by `TestClock.advance(by:)` only.
///   - arguments: more options of `exthostd`.
///   - body: the test. References to the daemon are of no use afterwards.
/// - Throws: the error of `body`; else `ExtensionHostError` as `TestDaemon.start` and `TestDaemon.stop`.
nonisolated(nonsending) public func withTestDaemon<Result>(
    applications: [String], clock: TestDaemon.ClockKind = .real, arguments: [String] = [],
    _ body: (TestDaemon) async throws -> Result
) async throws -> Result {
    let daemon = try await TestDaemon.start(applications: applications, clock: clock, arguments: arguments)
    let result: Result
    do {
        result = try await body(daemon)
    } catch {
        StandardStreams.writeError("timeline:\((try? await daemon.timeline()) ?? " not available")\n")
        // The test's own error takes precedence over one at the daemon's end, which may have caused it.
        do { try await daemon.stop() } catch let end { StandardStreams.writeError("at the daemon's end: \(end)\n") }
        throw error
    }
    try await daemon.stop()
    return result
}

/// Runs `body` with a private daemon and the apps of a package, as `TestDaemon.bundle(package:)` makes them.
///
/// - Parameters:
///   - package: a path in it, such as `#filePath`.
///   - clock: with `.virtual`, timers move by `TestClock.advance(by:)` only.
///   - arguments: more options of `exthostd`.
///   - body: the test.
/// - Throws: the error of `body`; else `ExtensionHostError` as `TestDaemon.bundle(package:)` and the form with
///   `applications`.
nonisolated(nonsending) public func withTestDaemon<Result>(
    package: String, clock: TestDaemon.ClockKind = .real, arguments: [String] = [],
    _ body: (TestDaemon) async throws -> Result
) async throws -> Result {
    let applications = try await TestDaemon.bundle(package: package)
    return try await withTestDaemon(applications: applications, clock: clock, arguments: arguments, body)
}

/// Runs `body` with a private daemon; the folders are URLs.
@_disfavoredOverload
nonisolated(nonsending) public func withTestDaemon<Result>(
    applications: [URL], clock: TestDaemon.ClockKind = .real, arguments: [String] = [],
    _ body: (TestDaemon) async throws -> Result
) async throws -> Result {
    try await withTestDaemon(applications: applications.map(\.path), clock: clock, arguments: arguments, body)
}
