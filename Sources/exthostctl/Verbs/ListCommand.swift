// ListCommand: the extensions there are.

import ArgumentParser
import ExtensionHost
import ExtensionProtocol

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the registered extensions.",
        discussion: """
            Shows the copy of each extension that is used; with -A one copy of every version, with -D every copy and every
            bundle that is disabled, with what is wrong with it. Before a name stands = for a copy that another one supersedes.

            EXAMPLES
              exthostctl list -p com.apple.share-services
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

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let records = try await global.withControl { try await $0.extensions() }
        let matching = records.filter { (point ?? $0.point) == $0.point && (identifier ?? $0.identifier) == $0.identifier }
        let shown = ListedExtension.reduce(matching, allVersions: allVersions, allCopies: allCopies)
        if global.json { return try StandardOutput.write(JSON.array(shown.map(\.json)).document) }
        var text = ""
        for listed in shown { text += verbosity == 0 ? listed.line : verbosity == 1 ? listed.longLine : listed.block + "\n" }
        if verbosity > 1 { text += " (\(shown.count) plug-in\(shown.count == 1 ? "" : "s"))\n" }
        try StandardOutput.write(text)
    }
}
