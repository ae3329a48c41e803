// Turns: under a virtual clock one thing happens at a time, so that the order of events depends on nobody's speed.

import EventLoop
import ExtensionProtocol
import LinuxSystem

/// Lets what the daemon does to others, and what others order, happen one after the other, each when everybody rests.
///
/// A packet to an extension or a host waits in line; so does an order of a host or tool, behind all packets. After each the daemon waits
/// until whoever it concerned rests (a process by `TreeRest`, a host by a fence), and only then reads what a process has said, in the order of the
/// processes. Time moves last (`ClockAdvance`). What does not rest for a second of real time is not waited for until it has rested once.
@HostActor
final class Turns {
    typealias Body = @HostActor () -> Void

    /// Real time after which one that does not rest is no longer waited for.
    private static let patience = Duration.seconds(1)
    /// Real time between two looks at a process that runs: nobody announces that it rests. The first ones follow one another faster.
    private static let looks = [20, 50, 100, 200, 500, 1000].map { Duration.microseconds($0) }
    /// Packets and orders that wait; what comes above that pushes the first through.
    private static let limit = 4096

    private final class Party {
        /// Real nanoseconds: since when it is waited for.
        var since: UInt64
        var looks = 0
        /// A thread that ran at the last look.
        var busy: Int32 = 0

        init(since: UInt64) { self.since = since }
    }

    private unowned let engine: Engine
    private var timer: TimerSource?
    private var packets = Line()
    private var orders = Line()
    private var waiters = Line()
    /// Processes that may be running, by number.
    private var stirred: [Int: Party] = [:]
    /// Those that were not waited for to the end: they are read as they come, until they rest.
    private var restless: Set<Int> = []
    /// Those that have answered a fence since they were stirred.
    private var fenced: Set<Int> = []
    /// Those that have been asked and have not answered: their author's code blocks, say. They are not asked again meanwhile.
    private var asked: Set<Int> = []
    /// Hosts that have not answered a fence, with the time of the first, in real nanoseconds.
    private var hosts: [String: (count: Int, since: UInt64)] = [:]
    private var work: [Int: UInt64] = [:]
    private var lastWork = 0
    private var isScheduled = false
    private var isGoing = false
    private(set) var isOver = false

    init(engine: Engine) throws(LoopError) {
        self.engine = engine
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
    func stir(_ process: ExtensionProcess) {
        fenced.remove(process.number)
        wait(for: process)
    }

    /// Something has come from the process. True when it is to be read now, and not when the process rests.
    func hasInput(_ process: ExtensionProcess) -> Bool {
        if isOver || restless.contains(process.number) { return true }
        if stirred[process.number] == nil { stir(process) }
        return false
    }

    /// Something was sent to the host.
    func stir(_ host: HostSession) {
        guard !isOver else { return }
        let name = host.name
        hosts[name] = (hosts[name, default: (0, 0)].count + 1, hosts[name]?.since ?? engine.realClock.now)
        host.peer.requestAtOnce(Fence()) { [weak self] _ in self?.answered(name) }
    }

    /// It cannot answer any more.
    func forget(host name: String) {
        hosts[name] = nil
        schedule()
    }

    /// Something is done on a thread of its own. Call what is returned when it is done.
    func beginWork() -> Body {
        lastWork += 1
        let number = lastWork
        work[number] = engine.realClock.now
        return { [weak self] in
            self?.work[number] = nil
            self?.schedule()
        }
    }

    private func wait(for process: ExtensionProcess) {
        guard !isOver else { return }
        let now = engine.realClock.now
        if let party = stirred[process.number] {
            party.looks = 0
        } else {
            stirred[process.number] = Party(since: now)
        }
        schedule()
    }

    private func answered(_ name: String) {
        guard let waiting = hosts[name] else { return }
        hosts[name] = waiting.count > 1 ? (waiting.count - 1, waiting.since) : nil
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
                if sendFences(), let waiter = waiters.takeFirst() { waiter() }
            }
        }
    }

    /// Whether everybody rests, and nothing came of it. If not, what goes on will come here again.
    private func settle() -> Bool {
        let now = engine.realClock.now
        var pause: Duration?
        // A process that dies, or is not the first any more, leaves the list meanwhile.
        for number in stirred.keys.sorted() {
            guard let party = stirred[number] else { continue }
            guard let process = engine.supervisor.processes[number] else {
                drop(number)
                continue
            }
            guard !look(at: process, party) else { continue }
            let isLate = now - min(now, party.since) > UInt64(Self.patience.components.seconds) * 1_000_000_000
            guard isLate else {
                let next = Self.looks[min(party.looks, Self.looks.count - 1)]
                party.looks += 1
                pause = min(pause ?? next, next)
                continue
            }
            restless.insert(number)
            fenced.insert(number)
            stirred[number] = nil
            process.takeInput()
        }
        let patience = UInt64(Self.patience.components.seconds) * 1_000_000_000
        let isWaiting =
            hosts.values.contains { now - min(now, $0.since) < patience }
            || work.values.contains { now - min(now, $0) < patience }
            || engine.supervisor.processes.values.contains { $0.isBeingSuspended }
        if isWaiting { pause = pause ?? Self.looks.last }
        if let pause { timer?.arm(after: pause) }
        return pause == nil
    }

    /// True when the process rests and what it said has been dealt with.
    private func look(at process: ExtensionProcess, _ party: Party) -> Bool {
        // One that is killed is waited for to its end: its init sleeps while the others die. So is one that ends and is not heard any more.
        let mustEnd = process.isDoomed || (process.machine.decided != nil && process.peer?.isCutShort == true)
        guard process.hasEnded || !mustEnd else { return false }
        if !process.hasEnded {
            guard TreeRest(below: process.root, busy: &party.busy) != nil else { return false }
        }
        restless.remove(process.number)
        guard !process.takeInput() else {
            // What it had to wait for is there now; it has a second again.
            (party.looks, party.since) = (0, engine.realClock.now)
            return false
        }
        stirred[process.number] = nil
        return true
    }

    private func drop(_ number: Int) {
        stirred[number] = nil
        restless.remove(number)
        fenced.remove(number)
        asked.remove(number)
    }

    /// Whether everybody has answered one.
    private func sendFences() -> Bool {
        var hasSent = false
        for process in engine.supervisor.inOrder {
            // A suspended one rests; one that is not heard could not say that it does.
            guard !fenced.contains(process.number), !asked.contains(process.number), process.isReady, let peer = process.peer,
                process.machine.state != .suspended, !peer.isCutShort
            else { continue }
            hasSent = true
            let number = process.number
            fenced.insert(number)
            asked.insert(number)
            let done = beginWork()
            peer.requestAtOnce(Fence()) { [weak self] _ in
                self?.asked.remove(number)
                done()
            }
            wait(for: process)
        }
        return !hasSent
    }
}

/// What waits, the first first.
private struct Line {
    private var bodies: [Turns.Body?] = []
    private var head = 0

    var count: Int { bodies.count - head }

    mutating func append(_ body: @escaping Turns.Body) { bodies.append(body) }

    mutating func takeFirst() -> Turns.Body? {
        guard head < bodies.count else { return nil }
        defer {
            bodies[head] = nil
            head += 1
            if head == bodies.count { (bodies, head) = ([], 0) }
        }
        return bodies[head]
    }
}
