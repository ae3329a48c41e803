// ListCommand: the verb that lists the extensions.

import ArgumentParser
import ExtensionHost
import ExtensionProtocol

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the registered extensions.",
        discussion: """
            By default the list has one copy of each identifier: the one of the highest version that was registered
            last. With -A it has the last registered copy of every version, with -D every copy, and every disabled
            bundle with its faults. KEY=VALUE selects by a value in the Info.plist (attributes first, then NSExtension,
            then the rest), KEY by its presence.

            A mark precedes a name: + for an elected extension, - for an ignored one, = for a superseded copy, ! for one
            that serves its developer's connection only, ? for a bundle with an unreadable identifier. The lines below a
            name show the bundle's faults, and the app groups of other vendors that it requests.

            EXAMPLES
              exthostctl list -p com.apple.share-services
              exthostctl list NSExtensionPointName=com.apple.share-services IntentsSupported
              exthostctl list -A -D --json
            """)

    @Option(name: .short, help: ArgumentHelp("Only extensions of this extension point.", valueName: "point"))
    var point: String?

    @Option(name: .short, help: ArgumentHelp("Only extensions with this identifier.", valueName: "id"))
    var identifier: String?

    @Flag(name: .customShort("A"), help: "All versions.")
    var allVersions = false

    @Flag(name: .customShort("D"), help: "All copies, disabled bundles included.")
    var allCopies = false

    @Flag(name: .short, help: "More details of each; -vv all details.")
    var verbosity: Int

    @Argument(help: ArgumentHelp("Only extensions whose Info.plist has this key or value.", valueName: "key=value"))
    var criteria: [String] = []

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        var all = criteria
        if let point { all.append("NSExtensionPointName=\(point)") }
        if let identifier { all.append("NSExtensionIdentifier=\(identifier)") }
        let shown = try await global.withControl {
            try await $0.extensions(matching: all, allVersions: allVersions, allCopies: allCopies, groups: true)
        }.map(ListedExtension.init)
        if global.json { return try StandardOutput.write(JSON.array(shown.map(\.json)).document) }
        var text = ""
        for listed in shown {
            text += verbosity == 0 ? listed.line : verbosity == 1 ? listed.longLine : listed.block + "\n"
        }
        if verbosity > 1 { text += " (\(shown.count) plug-in\(shown.count == 1 ? "" : "s"))\n" }
        try StandardOutput.write(text)
    }
}
