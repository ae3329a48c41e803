// LintCommand: the verb that lists every fault of a bundle, without a daemon.

import ArgumentParser
import BundleLint
import Bundling
import Dispatch
import ExtensionHostTesting
import ExtensionPoints

struct LintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Show every fault of a bundle, with its remedy.",
        discussion: """
            PATH is an .app with its extensions, an .appex, a folder of these, or a folder of sources. The command first
            makes the app of a folder of sources, as exthostctl bundle does. It follows the links of programs through
            the libraries of the app. docs/lint.md lists all codes. No daemon is needed: user-defined points come from
            $EXTHOST_EXTENSION_POINTS, or from the usual folders. The exit status is 1 if there is an error, and 0 if
            there are only warnings.

            EXAMPLES
              exthostctl lint Example.app
              exthostctl lint .
              exthostctl lint Example.app/PlugIns/Share.appex --release
              exthostctl lint ~/.local/share/applications --json
            """)

    @Argument(help: "The bundle, or the folder of bundles or of sources.", completion: .directory)
    var path: String

    @Flag(
        help:
            "Report what a store refuses as an error: TRUEPREDICATE, versions other than the app's, links that are not for extensions."
    )
    var release = false

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let points = PointTable(folders: PointFolders.named ?? PointFolders.user)
        let lint = BundleLint(points: points, isRelease: release)
        if ProjectBundles.isProject(path), BundleMaker.hasSources(path) { return try lintSources(lint) }
        let findings: [LintFinding]
        do {
            findings = try lint.lint(path)
        } catch {
            throw CommandError.missing(error.message, remedy: NearestPath.question(path) + error.remedy)
        }
        try show(findings.map { ($0.severity == .error, $0.json, $0.written) })
    }

    /// Makes the app, which is linted on the way.
    private func lintSources(_ lint: BundleLint) throws {
        var maker = BundleMaker(folder: path)
        maker.isRelease = release
        maker.isStrict = true
        maker.kit = KitFolder.own.flatMap { KitModules(folder: $0) }
        let console = RunConsole(showsProgress: !global.quiet)
        let ticker = console.startTicker { console.redraw() }
        let findings: [ProjectFinding]
        do {
            defer {
                ticker?.cancel()
                console.end()
            }
            findings = try maker.make(lint: lint) { console.wait(for: $0) }.findings
        } catch let error as ProjectError {
            findings = error.findings
        }
        try show(findings.map { ($0.severity == .error, $0.json, $0.written) })
    }

    private func show(_ findings: [(isError: Bool, json: JSON, written: String)]) throws {
        let errors = findings.count(where: \.isError)
        if global.json {
            try StandardOutput.write(JSON.array(findings.map(\.json)).document)
        } else {
            for finding in findings { try StandardOutput.write(finding.written) }
            if !global.quiet { StandardError.line("exthostctl: \(summary(errors, findings.count - errors))") }
        }
        guard errors == 0 else { throw ExitCode(ExitStatus.notExpected) }
    }

    private func summary(_ errors: Int, _ warnings: Int) -> String {
        "\(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")"
    }
}

extension LintFinding {
    var json: JSON {
        [
            "severity": .string(severity.rawValue), "code": .string(code.rawValue), "file": .string(file),
            "key": .optional(key), "line": .optional(line), "message": .string(message), "remedy": .string(remedy),
        ]
    }

    /// The fault in a compiler's format, so that editors find the place, with the remedy in a line of its own.
    var written: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return printable("\(place): \(severity.rawValue): \(message) [\(code.rawValue)]") + "\n  " + printable(remedy)
            + "\n"
    }
}
