// DaemonProgram: the search for the daemon's program.

import ExtensionProtocol
import Foundation

/// The search for `exthostd`: `$EXTHOSTD`, else beside the running program or test bundle, else on `PATH`.
package enum DaemonProgram {
    package static func locate() throws(ExtensionHostError) -> String {
        if let named = environment["EXTHOSTD"], !named.isEmpty {
            guard FileManager.default.isExecutableFile(atPath: named) else {
                throw ExtensionHostError(
                    .noDaemon, "EXTHOSTD names \(named), which is not executable", remedy: "Correct or unset it")
            }
            return named
        }
        if let found = find("exthostd") { return found }
        throw ExtensionHostError(
            .noDaemon, "exthostd was not found: not by EXTHOSTD, not beside this program, not on PATH",
            remedy: """
                Set EXTHOSTD, or install it beside this program; in a package, list .product(name: "exthostd", package: "exthost") \
                among the test target's dependencies
                """)
    }

    /// Finds `exthostctl`: beside the daemon that `$EXTHOSTD` names, else as the daemon is found.
    static func locateTool() throws(ExtensionHostError) -> String {
        let name = "exthostctl"
        if let daemon = environment["EXTHOSTD"] {
            let beside = URL(fileURLWithPath: daemon).deletingLastPathComponent().path + "/" + name
            if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        }
        if let found = find(name) { return found }
        throw ExtensionHostError(
            .noDaemon, "exthostctl was not found: not beside exthostd, not beside this program, not on PATH",
            remedy: "Put the folder with exthostctl and exthostd on the PATH")
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Searches beside the running program, then on `PATH`.
    private static func find(_ name: String) -> String? {
        var folders: [String] = []
        if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            folders.append(URL(fileURLWithPath: own).deletingLastPathComponent().path)
        }
        folders += (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }
}
