// ListCommand: the verb that lists the extensions.

import ArgumentParser
import ExtensionHost
import ExtensionProtocol

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the registered extensions.",
        discussion: """
            What is left of the matching copies is the one last registered of the highest version; with -A the last registered of
            every version, with -D every copy and every bundle that is disabled, with what is wrong with it. KEY=VALUE asks
            for a value in the Info.plist (attributes first, then NSExtension, then the rest), KEY alone for its presence.

            Before a name stands + for one elected, - for one ignored, = for a copy that another one supersedes, ! for one that
            serves its developer's connection only, ? for a bundle whose identifier cannot be read. Under it stands what is
            wrong with the bundle, and which app groups of other vendors it asks for.

            EXAMPLES
              exthostctl list -p com.apple.share-services
              exthostctl list NSExtensionPointName=com.apple.share-services IntentsSupported
              exthostctl list -A -D --json
            """)

    @Option(name: .short, help: ArgumentHelp("Only those of this extension point.", valueName: "point"))
    var point: String?

    @Option(name: .short, help: ArgumentHelp("Only those with this identifier.", valueName: "id"))
    var identifier: String?

    @Flag(name: .customShort("A"), help: "All versions.")
    var allVersions = false

    @Flag(name: .customShort("D"), help: "All copies, disabled bundles included.")
    var allCopies = false

    @Flag(name: .short, help: "More of each; -vv everything.")
    var verbosity: Int

    @Argument(help: ArgumentHelp("Only those whose Info.plist has this.", valueName: "key=value"))
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
        for listed in shown { text += verbosity == 0 ? listed.line : verbosity == 1 ? listed.longLine : listed.block + "\n" }
        if verbosity > 1 { text += " (\(shown.count) plug-in\(shown.count == 1 ? "" : "s"))\n" }
        try StandardOutput.write(text)
    }
}
