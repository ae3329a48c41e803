// StubCommand: the verb that makes empty modules for imports of an author's sources that Linux lacks.

import ArgumentParser
import Bundling
import ExtensionHostTesting
import Foundation

struct StubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stub",
        abstract: "Write an empty module for each missing import, and list the names that the sources use from it.",
        discussion: """
            FOLDER is a Swift package. The command looks for modules that its programs import, and that neither Swift, a
            package nor the folder itself contains. Each becomes a library of the package Stubs in FOLDER, or in the
            folder after --output. The command never changes an existing file there: these files belong to the author.
            It lists the names that the sources use and no module declares, as far as a parser can determine.
            docs/source-step.md has the details.

            EXAMPLES
              exthostctl stub
              exthostctl stub ./Notes --output ./Notes/Stubs
            """)

    @Argument(help: ArgumentHelp("The folder of the package.", valueName: "folder"), completion: .directory)
    var folder = "."

    @Option(
        help: ArgumentHelp(
            "Write the package Stubs to this folder; the default is Stubs in the package.", valueName: "folder"),
        completion: .directory)
    var output: String?

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let quiet = global.quiet
        do {
            let modules = try StubModules.missing(in: folder) { step in
                if !quiet { StandardError.line("exthostctl: \(printable(step))") }
            }
            let place = output ?? "\(folder)/\(StubModules.packageName)"
            let files = modules.isEmpty ? [] : try StubModules.write(for: modules, into: place)
            if global.json {
                let document: JSON = [
                    "modules": .array(modules.map(\.json)), "files": .array(files.map(JSON.string)),
                ]
                return try StandardOutput.write(document.document)
            }
            for module in modules { try StandardOutput.write(module.text) }
            guard !global.quiet else { return }
            for file in files { StandardError.line("exthostctl: wrote \(printable(file))") }
            if modules.isEmpty {
                StandardError.line("exthostctl: every imported module exists")
            } else {
                let products = modules.map { StubModules.product($0.name) }.joined(separator: ", ")
                StandardError.line(
                    "exthostctl: add to the package's dependencies: .package(path: \"\(printable(place))\")")
                StandardError.line("exthostctl: add to the dependencies of the targets: \(products)")
            }
        } catch let error as ProjectError {
            for finding in error.findings { StandardError.write(finding.written) }
            throw ExitCode(ExitStatus.notExpected)
        }
    }
}

extension StubModules.Module {
    private var names: [(name: String, uses: [StubModules.Use])] {
        Dictionary(grouping: uses, by: \.name).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// A line for the module, and one for each place of each name.
    fileprivate var text: String {
        var text = "\(printable(name))\n"
        for (name, uses) in names {
            text += "  \(printable(name))\n"
            for use in uses { text += "    \(printable(use.file)):\(use.line)\n" }
        }
        return text
    }

    fileprivate var json: JSON {
        [
            "name": .string(name),
            "uses": .array(
                uses.map { ["name": .string($0.name), "file": .string($0.file), "line": .integer($0.line)] }),
        ]
    }
}
