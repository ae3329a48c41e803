// ShowCommand: everything about one extension.

import ArgumentParser
import ExtensionHost

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show everything about one extension.",
        discussion: """
            EXAMPLE
              exthostctl show org.example.app.share
            """)

    @Argument(
        help: ArgumentHelp("The extension's identifier, or the path of a copy of it.", valueName: "id"), completion: .extensions)
    var identifier: String

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws { try await ShownExtension(identifier: identifier, global: global).write() }
}
