// Engine: the parts that every other part needs, in one place.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Logging

/// The daemon's shared state: what there is, who is connected, what runs. Owned by `ExtensionHostDaemon`.
@HostActor
final class Engine {
    let options: DaemonOptions
    /// What is set, and by what.
    private(set) var configuration: DaemonConfiguration
    var settings: DaemonSettings { configuration.settings }
    private var isReloading = false
    let clock: any HostClock
    /// For bounds on peers that have nothing to do with the model's time.
    let realClock: RealClock
    /// Nil where the clock is real: there everything happens as it comes.
    private(set) var turns: Turns?
    let log: EventLog
    let buffer = ReceiveBuffer()
    let output: OutputLog
    let recorder: Recorder
    let figures = Figures()
    let registrations = Registrations()
    let usage = UsageBook()
    let shares = UserShares()
    /// Whose daemon it is.
    let owner = geteuid()
    /// Whom its probes act for; nil: for itself.
    let probeIdentity: UserIdentity?
    /// When the daemon was made, in microseconds since 1970.
    let started: Int
    /// The bus it is on, in words.
    var bus: String?
    /// A picture of the bundles; a new one comes whole (`adopt`).
    private(set) var registry = ExtensionRegistry() {
        didSet {
            groupClaims = nil
            pictures += 1
        }
    }
    /// How often the picture has changed.
    private(set) var pictures = 0
    /// Of this picture, once somebody has asked.
    var groupClaims: GroupClaims?
    /// Finds extensions and keeps elections, on a thread of its own; nil until the daemon starts.
    var discovery: Discovery?
    /// For those that come back by other ways than its socket.
    weak var listener: Listener?
    /// Why elections and registrations are not kept, though they should be.
    private(set) var stateProblem: ExtensionHostError?
    /// How changes of the folders are learnt of.
    private(set) var watching = Discovery.Watching.starting
    var requests: [RequestIdentifier: Request] = [:]
    var hosts: [String: HostSession] = [:]
    /// By the token of the welcome.
    var sessions: [[UInt8]: ResumableSession] = [:]
    private(set) var isStopping = false

    private(set) lazy var launchMeans = LaunchMeans(engine: self)
    private(set) lazy var limiter = Limiter(options: options)
    private(set) lazy var announcements = Announcements(engine: self)
    let sideWork = SideWork()
    /// Questions of file systems that an extension chose: one that does not answer keeps these waiting, and nothing else.
    let fileWork = SideWork()
    let driver = ModelDriver()
    private(set) lazy var supervisor = Supervisor(engine: self)
    private(set) lazy var prewarming = Prewarming(engine: self)
    private(set) lazy var questions = QuestionRouter(engine: self)
    private(set) lazy var apps = AppLauncher(engine: self)
    /// The service manager that started the daemon, if one did.
    private(set) lazy var service = ServicePresence(engine: self)
    /// What outlives the daemon; nil where nothing is to.
    var keeping: Keeping?
    /// Faults on demand; nil where none was ordered.
    private(set) var faults: FaultInjector?
    /// For the first order.
    var faultInjector: FaultInjector {
        if let faults { return faults }
        let made = FaultInjector(engine: self)
        faults = made
        return made
    }
    /// Breaks the connection to the bus, if there is one.
    var leaveBus: (@HostActor () -> Void)?
    /// Told when the numbers that the bus shows may have changed.
    var onActivityChange: (@HostActor () -> Void)?

    init(options: DaemonOptions) throws(LoopError) {
        self.options = options
        configuration = options.configuration
        realClock = try RealClock()
        switch options.clock {
        case .real: clock = realClock
        case .virtual: clock = VirtualClock()
        }
        log = EventLog(clock: clock)
        probeIdentity = options.isSystem ? .nobody : nil
        output = OutputLog(clock: clock)
        recorder = Recorder(log: log, clock: realClock)
        started = Int(clock.wallClockNow / 1000)
        if options.clock == .virtual { turns = try Turns(engine: self) }
    }

    /// What somebody outside wants: at once, or under a virtual clock in its turn.
    func order(_ body: @escaping @HostActor () -> Void) {
        if let turns { turns.order(body) } else { body() }
    }

    /// How long ago an instant of another daemon's was, and that instant on this one's clock.
    ///
    /// - Parameter began: in microseconds since 1970.
    func past(since began: Int) -> (duration: Duration, instant: UInt64) {
        let passed = UInt64(max(0, Int(clock.wallClockNow / 1000) - began)) * 1000
        let now = clock.now
        return (.nanoseconds(Int64(clamping: passed)), now - min(now, passed))
    }

    /// Takes over what the discovery found. Processes of a bundle that is no more are told to end, their requests answered first.
    func adopt(_ delivery: Discovery.Delivery) {
        registry = delivery.registry
        stateProblem = delivery.stateProblem
        watching = delivery.watching
        for notice in delivery.notices { options.logger.warning("\(notice)") }
        prewarming.reconsider()
        activityChanged()
    }

    /// Reads the configuration again, on a thread; what is read counts for what begins afterwards. One reading at a time.
    func reload() {
        guard let reread = options.rereadConfiguration, !isReloading else { return }
        isReloading = true
        service?.reloads()
        do {
            try startThread(named: "exthost-settings") {
                let next = reread()
                Task { @HostActor [weak self] in self?.adopt(next) }
            }
        } catch {
            options.logger.error("the configuration is not read again: \(error)")
            isReloading = false
            service?.hasReloaded()
        }
    }

    private func adopt(_ next: DaemonConfiguration) {
        isReloading = false
        configuration = configuration.adopting(next)
        limiter.settings = settings
        prewarming.outdateAll()
        LogThreshold.shared.level = settings.logLevel
        for problem in configuration.problems { options.logger.warning("\(problem)") }
        log.append(
            .configurationReloaded,
            detail: "\(configuration.files.count) files, \(configuration.problems.count) problems")
        service?.hasReloaded()
    }

    /// Whether the user has switched this extension off. Not for the connection that registered it for itself.
    func isIgnored(_ bundle: ExtensionBundle) -> Bool {
        bundle.registration == nil && registry.election(of: bundle.identifier) == .ignore
    }

    /// The copy of `identifier` that `owner` gets: its own registration, else the installed one, else another's registration.
    func bundle(_ identifier: String, for owner: Registrations.Owner) -> ExtensionBundle? {
        registrations.bundle(identifier, of: owner) ?? registry[identifier]?.bundle ?? registrations.bundle(identifier)
    }

    /// Names those that were probably meant.
    func noSuchExtension(_ name: String, remedy: String) -> ExtensionHostError {
        .noSuchExtension(name, among: registry.winners.lazy.map(\.bundle.identifier), remedy: remedy)
    }

    /// The request is over. Its identifier is remembered for a while, so that a begin said again does not begin again.
    func forget(_ request: RequestIdentifier) {
        requests[request] = nil
        if closed.count == Self.closedKept {
            closedSet.remove(closed[closedHead])
            closed[closedHead] = request
            closedHead = (closedHead + 1) % Self.closedKept
        } else {
            closed.append(request)
        }
        closedSet.insert(request)
    }

    func nextRequestNumber() -> Int {
        lastRequest += 1
        return lastRequest
    }

    private var lastRequest = 0

    /// Another daemon has given those up to this one.
    func goOnCounting(fromRequest number: Int) { lastRequest = max(lastRequest, number) }

    func hasClosed(_ request: RequestIdentifier) -> Bool { closedSet.contains(request) }

    private static let closedKept = 4096
    private var closed: [RequestIdentifier] = []
    private var closedHead = 0
    private var closedSet: Set<RequestIdentifier> = []

    /// Whose an event is, in the system's daemon: only that user, and root, gets to see it.
    func owner(of record: EventRecord) -> EventOwner {
        if let host = record.host, let user = host.split(separator: "/").first.flatMap({ UInt32($0) }) { return .user(user) }
        if let request = record.request, let known = requests[request] { return .user(known.user) }
        if let pid = record.pid, pid != Int(getpid()) {
            return supervisor.process(withPid: pid)?.user.map { .user($0) } ?? .nobody
        }
        return record.host == nil && record.request == nil ? .everybody : .nobody
    }

    /// Whose doing an event is, for the bound on lines: a host's process, an extension, a process; nil: the daemon's
    /// own.
    func source(of record: EventRecord) -> String? {
        if let name = record.host {
            return (hosts[name].map { Int($0.credentials.pid) } ?? record.pid).map { "process \($0)" } ?? "host \(name)"
        }
        if let identifier = record.extensionIdentifier { return identifier }
        guard let pid = record.pid else { return record.event == EventName.peerRefused.rawValue ? "others" : nil }
        return pid == Int(getpid()) ? nil : "process \(pid)"
    }

    /// Those that an event of a process belongs to.
    func requests(concernedBy record: EventRecord) -> [RequestIdentifier] {
        guard let pid = record.pid, let process = supervisor.process(withPid: pid) else { return [] }
        // Each of its requests ends with it, also those that it has answered.
        return record.event == EventName.processExited.rawValue ? process.served : process.story
    }

    func activityChanged() {
        onActivityChange?()
        service?.activityChanged()
    }

    func beginStopping() { isStopping = true }

    /// The longest-unused form of `name`: itself, else `NAME-2`, `NAME-3` …
    func uniqueHostName(_ name: String) -> String {
        func isTaken(_ name: String) -> Bool { hosts[name] != nil || keeping?.awaits(name) == true }
        guard isTaken(name) else { return name }
        var number = 2
        while isTaken("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }
}
