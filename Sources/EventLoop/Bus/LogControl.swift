// LogControl: org.freedesktop.LogControl1 on the bus, so that `systemctl service-log-level` works on the daemon.

internal import CSystemdShims
internal import Glibc

/// The daemon's side of the log control; see org.freedesktop.LogControl1(5).
@HostActor
public protocol LogControlDelegate: AnyObject {
    /// `emerg`, `alert`, `crit`, `err`, `warning`, `notice`, `info` or `debug`.
    var logLevel: String { get }
    /// `journal`, `console`, `null` and the like.
    var logTarget: String { get }
    var syslogIdentifier: String { get }

    /// Throws `BusError.invalidArguments` for an unknown level.
    func setLogLevel(_ level: String) throws(BusError)
    func setLogTarget(_ target: String) throws(BusError)
}

/// The object at `/org/freedesktop/LogControl1`, registered for as long as this instance exists. The delegate is weak.
///
/// Everybody may read; root and the daemon's own user may write.
@HostActor
public final class LogControl {
    public nonisolated static let path = "/org/freedesktop/LogControl1"
    public nonisolated static let interface = "org.freedesktop.LogControl1"

    private let bus: Bus
    private weak var delegate: (any LogControlDelegate)?
    private var object: BusObject?

    /// - Throws: `LoopError.call`. On a bus without connection nothing is registered.
    public init(on bus: Bus, delegate: any LogControlDelegate) throws(LoopError) {
        self.bus = bus
        self.delegate = delegate
        object = try BusObject(on: bus, path: Self.path, members: self, add: exthost_bus_add_log_control)
    }
}

extension LogControl: BusObjectMembers {
    func answer(_ call: BusMessage) throws(BusError) {
        throw BusError(name: "org.freedesktop.DBus.Error.UnknownMethod", message: "no method \(call.member)")
    }

    func append(property: String, to reply: BusMessage) throws(BusError) {
        guard let delegate else { throw .failed("the daemon is stopping") }
        switch property {
        case "LogLevel": try reply.append(delegate.logLevel)
        case "LogTarget": try reply.append(delegate.logTarget)
        default: try reply.append(delegate.syslogIdentifier)
        }
    }

    /// Handles `Properties.Set` of the writable properties: the vtable's setter would have to answer before the caller
    /// is known.
    func intercept(_ call: BusMessage) throws(BusError) -> Bool {
        guard call.isCall(to: "Set", of: "org.freedesktop.DBus.Properties") else { return false }
        let interface = try call.readString()
        let property = try call.readString()
        guard interface == Self.interface, property == "LogLevel" || property == "LogTarget" else {
            call.rewind()
            return false
        }
        let value = try call.readStringVariant()
        bus.identifyCaller(of: call) { [weak self] result in
            do throws(BusError) {
                guard let self else { throw .failed("the daemon is stopping") }
                try self.set(property, to: value, caller: try result.get())
                try call.reply()
            } catch {
                call.reply(error)
            }
        }
        return true
    }

    private func set(_ property: String, to value: String, caller: BusCaller) throws(BusError) {
        guard let delegate else { throw .failed("the daemon is stopping") }
        guard caller.uid == 0 || caller.uid == geteuid() else {
            throw .accessDenied("only root and the daemon's own user may change its logging")
        }
        if property == "LogLevel" {
            try delegate.setLogLevel(value)
        } else {
            try delegate.setLogTarget(value)
        }
    }
}
