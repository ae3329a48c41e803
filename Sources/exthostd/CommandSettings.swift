// CommandSettings: the configuration of one start: files, over them the environment, over that the options.

import ExtensionHostDaemon
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Logging
import PropertyListCoding

/// What is needed to read the configuration, as often as somebody asks for it.
struct CommandSettings: Sendable {
    private let defaults: DaemonSettings
    /// The one file of `--config`; else those of `files` that are there.
    private let file: String?
    private let files: ConfigurationFiles?
    /// What stands over all files: name, value, source.
    private var given: [(name: String, value: PropertyList, source: String)] = []

    init(_ command: ExtensionHostDaemonCommand) throws(ExtensionHostError) {
        var defaults = DaemonSettings()
        if command.ephemeral { (defaults.breakerLimit, defaults.logLevel) = (nil, .error) }
        self.defaults = defaults
        file = command.config.map(SearchPath.absolute)
        // A private daemon shares no settings: it takes what it is given only.
        files = command.ephemeral || file != nil ? nil : .standard(isSystem: command.scope == .system)
        if let text = getenv("EXTHOST_SANDBOX").map({ String(cString: $0) }), !text.isEmpty, command.sandbox == nil {
            // A word that is none must not leave extensions unconfined, nor confined by surprise.
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
            given.append(("Breaker", breaker.map { .integer(Int64($0)) } ?? .string("off"), "--breaker"))
        }
        if command.endUnresponsive { given.append(("EndUnresponsive", .boolean(true), "--end-unresponsive")) }
        if !command.shareGroup.isEmpty {
            let groups = command.shareGroup.map { PropertyList.string($0) }
            given.append(("SharedGroups", command.shareGroup == ["all"] ? groups[0] : .array(groups), "--share-group"))
        }
        if let level = command.logLevel { given.append(("LogLevel", .string(level.rawValue), "--log-level")) }
    }

    /// At the start, where the file of `--config` has to be readable.
    func first() throws(ExtensionHostError) -> DaemonConfiguration {
        var configuration = DaemonConfiguration(defaults)
        if let file { try configuration.read(file) }
        return completed(configuration)
    }

    /// Again: a file that cannot be read is told, and the daemon goes on.
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
