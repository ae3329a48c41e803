// OpenedFiles: the files of a provider, from the daemon.

import ExtensionHost
import ExtensionProtocol
import LinuxDescriptors
import PointHosts

/// The files of a mount, with what keeps them open.
struct OpenedFiles {
    let files: any ProvidedFiles
    private let host: HostApplication
    private let provider: FileProviderHost

    /// Opens the files of a file provider extension, and serves its app and itself.
    ///
    /// - Parameters:
    ///   - identifier: the extension.
    ///   - domain: the provider's domain; nil for the only one.
    ///   - store: the folder of local copies.
    ///   - limit: the time limit of each call.
    ///   - daemon: where the daemon listens.
    /// - Throws: `ExtensionHostError` of the daemon; `noSuchExtension` with the reason why there are no files.
    init(_ identifier: String, domain: String?, store: String, limit: Duration, daemon: DaemonAddress) async throws {
        // A daemon that is restarted has the time of an operation.
        host = try await HostApplication.connect(name: "exthost-fuse", to: daemon, patience: limit)
        do {
            provider = try FileProviderHost(host, store: store, limit: limit)
            do {
                try await provider.serve()
            } catch let error as ExtensionHostError where error.code == .invalidArgument {
                // Another mount serves the apps already. This one hears of no changes.
                StandardStreams.writeError(
                    "exthost-fuse: another program serves file providers, so changes of the provider are not told here\n"
                )
            }
            files = try await provider.files(of: identifier, domain: domain)
        } catch let failure as FileFailure {
            host.disconnect()
            throw ExtensionHostError(
                .noSuchExtension, failure.reason, remedy: "exthostctl list shows the file providers")
        }
    }

    /// Gives the provider what it has not got, and ends its session.
    func close() async {
        await provider.close()
        host.disconnect()
    }
}
