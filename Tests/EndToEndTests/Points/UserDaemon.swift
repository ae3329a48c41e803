// UserDaemon: a user's daemon with its defaults and a state on disk, for the tests of points.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms

/// Runs a user's daemon, which is no private one, while `body` runs. The next one in the same bundles has its state.
func withUserDaemon(
    _ bundles: TestBundles, _ body: (DaemonAddress, DaemonControl) async throws -> Void
) async throws {
    let (state, run) = (bundles.path + "/state", bundles.path + "/run")
    for folder in [state, run] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    let daemon = try await Program.daemon(in: run, state: state, ["--applications", bundles.path])
    let address = DaemonAddress(path: run + "/exthost/host.sock")
    var failure: (any Error)?
    do {
        try await body(address, try await DaemonControl.connect(name: "test", to: address))
    } catch {
        failure = error
    }
    try daemon.end()
    _ = try await daemon.ending()
    if let failure { throw failure }
}

extension DaemonControl {
    /// The events so far.
    func events() async throws -> [EventRecord] {
        var records: [EventRecord] = []
        for try await batch in watch(since: 0, follow: false) { records += batch.events }
        return records
    }
}
