// TrialStage: the daemon, hosts and requests of one test.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import Locks
import PointMessages
import Scenarios

/// A private daemon with a test's hosts and requests. It belongs to the task of one test.
struct TrialStage {
    struct Begun: Sendable {
        var name: String?
        let host: String
        let request: ExtensionRequest
    }

    let daemon: TestDaemon
    /// The identifier that the daemon uses for the extension.
    let identifier: String
    let isVirtual: Bool
    let printed = PrintedText()
    let transfers: TransferStage
    private(set) var hosts: [String: FakeHost] = [:]
    /// The host halves, from the first step at an extension point on.
    private(set) var points: PointStage?
    /// The requests in the order of their begins, also those of host halves.
    private let requests = BegunRequests()
    var begun: [Begun] { requests.all.withLock { $0 } }

    private final class BegunRequests: Sendable {
        let all = Mutex<[Begun]>([])
    }

    /// Opens a stage. Throws the errors of `TestDaemon.start`, and `noSuchExtension` for a path without an extension.
    static func open(
        _ subject: TestSubject, clock: Scenario.Clock, options: [String] = []
    ) async throws -> TrialStage {
        let daemon = try await TestDaemon.start(
            DaemonProgram.locate(), applications: subject.applications, clock: clock == .virtual ? .virtual : .real,
            arguments: options)
        do {
            let identifier = try await subject.identifier(at: daemon.control)
            return TrialStage(daemon: daemon, identifier: identifier, isVirtual: clock == .virtual)
        } catch {
            await Self.stop(daemon)
            throw error
        }
    }

    private init(daemon: TestDaemon, identifier: String, isVirtual: Bool) {
        self.daemon = daemon
        transfers = TransferStage(daemon)
        self.identifier = identifier
        self.isVirtual = isVirtual
    }

    // MARK: Hosts and requests

    mutating func host(_ name: String) async throws -> FakeHost {
        if let host = hosts[name] { return host }
        var policy = RequestPolicy()
        policy.onBegin = { [requests] request in
            requests.all.withLock { $0.append(Begun(name: nil, host: name, request: request)) }
        }
        let host = try await daemon.host(name, policy: policy, onOutput: printed.add)
        hosts[name] = host
        return host
    }

    /// Returns the host halves, which the usual host has.
    mutating func pointStage() async throws -> PointStage {
        if let points { return points }
        let made = PointStage(
            try await host(ScenarioRequest.usualHost).application, identifier, groupContainers: daemon.groupContainers)
        points = made
        return made
    }

    /// Waits until a step at an extension point has its end, or the extension has a further call.
    ///
    /// False if neither comes.
    func takes(_ step: Pending<PointStage.Answer?>, after sequence: Int, within limit: Duration) async throws -> Bool {
        try await due(within: limit) { [daemon] in
            let (signals, continuation) = AsyncStream.makeStream(of: (any Error)?.self)
            let end = Task {
                do {
                    _ = try await step.value
                    continuation.yield(nil)
                } catch {
                    continuation.yield(error)
                }
            }
            let call = Task {
                // The settings of a widget come before the call that the step is about.
                try await daemon.event {
                    $0.sequence > sequence && $0.event == EventName.callStarted.rawValue
                        && $0.detail?.hasPrefix(TodaySettings.name) != true
                }
                continuation.yield(nil)
            }
            defer {
                end.cancel()
                call.cancel()
            }
            for await error in signals {
                if let error { throw error }
                return true
            }
            return false
        } ?? false
    }

    /// Disconnects a host without a message.
    mutating func disconnect(_ name: String) { hosts.removeValue(forKey: name)?.disconnect() }

    /// Begins a request without waiting for anything.
    mutating func begin(
        _ items: [OfferedItem], name: String? = nil, host hostName: String = ScenarioRequest.usualHost,
        timeout: Duration? = nil,
        force: Bool = false
    ) async throws -> ExtensionRequest {
        let host = try await host(hostName).application
        let request = try host.start(
            identifier, items: try await host.items(items, for: identifier), timeout: timeout, force: force)
        requests.all.withLock { all in
            if let place = all.lastIndex(where: { $0.request === request }) { all[place].name = name }
        }
        return request
    }

    /// Whether the extension gets the request, or the request ends before, within `limit` of real time.
    ///
    /// With a virtual clock a process that is only slow to start gets more time: until it has sent hello, or is
    /// quiescent without it.
    func delivers(_ request: ExtensionRequest, within limit: Duration) async throws -> Bool {
        if try await bounded(by: limit, { try await request.delivered() }) != nil { return true }
        guard isVirtual else { return false }
        try await daemon.clock.advance(by: .zero)
        return try await bounded(by: limit) { try await request.delivered() } != nil
    }

    /// Returns the request of that name, or the one that was begun last.
    func request(_ name: String?) -> Begun? { name == nil ? begun.last : begun.last { $0.name == name } }

    /// Sends a signal as another process would. False if the process is gone.
    func signal(_ number: Int32, to pid: Int) async throws -> Bool {
        guard let pid32 = Int32(exactly: pid) else { return false }
        let process: OwnedDescriptor
        do { process = try ProcessDescriptor.open(pid32) } catch { return false }
        // The number may be reused by now. If the daemon still lists it, it is the extension's.
        guard try await daemon.control.processes().contains(where: { $0.pid == pid }) else { return false }
        guard try ProcessDescriptor.signal(process.raw, number) else { return false }
        // The daemon hears of the end a moment later. Until then the log has nothing that a later line could wait for.
        if number == SIGKILL {
            _ = try await search(within: Self.patience) { records in
                records.contains { $0.event == EventName.processExited.rawValue && $0.pid == pid } ? true : nil
            }
        }
        return true
    }

    // MARK: What happened

    /// Returns what `look` finds in the log, as soon as it finds something.
    ///
    /// It returns nil after `limit`, or sooner if nothing can come any more.
    ///
    /// - Parameter isAsked: whether the limit is the line's own. Then it applies in any case, because an extension's
    ///   real-time work cannot be foreseen.
    func find<Found: Sendable>(
        within limit: Duration, isAsked: Bool = false, _ look: @Sendable ([EventRecord]) -> Found?
    ) async throws -> Found? {
        if let found = look(try await daemon.events()) { return found }
        guard !isAsked else { return try await search(within: limit, look) }
        return try await attempt(within: limit) { try await search(within: $0, look) }
    }

    /// Returns the result of `body`; nil if it takes longer than `limit`, or can never come. It may call `body` several
    /// times.
    func due<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        guard isVirtual else { return try await bounded(by: limit, body) }
        if let value = try await bounded(by: min(limit, Self.glance), body) { return value }
        return try await attempt(within: limit) { try await bounded(by: $0, body) }
    }

    /// Returns the result of `wait`, which gets its time limit as an argument.
    ///
    /// The limit is `moment` if nothing can come any more, before the wait and after it; else `limit`.
    private func attempt<Value>(within limit: Duration, _ wait: (Duration) async throws -> Value?) async throws
        -> Value?
    {
        guard let moment = try await moment, moment < limit else { return try await wait(limit) }
        let end = ContinuousClock.now + limit
        if let value = try await wait(moment) { return value }
        return try await self.moment == nil ? wait(max(end - .now, .zero)) : nil
    }

    /// The time to wait although nothing can come any more. Nil if something can.
    ///
    /// Nothing can come if a virtual clock stands still, no load is open, no page is being opened, and every process is
    /// idle or quiescent and waits for no real time.
    private var moment: Duration? {
        get async throws {
            guard isVirtual else { return nil }
            try await settle()
            guard points?.isAtWork != true else { return nil }
            guard Self.openLoads(try await daemon.events()) == 0 else { return nil }
            let processes = try await daemon.control.processes()
            guard processes.allSatisfy({ Self.resting.contains($0.state) }) else { return nil }
            // A request without a process that has sent hello is about to have one.
            let served = Set(processes.flatMap(\.requests))
            guard try await daemon.control.requests().allSatisfy({ served.contains($0.request) }) else { return nil }
            let busy = processes.filter { ["busy", "running"].contains($0.state) }.compactMap { Int32(exactly: $0.pid) }
            guard busy.allSatisfy({ Quiescence(below: $0) != nil && !RealTimeWait.isUnderWay(below: $0) }) else {
                return nil
            }
            return busy.isEmpty ? Self.delivery : Self.silence
        }
    }

    /// The states of processes that may have nothing to do. Apps and services are `running`.
    private static let resting: Set<String> = ["ready", "prewarmed", "idle", "suspended", "busy", "running"]

    /// The time in which an event, such as another process's signal, reaches the daemon and a host.
    private static let delivery = Duration.seconds(1)
    /// The time to wait for a busy process that is quiescent: a timer of Dispatch's may be hidden (`RealTimeWait`).
    private static let silence = Duration.seconds(3)
    private static let glance = Duration.milliseconds(50)

    private func search<Found: Sendable>(
        within limit: Duration, _ look: @Sendable ([EventRecord]) -> Found?
    ) async throws -> Found? {
        let deadline = ContinuousClock.now + limit
        while true {
            let records = try await daemon.events()
            if let found = look(records) { return found }
            let last = records.last?.sequence ?? 0
            let left = deadline - .now
            guard left > .zero else { return nil }
            do {
                try await daemon.event(within: left) { $0.sequence > last }
            } catch let error as ExtensionHostError where error.code == .timedOut {
                return look(try await daemon.events())
            }
        }
    }

    /// Waits until nothing is on its way: every extension is quiescent, each load is answered, and no event results
    /// from that.
    ///
    /// A real clock does not stop meanwhile, so there it waits only for sent messages.
    func settle() async throws {
        // A killed process is gone a moment later, and only then does its exit have a cause.
        _ = try await search(within: Self.patience) { Self.running(in: $0, killed: true).isEmpty ? true : nil }
        var last = try await daemon.events().last?.sequence ?? 0
        for _ in 0..<Self.mostRounds {
            await fence()
            if isVirtual { try await daemon.clock.advance(by: .zero) }
            let records = try await daemon.events()
            let now = records.last?.sequence ?? 0
            if now == last, Self.openLoads(records) == 0 || !isVirtual { return }
            last = now
        }
    }

    /// Waits until the daemon has received all messages of the hosts: an acknowledgement may be on its way when the
    /// outcome is known.
    func fence() async {
        for host in hosts.values { try? await host.application.fence() }
    }

    /// The limit of rounds, so that an unanswered load does not block forever.
    private static let mostRounds = 50

    /// The time limit of the end of a killed process.
    private static let patience = Duration.seconds(10)

    /// Returns the pids of processes that were started and have not ended; with `killed` only those that were sent
    /// SIGKILL.
    ///
    /// - Parameter identifier: the extension whose processes are meant; nil: all processes.
    static func running(in records: [EventRecord], of identifier: String? = nil, killed: Bool = false) -> Set<Int> {
        var running: Set<Int> = []
        for record in records {
            guard let pid = record.pid else { continue }
            switch EventName(rawValue: record.event) {
            case .processSpawned where !killed:
                if identifier.map({ $0 == record.extensionIdentifier }) ?? true { running.insert(pid) }
            case .processSignalled where killed && record.detail?.contains("SIGKILL") == true: running.insert(pid)
            case .processExited: running.remove(pid)
            default: break
            }
        }
        return running
    }

    private static func openLoads(_ records: [EventRecord]) -> Int {
        records.reduce(0) { count, record in
            switch EventName(rawValue: record.event) {
            case .itemLoadStarted: count + 1
            case .itemLoadFinished: count - 1
            default: count
            }
        }
    }

    func timeline() async -> [String] {
        var timeline = Timeline()
        return ((try? await daemon.events()) ?? []).map { timeline.line($0) }
    }

    /// Returns the cause of the last unintended end of a process, with its remedy.
    func lastDeath() async -> ExtensionHostError? {
        guard let status = try? await daemon.control.status(), status.lastDeath != nil else { return nil }
        return status.detail
    }

    // MARK: The end

    /// Ends the daemon, even if the task is cancelled.
    @discardableResult
    func close() async -> (any Error)? {
        for host in hosts.values { host.disconnect() }
        await transfers.close()
        return await Self.stop(daemon)
    }

    @discardableResult
    private static func stop(_ daemon: TestDaemon) async -> (any Error)? {
        await Task {
            do {
                try await daemon.stop()
                return nil
            } catch {
                return error
            }
        }.value
    }
}
