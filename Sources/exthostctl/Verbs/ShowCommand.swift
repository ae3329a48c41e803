// ShowCommand: everything about one extension, or about extension points.

import ArgumentParser
import ExtensionHost

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show everything about one extension, or about extension points.",
        discussion: """
            With --point and an identifier: what that extension point decides; with --point alone: all points, and the files that
            are none, with what is wrong with them.

            EXAMPLES
              exthostctl show org.example.app.share
              exthostctl show --point
              exthostctl show --point com.apple.share-services --json
            """)

    @Flag(name: .long, help: "Show extension points.")
    var point = false

    @Argument(help: ArgumentHelp("The identifier of the extension or point.", valueName: "id"), completion: .extensions)
    var identifier: String?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        if identifier == nil, !point { throw ValidationError("Name an extension, or say --point for all extension points.") }
    }

    func run() async throws {
        if point { return try await ShownPoints(identifier: identifier, global: global).write() }
        guard let identifier else { return }  // validate() has seen to it
        try await ShownExtension(identifier: identifier, global: global).write()
    }
}
