// TransferTests: downloads that an extension begins, and of which its app gets the events.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing
import TransferMessages

extension TestBundles {
    /// `Tests.app` with an extension that downloads in the background. Both have a group and the network.
    static func withFetcher(network: Bool = true) throws -> TestBundles {
        let bundles = try TestBundles()
        try bundles.addProgram("FetcherApp", copyOf: SampleApplications.buildFolder + "/FetcherApp")
        try bundles.write(
            ["CFBundleIdentifier": notebook, "CFBundleExecutable": "FetcherApp"], to: bundles.app + "/Info.plist")
        try bundles.add(
            "fetcher", program: SampleApplications.buildFolder + "/Fetcher", principalClass: "Fetcher.Fetcher")
        var own: [String: Any] = ["com.apple.security.application-groups": ["group.org.exthost.tests"]]
        if network { own["com.apple.security.network.client"] = true }
        try bundles.write(own, to: bundles.app + "/Entitlements.plist")
        try bundles.write(own, to: bundles.app + "/PlugIns/fetcher.appex/Entitlements.plist")
        return bundles
    }
}

@Suite struct TransferTests {
    private static let fetcher = "org.exthost.tests.fetcher"

    /// Runs a test with a service whose answers it sets.
    private func withTransfers(
        _ bundles: TestBundles, _ answers: [TransferAnswer],
        _ body: (TestDaemon, FakeHost, ServiceConnection) async throws -> Void
    ) async throws {
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            try await daemon.answerTransfers(answers)
            let host = try await daemon.host("browser")
            let tool = try await host.application.connect(toService: transferServiceName)
            try await body(daemon, host, tool)
        }
    }

    private func share(_ text: String, _ host: FakeHost) async throws {
        let item = NSExtensionItem()
        item.attributedContentText = NSAttributedString(string: text)
        let request = try await host.begin(Self.fetcher, items: [item])
        #expect(await request.outcome.kind == .completed)
    }

    private func logs(_ daemon: TestDaemon, _ identifier: String) async throws -> String {
        try await Program.control(["logs", identifier], socket: daemon.address.path).ending().output
    }

    private func sessions(_ tool: ServiceConnection) async throws -> [TransferSessionRecord] {
        try await tool.call(ListTransferSessions()).sessions
    }

    // spec: BT-1, BT-12, BT-13, BT-14, BT-15, BT-17, BT-20, BT-21, P-593, P-594, H3, H4
    @Test(
        "BT-1, BT-12, BT-13, BT-15, BT-17, BT-20, BT-21: a download outlives its extension, and its app gets the file")
    func aDownloadOutlivesItsExtension() async throws {
        let bundles = try TestBundles.withFetcher()
        let answers = [
            TransferAnswer("https://example.org/one", body: Array("first".utf8), duration: 100),
            TransferAnswer("https://example.org/two", status: 404, body: Array("none".utf8), duration: 200),
        ]
        try await withTransfers(bundles, answers) { daemon, host, tool in
            try await share("photos https://example.org/one https://example.org/two", host)
            #expect(try await sessions(tool).map(\.unfinished) == [2])
            _ = try await daemon.control.kill(.identifier(Self.fetcher))
            try await eventually { try await !daemon.control.processes().contains { $0.kind == nil } }
            // Not while one of them runs (BT-14).
            try await daemon.clock.advance(by: .seconds(150))
            #expect(try await daemon.control.processes().allSatisfy { $0.kind == "service" })
            try await daemon.clock.advance(by: .seconds(51))
            try await eventually { try await logs(daemon, notebook).contains("events finished") }
            let text = try await logs(daemon, notebook)
            for line in ["woken for photos background", "kept one", "completed 1 200", "completed 2 404"] {
                #expect(text.contains(line), "\(text)")
            }
            let group = try #require(daemon.groupContainers) + "/group.org.exthost.tests"
            #expect(try String(contentsOfFile: group + "/one", encoding: .utf8) == "first")
            // The file of the answer 404 is deleted after its method has returned.
            let left = group + "/Library/Caches/exthost-downloads"
            try await eventually { try FileManager.default.contentsOfDirectory(atPath: left).isEmpty }
            try await daemon.clock.advance(by: .seconds(6))
            try await eventually { try await daemon.control.exits().last?.exit.cause == .closed }
            #expect(try await sessions(tool).isEmpty)
        }
    }

    // spec: BT-12
    @Test("BT-12: an extension that still runs gets the events, and no app is launched")
    func anExtensionThatRunsGetsTheEvents() async throws {
        let bundles = try TestBundles.withFetcher()
        let answers = [TransferAnswer("https://example.org/one", body: Array("first".utf8), duration: 1)]
        try await withTransfers(bundles, answers) { daemon, host, tool in
            try await share("photos https://example.org/one", host)
            try await daemon.clock.advance(by: .seconds(2))
            try await eventually { try await logs(daemon, Self.fetcher).contains("extension completes 1 0") }
            #expect(try await logs(daemon, Self.fetcher).contains("extension has one"))
            #expect(try await !daemon.control.processes().contains { $0.kind == "app" })
            #expect(try await sessions(tool).map(\.events) == [0])
        }
    }

    // spec: BT-22, P-595
    @Test("BT-22: a test gives the events to the app though the extension runs", arguments: ["app", "extension"])
    func theReceiverIsForced(receiver: String) async throws {
        let bundles = try TestBundles.withFetcher()
        let answers = [TransferAnswer("https://example.org/one", body: Array("first".utf8), duration: 1)]
        try await withTransfers(bundles, answers) { daemon, host, tool in
            try await share("photos https://example.org/one", host)
            let order = try await Program.control(
                ["transfers", "deliver", "photos", "--to", receiver], socket: daemon.address.path
            ).ending()
            #expect(order.status == 0, "\(order)")
            try await daemon.clock.advance(by: .seconds(2))
            if receiver == "app" {
                try await eventually { try await logs(daemon, notebook).contains("events finished") }
                #expect(try await !logs(daemon, Self.fetcher).contains("completes 1 0"))
            } else {
                try await eventually { try await logs(daemon, Self.fetcher).contains("completes 1 0") }
                #expect(try await !daemon.control.processes().contains { $0.kind == "app" })
            }
        }
    }

    // spec: BT-35
    @Test("BT-35: an extension without the entitlement of the network transfers nothing")
    func theNetworkIsTheExtensions() async throws {
        let bundles = try TestBundles.withFetcher(network: false)
        let answers = [TransferAnswer("https://example.org/one")]
        try await withTransfers(bundles, answers) { daemon, host, tool in
            try await share("photos https://example.org/one", host)
            try await eventually { try await logs(daemon, Self.fetcher).contains("extension completes") }
            #expect(try await logs(daemon, Self.fetcher).contains("-1020"))
            #expect(try await logs(daemon, transferServiceName).contains("lacks the entitlement"))
        }
    }

    // spec: BT-38
    @Test("BT-38: exthostctl transfers lists, shows, allows and cancels") func theVerb() async throws {
        let bundles = try TestBundles.withFetcher()
        let answers = [TransferAnswer("https://example.org/one", body: Array("first".utf8), duration: 500)]
        try await withTransfers(bundles, answers) { daemon, host, tool in
            func control(_ words: String...) async throws -> Program.Ending {
                try await Program.control(["transfers"] + words, socket: daemon.address.path).ending()
            }
            #expect(try await control("list").output.contains("There is no background session."))
            try await share("photos https://example.org/one", host)
            let list = try await control()
            #expect(list.output.contains(notebook) && list.output.contains("photos"), "\(list)")
            let shown = try await control("show", "photos").output
            #expect(shown.contains("https://example.org/one") && shown.contains("running"), "\(shown)")
            let json =
                try JSONSerialization.jsonObject(
                    with: Data(try await control("show", "photos", "--json").output.utf8)) as? [String: Any]
            #expect((json?["tasks"] as? [[String: Any]])?.count == 1 && json?["open"] as? Int == 1)
            #expect(try await control("allow", "photos").status == 0)
            let unknown = try await control("show", "nothing")
            #expect(unknown.status != 0 && unknown.errors.contains("there is no background session"), "\(unknown)")
            #expect(try await control("cancel", "photos", "1").status == 0)
            try await eventually { try await logs(daemon, Self.fetcher).contains("extension completes 1 -999") }
        }
    }

    // spec: BT-34
    @Test("BT-34: the removal of the app cancels its transfers and deletes what they have") func theAppIsRemoved()
        async throws
    {
        let bundles = try TestBundles.withFetcher()
        let answers = [TransferAnswer("https://example.org/one", body: Array("first".utf8), duration: 500)]
        try await withTransfers(bundles, answers) { daemon, host, tool in
            try await share("photos https://example.org/one", host)
            #expect(try await sessions(tool).map(\.unfinished) == [1])
            _ = try await daemon.control.remove(path: bundles.app)
            try await eventually { try await sessions(tool).isEmpty }
        }
    }

    // spec: BT-25
    @Test("BT-25: a discretionary task begins when it is allowed, or after 60 s") func discretionaryTasks() async throws
    {
        let bundles = try TestBundles.withFetcher()
        let answers = [TransferAnswer("https://example.org/one", body: Array("first".utf8))]
        for isAllowed in [false, true] {
            try await withTransfers(bundles, answers) { daemon, host, tool in
                try await share("photos later https://example.org/one", host)
                try await daemon.clock.advance(by: .seconds(59))
                #expect(try await sessions(tool).map(\.unfinished) == [1])
                if isAllowed {
                    let order = try await Program.control(["transfers", "allow"], socket: daemon.address.path).ending()
                    #expect(order.status == 0, "\(order)")
                } else {
                    try await daemon.clock.advance(by: .seconds(2))
                }
                try await eventually { try await sessions(tool).allSatisfy { $0.unfinished == 0 } }
            }
        }
    }
}
