// RunTransferTests: what `exthostctl run` tells of background transfers, and how it waits for them.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing
import TransferMessages

@Suite struct RunTransferTests {
    private static let fetcher = "org.exthost.tests.fetcher"
    private static let puppet = "org.exthost.tests.puppet"
    private static let one = TransferAnswer(
        "https://example.org/one", body: Array("first".utf8), duration: 100)

    /// Runs a test with the extension that downloads, and one of the same app that does not.
    ///
    /// The function of the body starts `exthostctl run` of the former with a text.
    private func withFetcher(
        _ body: (TestDaemon, (String, [String]) throws -> Program) async throws -> Void
    ) async throws {
        let bundles = try TestBundles.withFetcher()
        try bundles.add(
            "puppet", program: SampleApplications.buildFolder + "/Puppet", principalClass: "Puppet.Puppet")
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            try await daemon.answerTransfers([Self.one])
            try await body(daemon) { text, options in
                let items = bundles.path + "/items.json"
                try JSONSerialization.data(withJSONObject: [["contentText": text]]).write(
                    to: URL(fileURLWithPath: items))
                return try Program.control(
                    ["run", Self.fetcher, "--items", items] + options, socket: daemon.address.path)
            }
        }
    }

    private func runPuppet(_ daemon: TestDaemon, _ options: [String] = []) async throws -> Program.Ending {
        try await control(["run", Self.puppet, "--text", "x"] + options, daemon)
    }

    /// The programs of the service that the daemon has launched.
    private func launches(_ daemon: TestDaemon) async throws -> Int {
        try await daemon.events().count {
            $0.event == EventName.processSpawned.rawValue && $0.extensionIdentifier == transferServiceName
        }
    }

    /// Whether a tool has opened a connection with the service, or has closed it.
    private static func isTools(_ record: EventRecord, _ event: EventName) -> Bool {
        record.event == event.rawValue && record.detail?.contains(transferServiceName) == true
            && record.detail?.contains("exthostctl") == true
    }

    // spec: BT-38
    @Test("BT-38: exthostctl run waits until the app has the events, if it is asked to") func itWaits() async throws {
        try await withFetcher { daemon, run in
            let program = try run("photos https://example.org/one", ["--wait-transfers"])
            try await daemon.event { Self.isTools($0, .serviceOpened) }
            try await daemon.clock.advance(by: .seconds(60))
            // The extension has ended, the transfer has not, and the command waits.
            #expect(try await daemon.control.processes().allSatisfy { $0.kind == "service" })
            #expect(try await daemon.events().allSatisfy { !Self.isTools($0, .serviceClosed) })
            try await daemon.clock.advance(by: .seconds(60))
            let ending = try await program.ending()
            #expect(ending.status == 0 && ending.output.contains("completed"), "\(ending)")
            #expect(!ending.output.contains("background session"), "\(ending)")
            // The app has the file when the command has ended.
            let group = try #require(daemon.groupContainers) + "/group.org.exthost.tests"
            #expect(try String(contentsOfFile: group + "/one", encoding: .utf8) == "first")
            let records = try await daemon.events()
            let woken = try #require(records.first { $0.event == EventName.appOpened.rawValue }?.sequence)
            let closed = try #require(records.first { Self.isTools($0, .serviceClosed) }?.sequence)
            #expect(woken < closed)
        }
    }

    // spec: BT-38
    @Test("BT-38: exthostctl run names the sessions that are left, and launches no service without a reason")
    func itNamesWhatIsLeft() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let ending = try await runPuppet(daemon)
            #expect(ending.output.contains("cancelled"), "\(ending)")
            #expect(try await launches(daemon) == 0)
        }
        try await withFetcher { daemon, run in
            let ending = try await run("photos https://example.org/one", []).ending()
            #expect(ending.output.contains("\n  background session photos: 1 open, 0 events\n"), "\(ending)")
            let json = try await run("more https://example.org/one", ["--json"]).ending()
            let document = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            let sessions = document?["transfers"] as? [[String: Any]] ?? []
            #expect(sessions.compactMap { $0["session"] as? String } == ["photos", "more"], "\(json)")
        }
    }

    // spec: BT-19, BT-38
    @Test(
        "BT-19, BT-38: exthostctl run names events for which nobody is woken, though the service has ended since",
        arguments: [[], ["--wait-transfers"]])
    func theServiceHasEnded(options: [String]) async throws {
        try await withFetcher { daemon, run in
            #expect(try await run("photos quietly https://example.org/one", []).ending().status == 0)
            try await daemon.clock.advance(by: .seconds(200))
            try await eventually { try await daemon.control.processes().isEmpty }
            #expect(try await launches(daemon) == 1)
            let ending = try await runPuppet(daemon, options)
            #expect(ending.output.contains("background session photos: 0 open, 2 events"), "\(ending)")
            #expect(try await launches(daemon) == 2)
            #expect(try await daemon.events().allSatisfy { $0.event != EventName.appOpened.rawValue })
        }
    }
}
