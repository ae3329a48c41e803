// BusPresence: the daemon on the message bus: its name, its object, and its signals as a view of the event log.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// Answers calls of the manager object from the engine, and sends those log events that the bus shows.
///
/// Nothing here blocks on the bus.
///
/// If a bus is absent or goes away, the daemon retries with growing pauses until it has its name there.
@HostActor
final class BusPresence {
    /// The first pause and the longest pause between two attempts to connect, in real time.
    ///
    /// A caller that waits for the daemon's name on a new bus gets its answer after the longest pause at the latest.
    /// The bus itself gives up much later (25 s).
    private static let pauses = (first: Duration.milliseconds(100), longest: Duration.seconds(5))

    private let engine: Engine
    private let context: DaemonContext
    private let inventory: Inventory
    private var address = BusAddress.none
    private var bus: Bus?
    private var manager: ManagerObject?
    private var logControl: LogControl?
    private var retry: Deadline?
    private var pause = pauses.first
    /// Whether the log says that there is no bus.
    private var isLost = false

    init(engine: Engine) {
        self.engine = engine
        (context, inventory) = (engine.context, engine.inventory)
    }

    /// Connects, and reconnects after each loss. Without a bus the log says so once, and the daemon continues to serve.
    func connect(to address: BusAddress) {
        guard address != .none else { return }
        self.address = address
        context.log.follow { [weak self] in self?.show($0) }
        engine.limiter.onChange = { [weak self] in self?.manager?.propertiesChanged([.limits]) }
        context.onActivityChange.append { [weak self] in
            self?.manager?.propertiesChanged([.activeRequests, .runningExtensions])
        }
        join()
    }

    private func join() {
        retry = nil
        guard !context.isStopping else { return }
        do throws(LoopError) {
            let bus = try Bus(address) { [weak self] in if self?.bus != nil { self?.lost("the connection ended") } }
            // Both objects exist before the name does, so that every call by the name finds them.
            let manager = try ManagerObject(on: bus, delegate: self)
            logControl = try LogControl(on: bus, delegate: self)
            (self.bus, self.manager) = (bus, manager)
            engine.bus = address.description
            bus.requestName(ManagerObject.busName) { [weak self, weak bus] result in
                guard let self, let bus, bus === self.bus else { return }
                switch result {
                case .success: joined()
                case .failure(let error): lost("the name \(ManagerObject.busName) was refused: \(error)")
                }
            }
        } catch {
            lost("\(error)")
        }
    }

    /// Announces again what listeners may have missed, now that the daemon has its name. They know of no state that was
    /// lost.
    private func joined() {
        pause = Self.pauses.first
        guard isLost else { return }
        isLost = false
        context.log.append(.busJoined, detail: "the daemon is on the \(address) again")
        for host in inventory.hosts.values.sorted(by: { $0.name < $1.name }) {
            manager?.emitHostNotification(host.state.signal, sequence: UInt64(host.sequence), host: host.name)
        }
        manager?.propertiesChanged([.activeRequests, .runningExtensions, .sandbox, .limits])
    }

    /// Breaks the connection, as a fault on demand, after which the daemon stays away; does nothing without a
    /// connection.
    func leave() {
        guard bus != nil else { return }
        lost("an injected fault closed the connection")
        retry = nil
    }

    private func lost(_ why: String) {
        let old = bus
        (bus, manager, logControl, engine.bus) = (nil, nil, nil, nil)
        // The bus must not be closed inside one of its own callbacks.
        EventLoop.shared.atEndOfIteration { old?.close() }
        if !isLost {
            isLost = true
            context.log.append(.busLost, detail: "no message bus: \(why); the daemon continues without it")
        }
        retry = context.realClock.schedule(after: pause) { [weak self] in self?.join() }
        pause = min(pause * 2, Self.pauses.longest)
    }

    private func show(_ record: EventRecord) {
        guard let manager else { return }
        switch EventName(rawValue: record.event) {
        case .hostStateChanged:
            guard let signal = record.detail.flatMap(HostSignal.init(rawValue:)), let host = record.host else { return }
            manager.emitHostNotification(signal, sequence: UInt64(record.sequence), host: host)
        case .requestCreated:
            guard let request = record.request, let identifier = record.extensionIdentifier, let host = record.host
            else {
                return
            }
            manager.emitRequestStarted(request: request.description, extension: identifier, host: host)
        case .requestCompleted, .requestCancelled, .requestInterrupted, .requestTimedOut, .requestRefused:
            guard let request = record.request, let cause = record.cause else { return }
            manager.emitRequestFinished(
                request: request.description, outcome: cause.outcome.rawValue, cause: cause.rawValue)
        default: break
        }
    }
}

extension HostStateName {
    /// The signal that announces this state if the previous state is unknown.
    fileprivate var signal: HostSignal {
        switch self {
        case .active: .didBecomeActive
        case .inactive: .willResignActive
        case .background: .didEnterBackground
        }
    }
}

extension BusPresence: ManagerObjectDelegate {
    var version: String { context.options.version }
    var activeRequests: UInt32 { UInt32(inventory.requests.count) }
    var runningExtensions: UInt32 { UInt32(inventory.processes.values.count { $0.bundle.isExtension }) }
    var sandbox: String { engine.launchCapabilities.sandbox.description }
    var limits: String { engine.limiter.summary }
    var treeKill: String { engine.launchCapabilities.treeKill.rawValue }

    func listExtensions() throws(BusError) -> [ManagerObject.Extension] {
        engine.catalog.registry.winners.map {
            ManagerObject.Extension(
                identifier: $0.bundle.identifier, version: $0.bundle.version, point: $0.bundle.point,
                path: $0.bundle.path,
                election: $0.election.rawValue)
        }
    }

    func listRequests() throws(BusError) -> [ManagerObject.Request] {
        inventory.requests.values.sorted { $0.began < $1.began }.map {
            ManagerObject.Request(
                request: $0.identifier.description, extension: $0.bundle.identifier, host: $0.hostName,
                state: $0.stateName)
        }
    }

    func listHosts() throws(BusError) -> [ManagerObject.Host] {
        inventory.hosts.values.sorted { $0.name < $1.name }.map {
            ManagerObject.Host(
                host: $0.name, uid: $0.credentials.uid, state: $0.state.rawValue, sequence: UInt64($0.sequence))
        }
    }

    func setState(ofHost name: String, to state: String, caller: BusCaller) throws(BusError) {
        guard let host = inventory.hosts[name] else {
            throw Self.error("NoSuchHost", "no host \(name) is connected; ListHosts lists the connected ones")
        }
        guard caller.uid == host.credentials.uid || caller.uid == 0 else {
            throw .accessDenied("host \(name) belongs to another user: ask as that user or as root")
        }
        guard let target = HostStateName(rawValue: state) ?? (state == "foreground" ? .inactive : nil) else {
            throw .invalidArguments("a state is active, inactive, background or foreground, not \(state)")
        }
        engine.announcements.move(host, to: target)
    }

    func cancelRequest(_ text: String, caller: BusCaller) throws(BusError) {
        guard let identifier = RequestIdentifier(text), let request = inventory.requests[identifier] else {
            throw Self.error("NoSuchRequest", "request \(text) is not open; ListRequests lists the open ones")
        }
        guard let host = request.host, caller.uid == host.credentials.uid || caller.uid == 0 else {
            throw .accessDenied("request \(text) belongs to another user: ask as that user or as root")
        }
        request.cancel(.cancelledByOperator)
    }

    private static func error(_ name: String, _ message: String) -> BusError {
        BusError(name: "\(ManagerObject.busName).Error.\(name)", message: message)
    }
}

extension BusPresence: LogControlDelegate {
    var logLevel: String { LogThreshold.shared.syslogName }
    var logTarget: String { context.options.logsToJournal ? "journal" : "console" }
    var syslogIdentifier: String { "exthostd" }

    func setLogLevel(_ level: String) throws(BusError) {
        guard LogThreshold.shared.set(syslogName: level) else {
            throw .invalidArguments("there is no log level \(level): write emerg to debug, as in syslog(3)")
        }
    }

    func setLogTarget(_ target: String) throws(BusError) {
        guard target == logTarget || target == "auto" else {
            throw BusError(
                name: "org.freedesktop.DBus.Error.NotSupported",
                message: "this daemon logs to the \(logTarget) as long as it runs: write \(logTarget) or auto")
        }
    }
}
