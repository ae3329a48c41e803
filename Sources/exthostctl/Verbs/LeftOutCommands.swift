// LeftOutCommands: unsupported verbs of pluginkit and of its daemon, each with an explanation and an alternative.

import ArgumentParser
import ExtensionHost
import ExtensionProtocol

/// An unsupported verb. `--help` does not list it, and its use fails with the reason.
protocol LeftOutCommand: AsyncParsableCommand {
    static var verb: String { get }
    static var what: String { get }
    static var instead: String { get }
    var arguments: [String] { get }
}

extension LeftOutCommand {
    static var configuration: CommandConfiguration { CommandConfiguration(commandName: verb, shouldDisplay: false) }

    func run() async throws {
        throw ExtensionHostError(.notSimulated, "\(Self.verb) is not simulated: \(Self.what)", remedy: Self.instead)
    }
}

struct HoldCommand: LeftOutCommand {
    static let verb = "hold"
    static let what = "no command blocks extensions during an update of their app"
    static let instead = "Replace the app in one step, by a rename: the daemon sees the change without a gap"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct ReadyCommand: LeftOutCommand {
    static let verb = "ready"
    static let what = "no command waits until an extension is ready"
    static let instead = "Wait for the event request.delivered: its process is ready then"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct AccessCommand: LeftOutCommand {
    static let verb = "access"
    static let what = "no command grants access to an extension"
    static let instead = "docs/confinement.md lists what an extension may access, and by which entitlement"
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}
