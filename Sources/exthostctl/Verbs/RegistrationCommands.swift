// AddCommand and RemoveCommand: the verbs that add bundles to the registry and remove them, by path.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation

struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Register an app or an extension, wherever it lies, until it is removed.",
        discussion: """
            The bundle counts as registered now, so the daemon prefers it to other copies of the same version. A bundle
            outside of the folders of applications stays registered over a restart. If it disappears, exthostctl list
            shows it as gone.

            EXAMPLE
              exthostctl add ./Notes.app ./Share.appex
            """)

    @Argument(help: ArgumentHelp("An .app or an .appex.", valueName: "path"), completion: .directory)
    var paths: [String]

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await RegistrationOrder(paths: paths, isRemoval: false, global: global).run {
            BundleList(entries: try await $0.add(path: $1), count: 0)
        }
    }
}

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove an app or an extension from the registry, and delete its containers.",
        discussion: """
            The command ends its open requests as interrupted (terminatedByOperator), and then asks its processes to
            end. It then deletes the containers of its extensions and of the app, and those of its groups that no other
            registered bundle uses; it prints each path. The bundle itself is not deleted. A bundle in a folder of
            applications is registered again as soon as it changes. A bundle that is registered again has new
            containers. --json prints
            {"extensions": […], "deleted": [PATH…], "kept": [PATH…]}.

            EXAMPLE
              exthostctl remove ./Notes.app
            """)

    @Argument(help: ArgumentHelp("An .app or an .appex.", valueName: "path"), completion: .directory)
    var paths: [String]

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await RegistrationOrder(paths: paths, isRemoval: true, global: global).run {
            try await $0.removal(path: $1)
        }
    }
}

/// One registration order for several paths, and the result for each.
private struct RegistrationOrder {
    let paths: [String]
    let isRemoval: Bool
    let global: GlobalOptions

    func run(_ order: (DaemonControl, String) async throws -> BundleList) async throws {
        let lists = try await global.withControl { control in
            var lists: [BundleList] = []
            for path in paths { lists.append(try await order(control, Self.absolute(path))) }
            return lists
        }
        let records = lists.flatMap(\.entries)
        let listed = records.map(ListedExtension.init)
        if global.json {
            let extensions = JSON.array(listed.map(\.json))
            func paths(_ list: (BundleList) -> [String]) -> JSON { .array(lists.flatMap(list).map(JSON.string)) }
            let document: JSON =
                isRemoval ? ["extensions": extensions, "deleted": paths(\.deleted), "kept": paths(\.kept)] : extensions
            return try StandardOutput.write(document.document)
        }
        guard !global.quiet else { return }
        var text = ""
        for record in records {
            text +=
                "\(isRemoval ? "removed" : "added") \(printable(record.identifier))(\(printable(record.version)))  \(printable(record.path))\n"
            for problem in record.problems { text += "      \(Colour.red("disabled")): \(printable(problem))\n" }
            for warning in record.warnings { text += "      warning: \(printable(warning))\n" }
        }
        for list in lists {
            for path in list.deleted { text += "deleted \(printable(path))\n" }
            for path in list.kept { text += "kept    \(printable(path)), which another registered bundle uses\n" }
        }
        try StandardOutput.write(text)
    }

    /// Returns an absolute path without resolving links: the registry knows paths, not files.
    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
