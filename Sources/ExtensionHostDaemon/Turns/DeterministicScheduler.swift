// DeterministicScheduler: under a virtual clock one thing happens at a time, so that the order of events depends on
// nobody's speed.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import LinuxSystem
import Logging

/// A process that has its turns.
@HostActor
protocol TurnProcess: AnyObject {
    var number: Int { get }
    var pid: Int { get }
    /// The pid of what was spawned: of the program, or of the init or guardian around it.
    var root: Int32 { get }
    /// The identifier of the extension, for the log.
    var identifier: String { get }
    var peer: Peer? { get }
    var hasBegun: Bool { get }
    var isReady: Bool { get }
    var isSuspended: Bool { get }
    /// Whether it is on its way to stand still.
    var isBeingSuspended: Bool { get }
    var isEnding: Bool { get }
    /// Whether its end is only a matter of a moment, whatever it does.
    var isTerminating: Bool { get }
    /// Whether it is no more. It may not have been reaped.
    var hasEnded: Bool { get }
    /// Reads what it has said and printed.
    ///
    /// - Returns: whether there was something.
    @discardableResult
    func takeInput() -> Bool
    /// Looks for a debugger on behalf of requests that wait for one.
    ///
    /// - Returns: false when a request has gone on.
    func lookForDebuggers() -> Bool
}

/// The processes and hosts that `DeterministicScheduler` waits for.
@HostActor
protocol TurnParties: AnyObject {
    func turnProcess(_ number: Int) -> (any TurnProcess)?
    /// In the order of their numbers.
    var turnProcesses: [any TurnProcess] { get }
    /// The pid of a host.
    func pid(ofHost name: String) -> Int32?
}

/// Lets what the daemon does to others, and what others order, happen one after the other, each when everybody rests.
///
/// A packet to an extension or a host waits in line; so does an order of a host or tool, behind all packets. After each
/// the daemon waits until whoever it concerned rests (a process by `Quiescence`, a host by a fence), and only then
/// reads what a process has said, in the order of the processes. Time moves last (`ClockAdvance`). Who does not rest
/// though it has run for a second is not waited for until it has rested once (`QuiescenceTimeout`).
@HostActor
final class DeterministicScheduler {
    typealias Body = @HostActor () -> Void

    /// Real time between two looks at a process that runs: nobody announces that it rests. The first ones follow one another faster.
    private static let looks = [20, 50, 100, 200, 500, 1000].map { Duration.microseconds($0) }
    /// The same for who is absent, who announces his return.
    private static let absence = Duration.milliseconds(50)
    /// Packets and orders that wait; what comes above that pushes the first through.
    private static let limit = 4096

    private final class Party {
        var timeout: QuiescenceTimeout
        var looks = 0
        /// A thread that ran at the last look.
        var busy: Int32 = 0

        init(_ timeout: QuiescenceTimeout) { self.timeout = timeout }
    }

    /// What is done on a thread of the daemon's own, or a question that a process has not answered.
    private struct Work {
        var timeout: QuiescenceTimeout
        var process: Int?
    }

    private let clock: RealClock
    private let logger: Logger
    /// Set before anything waits.
    weak var parties: (any TurnParties)?
    private var timer: TimerSource?
    private var packets = Line()
    private var orders = Line()
    private var waiters = Line()
    /// Processes that may be running, by number.
    private var active: [Int: Party] = [:]
    /// Those that were not waited for to the end: they are read as they come, until they rest.
    private var restless: Set<Int> = []
    /// Those that have answered a fence since they were stirred.
    private var fenced: Set<Int> = []
    /// Those that have been asked and have not answered: their author's code blocks, say. They are not asked again meanwhile.
    private var asked: Set<Int> = []
    /// Hosts that have not answered fences.
    private var hosts: [String: (count: Int, timeout: QuiescenceTimeout)] = [:]
    private var work: [Int: Work] = [:]
    private var lastWork = 0
    /// Who has lost its connection and is expected back: time waits for it, and nothing else does.
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

    /// A packet to an extension or a host.
    func send(_ body: @escaping Body) { add(body, to: &packets) }

    /// What somebody outside wants, when all that follows from what was before has happened.
    func order(_ body: @escaping Body) { add(body, to: &orders) }

    /// Calls `body` once nothing waits and everybody rests, the author's code in extensions included.
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

    /// The daemon ends: from now on nothing waits.
    func end() {
        guard !isOver else { return }
        isOver = true
        timer = nil
        while let packet = packets.takeFirst() { packet() }
        while let order = orders.takeFirst() { order() }
        while let waiter = waiters.takeFirst() { waiter() }
    }

    // MARK: Who is waited for

    /// Something was done to the process, or it does something by itself.
    func markActive(_ process: any TurnProcess) {
        fenced.remove(process.number)
        wait(for: process)
    }

    /// Something has come from the process. True when it is to be read now, and not when the process rests.
    func hasInput(_ process: any TurnProcess) -> Bool {
        if isOver || restless.contains(process.number) { return true }
        if active[process.number] == nil { markActive(process) }
        return false
    }

    /// Something was sent to the host.
    func markActive(host name: String, _ peer: Peer) {
        guard !isOver else { return }
        let before = hosts[name] ?? (0, QuiescenceTimeout(at: clock.now))
        hosts[name] = (before.count + 1, before.timeout)
        peer.requestAtOnce(Fence()) { [weak self] _ in self?.answered(name) }
    }

    /// It cannot answer any more.
    func forget(host name: String) {
        hosts[name] = nil
        schedule()
    }

    /// Something is done on a thread of its own. Call what is returned when it is done.
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

    /// A host or tool has lost its connection, and its process lives. Call what is returned when it is back, or will not come.
    ///
    /// How long it takes to come back is its own speed: no time passes before it has had a second.
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
                // What was just asked has to be waited for.
                guard sendFences(), lookForDebuggers() else { continue }
                guard !isAnybodyAbsent(at: clock.now) else { return timer?.arm(after: Self.absence) ?? () }
                waiters.takeFirst()?()
            }
        }
    }

    /// Whether everybody rests, and nothing came of it. If not, what goes on will come here again.
    private func settle() -> Bool {
        let now = clock.now
        var pause: Duration?
        // A process that dies, or is not the first any more, leaves the list meanwhile.
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
            tell(end, "process \(process.pid) of \(process.identifier) does not come to rest")
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

    /// One that is to end and rests nevertheless could have ended.
    private func sight(of process: any TurnProcess, _ party: Party) -> QuiescenceTimeout.Sight {
        if mustEnd(process) || isOnItsWayOut(process), Quiescence(below: process.root, busy: &party.busy) != nil {
            return .stands(waited: [:])
        }
        // Asleep where no signal wakes it, as one that waits for what it has started by vfork(2): it spends nothing, and may never rest.
        if party.busy != 0, ProcessTree.isUninterruptible(party.busy) {
            return .stands(waited: ProcessorTime.waited(below: process.root))
        }
        return .runs(spent: ProcessorTime.spent(below: process.root))
    }

    /// Whether a host, a thread of the daemon's own or a process that rests has an answer to give, and there is patience left for it.
    private func isWaitingForOthers(at now: UInt64) -> Bool {
        for (name, host) in hosts {
            let end = hosts[name]?.timeout.look(at: now) {
                .stands(waited: parties?.pid(ofHost: name).map { ProcessorTime.waited(by: $0) } ?? [:])
            }
            if let end { tell(end, "host \(name), asked \(host.count) times, does not answer") }
        }
        // A process that runs is waited for itself.
        for (number, task) in work where task.process.map({ active[$0] == nil }) ?? true {
            let isOwn = task.process == nil
            let end = work[number]?.timeout.look(at: now) { isOwn ? .runs(spent: [:]) : .stands(waited: [:]) }
            if let end, isOwn { tell(end, "a thread of the daemon's does not end") }
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

    /// A debugger that was attached is found by looking, and that before time moves. False when a request has gone on.
    private func lookForDebuggers() -> Bool {
        var areAllHeld = true
        for process in parties?.turnProcesses ?? [] where !process.lookForDebuggers() { areAllHeld = false }
        return areAllHeld
    }

    private func tell(_ end: QuiescenceTimeout.End, _ what: String) {
        switch end {
        case .spent: logger.info("\(what), and is not waited for: it had a second")
        case .bound:
            logger.warning("\(what) for \(QuiescenceTimeout.bound / 1_000_000_000) s, and is not waited for: time goes on")
        }
    }

    /// One that is killed is waited for to its end: its init sleeps while the others die. So is one that ends and is not heard any more.
    private func mustEnd(_ process: any TurnProcess) -> Bool {
        process.isTerminating || (process.isEnding && process.peer?.isCutShort == true)
    }

    /// Its program has ended, and what is around it has not: that sleeps now and then until the kernel has put everything away, and would be taken
    /// for one that rests and lives on.
    private func isOnItsWayOut(_ process: any TurnProcess) -> Bool {
        process.hasBegun && !process.hasEnded && ProcessStatus.isExiting(process.pid)
    }

    /// True when the process rests and what it said has been dealt with.
    private func look(at process: any TurnProcess, _ party: Party) -> Bool {
        guard process.hasEnded || !mustEnd(process) else { return false }
        if !process.hasEnded {
            guard Quiescence(below: process.root, busy: &party.busy) != nil, !isOnItsWayOut(process) else { return false }
        }
        restless.remove(process.number)
        guard !process.takeInput() else {
            // What it had to wait for is there now; it has a second again.
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

    /// Whether everybody has answered one.
    private func sendFences() -> Bool {
        var hasSent = false
        for process in parties?.turnProcesses ?? [] {
            // A suspended one rests; one that is not heard could not say that it does.
            guard !fenced.contains(process.number), !asked.contains(process.number), process.isReady, let peer = process.peer,
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

/// What waits, the first first.
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
