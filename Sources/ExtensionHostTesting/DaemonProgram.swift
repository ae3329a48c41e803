// DaemonProgram: where the daemon's program is.

import ExtensionProtocol
import Foundation

/// Finds `exthostd`: `$EXTHOSTD`, else beside the running program or test bundle, else on `PATH`.
package enum DaemonProgram {
    package static func locate() throws(ExtensionHostError) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let named = environment["EXTHOSTD"], !named.isEmpty {
            guard FileManager.default.isExecutableFile(atPath: named) else {
                throw ExtensionHostError(
                    .noDaemon, "EXTHOSTD names \(named), which cannot be executed", remedy: "Correct or unset it")
            }
            return named
        }
        var folders: [String] = []
        if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            folders.append(URL(fileURLWithPath: own).deletingLastPathComponent().path)
        }
        folders += (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in folders where FileManager.default.isExecutableFile(atPath: folder + "/exthostd") {
            return folder + "/exthostd"
        }
        throw ExtensionHostError(
            .noDaemon, "exthostd was not found: not by EXTHOSTD, not beside this program, not on PATH",
            remedy: """
                Set EXTHOSTD, or install it beside this program; in a package, list .product(name: "exthostd", package: "exthost") \
                among the test target's dependencies
                """)
    }
}
