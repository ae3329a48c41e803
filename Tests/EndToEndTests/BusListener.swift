// BusListener: an independent program on the daemon's bus: busctl, which knows nothing of this project.

import ExtensionHostTesting
import Foundation
import Locks

/// A `busctl monitor` of the daemon's signals.
final class BusListener: Sendable {
    struct Signal: Sendable {
        let member: String
        let sequence: Int
        let host: String
    }

    private let address: String
    private let process: Process
    private let lines: AsyncStream<String>

    /// Starts to listen; returns once the bus has made it a monitor.
    static func start(_ address: String) async throws -> BusListener {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/busctl")
        process.arguments = [
            "--address=\(address)", "--json=short", "monitor",
            "--match=type='signal',interface='org.exthost.ExtensionHost1.Manager'",
        ]
        let output = Pipe()
        let messages = Pipe()
        process.standardOutput = output
        process.standardError = messages
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let rest = Mutex("")
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else { return continuation.finish() }
            rest.withLock { rest in
                rest += String(decoding: data, as: UTF8.self)
                while let end = rest.firstIndex(of: "\n") {
                    continuation.yield(String(rest[..<end]))
                    rest = String(rest[rest.index(after: end)...])
                }
            }
        }
        let listening = OneSignal()
        messages.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            // “Monitoring bus message stream.” comes once the bus has agreed.
            if data.isEmpty || String(decoding: data, as: UTF8.self).contains("Monitoring") { listening.fire() }
        }
        try process.run()
        await listening.wait()
        return BusListener(address, process, lines)
    }

    private init(_ address: String, _ process: Process, _ lines: AsyncStream<String>) {
        self.address = address
        self.process = process
        self.lines = lines
    }

    deinit { process.terminate() }

    /// Waits for the first `count` host signals.
    func signals(_ count: Int) async throws -> [Signal] {
        var signals: [Signal] = []
        for await line in lines {
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
        try busctl(
            "call", "org.exthost.ExtensionHost1", "/org/exthost/ExtensionHost1", "org.exthost.ExtensionHost1.Manager",
            method)
    }

    func busctl(_ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/busctl")
        process.arguments = ["--address=\(address)"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
