// ReplayStage: records a session in a folder of its own, and replays it both ways.

import ExtensionHostTesting
import Foundation
import LinuxSystem
import Testing
import Transcripts

/// The recording of one test. Its folder is removed at the end of its last reference.
final class ReplayStage: Sendable {
    typealias Hosts = @Sendable (TestDaemon) async throws -> Void

    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-replay-tests") }

    deinit { try? folder.remove() }

    /// Time has no part in these sessions: a machine that is busy otherwise ends nothing.
    static let patient = ["idle", "launch", "load", "postComplete", "term"].flatMap { ["--timer", "\($0)=1h"] }

    /// Records what `hosts` do with a private daemon.
    func record(
        _ bundles: TestBundles, clock: TestDaemon.ClockKind = .real, arguments: [String] = patient,
        _ hosts: @escaping Hosts
    ) async throws -> Transcript {
        let file = folder.path + "/session.jsonl"
        try await withTestDaemon(applications: [bundles.path], clock: clock, arguments: arguments) { daemon in
            let recorder = try await daemon.record(to: file, contents: true)
            try await hosts(daemon)
            try await daemon.control.fence()
            try await recorder.stop()
        }
        let transcript = try Transcript(contentsOf: file)
        #expect(transcript.isWhole && transcript.missing == 0)
        return transcript
    }

    /// Records a session and replays it as its hosts and as its extensions. Returns the recording.
    @discardableResult
    func replayBothWays(
        _ bundles: TestBundles, clock: TestDaemon.ClockKind = .real, arguments: [String] = patient,
        ignoring paths: [String] = [], _ hosts: @escaping Hosts
    ) async throws -> Transcript {
        let transcript = try await record(bundles, clock: clock, arguments: arguments, hosts)
        let asHost = try await transcript.replayAsHost(
            applications: [bundles.path], ignoring: paths, arguments: arguments)
        #expect(asHost == nil, "as host: \(asHost.map { "\($0)" } ?? "")")
        let asExtension = try await transcript.replayAsExtension(ignoring: paths, arguments: arguments, hosts)
        #expect(asExtension == nil, "as extension: \(asExtension.map { "\($0)" } ?? "")")
        return transcript
    }
}
