// HostCommand: the verb that changes a host application's state.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct HostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Change a connected host application's state.",
        discussion: """
            EXAMPLE
              exthostctl host state notes background
            """,
        subcommands: [HostStateCommand.self])
}

struct HostStateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Set a host to active, inactive or background.",
        discussion: """
            The state is a target: the host passes through every state on the legal path, with all announcements. foreground
            is a synonym of inactive.

            EXAMPLES
              exthostctl host state notes background
              exthostctl host state notes active
            """)

    @Argument(help: "The host's name, as exthostctl hosts shows it.")
    var host: String

    @Argument(
        help: "active, inactive or background.",
        transform: { text in
            guard let state = text == "foreground" ? .inactive : HostStateName(rawValue: text) else {
                throw ValidationError(
                    "“\(text)” is not a host state. Write active, inactive (or foreground), or background.")
            }
            return state
        })
    var state: HostStateName

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await global.withControl { try await $0.setState(state, ofHost: host) }
        if global.json {
            let answer: JSON = ["host": .string(host), "state": .string(state.rawValue)]
            try StandardOutput.write(answer.document)
        } else if !global.quiet {
            try StandardOutput.line("\(printable(host)) is \(state.rawValue)")
        }
    }
}
