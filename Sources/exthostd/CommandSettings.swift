// CommandSettings: the configuration of one start: files, over them the environment, over that the options.

import ExtensionHostDaemon
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Logging
import PropertyListCoding

/// The inputs from which the configuration can be read any number of times.
struct CommandSettings: Sendable {
    private let defaults: DaemonSettings
    /// The one file of `--config`. If it is nil, the existing files of `files` apply.
    private let file: String?
    private let files: ConfigurationFiles?
    /// The values that override all files: name, value, source.
    private var given: [(name: String, value: PropertyList, source: String)] = []

    init(_ command: ExtensionHostDaemonCommand) throws(ExtensionHostError) {
        var defaults = DaemonSettings()
        if command.ephemeral { (defaults.breakerLimit, defaults.logLevel) = (nil, .error) }
        self.defaults = defaults
        file = command.config.map(SearchPath.absolute)
        // A private daemon shares no settings: only its options and environment count.
        files = command.ephemeral || file != nil ? nil : .standard(isSystem: command.scope == .system)
        if let text = getenv("EXTHOST_SANDBOX").map({ String(cString: $0) }), !text.isEmpty, command.sandbox == nil {
            // An unknown word must not leave extensions unconfined, nor confine them by surprise.
            guard ConfinementDemand(rawValue: text) != nil else {
                throw ExtensionHostError(
                    .invalidArgument, "EXTHOST_SANDBOX is “\(text)”", remedy: "Set it to required, best or none")
            }
            given.append(("Sandbox", .string(text), "$EXTHOST_SANDBOX"))
        }
        for timer in command.timer {
            given.append(("Timers.\(timer.name.rawValue)", .real(timer.duration / .seconds(1)), "--timer"))
        }
        for limit in command.limit { given.append(("Limits.\(limit.name.rawValue)", .string(limit.text), "--limit")) }
        if let profile = command.profile { given.append(("Profile", .string(profile.name), "--profile")) }
        if let sandbox = command.sandbox { given.append(("Sandbox", .string(sandbox.rawValue), "--sandbox")) }
        if let breaker = command.breaker {
            given.append(("Breaker", breaker.failures.map { .integer(Int64($0)) } ?? .string("off"), "--breaker"))
        }
        if command.endUnresponsive { given.append(("EndUnresponsive", .boolean(true), "--end-unresponsive")) }
        if !command.shareGroup.isEmpty {
            let groups = command.shareGroup.map { PropertyList.string($0) }
            given.append(("SharedGroups", command.shareGroup == ["all"] ? groups[0] : .array(groups), "--share-group"))
        }
        if let level = command.logLevel { given.append(("LogLevel", .string(level.rawValue), "--log-level")) }
    }

    /// Reads the configuration at the start, when the file of `--config` must be readable.
    func first() throws(ExtensionHostError) -> DaemonConfiguration {
        var configuration = DaemonConfiguration(defaults)
        if let file { try configuration.read(file) }
        return completed(configuration)
    }

    /// Reads the configuration again. A file that cannot be read is logged, and the daemon continues.
    func again() -> DaemonConfiguration {
        var configuration = DaemonConfiguration(defaults)
        if let file { configuration.read([file]) }
        return completed(configuration)
    }

    private func completed(_ configuration: DaemonConfiguration) -> DaemonConfiguration {
        var configuration = configuration
        if let files { configuration.read(files.present) }
        for entry in given { configuration.set(entry.name, entry.value, source: entry.source) }
        return configuration
    }
}
