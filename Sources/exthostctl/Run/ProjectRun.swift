// ProjectRun: a folder of sources, from its build to an outcome.

import Bundling
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation

/// What `run` does with a folder: its apps are made, and are all that a private daemon knows.
struct ProjectRun {
    let command: RunCommand
    /// Absolute.
    let folder: String

    /// Whether a path is no extension itself.
    static func isProject(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
            && !path.hasSuffix(".appex") && !path.hasSuffix(".app")
    }

    /// The exit status.
    func run(_ items: [OfferedItem]) async throws -> Int32 {
        let global = command.global
        if global.socket != nil || global.scope != nil {
            throw CommandError.usage(
                "a folder of sources is run with a private daemon",
                remedy: "Leave out --socket, --user and --system, or exthostctl add the app")
        }
        guard BundleMaker.hasSources(folder) else {
            throw CommandError.usage(
                "the folder \(folder) is no extension, and has no sources of one",
                remedy:
                    "Name a program, a folder whose name ends in .appex, or one with an Info.plist in it; exthostctl new makes one"
            )
        }
        let made: BundleMaker.Result
        do {
            made = try command.bundling.make(folder, quiet: global.quiet)
        } catch let error as ProjectError {
            try error.report(json: global.json)
            // What SwiftPM cannot read is no package yet.
            let isPackage = !error.findings.contains { $0.code == ProjectFinding.Code.packageUnreadable.rawValue }
            return isPackage ? ExitStatus.notExpected : ExitStatus.usage
        }
        for finding in made.findings { StandardError.write(finding.written) }
        let identifier = try chosen(of: made.bundles.flatMap(\.extensions))

        let start = ContinuousClock.now
        let status = try await withTestDaemon(applications: made.bundles.map(\.path)) { daemon in
            let status = try await command.begin(identifier, nil, items, daemon.address)
            if !global.json, !global.quiet {
                try StandardOutput.write(try await timeline(daemon))
                let built = made.buildTime > .zero ? "built in \(seconds(made.buildTime)), " : ""
                StandardError.line("exthostctl: \(built)outcome after \(seconds(ContinuousClock.now - start)) more")
            }
            return status
        }
        return status
    }

    private func chosen(of extensions: [MadeBundle.Extension]) throws(CommandError) -> String {
        let named = extensions.map { "\($0.name) (\($0.identifier))" }.joined(separator: ", ")
        if let name = command.chosen {
            guard let found = extensions.first(where: { $0.identifier == name || $0.name == name }) else {
                throw .missing("\(folder) has no extension \(name)", remedy: "There are: \(named)")
            }
            return found.identifier
        }
        guard let first = extensions.first, extensions.count == 1 else {
            throw .usage("\(folder) has several extensions", remedy: "Choose one with --extension: \(named)")
        }
        return first.identifier
    }

    private func timeline(_ daemon: TestDaemon) async throws -> String {
        var timeline = Timeline(isColoured: StandardOutput.hasColour)
        return "timeline\n" + (try await daemon.events().map { "  " + timeline.line($0) + "\n" }.joined())
    }

    private func seconds(_ duration: Duration) -> String { written(seconds: duration / .seconds(1)) }
}
