// BundleCommand: the verb that makes an .app with its extensions from sources.

import ArgumentParser
import BundleLint
import Bundling

struct BundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract: "Make an .app with its .appex from a package, an Xcode project, or scripts.",
        discussion: """
            Every folder with an Info.plist becomes a bundle: an extension if the Info.plist has NSExtension, otherwise
            the app. The programs are the package's targets in these folders, or scripts in them. Entitlements.plist or
            NAME.entitlements lies in the same folder. The command replaces $(NAME) in these files by the build setting,
            and writes a missing main. Libraries that the package builds go to Frameworks. Then lint checks the
            result. If lint finds no error, the new app replaces the old one. docs/bundling.md describes the rules.

            The command reads an Xcode project as it is: targets, files and settings. It makes a package of links to the
            sources in .build/exthost/NAME beside the project, or in --scratch-path. It leaves out a target that cannot
            be built, and prints the reason. With --only, such a target is an error.

            Exit status 1: the command found an error and replaced nothing.

            EXAMPLES
              exthostctl bundle
              exthostctl bundle ./Notes --release --output ~/.local/share/exthost/Applications
              exthostctl bundle ./Notes --static --setting MARKETING_VERSION=1.2
              exthostctl bundle Notes.xcodeproj --only Share --configuration Release
              exthostctl bundle ./Notes --programs .build/debug --only Share
            """)

    @Argument(
        help: ArgumentHelp("The folder of the package, project or scripts, or an .xcodeproj.", valueName: "folder"),
        completion: .directory)
    var folder = "."

    @OptionGroup(title: "Bundling")
    var options: BundleOptions

    @Option(
        help: ArgumentHelp("Bundle only the extension of this target or folder; repeatable.", valueName: "name"))
    var only: [String] = []

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    func run() async throws {
        let mode = options.programs == nil ? options.mode : nil
        do {
            let result = try options.make(folder, only: only, quiet: global.quiet)
            if global.json {
                let document: JSON = [
                    "bundles": .array(result.bundles.map { $0.json(mode) }),
                    "findings": .array(result.findings.map(\.json)),
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
