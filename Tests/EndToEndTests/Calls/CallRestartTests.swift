// CallRestartTests: calls that are open when the daemon is killed and followed by another.

import CallVocabulary
import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import Testing

@Suite struct CallRestartTests {
    private static func withCaller(
        point: String = CallTests.pointFile(), information: [String: Any] = [:],
        _ body: (StandInManager, ExtensionRequest) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "caller", program: SampleApplications.buildFolder + "/Caller", point: CallTests.point,
            principalClass: "Caller.Caller", information: information)
        let points = bundles.path + "/points"
        try FileManager.default.createDirectory(atPath: points, withIntermediateDirectories: true)
        try Data(point.utf8).write(to: URL(fileURLWithPath: points + "/calls.plist"))
        try await withRestartingDaemon(bundles: bundles, ["--extension-points", points]) { manager in
            let host = try await HostApplication.connect(name: "notes", to: manager.address)
            let request = try await host.begin(CallTests.caller, items: [])
            try await body(manager, request)
            withExtendedLifetime(host) {}
        }
    }

    /// A call that the extension has and does not answer.
    private static func hangingCall(of request: ExtensionRequest, isRepeatable: Bool) async throws -> Task<
        any Error, Never
    > {
        let call = Task { () -> any Error in
            do {
                _ = try await request.call(End(.hang), isRepeatable: isRepeatable)
                return CancellationError()
            } catch {
                return error
            }
        }
        try await eventually { try await request.call(History()).hanging == 1 }
        return call
    }

    // spec: PC-18
    @Test func aRepeatableCallIsMadeAgainAndOthersAreLost() async throws {
        try await Self.withCaller { manager, request in
            let lost = try await Self.hangingCall(of: request, isRepeatable: false)
            let repeated = Task { try await request.call(Wait(), isRepeatable: true).times }
            try await eventually { try await request.call(History()).waiting == 1 }
            manager.kill()
            try await eventually { manager.starts == 2 }
            #expect((await lost.value as? ExtensionHostError)?.code == .connectionLost, "\(manager.words)")
            // The extension's code has seen the call twice, and answers the second.
            try await eventually { try await request.call(History(), isRepeatable: true).waiting == 2 }
            _ = try await request.call(Release())
            #expect(try await repeated.value == 2)
        }
    }

    @Test func theBoundOnTheCompletionOutlivesTheDaemon() async throws {
        let point = CallTests.pointFile(
            timers: ["postComplete": "10s"], more: "<key>Ends</key><string>test.history</string>")
        try await Self.withCaller(point: point, information: ["TestStays": true]) { manager, request in
            _ = try await request.call(History())
            manager.kill()
            try await eventually { manager.starts == 2 }
            #expect(request.isOpen)
            // Nothing else ends it: the point has no time limit for a request.
            let end = Kept<RequestOutcome>()
            let waiting = Task { end.keep(await request.outcome) }
            try await eventually { end.take() != nil }
            await waiting.value
            #expect(end.take()?.cause == .requestTimeout, "\(manager.words)")
            #expect(await request.explanation?.message.contains("did not complete within 10") == true)
        }
    }

    // spec: PC-22
    @Test("PC-22: entries that go through the daemon outlive it, each once and in their order")
    func routedEntriesOutliveTheDaemon() async throws {
        try await Self.withCaller { manager, request in
            let recorder = try await DaemonControl.connect(name: "recorder", to: manager.address)
            try await recorder.record(contents: false, onEntries: { _ in })
            let (stream, received) = try await StreamTests.open(request)
            let sent = StreamTests.entries(20_000, most: 300)
            async let sending: Void = StreamTests.blocking { try stream.send(sent) }
            for starts in 2...3 {
                let before = received.entries.count
                try await eventually { received.entries.count > before + 1_000 }
                manager.kill()
                try await eventually { manager.starts == starts }
            }
            try await sending
            try await eventually { received.entries.count >= sent.count }
            #expect(received.entries == sent, "\(manager.words)")
            stream.close()
            try await eventually { received.end == .some(nil) }
        }
    }
}
