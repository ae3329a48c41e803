// ManagerObject: /org/exthost/ExtensionHost1 on the bus, the daemon's interface for programs that are not its clients.

internal import CSystemd
internal import CSystemdShims
internal import Glibc

/// An announcement of a host's state, of which there are four; the raw value is the signal's name (spec 1.7).
public enum HostSignal: String, Sendable, Hashable, CaseIterable {
    case willEnterForeground = "HostWillEnterForeground"
    case didEnterBackground = "HostDidEnterBackground"
    case willResignActive = "HostWillResignActive"
    case didBecomeActive = "HostDidBecomeActive"
}

/// The daemon's side of `org.exthost.ExtensionHost1.Manager`: its properties and methods.
///
/// The members are called on the loop and must answer at once. The caller sees a `BusError` that they throw.
@HostActor
public protocol ManagerObjectDelegate: AnyObject {
    var version: String { get }
    var activeRequests: UInt32 { get }
    var runningExtensions: UInt32 { get }
    /// The confinement layers in force, e.g. `namespaces,landlock:7,seccomp`, or `none`.
    var sandbox: String { get }
    var limits: String { get }
    /// The means by which a tree of processes is killed on this machine.
    var treeKill: String { get }

    func listExtensions() throws(BusError) -> [ManagerObject.Extension]
    func listRequests() throws(BusError) -> [ManagerObject.Request]
    func listHosts() throws(BusError) -> [ManagerObject.Host]

    /// Moves a host towards a state. The method decides whether `caller` may do so.
    func setState(ofHost host: String, to state: String, caller: BusCaller) throws(BusError)
    func cancelRequest(_ request: String, caller: BusCaller) throws(BusError)
}

/// The object at `ManagerObject.path`, registered for as long as this instance exists. The delegate is weak.
@HostActor
public final class ManagerObject {
    public nonisolated static let busName = "org.exthost.ExtensionHost1"
    public nonisolated static let path = "/org/exthost/ExtensionHost1"
    public nonisolated static let interface = "org.exthost.ExtensionHost1.Manager"

    /// One registered extension: `(sssss)`.
    public struct Extension: Sendable, Hashable {
        public var identifier, version, point, path, election: String

        public init(identifier: String, version: String, point: String, path: String, election: String) {
            self.identifier = identifier
            self.version = version
            self.point = point
            self.path = path
            self.election = election
        }
    }

    /// One open request: `(ssss)`.
    public struct Request: Sendable, Hashable {
        public var request, `extension`, host, state: String

        public init(request: String, extension: String, host: String, state: String) {
            self.request = request
            self.extension = `extension`
            self.host = host
            self.state = state
        }
    }

    /// One connected host: `(sust)`. `sequence` is that of its last change, which a late subscriber needs.
    public struct Host: Sendable, Hashable {
        public var host: String
        public var uid: UInt32
        public var state: String
        public var sequence: UInt64

        public init(host: String, uid: UInt32, state: String, sequence: UInt64) {
            self.host = host
            self.uid = uid
            self.state = state
            self.sequence = sequence
        }
    }

    /// A property that changes while the daemon runs.
    public enum Property: String, Sendable, Hashable, CaseIterable {
        case activeRequests = "ActiveRequests"
        case runningExtensions = "RunningExtensions"
        case sandbox = "Sandbox"
        case limits = "Limits"
    }

    private let bus: Bus
    private weak var delegate: (any ManagerObjectDelegate)?
    private var object: BusObject?
    private var changed: Set<Property> = []
    /// The values that were announced last.
    private var announced: [Property: String] = [:]
    private var pause: TimerSource?
    /// The minimum time between two announcements of properties.
    private let interval: Duration

    /// - Parameter interval: the minimum time between two announcements of properties.
    /// - Throws: `LoopError.call`. On a bus without connection nothing is registered, and emitted signals are dropped.
    public init(
        on bus: Bus, delegate: any ManagerObjectDelegate, interval: Duration = .milliseconds(100)
    ) throws(LoopError) {
        self.bus = bus
        self.delegate = delegate
        self.interval = interval
        object = try BusObject(on: bus, path: Self.path, members: self, add: exthost_bus_add_manager)
        pause = try TimerSource { [weak self] in self?.announceChanges() }
    }

    // MARK: Signals

    /// - Parameter sequence: the event log's number of the change, the same in `ListHosts`.
    public func emitHostNotification(_ notification: HostSignal, sequence: UInt64, host: String) {
        bus.emit(notification.rawValue, path: Self.path, interface: Self.interface) { message throws(BusError) in
            try message.append(sequence)
            try message.append(host)
        }
    }

    public func emitRequestStarted(request: String, extension: String, host: String) {
        emit("RequestStarted", [request, `extension`, host])
    }

    public func emitRequestFinished(request: String, outcome: String, cause: String) {
        emit("RequestFinished", [request, outcome, cause])
    }

    /// Announces properties whose values may have changed, in one `PropertiesChanged`.
    ///
    /// It is sent at the end of the loop's iteration, or at the end of `interval` after the last one, with the values
    /// of that time. A value that equals the last announced one is omitted.
    public func propertiesChanged(_ properties: [Property]) {
        if changed.isEmpty, !properties.isEmpty, pause?.isArmed != true {
            EventLoop.shared.atEndOfIteration { [weak self] in self?.announceChanges() }
        }
        changed.formUnion(properties)
    }

    private func emit(_ member: String, _ strings: [String]) {
        bus.emit(member, path: Self.path, interface: Self.interface) { message throws(BusError) in
            for string in strings { try message.append(string) }
        }
    }

    private func announceChanges() {
        let properties = changed.filter { value(of: $0) != announced[$0] }
        changed = []
        guard !properties.isEmpty, let connection = bus.pointer, bus.hasRoom else { return }
        for property in properties { announced[property] = value(of: property) }
        var list = properties.map(\.rawValue).sorted().map { strdup($0) } + [nil]
        defer { for name in list { free(name) } }
        sd_bus_emit_properties_changed_strv(connection, Self.path, Self.interface, &list)
        pause?.arm(after: interval)
    }

    private func value(of property: Property) -> String? {
        guard let delegate else { return nil }
        return switch property {
        case .activeRequests: "\(delegate.activeRequests)"
        case .runningExtensions: "\(delegate.runningExtensions)"
        case .sandbox: delegate.sandbox
        case .limits: delegate.limits
        }
    }
}

extension ManagerObject: BusObjectMembers {
    func answer(_ call: BusMessage) throws(BusError) {
        switch call.member {
        case "ListExtensions":
            let extensions = try present.listExtensions()
            try call.reply { message throws(BusError) in
                try message.append(extensions, as: "sssss") { element throws(BusError) in
                    try message.append(element.identifier)
                    try message.append(element.version)
                    try message.append(element.point)
                    try message.append(element.path)
                    try message.append(element.election)
                }
            }
        case "ListRequests":
            let requests = try present.listRequests()
            try call.reply { message throws(BusError) in
                try message.append(requests, as: "ssss") { element throws(BusError) in
                    try message.append(element.request)
                    try message.append(element.extension)
                    try message.append(element.host)
                    try message.append(element.state)
                }
            }
        case "ListHosts":
            let hosts = try present.listHosts()
            try call.reply { message throws(BusError) in
                try message.append(hosts, as: "sust") { element throws(BusError) in
                    try message.append(element.host)
                    try message.append(element.uid)
                    try message.append(element.state)
                    try message.append(element.sequence)
                }
            }
        case "SetHostState":
            let host = try call.readString()
            let state = try call.readString()
            perform(call) { delegate, caller throws(BusError) in
                try delegate.setState(ofHost: host, to: state, caller: caller)
            }
        case "CancelRequest":
            let request = try call.readString()
            perform(call) { delegate, caller throws(BusError) in
                try delegate.cancelRequest(request, caller: caller)
            }
        default:
            throw BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "no method \(call.member)")
        }
    }

    func append(property: String, to reply: BusMessage) throws(BusError) {
        let delegate = try present
        switch property {
        case "Version": try reply.append(delegate.version)
        case "ActiveRequests": try reply.append(delegate.activeRequests)
        case "RunningExtensions": try reply.append(delegate.runningExtensions)
        case "Sandbox": try reply.append(delegate.sandbox)
        case "Limits": try reply.append(delegate.limits)
        case "TreeKill": try reply.append(delegate.treeKill)
        default: throw BusError(name: "org.freedesktop.DBus.Error.UnknownProperty", message: "no property \(property)")
        }
    }

    private var present: any ManagerObjectDelegate {
        get throws(BusError) {
            guard let delegate else { throw .failed("the daemon is stopping") }
            return delegate
        }
    }

    /// Asks the bus for the caller, and answers when the caller is known.
    private func perform(
        _ call: BusMessage,
        _ action: @escaping @HostActor (any ManagerObjectDelegate, BusCaller) throws(BusError) -> Void
    ) {
        bus.identifyCaller(of: call) { [weak self] result in
            do throws(BusError) {
                guard let self else { throw .failed("the daemon is stopping") }
                try action(try self.present, try result.get())
                try call.reply()
            } catch {
                call.reply(error)
            }
        }
    }
}
