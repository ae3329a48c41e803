// BundleCommand: the verb that makes an .app with its extensions from sources.

import ArgumentParser
import BundleLint
import Bundling

struct BundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Make an .app with its .appex from a package, an Xcode project, or scripts.",
        discussion: """
            Every folder with an Info.plist becomes a bundle: an extension where that has NSExtension, else the app. Programs are those of the
            package's targets in these folders, or scripts that lie there; Entitlements.plist, or NAME.entitlements, stands beside. $(NAME) in
            these files is replaced by the build setting; a missing main is written. Libraries that the package builds go to Frameworks. Then
            lint looks at all of it, and only where it finds no error the app takes the place of the one before. docs/bundling.md says more.

            An Xcode project is read as it is: targets, files and settings. A package of links to its sources is made in
            .build/exthost/NAME beside it, or in --scratch-path. Targets that cannot be built are left out, with the reason; --only insists.

            Exit status 1: something is wrong, and nothing was replaced.

            EXAMPLES
              exthostctl bundle
              exthostctl bundle ./Notes --release --output ~/.local/share/exthost/Applications
              exthostctl bundle ./Notes --static --setting MARKETING_VERSION=1.2
              exthostctl bundle Notes.xcodeproj --only Share --configuration Release
              exthostctl bundle ./Notes --programs .build/debug --only Share
            """)

    @Argument(
        help: ArgumentHelp("The folder of the package, of the project or of the scripts, or an .xcodeproj.", valueName: "folder"),
        completion: .directory)
    var folder = "."

    @OptionGroup(title: "Bundling")
    var options: BundleOptions

    @Option(
        help: ArgumentHelp("Put in this extension alone, by its target's or folder's name; can be repeated.", valueName: "name"))
    var only: [String] = []

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let mode = options.programs == nil ? options.mode : nil
        do {
            let result = try options.make(folder, only: only, quiet: global.quiet)
            if global.json {
                let document: JSON = [
                    "bundles": .array(result.bundles.map { $0.json(mode) }), "findings": .array(result.findings.map(\.json)),
                ]
                return try StandardOutput.write(document.document)
            }
            for finding in result.findings { StandardError.write(finding.written) }
            if !global.quiet { for bundle in result.bundles { try StandardOutput.write(bundle.text(mode)) } }
        } catch let error as ProjectError {
            try error.report(json: global.json)
            throw ExitCode(ExitStatus.notExpected)
        }
    }
}

extension ProjectError {
    /// Reports every fault: as JSON on standard output, else as lines on standard error.
    func report(json: Bool) throws {
        if json {
            let document: JSON = ["bundles": .array([]), "findings": .array(findings.map(\.json))]
            return try StandardOutput.write(document.document)
        }
        for finding in findings { StandardError.write(finding.written) }
        let count = findings.count { $0.severity == .error }
        StandardError.line("exthostctl: no bundle was made: \(count) error\(count == 1 ? "" : "s")")
    }
}
