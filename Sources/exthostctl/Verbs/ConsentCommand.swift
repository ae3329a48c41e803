// ConsentCommand: the verb for the user's consents to an extension.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct ConsentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent",
        abstract: "Give an extension a consent, or take it back.",
        discussion: """
            A consent is the user's switch for one extension, such as a keyboard's full access. All are off at first. \
            exthostctl show --point lists the consents of an extension point. A change acts at the next launch of the \
            extension. It is stored on disk when the command returns.

            EXAMPLES
              exthostctl consent org.example.app.keyboard fullAccess on
              exthostctl consent org.example.app.keyboard fullAccess off
            """)

    /// The two positions of the switch.
    enum Position: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @Argument(help: ArgumentHelp("The extension's identifier.", valueName: "id"), completion: .extensions)
    var identifier: String

    @Argument(help: "The name of the consent.")
    var name: String

    @Argument(help: "on or off.")
    var position: Position

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let records = try await global.withControl { control in
            try await control.setConsent(name, position == .on, of: identifier)
        }
        let listed = records.map(ListedExtension.init)
        if global.json { return try StandardOutput.write(JSON.array(listed.map(\.json)).document) }
        if !global.quiet { try StandardOutput.write(listed.map(\.line).joined()) }
    }
}
