// TestDaemon+Transfers: the answers of background transfers in a test.

import ExtensionHost
public import TransferMessages

extension TestDaemon {
    /// Sets the answers that background transfers get, in place of those of servers. They replace earlier ones.
    ///
    /// Of several answers for one URL the first that is not used up counts. A URL without an answer fails with the
    /// error −1003. Times are on the daemon's clock.
    ///
    /// - Throws: `ExtensionHostError` `notPermitted` in a daemon with `--transfers network`, `helperMissing` without
    ///   `exthost-transferd`.
    public func answerTransfers(_ answers: [TransferAnswer]) async throws {
        let host = try await HostApplication.connect(name: "transfers", to: address, patience: .zero)
        defer { host.disconnect() }
        let tool = try await host.connect(toService: transferServiceName)
        _ = try await tool.call(AnswerTransfers(answers))
    }
}
