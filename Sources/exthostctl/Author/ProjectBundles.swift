// ProjectBundles: the apps of a folder of sources, made for a verb that runs their extensions.

import ArgumentParser
import Bundling
import ExtensionHostTesting
import Foundation

struct ProjectBundles {
    let folder: String
    let made: BundleMaker.Result

    /// Whether a path is a project and not itself an extension.
    static func isProject(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
            && !path.hasSuffix(".appex") && !path.hasSuffix(".app")
    }

    /// Makes the apps, and prints the warnings of lint and all errors.
    ///
    /// - Parameters:
    ///  - folder: an absolute path, also of an `.xcodeproj`.
    ///  - chosen: the chosen extension. Of a project only its target is built.
    /// - Throws: `CommandError`; `ExitCode` after faults that have been printed.
    init(_ folder: String, _ bundling: BundleOptions, _ global: GlobalOptions, chosen: String? = nil) throws {
        if global.socket != nil || global.scope != nil {
            throw CommandError.usage(
                "a folder of sources runs with a private daemon",
                remedy: "Omit --socket, --user and --system, or register the app with exthostctl add")
        }
        guard BundleMaker.hasSources(folder) else {
            throw CommandError.usage(
                "the folder \(folder) is not an extension, and contains no sources of one",
                remedy:
                    "Name a program, a folder whose name ends in .appex, or a folder with an Info.plist; exthostctl new makes one"
            )
        }
        do {
            let isTarget = chosen.map { !$0.contains(".") } ?? false && BundleMaker.isXcodeProject(folder)
            made = try bundling.make(folder, only: isTarget ? [chosen].compactMap { $0 } : [], quiet: global.quiet)
        } catch let error as ProjectError {
            try error.report(json: global.json)
            // A file that SwiftPM cannot read is no package yet.
            let isPackage = !error.findings.contains { $0.code == ProjectFinding.Code.packageUnreadable.rawValue }
            throw ExitCode(isPackage ? ExitStatus.notExpected : ExitStatus.usage)
        }
        for finding in made.findings { StandardError.write(finding.written) }
        self.folder = folder
    }

    var paths: [String] { made.bundles.map(\.path) }

    /// Returns the identifier of the chosen extension: the only one, or that of this identifier or target.
    ///
    /// - Parameter option: the option that chooses one, for people.
    func identifier(_ chosen: String?, option: String) throws(CommandError) -> String {
        let extensions = made.bundles.flatMap(\.extensions)
        let named = extensions.map { "\($0.name) (\($0.identifier))" }.joined(separator: ", ")
        if let name = chosen {
            guard let found = extensions.first(where: { $0.identifier == name || $0.name == name }) else {
                throw .missing("\(folder) has no extension \(name)", remedy: "There are: \(named)")
            }
            return found.identifier
        }
        guard let first = extensions.first, extensions.count == 1 else {
            throw .usage("\(folder) has several extensions", remedy: "Choose one with \(option): \(named)")
        }
        return first.identifier
    }
}
