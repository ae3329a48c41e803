// StatusCommand: the verb that shows the daemon's status.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show a summary of the daemon, and the last unexpected death.",
        discussion: """
            EXAMPLES
              exthostctl status
              exthostctl status --system --json
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let (status, processes) = try await global.withControl { (try await $0.status(), try await $0.processes()) }
        if global.json { return try StandardOutput.write(status.json.document) }
        try StandardOutput.write(Self.text(status, memory: processes.compactMap(\.memory).reduce(0, +)))
    }

    /// Returns the status in the style of `systemctl status`.
    private static func text(_ status: DaemonStatus, memory: Int) -> String {
        let user = getpwuid(uid_t(truncatingIfNeeded: status.user)).map { String(cString: $0.pointee.pw_name) }
        var text = "\(Colour.green("●")) exthostd - app extensions for \(user ?? "user \(status.user)")\n"
        text += entry("Version", status.version)
        text += entry("Active", "\(Colour.green("active (running)")) since \(moment(status.started, now: status.time))")
        text += entry("Main PID", "\(status.pid)")
        text += entry("Socket", status.socket ?? "without a path")
        text += entry("Bus", status.bus ?? "none")
        text += entry("Clock", status.clock)
        text += entry(
            "Extensions",
            "\(status.extensions) can be used, \(status.disabled) disabled, \(status.processes) "
                + "\(status.processes == 1 ? "process" : "processes") running")
        text += entry("Requests", "\(status.requests) open")
        text += entry("Hosts", "\(status.hosts) connected")
        text += entry(
            "Memory",
            "\(written(bytes: status.memory)) (peak \(written(bytes: status.peakMemory))), extensions \(written(bytes: memory))"
        )
        if let state = status.state { text += entry("State", printable(state)) }
        if let folders = status.folders { text += entry("Folders", folders.map(printable).joined(separator: ", ")) }
        if let watching = status.watching { text += entry("Watching", watching) }
        if let kept = status.kept { text += entry("Kept", printable(kept)) }
        text += entry("Tree kill", status.treeKill)
        text += entry("Sandbox", status.sandbox)
        for problem in status.missing { text += entry("Missing", Colour.yellow(printable(problem))) }
        text += entry("Limits", status.limits)
        for breaker in status.breakers {
            text += entry(
                "Breaker",
                "\(breaker.extensionIdentifier) \(Colour.red(breaker.state)) after \(breaker.failures) failures, next try in "
                    + "\(written(seconds: breaker.delay)); exthostctl reset \(breaker.extensionIdentifier)")
        }
        guard let death = status.lastDeath else { return text + entry("Last death", "none") }
        let how =
            death.exit.signal.map { "signal \($0)" } ?? death.exit.status.map { "status \($0)" } ?? "status unknown"
        text += entry(
            "Last death",
            "\(death.extensionIdentifier)[\(death.pid)] \(Colour.red(death.exit.cause.rawValue)) (\(how)), decided by "
                + "\(death.decidedBy), \(moment(death.time, now: status.time))")
        if let detail = status.detail {
            text += entry("Why", printable(detail.cause.map { "\(detail.message): \($0)" } ?? detail.message))
            if let remedy = detail.remedy { text += entry("Remedy", printable(remedy)) }
        }
        return text
    }

    private static func entry(_ key: String, _ value: String) -> String {
        String(repeating: " ", count: max(0, 11 - key.count)) + "\(key): \(value)\n"
    }

    private static func moment(_ time: Int, now: Int) -> String {
        "\(written(time: time)); \(written(seconds: Double(max(0, now - time)) / 1e6)) ago"
    }
}

extension DaemonStatus {
    var json: JSON {
        [
            "version": .string(version), "pid": .integer(pid), "user": .integer(user), "started": .time(started),
            "socket": .optional(socket), "bus": .optional(bus), "clock": .string(clock),
            "extensions": .integer(extensions),
            "disabled": .integer(disabled), "processes": .integer(processes), "requests": .integer(requests),
            "hosts": .integer(hosts), "state": .optional(state),
            "folders": folders.map { .array($0.map(JSON.string)) } ?? .null, "watching": .optional(watching),
            "kept": .optional(kept),
            "memory": .optional(memory), "peakMemory": .optional(peakMemory),
            "treeKill": .string(treeKill), "sandbox": .string(sandbox),
            "missingLayers": .array(missing.map(JSON.string)), "limits": .string(limits), "lastDeath": death,
            "breakers": .array(
                breakers.map {
                    [
                        "extension": .string($0.extensionIdentifier), "state": .string($0.state),
                        "failures": .integer($0.failures),
                        "delay": .real($0.delay),
                    ]
                }),
        ]
    }

    /// The death as `exits` shows it, with its message and remedy.
    private var death: JSON {
        guard case .object(var members)? = lastDeath?.json else { return .null }
        members.append(("message", .optional(detail?.message)))
        members.append(("remedy", .optional(detail?.remedy)))
        return .object(members)
    }
}
