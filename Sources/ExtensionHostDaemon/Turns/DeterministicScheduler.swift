// DeterministicScheduler: the scheduler that does one thing at a time under a virtual clock, so that the order of
// events depends on no process's speed.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import LinuxSystem
import Logging

/// A process whose input and output the scheduler orders.
@HostActor
protocol TurnProcess: AnyObject {
    var number: Int { get }
    var pid: Int { get }
    /// The pid of the spawned process: of the program, or of the init or guardian around it.
    var root: Int32 { get }
    /// The identifier of the extension, for the log.
    var identifier: String { get }
    var peer: Peer? { get }
    var hasBegun: Bool { get }
    var isReady: Bool { get }
    var isSuspended: Bool { get }
    /// Whether the tree of the process is being stopped.
    var isBeingSuspended: Bool { get }
    var isEnding: Bool { get }
    /// Whether the process is about to end, whatever it does.
    var isTerminating: Bool { get }
    /// Whether the process has ended. It may not have been reaped yet.
    var hasEnded: Bool { get }
    /// Reads all messages and output of the process.
    ///
    /// - Returns: whether there was any.
    @discardableResult
    func takeInput() -> Bool
    /// Checks for a debugger on behalf of requests that wait for one.
    ///
    /// - Returns: false when a request has continued.
    func lookForDebuggers() -> Bool
}

/// The processes and hosts that `DeterministicScheduler` waits for.
@HostActor
protocol TurnParties: AnyObject {
    func turnProcess(_ number: Int) -> (any TurnProcess)?
    /// The processes in the order of their numbers.
    var turnProcesses: [any TurnProcess] { get }
    /// The pid of a host.
    func pid(ofHost name: String) -> Int32?
}

/// Runs the daemon's packets and the orders of hosts and tools one after the other, each when all others are quiescent.
///
/// A packet to an extension or a host waits in a queue. An order of a host or tool waits behind all packets. After each
/// of them the daemon waits until the process or host it concerned is quiescent (a process by `Quiescence`, a host by a
/// fence). Only then does it read what the processes have sent, in the order of the processes. Time moves last
/// (`ClockAdvance`). If a process has run for a second without becoming quiescent, the scheduler does not wait for it
/// until it has been quiescent once (`QuiescenceTimeout`).
@HostActor
final class DeterministicScheduler {
    typealias Body = @HostActor () -> Void

    /// The real time between two polls of a running process, which does not announce that it is quiescent. The first
    /// polls follow one another faster.
    private static let looks = [20, 50, 100, 200, 500, 1000].map { Duration.microseconds($0) }
    /// The same for a process that is absent, which announces its return.
    private static let absence = Duration.milliseconds(50)
    /// The number of packets, and of orders, that may wait; one more runs the first of them at once.
    private static let limit = 4096

    private final class Party {
        var timeout: QuiescenceTimeout
        var looks = 0
        /// A thread that ran at the last poll.
        var busy: Int32 = 0

        init(_ timeout: QuiescenceTimeout) { self.timeout = timeout }
    }

    /// A task on one of the daemon's own threads, or a question that a process has not answered.
    private struct Work {
        var timeout: QuiescenceTimeout
        var process: Int?
    }

    private let clock: RealClock
    private let logger: Logger
    /// The processes and hosts; set before anything waits.
    weak var parties: (any TurnParties)?
    private var timer: TimerSource?
    private var packets = Line()
    private var orders = Line()
    private var waiters = Line()
    /// The processes that may be running, by number.
    private var active: [Int: Party] = [:]
    /// The processes that used up their timeout. The daemon reads their input as it comes, until they are quiescent.
    private var restless: Set<Int> = []
    /// The processes that need no fence: they have been sent one since they were last marked active, or used up their
    /// timeout.
    private var fenced: Set<Int> = []
    /// The processes that have not answered their fence, for example because their author's code blocks. They get no
    /// further fence meanwhile.
    private var asked: Set<Int> = []
    /// The hosts that have not answered all of their fences.
    private var hosts: [String: (count: Int, timeout: QuiescenceTimeout)] = [:]
    private var work: [Int: Work] = [:]
    private var lastWork = 0
    /// The processes that have lost their connection and may reconnect: only time waits for them.
    private var absent: [Int: (pid: Int32, timeout: QuiescenceTimeout)] = [:]
    private var isScheduled = false
    private var isGoing = false
    private(set) var isOver = false

    init(clock: RealClock, logger: Logger) throws(LoopError) {
        self.clock = clock
        self.logger = logger
        timer = try TimerSource { [weak self] in self?.go() }
    }

    // MARK: What waits for its turn

    /// Adds a packet to an extension or a host to the queue.
    func send(_ body: @escaping Body) { add(body, to: &packets) }

    /// Adds an order from outside, which runs once all consequences of earlier events have happened.
    func order(_ body: @escaping Body) { add(body, to: &orders) }

    /// Calls `body` once nothing waits and all processes and hosts are quiescent, including the author's code in
    /// extensions.
    func whenQuiet(_ body: @escaping Body) {
        guard !isOver else { return body() }
        waiters.append(body)
        schedule()
    }

    private func add(_ body: @escaping Body, to line: inout Line) {
        guard !isOver else { return body() }
        line.append(body)
        if line.count > Self.limit, let first = line.takeFirst() { first() }
        schedule()
    }

    /// Runs everything that waits, because the daemon ends. From then on nothing waits.
    func end() {
        guard !isOver else { return }
        isOver = true
        timer = nil
        while let packet = packets.takeFirst() { packet() }
        while let order = orders.takeFirst() { order() }
        while let waiter = waiters.takeFirst() { waiter() }
    }

    // MARK: Who is waited for

    /// Marks a process that something was done to, or that acts by itself. The scheduler waits until it is quiescent.
    func markActive(_ process: any TurnProcess) {
        fenced.remove(process.number)
        wait(for: process)
    }

    /// Notes that input of the process has arrived.
    ///
    /// - Returns: whether the daemon reads it now, and not once the process is quiescent.
    func hasInput(_ process: any TurnProcess) -> Bool {
        if isOver || restless.contains(process.number) { return true }
        if active[process.number] == nil { markActive(process) }
        return false
    }

    /// Notes a packet to the host, and sends a fence behind it.
    func markActive(host name: String, _ peer: Peer) {
        guard !isOver else { return }
        let before = hosts[name] ?? (0, QuiescenceTimeout(at: clock.now))
        hosts[name] = (before.count + 1, before.timeout)
        peer.requestAtOnce(Fence()) { [weak self] _ in self?.answered(name) }
    }

    /// Stops waiting for a host that cannot answer any more.
    func forget(host name: String) {
        hosts[name] = nil
        schedule()
    }

    /// Notes the begin of a task on a thread of its own.
    ///
    /// - Returns: the function to call when the task is done.
    func beginWork() -> Body { beginWork(of: nil) }

    private func beginWork(of process: Int?) -> Body {
        lastWork += 1
        let number = lastWork
        work[number] = Work(timeout: QuiescenceTimeout(at: clock.now), process: process)
        return { [weak self] in
            self?.work[number] = nil
            self?.schedule()
        }
    }

    /// Notes that a host or tool, whose process lives, has lost its connection.
    ///
    /// The time that it takes to reconnect depends on its own speed, so no virtual time passes before it has had a
    /// second.
    ///
    /// - Returns: the function to call when it has reconnected, or will not do so.
    func awaitReturn(of pid: Int32) -> Body {
        lastWork += 1
        let number = lastWork
        absent[number] = (pid, QuiescenceTimeout(at: clock.now))
        return { [weak self] in
            self?.absent[number] = nil
            self?.schedule()
        }
    }

    private func wait(for process: any TurnProcess) {
        guard !isOver else { return }
        let now = clock.now
        if let party = active[process.number] {
            party.looks = 0
        } else {
            active[process.number] = Party(QuiescenceTimeout(at: now))
        }
        schedule()
    }

    private func answered(_ name: String) {
        guard let waiting = hosts[name] else { return }
        hosts[name] = waiting.count > 1 ? (waiting.count - 1, waiting.timeout) : nil
        schedule()
    }

    // MARK: Going on

    private func schedule() {
        guard !isScheduled, !isGoing, !isOver else { return }
        isScheduled = true
        EventLoop.shared.atEndOfIteration { [weak self] in
            self?.isScheduled = false
            self?.go()
        }
    }

    private func go() {
        guard !isGoing, !isOver else { return }
        isGoing = true
        defer { isGoing = false }
        while !isOver {
            guard settle() else { return }
            if let next = packets.takeFirst() ?? orders.takeFirst() {
                next()
            } else {
                guard waiters.count > 0 else { return }
                // Fences that were just sent need their answers first.
                guard sendFences(), lookForDebuggers() else { continue }
                guard !isAnybodyAbsent(at: clock.now) else { return timer?.arm(after: Self.absence) ?? () }
                waiters.takeFirst()?()
            }
        }
    }

    /// Whether all processes and hosts are quiescent, without further input. If not, the timer or their answers call
    /// `go` again.
    private func settle() -> Bool {
        let now = clock.now
        var pause: Duration?
        // A process that dies, or has its place taken by another, leaves the table meanwhile.
        for number in active.keys.sorted() {
            guard let party = active[number] else { continue }
            guard let process = parties?.turnProcess(number) else {
                drop(number)
                continue
            }
            guard !look(at: process, party) else { continue }
            guard let end = party.timeout.look(at: now, { sight(of: process, party) }) else {
                let next = Self.looks[min(party.looks, Self.looks.count - 1)]
                party.looks += 1
                pause = min(pause ?? next, next)
                continue
            }
            tell(end, "process \(process.pid) of \(process.identifier) does not become idle")
            restless.insert(number)
            fenced.insert(number)
            active[number] = nil
            work = work.filter { $0.value.process != number }
            process.takeInput()
        }
        if isWaitingForOthers(at: now) || parties?.turnProcesses.contains(where: { $0.isBeingSuspended }) == true {
            pause = pause ?? Self.looks.last
        }
        if let pause { timer?.arm(after: pause) }
        return pause == nil
    }

    /// Returns the activity of a process. A process that has to end and is quiescent all the same could have ended.
    private func sight(of process: any TurnProcess, _ party: Party) -> QuiescenceTimeout.Sight {
        if mustEnd(process) || isOnItsWayOut(process), Quiescence(below: process.root, busy: &party.busy) != nil {
            return .stands(waited: [:])
        }
        // A thread that no signal wakes waits, for example, for a child started by vfork(2). It uses no processor time,
        // and may never become quiescent.
        if party.busy != 0, ProcessTree.isUninterruptible(party.busy) {
            return .stands(waited: ProcessorTime.waited(below: process.root))
        }
        return .runs(spent: ProcessorTime.spent(below: process.root))
    }

    /// Whether a host, a thread of the daemon or a quiescent process still owes an answer and has time left for it.
    private func isWaitingForOthers(at now: UInt64) -> Bool {
        for (name, host) in hosts {
            let end = hosts[name]?.timeout.look(at: now) {
                .stands(waited: parties?.pid(ofHost: name).map { ProcessorTime.waited(by: $0) } ?? [:])
            }
            if let end { tell(end, "host \(name), asked \(host.count) times, does not answer") }
        }
        // The scheduler waits for a running process directly.
        for (number, task) in work where task.process.map({ active[$0] == nil }) ?? true {
            let isOwn = task.process == nil
            let end = work[number]?.timeout.look(at: now) { isOwn ? .runs(spent: [:]) : .stands(waited: [:]) }
            if let end, isOwn { tell(end, "a thread of the daemon does not finish") }
        }
        return hosts.values.contains { $0.timeout.end == nil } || work.values.contains { $0.timeout.end == nil }
    }

    private func isAnybodyAbsent(at now: UInt64) -> Bool {
        for (number, one) in absent {
            _ = absent[number]?.timeout.look(at: now) { .stands(waited: ProcessorTime.waited(by: one.pid)) }
        }
        absent = absent.filter { $0.value.timeout.end == nil }
        return !absent.isEmpty
    }

    /// Polls for attached debuggers before time moves. False when a request has continued.
    private func lookForDebuggers() -> Bool {
        var areAllHeld = true
        for process in parties?.turnProcesses ?? [] where !process.lookForDebuggers() { areAllHeld = false }
        return areAllHeld
    }

    private func tell(_ end: QuiescenceTimeout.End, _ what: String) {
        switch end {
        case .spent: logger.info("\(what) within its second, so the clock does not wait for it")
        case .bound:
            logger.warning("\(what) for \(QuiescenceTimeout.bound / 1_000_000_000) s, so the clock advances without it")
        }
    }

    /// Whether the scheduler waits for the end of the process, not for quiescence.
    ///
    /// A process that is killed has an init that sleeps while the others die. The same holds for a process that is
    /// ending and whose packets are held back.
    private func mustEnd(_ process: any TurnProcess) -> Bool {
        process.isTerminating || (process.isEnding && process.peer?.isCutShort == true)
    }

    /// Whether the program has ended, and its init or guardian has not.
    ///
    /// That one sleeps at times until the kernel has released everything, and would otherwise count as quiescent and
    /// alive.
    private func isOnItsWayOut(_ process: any TurnProcess) -> Bool {
        process.hasBegun && !process.hasEnded && ProcessStatus.isExiting(process.pid)
    }

    /// Reads the input of the process if it is quiescent. True when it is quiescent and had none.
    private func look(at process: any TurnProcess, _ party: Party) -> Bool {
        guard process.hasEnded || !mustEnd(process) else { return false }
        if !process.hasEnded {
            guard Quiescence(below: process.root, busy: &party.busy) != nil, !isOnItsWayOut(process) else {
                return false
            }
        }
        restless.remove(process.number)
        guard !process.takeInput() else {
            // The process had to wait for something that has arrived, so it gets a new second.
            (party.looks, party.timeout) = (0, QuiescenceTimeout(at: clock.now))
            return false
        }
        active[process.number] = nil
        return true
    }

    private func drop(_ number: Int) {
        active[number] = nil
        restless.remove(number)
        fenced.remove(number)
        asked.remove(number)
    }

    /// Sends a fence to each process that needs one. True if none did.
    private func sendFences() -> Bool {
        var hasSent = false
        for process in parties?.turnProcesses ?? [] {
            // A suspended process is quiescent. A process that the daemon does not hear could not answer.
            guard !fenced.contains(process.number), !asked.contains(process.number), process.isReady,
                let peer = process.peer,
                !process.isSuspended, !peer.isCutShort
            else { continue }
            hasSent = true
            let number = process.number
            fenced.insert(number)
            asked.insert(number)
            let done = beginWork(of: number)
            peer.requestAtOnce(Fence()) { [weak self] _ in
                self?.asked.remove(number)
                done()
            }
            wait(for: process)
        }
        return !hasSent
    }
}

extension DeterministicScheduler: EventObserver {
    func happened(_ event: LifecycleEvent) {
        if case .hostDisconnected(let name, _, _) = event { forget(host: name) }
    }
}

/// A queue of functions, first in, first out.
private struct Line {
    private var bodies: [DeterministicScheduler.Body?] = []
    private var head = 0

    var count: Int { bodies.count - head }

    mutating func append(_ body: @escaping DeterministicScheduler.Body) { bodies.append(body) }

    mutating func takeFirst() -> DeterministicScheduler.Body? {
        guard head < bodies.count else { return nil }
        defer {
            bodies[head] = nil
            head += 1
            if head == bodies.count { (bodies, head) = ([], 0) }
        }
        return bodies[head]
    }
}
