// ResetCommand: the verb that lets an extension be launched again after repeated failures.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Let an extension be launched again at once that has failed again and again.",
        discussion: """
            After some failures in a row an extension is launched only after a pause, and requests for it are refused (breakerOpen);
            exthostctl status shows which. An answered request ends that as well.

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
