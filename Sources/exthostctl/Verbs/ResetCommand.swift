// ResetCommand: the verb that lets an extension be launched again after repeated failures.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Allow an extension to launch again at once after repeated failures.",
        discussion: """
            After several failures in a row, the daemon launches an extension only after a pause, and refuses requests
            for it (breakerOpen); exthostctl status shows these extensions. An answered request also ends the pauses.

            EXAMPLES
              exthostctl reset org.example.app.share
            """)

    @Argument(help: ArgumentHelp("The extensions' identifiers.", valueName: "id"), completion: .extensions)
    var identifiers: [String]

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await global.withControl { control in
            for identifier in identifiers { try await control.resetBreaker(of: identifier) }
        }
        if global.json { try StandardOutput.write((["reset": .array(identifiers.map(JSON.string))] as JSON).document) }
    }
}
