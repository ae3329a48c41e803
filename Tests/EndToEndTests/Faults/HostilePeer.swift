// HostilePeer: programs that break the protocol, as extensions in bundles and as clients of a daemon.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms

/// How often each row of a fault table runs.
let faultRepetitions = ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] == nil ? 1 : 20

/// What became of a hostile client.
struct Verdict: Decodable, Sendable {
    /// Of the daemon's last words, by `ExtensionHostError.Code`; -1 when it closed without a word.
    let code: Int
    let message: String
}

enum HostilePeer {
    static let folder = SampleApplications.root + "/Tests/Fixtures/Python"
    static let program = folder + "/hostile.py"

    /// Runs a client to its end.
    static func run(
        as role: String, _ act: String, ranging versions: String = "", against daemon: TestDaemon
    ) async throws -> Verdict {
        // Not Foundation's Process, whose children find signals blocked and descriptors of other tests.
        let ending = try await Program.run(
            program, [role, act] + versions.split(separator: " ").map(String.init), socket: daemon.address.path
        ).ending(within: 150_000)
        guard ending.status == 0 else { throw UnexpectedOutcome(outcome: "\(role) \(act): \(ending.errors)") }
        return try JSONDecoder().decode(Verdict.self, from: Data(ending.output.utf8))
    }
}

extension TestBundles {
    /// Adds `org.exthost.tests.ACT`, which is hostile in that way. `interpreter` is one that starts sooner than what
    /// `env` may find.
    func addHostile(_ act: String, point: String = "com.apple.share-services", interpreter: String? = nil) throws {
        var script = try String(contentsOfFile: HostilePeer.program, encoding: .utf8)
        if let interpreter {
            script = script.replacingOccurrences(of: "#!/usr/bin/env python3", with: "#!\(interpreter)")
        }
        try add(act, script: script, point: point)
    }
}

/// A request of another host that is open while something goes wrong elsewhere, and must end well after it.
struct HealthyRequest {
    private let host: FakeHost
    private let request: ExtensionRequest
    private let kept: Kept<NSItemProvider.CompletionHandler>

    /// Begins it; returns once the extension waits for the value of its attachment.
    static func begin(in daemon: TestDaemon) async throws -> HealthyRequest {
        let host = try await daemon.host("healthy")
        let asked = OneSignal()
        let kept = Kept<NSItemProvider.CompletionHandler>()
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
            kept.keep(completion)
            asked.fire()
        }
        let request = try await host.begin(puppet, items: [order("load", attachments: [provider])])
        // One that ends before it asks is told when it is to be finished.
        let early = Task {
            _ = await request.outcome
            asked.fire()
        }
        defer { early.cancel() }
        await asked.wait()
        return HealthyRequest(host: host, request: request, kept: kept)
    }

    /// Gives the extension its value and returns what came of the request.
    func finish() async throws -> String? {
        kept.take()?(NSURL(string: "https://example.org/healthy"), nil)
        return try items(of: await request.outcome).first?.userInfo?["value"] as? String
    }
}

/// Runs `row` so often as asked for, each time beside a healthy request of another host, on one daemon that must
/// survive it all.
func besideAHealthyRequest(
    _ bundles: TestBundles, arguments: [String] = [], _ row: (TestDaemon) async throws -> Void
) async throws {
    // The healthy request holds its load for as long as the row takes, on however slow a machine.
    try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "load=10min"] + arguments) { daemon in
        // Who waits for what does not come waits no longer than for the daemon, whose death says where that was.
        let bound = DispatchWorkItem { kill(pid_t(daemon.processIdentifier), SIGABRT) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(180 * faultRepetitions), execute: bound)
        defer { bound.cancel() }
        for _ in 0..<faultRepetitions {
            let healthy = try await HealthyRequest.begin(in: daemon)
            try await row(daemon)
            let value = try await healthy.finish()
            guard value == "https://example.org/healthy" else {
                throw UnexpectedOutcome(outcome: "the healthy request brought \(value ?? "nothing")")
            }
        }
        try await daemon.control.fence()
    }
}
