// BusFinding: a check that the message bus is reachable, and that the daemon owns its name on it.

import ExtensionProtocol
import Foundation
import Glibc

struct BusFinding {
    let subject: DoctorSubject

    private static let name = "org.exthost.ExtensionHost1"

    func finding() -> DoctorFinding {
        if let daemon = subject.daemon?.status { return finding(of: daemon) }
        let (address, remedy) = standardAddress(isSystem: subject.isSystem)
        do throws(BusProbe.Failure) {
            var bus = try BusProbe(address)
            guard let owner = try bus.owner(of: Self.name) else {
                return .ok(.bus, "\(address) answers; the name \(Self.name) has no owner")
            }
            let pid = try bus.processIdentifier(of: owner).map { ", process \($0)" } ?? ""
            return .warning(
                .bus, "\(address): \(Self.name) belongs to \(owner)\(pid), and no daemon answers at \(subject.address)",
                remedy: "That daemon has another socket: name it with EXTHOST_SOCKET, or stop that daemon")
        } catch {
            return .warning(.bus, "\(address) is not reached: \(error.what)", remedy: remedy)
        }
    }

    private func finding(of daemon: DaemonStatus) -> DoctorFinding {
        guard let bus = daemon.bus else {
            return .ok(
                .bus,
                "the daemon uses no bus: it has --bus none or --ephemeral, or no bus was available (its log has bus.lost)"
            )
        }
        let isSystem = bus.hasPrefix("system")
        let at = "message bus at "
        let address = bus.hasPrefix(at) ? String(bus.dropFirst(at.count)) : standardAddress(isSystem: isSystem).address
        do throws(BusProbe.Failure) {
            var probe = try BusProbe(address)
            guard let owner = try probe.owner(of: Self.name) else {
                return .problem(
                    .bus, "\(address) answers, and the name \(Self.name) has no owner",
                    remedy:
                        "Search the daemon's log for bus.lost; a system bus needs a policy that lets the daemon own the name"
                )
            }
            guard let pid = try probe.processIdentifier(of: owner), pid != daemon.pid else {
                return .ok(.bus, "\(address): the daemon has the name \(Self.name)")
            }
            return .problem(
                .bus, "\(address): the name \(Self.name) belongs to process \(pid), and the daemon is \(daemon.pid)",
                remedy: "Stop the other daemon, or give one of them another bus with --bus")
        } catch {
            return .problem(
                .bus, "the daemon uses the \(bus), which is not reachable from here at \(address): \(error.what)",
                remedy: "Set DBUS_SESSION_BUS_ADDRESS to the daemon's value")
        }
    }

    private func standardAddress(isSystem: Bool) -> (address: String, remedy: String) {
        if isSystem {
            return (
                variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket",
                "systemctl start dbus, or --bus none"
            )
        }
        return (
            variable("DBUS_SESSION_BUS_ADDRESS")
                ?? "unix:path=\(variable("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())")/bus",
            "Start a session with a bus (dbus-run-session), or the daemon with --bus none; requests need no bus"
        )
    }
}
