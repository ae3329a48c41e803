// BusListener: an independent program on the daemon's bus: busctl, which knows nothing of this project.

import ExtensionHostTesting
import Foundation
import TestPrograms

/// A `busctl monitor` of the daemon's signals.
final class BusListener: Sendable {
    struct Signal: Sendable {
        let member: String
        let sequence: Int
        let host: String
    }

    private let address: String
    private let monitor: Program

    /// Starts to listen; returns once the bus has made it a monitor.
    static func start(_ address: String) async throws -> BusListener {
        let monitor = try Program(
            "/usr/bin/busctl",
            [
                "--address=\(address)", "--json=short", "monitor",
                "--match=type='signal',interface='org.exthost.ExtensionHost1.Manager'",
            ])
        // “Monitoring bus message stream.” comes once the bus has agreed.
        try await monitor.shows("Monitoring")
        return BusListener(address, monitor)
    }

    private init(_ address: String, _ monitor: Program) {
        self.address = address
        self.monitor = monitor
    }

    /// Waits for the first `count` host signals.
    func signals(_ count: Int) async throws -> [Signal] {
        var signals: [Signal] = []
        for await line in monitor.lines {
            guard let message = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let member = message["member"] as? String, member.hasPrefix("Host"),
                let data = (message["payload"] as? [String: Any])?["data"] as? [Any], data.count == 2,
                let sequence = data[0] as? Int, let host = data[1] as? String
            else { continue }
            signals.append(Signal(member: member, sequence: sequence, host: host))
            if signals.count == count { break }
        }
        return signals
    }

    /// What `busctl call` prints for a method without arguments.
    func call(_ method: String) async throws -> String {
        try await busctl(
            "call", "org.exthost.ExtensionHost1", "/org/exthost/ExtensionHost1", "org.exthost.ExtensionHost1.Manager",
            method)
    }

    func busctl(_ arguments: String...) async throws -> String {
        let call = try await Program.ending(of: "/usr/bin/busctl", ["--address=\(address)"] + arguments)
        return call.output + call.errors
    }
}
