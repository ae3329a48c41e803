// ShowCommand: the verb that shows all data about one extension, or about extension points.

import ArgumentParser
import ExtensionHost

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all details of an extension, an extension point or a platform's profile.",
        discussion: """
            --point with a point's identifier, its last part or its name shows the rules of that extension point.
            --point alone lists all points, and the invalid files of points with their faults. If no daemon runs, it
            shows the points that a new daemon would have. --profile lists the platforms whose limits exthostd --profile
            applies, or shows the known limits of one; it uses no daemon.

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
        help: ArgumentHelp(
            "The identifier of the extension, or the name of the point or the profile.", valueName: "id"),
        completion: .extensions)
    var identifier: String?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func validate() throws {
        if point, profile { throw ValidationError("Write --point or --profile, not both.") }
        if identifier == nil, !point, !profile {
            throw ValidationError(
                "Name an extension, or write --point for all extension points, --profile for all profiles.")
        }
    }

    func run() async throws {
        if point { return try await ShownPoints(identifier: identifier, global: global).write() }
        if profile { return try ShownProfiles(name: identifier, global: global).write() }
        guard let identifier else { return }  // validate() has seen to it
        try await ShownExtension(identifier: identifier, global: global).write()
    }
}
