// BundleExtensions: `swift package bundle-extensions`, which is `exthostctl bundle` for the package it is given to.

import Foundation
import PackagePlugin

/// Runs the `exthostctl` on the `PATH`. As a dependency of this plug-in it would be compiled once more for every
/// package that depends on this one, with all that it stands on.
@main struct BundleExtensions: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        guard let program = folders.map({ $0 + "/exthostctl" }).first(where: FileManager.default.isExecutableFile)
        else {
            return Diagnostics.error(
                "There is no exthostctl on the PATH. Add the folder with the exthostctl that swift build made")
        }
        // SwiftPM holds its own folder for as long as this runs.
        let needsFolder = arguments.contains("--dynamic") && !arguments.contains { $0.hasPrefix("--scratch-path") }
        let scratch = needsFolder ? ["--scratch-path", context.pluginWorkDirectoryURL.path + "/build"] : []
        let bundling = Process()
        bundling.executableURL = URL(fileURLWithPath: program)
        bundling.arguments = ["bundle", context.package.directoryURL.path] + scratch + arguments
        try bundling.run()
        bundling.waitUntilExit()
        guard bundling.terminationStatus == 0 else {
            return Diagnostics.error(
                "exthostctl bundle exited with status \(bundling.terminationStatus); the reason is above")
        }
    }
}
