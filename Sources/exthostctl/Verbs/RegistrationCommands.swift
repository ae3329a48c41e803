// AddCommand and RemoveCommand: bundles in and out of the registry, by their path.

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
            Its copies count as registered now, so among equal versions they are the ones that are used. What is added outside of the
            folders of applications is remembered over a restart; what disappears there is listed as gone.

            EXAMPLE
              exthostctl add ./Notes.app ./Share.appex
            """)

    @Argument(help: ArgumentHelp("An .app or an .appex.", valueName: "path"), completion: .directory)
    var paths: [String]

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await RegistrationOrder(paths: paths, word: "added", global: global).run { try await $0.add(path: $1) }
    }
}

struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take an app or an extension out of the registry; nothing is deleted.",
        discussion: """
            Its open requests end as interrupted (terminatedByOperator), then its processes are told to end; what it has stored is
            left in place. A bundle in a folder of applications comes back as soon as it changes.

            EXAMPLE
              exthostctl remove ./Notes.app
            """)

    @Argument(help: ArgumentHelp("An .app or an .appex.", valueName: "path"), completion: .directory)
    var paths: [String]

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        try await RegistrationOrder(paths: paths, word: "removed", global: global).run { try await $0.remove(path: $1) }
    }
}

/// One order for several paths, and what became of each.
private struct RegistrationOrder {
    let paths: [String]
    let word: String
    let global: GlobalOptions

    func run(_ order: (DaemonControl, String) async throws -> [ExtensionRecord]) async throws {
        let records = try await global.withControl { control in
            var records: [ExtensionRecord] = []
            for path in paths { records += try await order(control, Self.absolute(path)) }
            return records
        }
        let listed = records.map(ListedExtension.init)
        if global.json { return try StandardOutput.write(JSON.array(listed.map(\.json)).document) }
        guard !global.quiet else { return }
        var text = ""
        for record in records {
            text += "\(word) \(printable(record.identifier))(\(printable(record.version)))  \(printable(record.path))\n"
            for problem in record.problems { text += "      \(Colour.red("disabled")): \(printable(problem))\n" }
            for warning in record.warnings { text += "      warning: \(printable(warning))\n" }
        }
        try StandardOutput.write(text)
    }

    /// Links are left as they are: the registry knows paths, not files.
    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
}
