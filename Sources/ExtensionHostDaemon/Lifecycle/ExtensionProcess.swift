// ExtensionProcess: one process of an extension or app: its socket, pidfd and output, and its effects.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// A running extension or app.
///
/// The model decides what happens to it.
@HostActor
final class ExtensionProcess {
    let bundle: ExtensionBundle
    let point: ExtensionPoint
    let timers: Timers
    /// The pid of the program; until the program has started, the pid of the init around it.
    private(set) var pid: Int
    /// The number of the process among all that the daemon has launched.
    let number: Int
    /// The user whose rights the process has; nil: the daemon's own user.
    let identity: UserIdentity?
    let started: Int
    /// The state machine, for the time before the model has the process and after it has forgotten it.
    private var last: ProcessStateMachine
    /// The connection; nil after its end.
    var peer: Peer?
    /// The object that reads the connection, which the process holds until its own end.
    var session: AnyObject?
    /// The deadline by which the process has to reconnect after a restart of the daemon.
    var returning: Deadline?
    /// The connection that a fault closed; the process holds it until its own end.
    var lostPeer: Peer?
    let context: DaemonContext
    /// The watch over the limits of the process; nil where nothing is limited.
    var limits: LimitWatch?
    /// The log of refused accesses; nil where the process is not confined.
    private var denialLog: DenialLog?
    /// The layers of confinement around the process.
    private let sandbox: ConfinementLayers
    var door: ReconnectSocket?
    let child: ChildProcess
    private let spawnTime: UInt64
    private var readyTime: UInt64?
    /// Whether another daemon has launched it.
    private var isAdopted = false
    private var output: ProcessOutput?
    /// The requests that are assigned and not closed.
    var requests: [RequestIdentifier: Request] = [:]
    /// The requests that have ended, and whose hosts hear of that once the pending refusals have been reported.
    var ending: [Request] = []
    /// The requests that the output and the events of the process belong to.
    ///
    /// They are those that it serves or does completion work for; without any, the last one served.
    var story: [RequestIdentifier] = []
    /// The last requests that the process was given; its end belongs to all of them. The journal takes no more than
    /// 1,024 fields.
    private(set) var served: [RequestIdentifier] = []
    private static let servedKept = 256
    var hosts = ServedHosts()
    let program: Program
    /// The stamp of the program file of a prewarmed process: another file may be in its place by the first request.
    var stamp: ProgramStamp?
    /// The output of the process before its first request.
    private var early: PendingOutput
    /// The number of URLs from this process that wait for their app.
    var unopenedURLs = 0
    lazy var deadlines = ProcessTimers(of: self)
    private(set) lazy var clock = ClockFollower(of: self)
    lazy var mainQueue = MainQueueCheck(of: self)
    lazy var suspension = Suspension(of: self)
    var end = ProcessEnd()
    /// The tool that runs an app: it gets the app's output and hears of its end.
    weak var follower: (any ProcessFollower)?
    /// The pending loads of its requests, by the number of their questions.
    var loads: [Int: (request: RequestIdentifier, record: LoadRecord)] = [:]
    /// The handler of the process's death, called once, before the hosts hear of the end.
    var onDeath: (@HostActor (Death) -> Void)?
    /// The handler of the process's end, called once, after the hosts have heard of it.
    var onExit: (@HostActor (ExtensionProcess) -> Void)?

    /// The record of how a process has ended.
    struct Death {
        let certificate: DeathCertificate
        let why: ExtensionHostError
    }

    init(
        number: Int, program: Program, bundle: ExtensionBundle, point: ExtensionPoint, timers: Timers,
        process: consuming SpawnedProcess, peer: Peer?, output: ProcessOutput, sandbox: ConfinementLayers,
        identity: UserIdentity?, spawnTime: UInt64,
        context: DaemonContext, isPrewarmed: Bool = false, handed: HandedProcess? = nil
    ) {
        self.identity = identity
        self.sandbox = sandbox
        self.number = number
        self.program = program
        self.bundle = bundle
        self.point = point
        self.timers = timers
        self.context = context
        child = ChildProcess(process, context.realClock)
        pid = Int(child.root)
        self.peer = peer
        self.output = output
        self.spawnTime = spawnTime
        started = handed?.started ?? Int(context.clock.wallClockNow / 1000)
        let policy: ProcessStateMachine.Policy =
            bundle.isApp ? .app : point.processPolicy == .shared ? .shared : .onePerRequest
        let isPrewarmed = isPrewarmed || handed?.isPrewarmed == true
        last = ProcessStateMachine(policy: policy, isPrewarmed: isPrewarmed, isReturning: handed != nil)
        early = PendingOutput(after: context.output.lastNumber)
        child.onStart = { [weak self] in
            guard let self else { return }
            began($0)
            tell(.started)
        }
        child.onEnd = { [weak self] in self?.ended() }
        output.onChunk = { [weak self] in self?.wrote($0, $1) }
        output.leavesInput = { [weak self] in self?.leavesInput() ?? false }
        if let scheduler = context.scheduler { take(scheduler) }
        if let handed {
            isAdopted = true
            readyTime = spawnTime
            guard let known = handed.pid else { return }
            (pid, hasBegun) = (known, true)
            child.adopt(program: Int32(clamping: known))
            return
        }
        // An app need not speak the protocol.
        if !bundle.isApp { deadlines.arm(.launch) }
    }

    /// Sets the reconnect socket and the reader of refusals.
    func adopt(_ door: ReconnectSocket, _ denials: DenialWatch?) {
        self.door = door
        denialLog = denials.map { DenialLog(of: self, $0) }
    }

    /// Reads the refusals that came before something else that the process says or does.
    func readRefusals() { denialLog?.read() }

    private var machine: ProcessStateMachine { context.driver.model[process: number] ?? last }

    /// Tells the model of the process, once no step of its launch or adoption can fail any more.
    func enterModel() {
        let launch = LifecycleModel.Launch(program, last.policy, isPrewarmed: last.isPrewarmed)
        context.driver.post(isAdopted ? .adopted(number, launch) : .launched(number, launch))
    }

    /// Calls `body` once every refusal until now has been reported: at once as a rule (`DenialLog`).
    func afterRefusals(_ body: @escaping @HostActor () -> Void) {
        guard let denialLog else { return body() }
        denialLog.afterReports(body)
    }

    /// Watches for the end of the process.
    ///
    /// A process that cannot be watched is killed at once, and the error is thrown.
    func watch() throws {
        do {
            try child.watch()
        } catch {
            signalTree(SIGKILL)
            disconnect()
            throw error
        }
    }

    /// Records the pid of the started program, before the program can have sent or done anything.
    private func began(_ pid: Int) {
        guard !hasBegun else { return }
        hasBegun = true
        let before = self.pid
        self.pid = pid
        peer?.label.pid = pid
        limits?.began(root: root)
        tell(.begun(pid: pid, before: before))
        start.fire()
    }

    /// The pid of the program; nil until the program has been started.
    var programPid: Int? { hasBegun ? pid : nil }

    func noteStart() { child.noteStart() }

    /// Sets the request that the process was launched for and gets next, and notes the start of the program.
    func begin(for request: RequestIdentifier?) {
        story = request.map { [$0] } ?? []
        noteStart()
    }

    /// Records the spawn before the process is ended. A process whose program has not started yet is logged with the
    /// pid of its init.
    func noteSpawn() {
        child.noteStart()
        began(pid)
    }

    /// The uid of the process's user, in the system's daemon.
    var user: UInt32? { identity?.uid }

    /// The folder of its user's containers; nil where there are no containers.
    var containersFolder: String? {
        context.options.containersFolder.map { ContainerFolder(path: $0, of: identity).path }
    }

    /// This process as the source of output.
    var printer: OutputLog.Printer {
        OutputLog.Printer(process: number, pid: pid, extensionIdentifier: bundle.identifier, user: user, story: story)
    }

    var state: String { machine.state.name }

    /// The cause of death that the daemon has decided on.
    var decidedCause: Cause? { machine.decided }

    /// Whether the daemon has decided to end the process, or the process has ended.
    var isEnding: Bool { machine.decided != nil }

    var isOver: Bool { machine.isOver }

    var isSuspended: Bool { machine.state == .suspended }

    var isPrewarmed: Bool { machine.isPrewarmed }

    /// Whether it was prewarmed and has had no request.
    var isWaiting: Bool { machine.isWaiting }

    var takesRequests: Bool { machine.takesRequests }

    /// Whether it has connected and serves an open request.
    var isAtWork: Bool { machine.state == .busy && !machine.requests.isEmpty }

    /// The number of what the daemon has spawned: the program, or the init or guardian around it.
    var root: Int32 { child.root }

    /// Sends a signal to all that the process has started. Does nothing if no process is left.
    func signalTree(_ number: Int32) {
        child.signalTree(number)
        if number == SIGKILL { limits?.killTree() }
    }

    /// The host that owns the oldest open request; without one, the host of the last request that ended.
    var host: Host? { requestsInOrder.first?.host ?? lastHost }

    private weak var lastHost: Host?

    /// Whether the process is about to end, whatever it does.
    var isTerminating: Bool {
        if case .killing = machine.state { true } else { isStruckDown }
    }

    /// Whether a fault on demand ends the process.
    var isStruckDown = false

    /// The faults on demand that hold back packets from or to the process.
    var peerFault = PeerFault() {
        didSet {
            if peerFault.isDeaf != oldValue.isDeaf { peer?.setDeaf(peerFault.isDeaf) }
            if peerFault.isMute != oldValue.isMute { peer?.setMute(peerFault.isMute) }
        }
    }

    var isReady: Bool { readyTime != nil }

    /// Whether the process still runs after its connection has closed.
    private(set) var isCutOff = false

    var hasBegun = false
    let (start, hello, loss, over) = (Latch(), Latch(), Latch(), Latch())

    /// Calls `body` once the program has been started and `pid` is its own, or the process is gone.
    func whenStarted(_ body: @escaping @HostActor () -> Void) { start.then(body) }

    /// Calls `body` once the process has said hello, or is gone.
    func whenReady(_ body: @escaping @HostActor () -> Void) { hello.then(body) }

    /// Calls `body` once the process has closed its connection for good and still runs.
    func whenCutOff(_ body: @escaping @HostActor () -> Void) { loss.then(body) }

    /// Calls `body` once the process has ended.
    func whenOver(_ body: @escaping @HostActor () -> Void) { over.then(body) }

    // MARK: Requests

    /// The assigned requests in the order of their begin.
    var requestsInOrder: [Request] {
        requests.values.sorted { $0.number < $1.number }
    }

    var openWork: OpenWork {
        let open = requestsInOrder.filter(\.isOpen).map(\.identifier)
        return OpenWork(requests: open, loads: loads(of: open))
    }

    /// The open loads of these requests, oldest first.
    func loads(of requests: [RequestIdentifier]) -> [LoadRecord] {
        loads.filter { requests.contains($0.value.request) }.sorted { $0.key < $1.key }.map(\.value.record)
    }

    /// The identifiers of the assigned requests, sorted by their text.
    var identifiers: [RequestIdentifier] { requests.keys.sorted { $0.description < $1.description } }

    /// Takes a request, which the model has assigned to it.
    func take(_ request: Request, _ assignment: LifecycleModel.Assignment) {
        // Earlier output belongs to other requests, and later output to this one, too. All output of a new process
        // belongs to its first request.
        if assignment == .reused { output?.drain() }
        if requests.isEmpty { story = story.filter(machine.work.contains) }
        enterStory(request.identifier)
        requests[request.identifier] = request
        context.output.began(request.identifier, by: printer, after: assignment == .reused ? nil : early.after)
        hosts.add(request.hostName, request.host)
        for (stream, bytes) in early.take() { hosts.show(printed(bytes, stream)) }
        if assignment == .prewarmed { tell(.taken) }
        tell(.serves(host: request.hostName, isWarm: assignment != .launched))
        request.belongs(to: self)
    }

    /// A request of this process is closed: its host has been answered.
    func requestEnded(_ request: Request, work: Bool) {
        guard requests.removeValue(forKey: request.identifier) != nil else { return }
        lastHost = request.host
        guard !work else { return }
        printed(for: request.identifier)
        leaveStory(request.identifier)
    }

    func enterStory(_ request: RequestIdentifier) {
        story.append(request)
        if served.count == Self.servedKept { served.removeFirst() }
        served.append(request)
    }

    /// Removes a request from `story`, unless it is the last one there.
    private func leaveStory(_ request: RequestIdentifier) {
        if story.count > 1 { story.removeAll { $0 == request } }
    }

    /// Ends the output of a request. The process has printed all of it before it sent the message on its socket.
    private func printed(for request: RequestIdentifier) {
        output?.drain()
        if requests.isEmpty { context.output.finishLines(of: printer) }
        context.output.ended(request)
    }

    /// Sets the seconds from the creation of a request to this process's own steps; 0 if the process was there before.
    func noteTimings(on timings: inout Timings, since start: UInt64) {
        func seconds(_ instant: UInt64) -> Double { instant > start ? Double(instant - start) / 1e9 : 0 }
        timings.spawn = seconds(spawnTime)
        // Another daemon saw its hello, so the time is unknown for a request that waited for it.
        timings.ready = isAdopted && spawnTime > start ? nil : readyTime.map(seconds)
    }

    /// Tells the model that the process has heard of all state changes of its hosts so far.
    func hasHeard() { context.driver.post(.heard(number)) }

    /// Sends the process the state changes of its hosts that were held back, and tells the model.
    func tellPostponed() {
        if case .exited = machine.state { return }
        peer?.sendPostponed()
        hasHeard()
    }

    // MARK: Orders

    func kill(_ cause: Cause, by decider: String, why: ExtensionHostError? = nil) {
        if !isEnding { end.decide(by: decider, why: why) }
        handle(.kill(cause))
    }

    /// Ends the process, because its bundle is no longer registered.
    func withdraw() {
        guard !isEnding else { return }
        let why = ExtensionHostError(
            .interrupted, "\(bundle.identifier) was removed: \(bundle.path)",
            remedy: "Install or add it again; its stored data remains, unless exthostctl remove listed it as deleted")
        end.decide(by: "operator", why: why)
        handle(.withdrawn)
    }

    /// Ends a prewarmed process that no request will get.
    func outdate() {
        guard machine.isWaiting else { return }
        let why = ExtensionHostError(
            .interrupted, "\(bundle.path) no longer serves requests of \(bundle.identifier)",
            remedy: "No action: it was replaced, removed or switched off, or has other settings now"
        )
        end.decide(by: "daemon", why: why)
        handle(.outdated)
    }

    /// Ends an app, because its user closes it.
    func close() {
        guard !isEnding else { return }
        end.decide(by: "operator")
        handle(.closed)
    }

    /// Starts or stops reading the output of the process.
    ///
    /// While reading is off, output stays in the pipe, and the process blocks once the pipe is full.
    func setReading(_ isReading: Bool) { output?.isReading = isReading }

    func stop() {
        if !isEnding { end.decide(by: "daemon") }
        deadlines.boundByStop()
        handle(.daemonStopping)
    }

    /// Closes the connection of a process that is gone.
    private func disconnect() {
        // The session must not hear of this end.
        peer?.owner = nil
        session = nil
        peer?.close(.closed)
        peer = nil
    }

    // MARK: From the process

    /// Ends the extension, because it broke the protocol.
    func violated(_ error: ProtocolError) {
        peer?.fail(error)
        kill(.protocolViolation, by: "daemon", why: .violation(error))
    }

    /// Handles a closed connection of a process that does not reconnect.
    func cutOff() {
        handle(.connectionClosed)
        // A process that is exiting ends at once, and its end says more.
        guard !ProcessStatus.isExiting(pid) else { return }
        isCutOff = true
        loss.fire()
    }

    func saidHello(_ sdk: String) {
        readyTime = context.clock.now
        tell(.ready(kit: sdk, after: context.clock.now - spawnTime))
        context.driver.post(.hello(number))
        hello.fire()
    }

    /// Records a repeated answer to a request whose host got the answer from an earlier daemon.
    func hasAnsweredBefore(_ request: RequestIdentifier, work: Bool) {
        context.driver.post(.answeredBefore(request, by: number, work: work))
    }

    func handlerFinished(_ request: RequestIdentifier) {
        if machine.work.contains(request) {
            printed(for: request)
            leaveStory(request)
        }
        handle(.handlerFinished(request))
    }

    private func wrote(_ stream: ProcessOutput.Stream, _ all: [UInt8]) {
        let taken = limits?.take(all.count, now: context.clock.now) ?? all.count
        guard taken > 0 else { return }
        // The pipe may be read before the start has been recorded.
        noteStart()
        let bytes = taken == all.count ? all : Array(all[..<taken])
        tell(.printed(detail: "\(stream.rawValue) \(bytes.count) bytes"))
        context.output.write(bytes, stream, of: printer)
        if machine.isWaiting { early.add(bytes, stream) } else { hosts.show(printed(bytes, stream)) }
        follower?.show(bytes, stream)
    }

    private func printed(_ bytes: [UInt8], _ stream: ProcessOutput.Stream) -> Output {
        Output(extensionIdentifier: bundle.identifier, pid: pid, stream: stream.rawValue, bytes: bytes)
    }

    /// Reads all messages and output of a quiescent process under a virtual clock, and reaps it if it has ended.
    ///
    /// - Returns: whether there was any.
    @discardableResult
    func takeInput() -> Bool {
        noteStart()
        readRefusals()
        let hasPrinted = output?.takeInput() ?? false
        let hasSaid = peer?.drain() ?? false
        guard !hasEnded else {
            reap()
            return true
        }
        peer?.resumeReading()
        return hasPrinted || hasSaid
    }

    /// Whether the process has ended. It may not have been reaped yet.
    var hasEnded: Bool { child.hasEnded }

    var isBeingSuspended: Bool { suspension.isUnderWay }

    // MARK: The end

    private func ended() {
        if !leavesInput() { reap() }
    }

    private var awaitsRefusals = false

    /// Reaps the process once its refusals have been reported. Until then it stays a zombie, and its requests stay
    /// open.
    private func reap() {
        guard !awaitsRefusals else { return }
        noteStart()
        awaitsRefusals = true
        afterRefusals { [weak self] in
            self?.awaitsRefusals = false
            self?.reapAtOnce()
        }
    }

    private func reapAtOnce() {
        // Messages from before its end count, so they are read before the process counts as ended.
        peer?.drain()
        output?.drain(toTheEnd: true)
        context.output.finishLines(of: printer)
        guard let ending = child.reap() else { return }
        limits?.judge(ending)
        if !isEnding, case .signalled = ending.status { end.decide(by: "system") }
        end.reaped(ending)
        handle(.exited(ending.status))
    }

    func finish(_ cause: Cause) {
        clock.end()
        limits?.end()
        var exit = end.exit(cause, didExpire: machine.didExpire)
        limits?.complete(&exit)
        exit.sandbox = sandbox.description
        (denialLog, door, lostPeer) = (nil, nil, nil)
        disconnect()
        child.forget()
        tell(.exited(cause, detail: end.summary(exit, isMeasured: context.scheduler == nil)))
        let record = end.record(exit, of: bundle.identifier, pid: pid, time: Int(context.clock.wallClockNow / 1000))
        let certificate = DeathCertificate(
            record: record, tail: output?.errorTail ?? [], hasDumped: end.hasDumped,
            started: context.options.clock == .real ? started : 0, user: user)
        onDeath?(Death(certificate: certificate, why: explanation(of: cause)))
        output = nil
        context.output.ended(printer)
        let exited = Exited(process: number, exit: exit, time: Int(clamping: context.clock.now))
        hosts.tell(exited) { context.absentHosts.owe(exited, to: $0) }
        follower?.tell(exited)
        onExit?(self)
        last = machine
        context.driver.post(.forgotten(number))
        // The latches fire after this step and the removal, so that their waiters find the model as it is then.
        context.driver.betweenSteps { [self] in for latch in [start, hello, over] { latch.fire() } }
    }

    /// Returns the reason for the end of the process, for people.
    ///
    /// - Parameter outlastsDaemon: whether the text may be read after the end of a private daemon, as the outcome of a
    ///   request may.
    func explanation(of cause: Cause, outlastsDaemon: Bool = false) -> ExtensionHostError {
        let known = DeathExplanation(
            identifier: bundle.identifier, isReady: isReady, hadRequests: !end.work.requests.isEmpty,
            status: end.status,
            launchLimit: timers[.launch] ?? .zero, spentDescriptors: limits?.spentDescriptors,
            hasNoLog: outlastsDaemon && context.options.isEphemeral)
        return end.why ?? known.error(cause)
    }

    /// Tells the observers of an event.
    func tell(_ event: ProcessEvent) { context.driver.tell(.process(number, event)) }

    func handle(_ event: ProcessStateMachine.Event) { context.driver.post(.process(number, event)) }

    /// Reacts to a step of the model that changed the process.
    func settled() {
        mainQueue.reconsider()
        limits?.setServing(machine.isServing)
        context.activityChanged()
    }

    // MARK: Time

    /// Returns a time limit on the work of this process. It is paused while a debugger is attached.
    func deadline(
        _ name: Timers.Name, after limit: Duration, of request: RequestIdentifier? = nil,
        _ body: @escaping @HostActor () -> Void
    ) -> PausableDeadline {
        PausableDeadline(
            context.clock, after: limit, unless: { [weak self] in self?.isTraced ?? false },
            witness: context.recorder.isOn
                ? context.recorder.witness(of: name, bundle.identifier, request) { [weak self] in self?.programPid }
                : nil, body)
    }

    var isTraced: Bool { ProcessStatus(of: pid)?.isTraced ?? false }

    /// The number of requests of one process that a list names: its record must fit into a packet.
    private static let requestsShown = 256

    var record: ProcessRecord {
        ProcessRecord(
            extensionIdentifier: bundle.identifier, pid: pid, state: state,
            requests: Array(identifiers.prefix(Self.requestsShown)), started: started,
            memory: ProcessStatus.residentMemory(of: pid), sandbox: sandbox.description, isApp: bundle.isApp)
    }
}

extension ExtensionProcess: LimitedProcess {
    func reached(_ report: LimitReport) {
        tell(.limited(by: report.name, report.cause, report.work.requests.first, detail: report.summary))
    }
}

/// A tool for which an app runs.
@HostActor
protocol ProcessFollower: AnyObject {
    func show(_ bytes: [UInt8], _ stream: ProcessOutput.Stream)
    func tell(_ end: Exited)
}

extension ExtensionHostError {
    /// Returns the reason for the end of an extension that broke the protocol.
    fileprivate static func violation(_ error: ProtocolError) -> ExtensionHostError {
        if case .versionMismatch(let ours, let theirs) = error {
            return ExtensionHostError(
                .versionMismatch, "no common protocol version: the daemon speaks \(ours), the extension \(theirs)",
                remedy: "Bring the older of the two up to date")
        }
        return ExtensionHostError(
            .protocolViolation, "the extension violated the protocol: \(error)", remedy: "See docs/protocol.md")
    }
}
