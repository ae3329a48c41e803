// openFiles: the files of a provider, from the daemon.

import ExtensionHost
import ExtensionProtocol
import PointHosts

/// Opens the files of a file provider extension.
///
/// - Parameters:
///   - identifier: the extension.
///   - domain: the provider's domain; nil for the only one.
///   - store: the folder of local copies.
///   - limit: the time limit of each call.
///   - daemon: where the daemon listens.
func openFiles(
    _ identifier: String, domain: String?, store: String, limit: Duration, daemon: DaemonAddress
) async throws -> any ProvidedFiles {
    throw ExtensionHostError(
        .notSimulated, "file providers are not simulated", remedy: "docs/not-simulated.md lists what is left out")
}
