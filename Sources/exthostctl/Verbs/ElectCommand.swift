// ElectCommand: the verb for the user's election of an extension.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct ElectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "elect",
        abstract: "Switch an extension on or off, for all of its copies.",
        discussion: """
            The daemon does not offer an ignored extension, and refuses a request for it (notElected). default removes
            the election. The election is stored on disk when the command returns.

            EXAMPLES
              exthostctl elect ignore org.example.app.share
              exthostctl elect default org.example.app.share
            """)

    @Argument(
        help: "use, ignore or default.", completion: .list(Election.allCases.map(\.rawValue)),
        transform: { word in
            guard let election = Election(rawValue: word) else {
                throw ValidationError("“\(word)” is not an election. Write use, ignore or default.")
            }
            return election
        })
    var election: Election

    @Argument(help: ArgumentHelp("The extensions' identifiers.", valueName: "id"), completion: .extensions)
    var identifiers: [String]

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let records = try await global.withControl { control in
            var records: [ExtensionRecord] = []
            for identifier in identifiers { records += try await control.elect(election, identifier) }
            return records
        }
        let listed = records.map(ListedExtension.init)
        if global.json { return try StandardOutput.write(JSON.array(listed.map(\.json)).document) }
        if !global.quiet { try StandardOutput.write(listed.map(\.line).joined()) }
    }
}
