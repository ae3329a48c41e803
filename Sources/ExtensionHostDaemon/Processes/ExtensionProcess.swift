// ExtensionProcess: one extension's process: its machine, its socket, its pidfd, and what the effects do.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// A running extension. Carries out the effects of its state machine.
@HostActor
final class ExtensionProcess {
    let bundle: ExtensionBundle
    let point: ExtensionPoint
    let timers: Timers
    /// The program's; until it has been started, that of the init around it.
    private(set) var pid: Int
    /// Counts all processes that this daemon has launched.
    let number: Int
    let started: Int
    private(set) var machine: ProcessStateMachine
    private(set) var peer: Peer?

    let engine: Engine
    /// nil where nothing is limited.
    var limits: LimitWatch?
    private let process: SpawnedProcess
    private let spawnTime: UInt64
    private var readyTime: UInt64?
    private var exitSource: IOSource?
    /// For the program's pid, until it is known.
    private var startSource: IOSource?
    private var program: StartedProgram?
    private var mainQueue = MainQueueWatch()
    private var mainQueueTimer: PausableDeadline?
    /// Until the tree is known to have stopped.
    private var stopDeadline: Deadline?
    private var output: ProcessOutput?
    private var deadlines: [ProcessStateMachine.Timer: PausableDeadline] = [:]
    /// Requests assigned and not closed.
    private(set) var requests: [RequestIdentifier: Request] = [:]
    /// Hosts whose requests were served here: they are told when the process ends.
    private var hosts: [String: WeakHost] = [:]
    private struct WeakHost { weak var session: HostSession? }
    private var decidedBy = "extension"
    private var why: ExtensionHostError?
    /// Told once, when the process is no more.
    var onExit: (@HostActor (ExtensionProcess) -> Void)?

    init(
        number: Int, bundle: ExtensionBundle, point: ExtensionPoint, timers: Timers, process: consuming SpawnedProcess,
        peer: Peer,
        output: ProcessOutput, spawnTime: UInt64, engine: Engine
    ) {
        self.number = number
        self.bundle = bundle
        self.point = point
        self.timers = timers
        self.engine = engine
        pid = Int(process.pid)
        self.process = process
        self.peer = peer
        self.output = output
        self.spawnTime = spawnTime
        started = Int(engine.clock.wallClockNow / 1000)
        machine = ProcessStateMachine(policy: point.processPolicy == .shared ? .shared : .onePerRequest)
        peer.onPacket = { [weak self] in self?.receive($0) }
        peer.onClose = { [weak self] in self?.connectionClosed($0) }
        output.onChunk = { [weak self] in self?.wrote($0, $1) }
        arm(.launch)
    }

    /// Watches for the end. A process that cannot be watched is ended here and now.
    func watch() throws {
        do {
            exitSource = try EventLoop.shared.watchProcessExit(pidfd: process.pidfd.raw) { [weak self] in self?.reap() }
            noteStart()
            if program == nil, let report = process.report {
                startSource = try EventLoop.shared.watch(descriptor: report.raw, for: .readable) { [weak self] _ in
                    self?.noteStart()
                    self?.startSource = nil
                }
            }
        } catch {
            _ = try? process.signalTree(SIGKILL)
            peer?.onClose = nil
            peer?.close(.closed)
            throw error
        }
    }

    /// Learns the program's pid as soon as the init has started it: before it can have said or done anything.
    private func noteStart() {
        guard program == nil, let found = process.startedProgram() else { return }
        program = found
        pid = Int(found.pid)
        engine.log.append(.processSpawned, extensionIdentifier: bundle.identifier, pid: pid)
    }

    var state: String { machine.state.name }

    var isReady: Bool { readyTime != nil }

    /// Calls `body` once the process has said hello, or is gone.
    func whenReady(_ body: @escaping @HostActor () -> Void) {
        if isReady || machine.isOver { body() } else { waitingForHello.append(body) }
    }

    private var waitingForHello: [@HostActor () -> Void] = []

    /// Calls `body` once the process is no more.
    func whenOver(_ body: @escaping @HostActor () -> Void) {
        if machine.isOver { body() } else { waitingForEnd.append(body) }
    }

    private var waitingForEnd: [@HostActor () -> Void] = []

    // MARK: Requests

    /// It was launched for this host, and counts as its until it ends, whomever it serves besides.
    func charge(to host: HostSession?) {
        guard let host else { return }
        charge = Charge(to: host, engine.usage)
        charge?.set(Usage(processes: 1))
    }

    private var charge: Charge?

    func assign(_ request: Request) {
        requests[request.identifier] = request
        hosts = hosts.filter { $0.value.session != nil }
        // What it printed before is others'; what follows is this request's, too. All of a new process is its first one's.
        if machine.served > 0 { output?.drain() }
        engine.output.began(request.identifier, in: self)
        hosts[request.hostName] = WeakHost(session: request.host)
        handle(.assigned(request.identifier))
        reconsiderHosts()
        request.launch(in: self)
        if isReady { request.processReady() }
    }

    /// A request of this process is closed: its host has been answered.
    func requestEnded(_ request: Request, cause: Cause, work: Bool) {
        guard requests.removeValue(forKey: request.identifier) != nil else { return }
        if !work { printed(for: request.identifier) }
        if cause == .completed || cause == .cancelledByExtension { engine.supervisor.answered(bundle) }
        handle(.closed(request.identifier, cause, work: work))
        reconsiderHosts()
    }

    /// Everything that the process prints for this request has been printed: before it said so on its socket.
    private func printed(for request: RequestIdentifier) {
        output?.drain()
        if requests.isEmpty { engine.output.finishLines(of: self) }
        engine.output.ended(request)
    }

    /// Seconds from the creation of a request to this process's own steps, 0 when it was there before.
    func noteTimings(on timings: inout Timings, since start: UInt64) {
        func seconds(_ instant: UInt64) -> Double { instant > start ? Double(instant - start) / 1e9 : 0 }
        timings.spawn = seconds(spawnTime)
        timings.ready = readyTime.map(seconds)
    }

    func announce(_ notification: HostNotification, to requests: [RequestIdentifier], sequence: Int) {
        peer?.send(HostStateChanged(notification: notification, requests: requests, sequence: sequence))
    }

    // MARK: Orders

    func kill(_ cause: Cause, by decider: String, why: ExtensionHostError? = nil) {
        if machine.decided == nil { (decidedBy, self.why) = (decider, why) }
        handle(.kill(cause))
    }

    /// Its bundle is registered no more.
    func withdraw() {
        guard machine.decided == nil else { return }
        decidedBy = "operator"
        why = ExtensionHostError(
            .interrupted, "\(bundle.identifier) was removed: \(bundle.path)",
            remedy: "Install or add it again; what it had stored is left in place")
        handle(.withdrawn)
    }

    func stop() {
        if machine.decided == nil { decidedBy = "daemon" }
        handle(.daemonStopping)
    }

    // MARK: From the process

    private func receive(_ packet: Packet) {
        noteStart()
        do throws(ProtocolError) {
            guard packet.kind != .hello else { return try welcome(try packet.message()) }
            guard isReady else { throw .unexpected(kind: "\(packet.kind)", state: "before hello") }
            switch packet.kind {
            case .complete:
                let message: Complete = try packet.message()
                answer(message.request) { $0.complete(message, packet) }
            case .cancelRequest:
                let message: CancelRequest = try packet.message()
                answer(message.request) { $0.cancelByExtension(packet) }
            case .handlerFinished:
                let request = try packet.message(HandlerFinished.self).request
                if machine.work.contains(request) { printed(for: request) }
                handle(.handlerFinished(request))
            case .loadItem: try engine.broker.load(packet, from: self)
            case .cancelLoad: try engine.broker.cancel(packet, from: self)
            case .contextFault:
                let message: ContextFault = try packet.message()
                engine.log.append(
                    .contextFault, request: message.request, extensionIdentifier: bundle.identifier, pid: pid,
                    detail: message.detail)
            default: throw .unexpected(kind: "\(packet.kind)", state: "from an extension")
            }
        } catch {
            violated(error)
        }
    }

    private func answer(_ identifier: RequestIdentifier, _ body: @HostActor (Request) -> Void) {
        guard let request = requests[identifier] else {
            // Said again, or crossed with the end of the request: acknowledged, so that the extension need not keep it.
            peer?.send(Acknowledge(request: identifier))
            return
        }
        body(request)
        if let event = request.machine.answerToProcess(identifier) { handle(event) }
    }

    private func welcome(_ hello: Hello) throws(ProtocolError) {
        guard !isReady else { throw .unexpected(kind: "hello", state: "twice") }
        guard hello.role == .extension else { throw .badIdentity("an extension's socket, and the role \(hello.role.rawValue)") }
        let version = try Handshake.settle(hello)
        readyTime = engine.clock.now
        let token = Handshake.token()
        peer?.openCredit(hello.window)
        peer?.version = version
        peer?.send(
            Welcome(
                version: version, window: .standard, token: token,
                execution: Execution(
                    identifier: bundle.identifier, point: bundle.point, principalClass: bundle.principalClass,
                    bundle: bundle.isProgram ? nil : bundle.path, socket: engine.socketPath)))
        if hello.resumable, let peer { keep(peer, token: token, version) }
        engine.log.append(.processReady, extensionIdentifier: bundle.identifier, pid: pid, detail: hello.sdk)
        handle(.hello)
        for request in requests.values.sorted(by: { $0.began < $1.began }) { request.processReady() }
        tellWaiting()
    }

    /// An extension that loses its socket and lives on has the time `term` to come back; until then it gets nothing new.
    private func keep(_ peer: Peer, token: [UInt8], _ version: ProtocolVersion) {
        let session = ResumableSession(
            token: token, peer: peer, role: .extension, pid: Int32(pid), version: version, engine: engine, isBounded: false)
        session.onLoss = { [weak self] in
            guard let self else { return }
            // One that was told to end leaves without a word.
            if machine.decided == nil {
                engine.log.append(.connectionLost, extensionIdentifier: bundle.identifier, pid: pid)
            }
            handle(.connectionClosed)
        }
        session.onResume = { [weak self] in self?.handle(.connectionResumed) }
    }

    private func tellWaiting() {
        let waiting = waitingForHello
        waitingForHello = []
        for body in waiting { body() }
    }

    private func violated(_ error: ProtocolError) {
        let why: ExtensionHostError
        if case .versionMismatch(let ours, let theirs) = error {
            why = ExtensionHostError(
                .versionMismatch, "no common protocol version: the daemon speaks \(ours), the extension \(theirs)",
                remedy: "Bring the older of the two up to date")
        } else {
            why = ExtensionHostError(
                .protocolViolation, "the extension broke the protocol: \(error)", remedy: "See docs/protocol.md")
        }
        if machine.decided == nil { (decidedBy, self.why) = ("daemon", why) }
        peer?.fail(error)
        handle(.kill(.protocolViolation))
    }

    private func connectionClosed(_ error: ConnectionError) {
        peer = nil
        switch error {
        case .violation(let violation): violated(violation)
        case .closed: handle(.connectionClosed)
        default:
            let why = ExtensionHostError(
                .protocolViolation, "the extension's connection failed: \(error)", remedy: "Let it read packets as they come")
            kill(.protocolViolation, by: "daemon", why: why)
        }
    }

    private func wrote(_ stream: ProcessOutput.Stream, _ all: [UInt8]) {
        let taken = limits?.take(all.count, now: engine.realClock.now) ?? all.count
        guard taken > 0 else { return }
        let bytes = taken == all.count ? all : Array(all[..<taken])
        engine.log.append(
            .processOutput, extensionIdentifier: bundle.identifier, pid: pid, detail: "\(stream.rawValue) \(bytes.count) bytes")
        engine.output.write(bytes, stream, of: self)
        for host in hosts.values { host.session?.show(output: bytes, of: self, stream: stream.rawValue) }
    }

    // MARK: The end

    private func reap() {
        noteStart()
        // What it said before it went counts; only then is it gone.
        peer?.drain()
        output?.drain()
        engine.output.finishLines(of: self)
        // Whoever it left behind in its session goes with it; before the reaping, while the group is still its own.
        _ = try? process.signalTree(SIGKILL)
        // One that has killed its guardian is reached no longer through it.
        _ = try? program?.signalGroup(SIGKILL)
        let ending: ProcessEnding
        do {
            guard let reaped = try process.reap() else { return }
            ending = reaped
        } catch {
            ending = ProcessEnding(status: .unknown)
        }
        exited(ending)
    }

    private func exited(_ ending: ProcessEnding) {
        limits?.judge(ending)
        if machine.decided == nil, case .signalled = ending.status { decidedBy = "system" }
        lastEnding = ending
        handle(.exited(ending.status))
    }

    private var lastEnding = ProcessEnding(status: .unknown)

    private func finish(_ cause: Cause) {
        limits?.end()
        var exit = ExitRecord(
            status: nil, signal: nil, cause: cause, peakMemory: lastEnding.peakMemory.map(Int.init), expired: machine.didExpire,
            memoryLimit: limits?.limits[.memory], reached: limits?.fatal)
        if let peak = limits?.peak { exit.peakMemory = max(peak, exit.peakMemory ?? 0) }
        var hasDumped = false
        switch lastEnding.status {
        case .exited(let status): exit.status = Int(status)
        case .signalled(let signal, let dumped): (exit.signal, hasDumped) = (Int(signal), dumped)
        case .notStarted, .unknown: break
        }
        peer?.close(.closed)
        peer = nil
        (exitSource, startSource) = (nil, nil)
        engine.log.append(
            .processExited, extensionIdentifier: bundle.identifier, pid: pid, cause: cause,
            detail: Self.describe(lastEnding.status) + Self.describe(exit, decidedBy))
        let record = DeathRecord(
            extensionIdentifier: bundle.identifier, pid: pid, exit: exit, decidedBy: decidedBy, requests: openAtEnd,
            loads: loadsAtEnd, stderrTail: "", time: Int(engine.clock.wallClockNow / 1000))
        engine.supervisor.remember(
            DeathCertificate(
                record: record, tail: output?.errorTail ?? [], hasDumped: hasDumped,
                started: engine.options.clock == .real ? started : 0),
            why: explanation(of: cause))
        charge?.release()
        engine.supervisor.ended(bundle, cause)
        output = nil
        engine.output.ended(self)
        let message = Exited(process: number, exit: exit, time: Int(clamping: engine.clock.now))
        for host in hosts.values { host.session?.peer.send(message) }
        hosts = [:]
        onExit?(self)
        tellWaiting()
        let waiting = waitingForEnd
        waitingForEnd = []
        for body in waiting { body() }
    }

    private var openAtEnd: [RequestIdentifier] = []
    private var loadsAtEnd: [LoadRecord] = []
    /// Loads that a certificate names: it must fit into a packet.
    private static let loadsShown = 16

    /// `, decided by daemon, peak 70254592 bytes of 67108864`.
    private static func describe(_ exit: ExitRecord, _ decidedBy: String) -> String {
        var text = ", decided by \(decidedBy)"
        if let peak = exit.peakMemory { text += ", peak \(peak) bytes" + (exit.memoryLimit.map { " of \($0)" } ?? "") }
        return text
    }

    private static func describe(_ status: ExitStatus) -> String {
        switch status {
        case .exited(let code): "exit status \(code)"
        case .signalled(let signal, let dumped):
            "signal \(signal) (\(String(cString: strsignal(signal))))\(dumped ? ", core dumped" : "")"
        case .notStarted(let error): "not started: \(error)"
        case .unknown: "status unknown"
        }
    }

    private func explanation(of cause: Cause) -> ExtensionHostError {
        if let why { return why }
        switch cause {
        case .crashed, .exitedEarly:
            let end = Self.describe(lastEnding.status)
            let stage =
                !isReady ? "before it said hello" : openAtEnd.isEmpty ? "with no request open" : "while the request was open"
            return ExtensionHostError(
                .interrupted, "the extension's process ended \(stage): \(end)",
                remedy: isReady
                    ? "exthostctl logs \(bundle.identifier) shows its last words"
                    : "Does the program call NSExtensionMain()? exthostctl logs \(bundle.identifier) shows its last words")
        case .launchTimeout:
            return ExtensionHostError(
                .timedOut, "the extension did not say hello within \(timers[.launch] ?? .zero)",
                remedy: "Call NSExtensionMain() at once and do the work in beginRequest")
        case .protocolViolation:
            return ExtensionHostError(
                .protocolViolation, "the extension closed its connection and did not end",
                remedy: "Leave the socket of EXTHOST_EXTENSION_FD open for as long as the process serves")
        case .requestTimeout:
            return ExtensionHostError(
                .timedOut, "a request was not answered in time, and the process served no other",
                remedy: "Let it answer sooner, or give the request more time")
        case .expired:
            return ExtensionHostError(
                .timedOut, "its completion work went on after it was told that its time was up",
                remedy: "Stop the work when the completion handler is called with expired = true")
        case .daemonStopping: return .daemonStopping
        case .terminatedByOperator:
            return ExtensionHostError(
                .interrupted, "an operator ended the extension", remedy: "Begin again if it is still wanted")
        default: return ExtensionHostError(.interrupted, "the extension's process was ended: \(cause.rawValue)")
        }
    }

    // MARK: Effects

    private func handle(_ event: ProcessStateMachine.Event) {
        for effect in machine.handle(event) { perform(effect) }
        watchMainQueue()
        limits?.setServing(machine.isServing)
        engine.activityChanged()
    }

    private func perform(_ effect: ProcessStateMachine.Effect) {
        switch effect {
        case .arm(let timer): arm(timer)
        case .disarm(let timer): deadlines[timer] = nil
        case .disarmAll: deadlines = [:]
        case .sendTerminate(let cause):
            if cause == .idle || cause == .noRequest || cause == .completed || cause == .expiredInTime { decidedBy = "daemon" }
            peer?.send(Terminate(cause: cause))
        case .sendExpired(let request):
            engine.log.append(.requestExpiring, request: request, extensionIdentifier: bundle.identifier, pid: pid)
            peer?.send(Expired(request: request))
        case .sendSignal(let signal):
            engine.log.append(.processSignalled, extensionIdentifier: bundle.identifier, pid: pid, detail: "SIGTERM")
            _ = try? process.signal(signal)
        case .killTree:
            if decidedBy == "extension" { decidedBy = "daemon" }
            engine.log.append(
                .processSignalled, extensionIdentifier: bundle.identifier, pid: pid, cause: machine.decided, detail: "SIGKILL")
            _ = try? process.signalTree(SIGKILL)
        case .endRequests(let cause):
            openAtEnd = requests.keys.sorted { $0.description < $1.description }
            loadsAtEnd = Array(engine.broker.openLoads(of: Set(openAtEnd)).prefix(Self.loadsShown))
            // In the order in which they came.
            for request in requests.values.sorted(by: {
                ($0.began, $0.identifier.description) < ($1.began, $1.identifier.description)
            }) {
                request.processDied(cause, explanation(of: cause))
            }
        case .suspend: suspend()
        case .resume: resume()
        case .reaped(let cause): finish(cause)
        }
    }

    // MARK: The main queue

    /// While requests are open: an idle extension is not woken for it.
    private func watchMainQueue() {
        let isServing = machine.state == .busy && !machine.requests.isEmpty
        guard isServing || machine.state == .suspended else {
            (mainQueue, mainQueueTimer) = (MainQueueWatch(), nil)
            return
        }
        guard mainQueueTimer == nil, let peer, peer.version >= .withMainQueueCheck, let interval = timers[.unresponsive] else {
            return
        }
        mainQueueTimer = deadline(after: interval) { [weak self] in self?.checkMainQueue(interval) }
    }

    private func checkMainQueue(_ interval: Duration) {
        mainQueueTimer = nil
        switch mainQueue.tick() {
        case .ask:
            peer?.request(CheckMainQueue()) { [weak self] answer in
                if case .success = answer { self?.mainQueue.answered() }
            }
        case .report:
            let why = ExtensionHostError(
                .timedOut, "its main queue was blocked for \(interval)",
                remedy: "Let beginRequest and what it calls return, and do long work on a queue of its own")
            engine.log.append(
                .processUnresponsive, extensionIdentifier: bundle.identifier, pid: pid, cause: .unresponsive, detail: why.message)
            if engine.options.endsUnresponsive { return kill(.unresponsive, by: "daemon", why: why) }
        case .wait: break
        }
        watchMainQueue()
    }

    // MARK: Suspension

    /// A host of this process has changed its state, or its requests are others than before.
    func reconsiderHosts() {
        let areAway =
            !requests.isEmpty
            && requests.values.allSatisfy {
                engine.options.suspendsWhenInactive ? $0.hostState != .active : $0.hostState == .background
            }
        if areAway != machine.hostsAreAway { handle(.hostsAway(areAway)) }
    }

    /// Its whole tree stops. What holds a lock in a shared container then would keep others from it for as long as its hosts are
    /// away: it is killed (spec 5.4). Before the stop most are found; a lock taken meanwhile is found after it.
    private func suspend() {
        for deadline in deadlines.values { deadline.pause() }
        mainQueueTimer?.pause()
        for request in requests.values { request.pauseTimers() }
        if endIfLocked() { return }
        _ = try? process.signalTree(SIGSTOP)
        engine.log.append(.processSuspended, extensionIdentifier: bundle.identifier, pid: pid)
        lookAfterStop(attempts: 200)
    }

    /// The init stops the tree in its own time; a moment, on the real clock. A program that does not stop for a second, as it stands
    /// still in the kernel (vfork(2)), is asked for locks then: what else is in its tree may hold one.
    private func lookAfterStop(attempts: Int) {
        stopDeadline = engine.realClock.schedule(after: .milliseconds(5)) { [weak self] in
            guard let self, machine.state == .suspended else { return }
            if attempts == 0 || ProcessStatus(of: pid)?.isStopped == true {
                _ = endIfLocked()
            } else {
                lookAfterStop(attempts: attempts - 1)
            }
        }
    }

    private func endIfLocked() -> Bool {
        guard let containers = engine.options.containersFolder,
            let lock = HeldLock.find(inTreeOf: Int32(process.pid), below: containers + "/Shared")
        else { return false }
        let why = ExtensionHostError(
            .interrupted, "it held a lock when it was to be suspended: \(lock)",
            remedy: "Close files and databases of a shared container, or end their locks, when the host enters the background",
            cause: "0xdead10cc")
        kill(.lockHeldAtSuspension, by: "daemon", why: why)
        return true
    }

    private func resume() {
        stopDeadline = nil
        _ = try? process.signalTree(SIGCONT)
        engine.log.append(.processResumed, extensionIdentifier: bundle.identifier, pid: pid)
        for deadline in deadlines.values { deadline.resume() }
        mainQueueTimer?.resume()
        for request in requests.values { request.resumeTimers() }
    }

    private func arm(_ timer: ProcessStateMachine.Timer) {
        let name: Timers.Name
        switch timer {
        case .launch: name = .launch
        case .firstRequest: name = .firstRequest
        case .idle: name = .idle
        case .suspend: name = .suspend
        case .postComplete: name = .postComplete
        case .expire, .terminate: name = .expire
        case .kill, .closed: name = .term
        }
        guard let limit = timers[name] else { return }
        deadlines[timer] = deadline(after: limit) { [weak self] in
            self?.deadlines[timer] = nil
            self?.handle(.timer(timer))
        }
    }

    /// A time limit on what this process does: it stands still while a debugger is attached.
    func deadline(after limit: Duration, _ body: @escaping @HostActor () -> Void) -> PausableDeadline {
        PausableDeadline(engine.clock, after: limit, unless: { [weak self] in self?.isTraced ?? false }, body)
    }

    var isTraced: Bool { ProcessStatus(of: pid)?.isTraced ?? false }

    /// Requests that a list names of one process: its record must fit into a packet.
    private static let requestsShown = 256

    var record: ProcessRecord {
        ProcessRecord(
            extensionIdentifier: bundle.identifier, pid: pid, state: state,
            requests: Array(requests.keys.sorted { $0.description < $1.description }.prefix(Self.requestsShown)),
            started: started, memory: residentMemory)
    }

    /// From `/proc`, in bytes; nil when the process is just going.
    private var residentMemory: Int? {
        guard let text = try? readFile("/proc/\(pid)/statm", maximumSize: 256) else { return nil }
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(getpagesize()) } : nil
    }
}
