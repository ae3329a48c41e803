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
final class ExtensionProcess: Numbered {
    let bundle: ExtensionBundle
    let point: ExtensionPoint
    let timers: Timers
    /// The pid of the program; until the program has started, the pid of the init around it.
    private(set) var pid: Int
    /// The number of the process among all that the daemon has launched.
    nonisolated let number: Int
    /// The user whose rights the process has; nil: the daemon's own user.
    let identity: UserIdentity?
    let started: Int
    /// The state machine, for the time before the model has the process and after it has forgotten it.
    var last: ProcessStateMachine
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
    var denialLog: DenialLog?
    /// The layers of confinement around the process.
    let sandbox: ConfinementLayers
    var door: ReconnectSocket?
    /// The rights that it was launched with, beside its user's.
    var entitlements: GroupEntitlements?
    let child: ChildProcess
    let spawnTime: UInt64
    var readyTime: UInt64?
    /// Whether another daemon has launched it.
    private var isAdopted = false
    var output: ProcessOutput?
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
    var served: [RequestIdentifier] = []
    var hosts = ServedHosts()
    let program: Program
    /// The stamp of the program file of a prewarmed process: another file may be in its place by the first request.
    var stamp: ProgramStamp?
    /// The output of the process before its first request.
    var early: PendingOutput
    /// The number of URLs from this process that wait for their app.
    var unopenedURLs = 0
    lazy var deadlines = ProcessTimers(of: self)
    private(set) lazy var clock = ClockFollower(of: self)
    lazy var mainQueue = MainQueueCheck(of: self)
    lazy var suspension = Suspension(of: self)
    var end = ProcessEnd()
    /// Whether the process has ended and waits for the reports of its refusals.
    var awaitsRefusals = false
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
            bundle.isApp
            ? .app : bundle.isService ? .service : point.processPolicy == .shared ? .shared : .onePerRequest
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

    var machine: ProcessStateMachine { context.driver[process: number] ?? last }

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

    /// The identifier of its app, read when a service first asks for it.
    private lazy var appIdentifier: String? =
        bundle.isApp
        ? bundle.identifier
        : bundle.containingApp.flatMap { path in
            let containers = context.options.containersFolder.flatMap { try? FolderIdentity($0) }
            return ApplicationIdentifier.read(at: path, outside: containers)
        }

    /// Whether it is an app that its user has opened.
    var isOpened = false

    /// The number of clients that the program of a service has been asked about.
    var clients = 0

    /// The process as a service sees it.
    var serviceClient: ServiceClient {
        ServiceClient(
            role: bundle.role, identifier: bundle.identifier,
            containingApp: bundle.isApp ? bundle.path : bundle.containingApp, app: appIdentifier, pid: pid,
            groups: entitlements?.held.map(\.text) ?? [], isNetworkClient: entitlements?.isClient ?? false,
            isInBackground: bundle.isApp && !isOpened)
    }

    /// The number of what the daemon has spawned: the program, or the init or guardian around it.
    var root: Int32 { child.root }

    /// Sends a signal to all that the process has started. Does nothing if no process is left.
    func signalTree(_ number: Int32) {
        child.signalTree(number)
        if number == SIGKILL { limits?.killTree() }
    }

    /// The host that owns the oldest open request; without one, the host of the last request that ended.
    var host: Host? { requestsInOrder.first?.host ?? lastHost }

    weak var lastHost: Host?

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
    var isCutOff = false

    var hasBegun = false
    let (start, hello, loss, back, over) = (Latch(), Latch(), Latch(), Latch(), Latch())

    /// Calls `body` once the program has been started and `pid` is its own, or the process is gone.
    func whenStarted(_ body: @escaping @HostActor () -> Void) { start.then(body) }

    /// Calls `body` once the process has said hello, or is gone.
    func whenReady(_ body: @escaping @HostActor () -> Void) { hello.then(body) }

    /// Calls `body` once a process of the last daemon has reconnected.
    func whenBack(_ body: @escaping @HostActor () -> Void) { back.then(body) }

    /// Calls `body` once the process has closed its connection for good and still runs.
    func whenCutOff(_ body: @escaping @HostActor () -> Void) { loss.then(body) }

    /// Calls `body` once the process has ended.
    func whenOver(_ body: @escaping @HostActor () -> Void) { over.then(body) }

    /// Tells the observers of an event.
    func tell(_ event: ProcessEvent) { context.driver.tell(.process(number, event)) }

    func handle(_ event: ProcessStateMachine.Event) { context.driver.post(.process(number, event)) }

    /// Reacts to a step of the model that changed the process.
    func settled() {
        // It is read once, because each reading copies it.
        let machine = machine
        mainQueue.reconsider(machine)
        limits?.setServing(machine.isServing)
        context.activityChanged()
    }

    // MARK: Time

    /// Sets the seconds from the creation of a request to this process's own steps; 0 if the process was there before.
    func noteTimings(on timings: inout Timings, since start: UInt64) {
        func seconds(_ instant: UInt64) -> Double { instant > start ? Double(instant - start) / 1e9 : 0 }
        timings.spawn = seconds(spawnTime)
        // Another daemon saw its hello, so the time is unknown for a request that waited for it.
        timings.ready = nil
        if let readyTime, !isAdopted || spawnTime <= start { timings.ready = seconds(readyTime) }
    }

    /// Returns a time limit on the work of this process. It is paused while a debugger is attached.
    func deadline(
        _ name: Timers.Name, after limit: Duration, of request: RequestIdentifier? = nil,
        _ body: @escaping @HostActor () -> Void
    ) -> PausableDeadline {
        PausableDeadline(
            context.clock, after: limit, unless: waitsForDebugger,
            witness: context.recorder.isOn
                ? context.recorder.witness(of: name, bundle.identifier, request) { [weak self] in self?.programPid }
                : nil, body)
    }

    private lazy var waitsForDebugger: @HostActor () -> Bool = { [weak self] in self?.isTraced ?? false }

    var isTraced: Bool { ProcessStatus(of: pid)?.isTraced ?? false }

    /// The number of requests of one process that a list names: its record must fit into a packet.
    private static let requestsShown = 256

    var record: ProcessRecord {
        ProcessRecord(
            extensionIdentifier: bundle.identifier, pid: pid, state: state,
            requests: Array(identifiers.prefix(Self.requestsShown)), started: started,
            memory: ProcessStatus.residentMemory(of: pid), sandbox: sandbox.description,
            kind: bundle.isExtension ? nil : bundle.role.rawValue)
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
