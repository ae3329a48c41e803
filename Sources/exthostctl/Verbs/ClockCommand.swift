// ClockCommand: the verb that advances the virtual clock of an ephemeral daemon.

import ArgumentParser
import ExtensionHost

struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Move the virtual clock of an ephemeral daemon.",
        discussion: """
            EXAMPLE
              exthostctl clock advance 30s
            """,
        subcommands: [ClockAdvanceCommand.self])
}

struct ClockAdvanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract: "Advance the clock; returns when every event that became due has happened.",
        discussion: """
            EXAMPLES
              exthostctl clock advance 30s --socket /tmp/private/host.sock
              exthostctl clock advance 500ms
            """)

    @Argument(help: "500ms, 3s, 5min; a bare number is seconds.", transform: duration)
    var by: Duration

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await global.withControl { try await $0.advanceClock(by: by) }
        guard global.json else { return }
        let seconds = Double(by.components.seconds) + Double(by.components.attoseconds) / 1e18
        let answer: JSON = ["advanced": .real(seconds)]
        try StandardOutput.write(answer.document)
    }
}
