// BusPresence: the daemon on the message bus: its name, its object, and its signals as a view of the event log.

import EventLog
import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// Answers the manager object from the engine and sends the log's events that the bus shows. Nothing here waits for the bus.
@HostActor
final class BusPresence {
    private let engine: Engine
    private var bus: Bus?
    private var manager: ManagerObject?
    private var logControl: LogControl?

    init(engine: Engine) { self.engine = engine }

    /// Connects. With no bus to be had it is said once, and the daemon serves on.
    func connect(to address: BusAddress) {
        guard address != .none else { return }
        do throws(LoopError) {
            let bus = try Bus(address) { [weak self] in self?.lost("the connection ended") }
            let manager = try ManagerObject(on: bus, delegate: self)
            logControl = try LogControl(on: bus, delegate: self)
            bus.requestName(ManagerObject.busName) { [weak self] result in
                if case .failure(let error) = result { self?.lost("the name \(ManagerObject.busName) was refused: \(error)") }
            }
            self.bus = bus
            self.manager = manager
            engine.bus = address.description
            engine.log.follow { [weak self] in self?.show($0) }
            engine.limiter.onChange = { [weak manager] in manager?.propertiesChanged([.limits]) }
            engine.onActivityChange = { [weak manager] in manager?.propertiesChanged([.activeRequests, .runningExtensions]) }
        } catch {
            lost("\(error)")
        }
    }

    /// Breaks the connection: a fault on demand. Nothing without one.
    func leave() {
        guard let bus, manager != nil else { return }
        bus.close()
        lost("the connection was broken on demand")
    }

    private func lost(_ why: String) {
        guard manager != nil || bus == nil else { return }
        manager = nil
        logControl = nil
        engine.bus = nil
        engine.onActivityChange = nil
        engine.limiter.onChange = nil
        engine.log.append(.busLost, detail: "no message bus: \(why); everything else goes on")
    }

    private func show(_ record: EventRecord) {
        guard let manager else { return }
        switch EventName(rawValue: record.event) {
        case .hostStateChanged:
            guard let signal = record.detail.flatMap(HostSignal.init(rawValue:)), let host = record.host else { return }
            manager.emitHostNotification(signal, sequence: UInt64(record.sequence), host: host)
        case .requestCreated:
            guard let request = record.request, let identifier = record.extensionIdentifier, let host = record.host else {
                return
            }
            manager.emitRequestStarted(request: request.description, extension: identifier, host: host)
        case .requestCompleted, .requestCancelled, .requestInterrupted, .requestTimedOut, .requestRefused:
            guard let request = record.request, let cause = record.cause else { return }
            manager.emitRequestFinished(request: request.description, outcome: cause.outcome.rawValue, cause: cause.rawValue)
        default: break
        }
    }
}

extension BusPresence: ManagerObjectDelegate {
    var version: String { engine.options.version }
    var activeRequests: UInt32 { UInt32(engine.requests.count) }
    var runningExtensions: UInt32 { UInt32(engine.supervisor.processes.values.count { !$0.bundle.isApp }) }
    var sandbox: String { engine.launchMeans.sandbox.description }
    var limits: String { engine.limiter.words }
    var treeKill: String { engine.launchMeans.treeKill.rawValue }

    func listExtensions() throws(BusError) -> [ManagerObject.Extension] {
        engine.registry.winners.map {
            ManagerObject.Extension(
                identifier: $0.bundle.identifier, version: $0.bundle.version, point: $0.bundle.point, path: $0.bundle.path,
                election: $0.election.rawValue)
        }
    }

    func listRequests() throws(BusError) -> [ManagerObject.Request] {
        engine.requests.values.sorted { $0.began < $1.began }.map {
            ManagerObject.Request(
                request: $0.identifier.description, extension: $0.bundle.identifier, host: $0.hostName,
                state: $0.machine.state.name)
        }
    }

    func listHosts() throws(BusError) -> [ManagerObject.Host] {
        engine.hosts.values.sorted { $0.name < $1.name }.map {
            ManagerObject.Host(
                host: $0.name, uid: $0.credentials.uid, state: $0.state.current.rawValue, sequence: UInt64($0.sequence))
        }
    }

    func setState(ofHost name: String, to state: String, caller: BusCaller) throws(BusError) {
        guard let host = engine.hosts[name] else {
            throw Self.error("NoSuchHost", "no host \(name) is connected; ListHosts names those that are")
        }
        guard caller.uid == host.credentials.uid || caller.uid == 0 else {
            throw .accessDenied("host \(name) is another user's: ask as that user or as root")
        }
        guard let target = HostStateName(rawValue: state) ?? (state == "foreground" ? .inactive : nil) else {
            throw .invalidArguments("a state is active, inactive, background or foreground, not \(state)")
        }
        host.move(to: target)
    }

    func cancelRequest(_ text: String, caller: BusCaller) throws(BusError) {
        guard let identifier = RequestIdentifier(text), let request = engine.requests[identifier] else {
            throw Self.error("NoSuchRequest", "request \(text) is not open; ListRequests names those that are")
        }
        guard let host = request.host, caller.uid == host.credentials.uid || caller.uid == 0 else {
            throw .accessDenied("request \(text) is another user's: ask as that user or as root")
        }
        request.cancel(.cancelledByOperator)
    }

    private static func error(_ name: String, _ message: String) -> BusError {
        BusError(name: "\(ManagerObject.busName).Error.\(name)", message: message)
    }
}

extension BusPresence: LogControlDelegate {
    var logLevel: String { LogThreshold.shared.syslogName }
    var logTarget: String { engine.options.logsToJournal ? "journal" : "console" }
    var syslogIdentifier: String { "exthostd" }

    func setLogLevel(_ level: String) throws(BusError) {
        guard LogThreshold.shared.set(syslogName: level) else {
            throw .invalidArguments("there is no log level \(level): give emerg to debug, as syslog(3) names them")
        }
    }

    func setLogTarget(_ target: String) throws(BusError) {
        guard target == logTarget || target == "auto" else {
            throw BusError(
                name: "org.freedesktop.DBus.Error.NotSupported",
                message: "this daemon logs to the \(logTarget) as long as it runs: give \(logTarget) or auto")
        }
    }
}
