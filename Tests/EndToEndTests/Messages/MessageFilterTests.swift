// MessageFilterTests: message filters, their server, and what they may not do.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import Locks
import PointHosts
import TestPrograms
import Testing

@Suite struct MessageFilterTests {
    private static let filter = "org.exthost.tests.filter"
    private static let address = "https://filter.example/messages"

    private struct Stage {
        let bundles: TestBundles
        let daemon: TestDaemon
        let host: HostApplication

        func verdict(_ text: String, server: MessageServer? = nil) async throws -> MessageFilterHost.Verdict {
            try await MessageFilterHost(host, server: server).verdict(
                on: FilteredMessage(sender: "+15555550123", body: text, country: "DE"), by: filter)
        }

        /// The output of the filter.
        func output() async throws -> String {
            try await Program.control(["logs", filter], socket: daemon.address.path).ending().output
        }
    }

    /// Runs a body with a daemon whose clock is virtual, and a filter of a class.
    private static func with(
        _ principalClass: String = "MessageFilter", address: Any? = address, entitlements: [String: Any] = [:],
        clock: TestDaemon.ClockKind = .virtual, _ body: (Stage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        var attributes: [String: Any] = [:]
        attributes["ILMessageFilterExtensionNetworkURL"] = address
        try bundles.add(
            "filter", program: SampleApplications.buildFolder + "/MessageFilter", point: MessageFilterHost.point,
            rule: nil,
            information: [
                "NSExtension": [
                    "NSExtensionPointIdentifier": MessageFilterHost.point,
                    "NSExtensionPrincipalClass": "MessageFilter.\(principalClass)",
                    "NSExtensionAttributes": attributes,
                ]
            ])
        if !entitlements.isEmpty {
            try bundles.write(
                entitlements, to: bundles.path + "/Tests.app/PlugIns/filter.appex/Entitlements.plist")
            try bundles.write(entitlements, to: bundles.path + "/Tests.app/Entitlements.plist")
        }
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            let host = try await daemon.host("messages").application
            try await body(Stage(bundles: bundles, daemon: daemon, host: host))
        }
    }

    // spec: MF-1
    @Test("MF-1: a filter gets the message, and its five actions have Apple's numbers") func actions() async throws {
        try await Self.with { stage in
            for (number, action) in [
                (0, FilteredMessage.Action.none), (1, .allow), (2, .junk), (3, .promotion), (4, .transaction),
            ] {
                let verdict = try await stage.verdict("action \(number) 0")
                #expect(verdict.action == action && verdict.subAction == .none && verdict.reason == nil)
                #expect(verdict.deferrals.isEmpty && verdict.remarks.isEmpty)
                #expect(await verdict.request.outcome.kind == .completed)
            }
            for (action, number, kind) in [
                (4, 10001, FilteredMessage.SubAction.transactionalFinance), (4, 10008, .transactionalPublicServices),
                (3, 20001, .promotionalOffers), (3, 20002, .promotionalCoupons),
            ] {
                #expect(try await stage.verdict("action \(action) \(number)").subAction == kind)
            }
            // A kind of another action has no effect.
            let other = try await stage.verdict("action 2 20001")
            #expect(other.action == .junk && other.subAction == .none && other.remarks.count == 1)
            let described = try await stage.verdict("describe")
            #expect(described.action == .none && described.reason == nil)
            try await eventually {
                try await stage.output().contains("+15555550123 DE")
            }
        }
    }

    // spec: MF-1, PC-10
    @Test("MF-1, PC-10: a class that does not adopt ILMessageFilterQueryHandling is unsuitable") func unsuitable()
        async throws
    {
        try await Self.with("NoFilter") { stage in
            let verdict = try await stage.verdict("x")
            #expect(verdict.action == .none && verdict.reason == .ended(.cancelledByExtension))
            let outcome = "\(await verdict.request.outcome)"
            #expect(outcome.contains("NoFilter") && outcome.contains("ILMessageFilterQueryHandling"), "\(outcome)")
        }
    }

    // spec: MF-1, PC-12
    @Test("MF-1, PC-12: the async form answers, and a filter that has written neither decides nothing")
    func asyncForm() async throws {
        try await Self.with("LaterFilter") { stage in
            let server = MessageServer(body: Data("x".utf8))
            #expect(try await stage.verdict("x", server: server).action == .transaction)
            // Without a server the request to it has failed.
            #expect(try await stage.verdict("x").action == .junk)
            let none = try await MessageFilterHost(stage.host).capabilities(of: Self.filter)
            #expect(none.transactional.isEmpty && none.promotional.isEmpty)
        }
        try await Self.with("SilentFilter") { stage in
            let verdict = try await stage.verdict("x")
            guard case .failed(let error) = verdict.reason else {
                Issue.record("\(String(describing: verdict.reason))")
                return
            }
            #expect(verdict.action == .none && error.code == .notImplemented)
        }
    }

    // spec: MF-1
    @Test("MF-1: a filter names its sub-actions, each once and at its own kind") func capabilities() async throws {
        try await Self.with { stage in
            let named = try await MessageFilterHost(stage.host).capabilities(of: Self.filter)
            #expect(named.transactional == [.transactionalOrders] && named.promotional == [.promotionalOffers])
        }
    }

    // spec: MF-2
    @Test("MF-2: a filter has no network, and its group's container is readable only") func confinement()
        async throws
    {
        let group = "group.org.exthost.tests.filter"
        let entitlements: [String: Any] = [
            "com.apple.security.application-groups": [group], "com.apple.security.network.client": true,
        ]
        try await Self.with(entitlements: entitlements, clock: .real) { stage in
            #expect(try await stage.verdict("socket").action == .allow)
            let folder = try #require(stage.daemon.groupContainers) + "/" + group
            let file = URL(fileURLWithPath: folder + "/note")
            try Data("note".utf8).write(to: file)
            #expect(try await stage.verdict("group \(group)").action == .allow)
            #expect(try Data(contentsOf: file) == Data("note".utf8))
        }
    }

    // spec: MF-3
    @Test("MF-3: the host asks the server in the filter's place, once, with the documented question")
    func deferral() async throws {
        try await Self.with { stage in
            let asked = Mutex<[MessageServer.Question]>([])
            let server = MessageServer { question in
                asked.withLock { $0.append(question) }
                return .init(status: 201, headers: ["Content-Type": "text/plain"], body: Data("fine".utf8))
            }
            let verdict = try await stage.verdict("defer 2", server: server)
            #expect(verdict.action == .promotion && verdict.reason == nil)
            #expect(verdict.deferrals.map(\.status) == [201, nil])
            #expect(verdict.deferrals.map(\.fault) == [nil, .redundantNetworkDeferral])
            let question = try #require(asked.withLock { $0 }.first)
            #expect(asked.withLock { $0.count } == 1 && question.url.absoluteString == Self.address)
            let form = try #require(try JSONSerialization.jsonObject(with: question.body) as? [String: Any])
            let query = try #require(form["query"] as? [String: Any])
            #expect(form["_version"] as? Int == 1 && query["sender"] as? String == "+15555550123")
            #expect((query["message"] as? [String: Any])?["text"] as? String == "defer 2")
            #expect((form["app"] as? [String: Any])?["version"] as? String == "1")
            try await eventually {
                let output = try await stage.output()
                return output.contains("201 text/plain fine") && output.contains("error true 5")
            }
            // Another question may be sent.
            _ = try await stage.verdict("defer 1", server: server)
            #expect(asked.withLock { $0.count } == 2)
        }
    }

    // spec: MF-3
    @Test(
        "MF-3: without a URL of https the error is invalidNetworkURL",
        arguments: [nil, "http://filter.example/", "https://", "nothing"] as [String?])
    func badAddresses(address: String?) async throws {
        try await Self.with(address: address) { stage in
            let verdict = try await stage.verdict("defer 1", server: MessageServer(body: Data()))
            #expect(verdict.deferrals.map(\.fault) == [.invalidNetworkURL] && verdict.reason == nil)
            try await eventually {
                try await stage.output().contains("error true 2")
            }
        }
    }

    // spec: MF-3
    @Test("MF-3: a refusal, a failure and an answer that is too large are errors with Apple's numbers")
    func failures() async throws {
        try await Self.with { stage in
            let large = MessageServer(body: Data(count: MessageServer.largestBody + 1))
            for (server, fault) in [
                (MessageServer { _ in throw MessageServer.Unauthorized() }, MessageFilterFault.networkURLUnauthorized),
                (MessageServer { _ in throw CocoaError(.featureUnsupported) }, .networkRequestFailed),
                (large, .networkRequestFailed),
            ] {
                let verdict = try await stage.verdict("defer 1", server: server)
                #expect(verdict.deferrals.map(\.fault) == [fault] && verdict.action == .none)
                try await eventually {
                    try await stage.output().contains("error true \(fault.rawValue)")
                }
            }
            // The largest body travels.
            let largest = MessageServer(body: Data(repeating: 97, count: MessageServer.largestBody))
            #expect(try await stage.verdict("defer 1", server: largest).action == .promotion)
        }
    }

    // spec: MF-4
    @Test("MF-4: a filter that does not answer in 5 s, dies or drops its handler has no part in the message")
    func noAnswer() async throws {
        try await Self.with { stage in
            let late = Task { try await stage.verdict("hang") }
            try await stage.daemon.event { $0.detail?.hasPrefix("messageFilter.handleQuery 1 by") == true }
            try await stage.daemon.clock.advance(by: .seconds(5))
            let verdict = try await late.value
            #expect(verdict.action == .none && verdict.reason == .timedOut)
            #expect(try await stage.verdict("drop").reason == .handlerDropped)
            let dead = try await stage.verdict("die")
            #expect(dead.action == .none && dead.reason == .ended(.exitedEarly))
            #expect(try await stage.verdict("action 2 0").action == .junk)
        }
    }
}
