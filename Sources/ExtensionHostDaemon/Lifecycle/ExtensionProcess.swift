// ExtensionProcess: one extension's or app's process: its socket, its pidfd, its output, and how its effects are performed.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// A running extension or app. The model decides what becomes of it.
@HostActor
final class ExtensionProcess {
    let bundle: ExtensionBundle
    let point: ExtensionPoint
    let timers: Timers
    /// The program's; until it has been started, that of the init around it.
    private(set) var pid: Int
    /// Counts all processes that this daemon has launched.
    let number: Int
    /// Whose rights it has; nil: the daemon's own user's.
    let identity: UserIdentity?
    let started: Int
    /// The machine before the model has the process, and after it has forgotten it.
    private var last: ProcessStateMachine
    /// The connection; nil after its end.
    var peer: Peer?
    /// The object that reads the connection. The process keeps it until its own end.
    var session: AnyObject?
    /// The end of the time that it has to come back to another daemon.
    var returning: Deadline?
    /// Its connection that a fault took from it, kept until its end.
    var lostPeer: Peer?
    let context: DaemonContext
    /// nil where nothing is limited.
    var limits: LimitWatch?
    /// nil where it is not confined.
    private var denialLog: DenialLog?
    /// The layers that confine it.
    private let sandbox: ConfinementLayers
    var door: ReconnectSocket?
    let child: ChildProcess
    private let spawnTime: UInt64
    private var readyTime: UInt64?
    /// Whether another daemon has launched it.
    private var isAdopted = false
    private var output: ProcessOutput?
    /// Requests assigned and not closed.
    var requests: [RequestIdentifier: Request] = [:]
    /// Requests that have ended, and whose hosts are told once the refusals under way have been reported.
    var ending: [Request] = []
    /// Those that it serves or does completion work for, or else served last: what happens to it belongs to their stories.
    var story: [RequestIdentifier] = []
    /// The last that it was given, whose stories its end belongs to. The journal takes no more than 1,024 fields.
    private(set) var served: [RequestIdentifier] = []
    private static let servedKept = 256
    var hosts = ServedHosts()
    let program: Program
    /// The file of its program, of one that is launched ahead: another may be in its place by its first request.
    var stamp: ProgramStamp?
    /// What it printed before its first request.
    private var early: PendingOutput
    /// URLs of its that wait for their app.
    var unopenedURLs = 0
    lazy var deadlines = ProcessTimers(of: self)
    private(set) lazy var clock = ClockFollower(of: self)
    lazy var mainQueue = MainQueueCheck(of: self)
    lazy var suspension = Suspension(of: self)
    var end = ProcessEnd()
    /// Of an app: who hears what it prints, and of its end.
    weak var follower: (any ProcessFollower)?
    /// The loads under way of its requests, by the number of their questions.
    var loads: [Int: (request: RequestIdentifier, record: LoadRecord)] = [:]
    /// Told once of its death, before its hosts are told.
    var onDeath: (@HostActor (Death) -> Void)?
    /// Told once, when the process is no more.
    var onExit: (@HostActor (ExtensionProcess) -> Void)?

    /// How a process has ended.
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
        let policy: ProcessStateMachine.Policy = bundle.isApp ? .app : point.processPolicy == .shared ? .shared : .onePerRequest
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

    /// What it has besides its socket and its streams.
    func adopt(_ door: ReconnectSocket, _ denials: DenialWatch?) {
        self.door = door
        denialLog = denials.map { DenialLog(of: self, $0) }
    }

    /// Takes note of what it was refused before it said or did something else.
    func readRefusals() { denialLog?.read() }

    private var machine: ProcessStateMachine { context.driver.model[process: number] ?? last }

    /// Tells the model of the process, once nothing of its launch or adoption can fail any more.
    func enterModel() {
        let launch = LifecycleModel.Launch(program, last.policy, isPrewarmed: last.isPrewarmed)
        context.driver.post(isAdopted ? .adopted(number, launch) : .launched(number, launch))
    }

    /// Calls `body` once everything that the process was refused until now has been reported: at once as a rule
    /// (`DenialLog`).
    func afterRefusals(_ body: @escaping @HostActor () -> Void) {
        guard let denialLog else { return body() }
        denialLog.afterReports(body)
    }

    /// Watches for the end. A process that cannot be watched is ended here and now.
    func watch() throws {
        do {
            try child.watch()
        } catch {
            signalTree(SIGKILL)
            disconnect()
            throw error
        }
    }

    /// Before it can have said or done anything.
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

    /// Nil until the program has been started.
    var programPid: Int? { hasBegun ? pid : nil }

    func noteStart() { child.noteStart() }

    /// It was launched for this request, which it gets next.
    func begin(for request: RequestIdentifier?) {
        story = request.map { [$0] } ?? []
        noteStart()
    }

    /// It is about to be ended. One that has not come as far as the program yet is known by what was spawned for it.
    func noteSpawn() {
        child.noteStart()
        began(pid)
    }

    /// In the system's daemon.
    var user: UInt32? { identity?.uid }

    /// Its user's; nil where there are no containers.
    var containersFolder: String? { context.options.containersFolder.map { ContainerFolder(path: $0, of: identity).path } }

    /// This process as the source of output.
    var printer: OutputLog.Printer {
        OutputLog.Printer(process: number, pid: pid, extensionIdentifier: bundle.identifier, user: user, story: story)
    }

    var state: String { machine.state.name }

    /// The cause of death that the daemon has decided on.
    var decidedCause: Cause? { machine.decided }

    /// Whether the daemon has decided to end it, or it has ended.
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

    /// Sends it to all that the process has started. Nothing when nobody is left.
    func signalTree(_ number: Int32) {
        child.signalTree(number)
        if number == SIGKILL { limits?.killTree() }
    }

    /// Whose its oldest request is, or was the last one that ended.
    var host: Host? { requestsInOrder.first?.host ?? lastHost }

    private weak var lastHost: Host?

    /// Whether its end is only a matter of a moment, whatever it does.
    var isTerminating: Bool {
        if case .killing = machine.state { true } else { isStruckDown }
    }

    /// By a fault on demand.
    var isStruckDown = false

    /// By faults on demand.
    var peerFault = PeerFault() {
        didSet {
            if peerFault.isDeaf != oldValue.isDeaf { peer?.setDeaf(peerFault.isDeaf) }
            if peerFault.isMute != oldValue.isMute { peer?.setMute(peerFault.isMute) }
        }
    }

    var isReady: Bool { readyTime != nil }

    /// Whether it lives on without its connection.
    private(set) var isCutOff = false

    var hasBegun = false
    let (start, hello, loss, over) = (Latch(), Latch(), Latch(), Latch())

    /// Calls `body` once the program has been started and `pid` is its own, or the process is gone.
    func whenStarted(_ body: @escaping @HostActor () -> Void) { start.then(body) }

    /// Calls `body` once the process has said hello, or is gone.
    func whenReady(_ body: @escaping @HostActor () -> Void) { hello.then(body) }

    /// Calls `body` once the process has closed its connection for good, and lives on.
    func whenCutOff(_ body: @escaping @HostActor () -> Void) { loss.then(body) }

    /// Calls `body` once the process is no more.
    func whenOver(_ body: @escaping @HostActor () -> Void) { over.then(body) }

    // MARK: Requests

    /// As they came.
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

    /// As records name them.
    var identifiers: [RequestIdentifier] { requests.keys.sorted { $0.description < $1.description } }

    /// Takes a request, which the model has assigned to it.
    func take(_ request: Request, _ assignment: LifecycleModel.Assignment) {
        // What it printed before is others'; what follows is this request's, too. All of a new process is its first one's.
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

    /// Not while nobody else has one.
    private func leaveStory(_ request: RequestIdentifier) {
        if story.count > 1 { story.removeAll { $0 == request } }
    }

    /// Everything that the process prints for this request has been printed: before it said so on its socket.
    private func printed(for request: RequestIdentifier) {
        output?.drain()
        if requests.isEmpty { context.output.finishLines(of: printer) }
        context.output.ended(request)
    }

    /// Seconds from the creation of a request to this process's own steps, 0 when it was there before.
    func noteTimings(on timings: inout Timings, since start: UInt64) {
        func seconds(_ instant: UInt64) -> Double { instant > start ? Double(instant - start) / 1e9 : 0 }
        timings.spawn = seconds(spawnTime)
        // Another daemon saw its hello: when is not known of a request that waited for it.
        timings.ready = isAdopted && spawnTime > start ? nil : readyTime.map(seconds)
    }

    /// Tells the model that the process has heard of the moves of its hosts so far.
    func hasHeard() { context.driver.post(.heard(number)) }

    /// Tells it of the moves of its hosts that it has not heard of yet, and considers what they mean to it.
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

    /// Its bundle is registered no more.
    func withdraw() {
        guard !isEnding else { return }
        let why = ExtensionHostError(
            .interrupted, "\(bundle.identifier) was removed: \(bundle.path)",
            remedy: "Install or add it again; what it had stored is left in place, unless exthostctl remove named it as deleted")
        end.decide(by: "operator", why: why)
        handle(.withdrawn)
    }

    /// It waits for a request that it will not be given.
    func outdate() {
        guard machine.isWaiting else { return }
        let why = ExtensionHostError(
            .interrupted, "\(bundle.path) is not what a request of \(bundle.identifier) is given any more",
            remedy: "Nothing: it was replaced, removed or switched off, or has other settings now"
        )
        end.decide(by: "daemon", why: why)
        handle(.outdated)
    }

    /// Of an app: its user leaves it.
    func close() {
        guard !isEnding else { return }
        end.decide(by: "operator")
        handle(.closed)
    }

    /// While false what it prints waits in the pipe, and so does the process once that is full.
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

    /// The extension broke the protocol: it is ended for it.
    func violated(_ error: ProtocolError) {
        peer?.fail(error)
        kill(.protocolViolation, by: "daemon", why: .violation(error))
    }

    /// Its connection is closed, and it does not come back.
    func cutOff() {
        handle(.connectionClosed)
        // The end of one that is exiting comes at once, and says more.
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
        // The pipe may be looked at before the note of its start.
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

    /// Under a virtual clock: it rests, and what it has said and printed is read now, its end included.
    ///
    /// - Returns: whether there was something.
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

    /// It is no more, and may not have been reaped.
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
        // What it said before it went counts; only then is it gone.
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
        // Behind this step and the forgetting, so that whoever waited for the end finds the model as it is then.
        context.driver.betweenSteps { [self] in for latch in [start, hello, over] { latch.fire() } }
    }

    /// - Parameter outlastsDaemon: whether it may be read when a private daemon is gone, as the outcome of a request is.
    func explanation(of cause: Cause, outlastsDaemon: Bool = false) -> ExtensionHostError {
        let known = DeathExplanation(
            identifier: bundle.identifier, isReady: isReady, hadRequests: !end.work.requests.isEmpty, status: end.status,
            launchLimit: timers[.launch] ?? .zero, spentDescriptors: limits?.spentDescriptors,
            hasNoLog: outlastsDaemon && context.options.isEphemeral)
        return end.why ?? known.error(cause)
    }

    /// Tells the observers of an event.
    func tell(_ event: ProcessEvent) { context.driver.tell(.process(number, event)) }

    func handle(_ event: ProcessStateMachine.Event) { context.driver.post(.process(number, event)) }

    /// A step of the model has changed something here.
    func settled() {
        mainQueue.reconsider()
        limits?.setServing(machine.isServing)
        context.activityChanged()
    }

    // MARK: Time

    /// A time limit on what this process does: it stands still while a debugger is attached.
    func deadline(
        _ name: Timers.Name, after limit: Duration, of request: RequestIdentifier? = nil, _ body: @escaping @HostActor () -> Void
    ) -> PausableDeadline {
        PausableDeadline(
            context.clock, after: limit, unless: { [weak self] in self?.isTraced ?? false },
            witness: context.recorder.isOn
                ? context.recorder.witness(of: name, bundle.identifier, request) { [weak self] in self?.programPid } : nil, body)
    }

    var isTraced: Bool { ProcessStatus(of: pid)?.isTraced ?? false }

    /// Requests that a list names of one process: its record must fit into a packet.
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
    /// The reason for the end of an extension that does not keep to the protocol.
    fileprivate static func violation(_ error: ProtocolError) -> ExtensionHostError {
        if case .versionMismatch(let ours, let theirs) = error {
            return ExtensionHostError(
                .versionMismatch, "no common protocol version: the daemon speaks \(ours), the extension \(theirs)",
                remedy: "Bring the older of the two up to date")
        }
        return ExtensionHostError(
            .protocolViolation, "the extension broke the protocol: \(error)", remedy: "See docs/protocol.md")
    }
}
