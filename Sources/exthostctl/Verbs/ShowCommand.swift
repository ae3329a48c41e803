// ShowCommand: the verb that shows all data about one extension, or about extension points.

import ArgumentParser
import ExtensionHost

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show everything about one extension, about extension points or profiles of platforms.",
        discussion: """
            With --point and a point's identifier, its last part or its name: what that extension point decides; with --point
            alone: all points, and the files that are none, with what is wrong with them. Where no daemon runs, those that it
            would have. With --profile: the platforms whose limits exthostd --profile takes, and what is
            known of one; no daemon is asked.

            EXAMPLES
              exthostctl show org.example.app.share
              exthostctl show --point
              exthostctl show --point share-services
              exthostctl show --point com.apple.share-services --json
              exthostctl show --profile ios-12
            """)

    @Flag(name: .long, help: "Show extension points.")
    var point = false

    @Flag(name: .long, help: "Show profiles of platforms.")
    var profile = false

    @Argument(
        help: ArgumentHelp("The identifier of the extension, or what names the point or the profile.", valueName: "id"),
        completion: .extensions)
    var identifier: String?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        if point, profile { throw ValidationError("Say --point or --profile, not both.") }
        if identifier == nil, !point, !profile {
            throw ValidationError("Name an extension, or say --point for all extension points, --profile for all profiles.")
        }
    }

    func run() async throws {
        if point { return try await ShownPoints(identifier: identifier, global: global).write() }
        if profile { return try ShownProfiles(name: identifier, global: global).write() }
        guard let identifier else { return }  // validate() has seen to it
        try await ShownExtension(identifier: identifier, global: global).write()
    }
}
