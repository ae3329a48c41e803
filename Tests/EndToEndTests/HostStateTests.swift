// HostStateTests: a host's announcements in its extensions, in the log and on the bus, in one order (spec 1.7).

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite struct HostStateTests {
    // spec: C1, C3, P-090, P-091, P-094
    @Test(arguments: Language.allCases) func leavingAndReturningIsAnnouncedInOrderToTheExtension(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let watching = OneSignal()
            let host = try await daemon.host("notes") { _ in watching.fire() }
            let request = try await host.begin(puppet, items: [order("notices", "6")])
            await watching.wait()
            try await host.setState(.background)
            try await host.setState(.background)  // the same state announces nothing
            try await host.setState(.active)
            try await host.setState(.inactive)
            try await host.setState(.active)
            let seen = try items(of: await request.outcome).first?.userInfo?["seen"] as? [String]
            #expect(
                seen == [
                    "NSExtensionHostWillResignActiveNotification", "NSExtensionHostDidEnterBackgroundNotification",
                    "NSExtensionHostWillEnterForegroundNotification", "NSExtensionHostDidBecomeActiveNotification",
                    "NSExtensionHostWillResignActiveNotification", "NSExtensionHostDidBecomeActiveNotification",
                ])
        }
    }

    /// More than are told in one turn of the daemon's loop, by two moves of which the second comes before all have
    /// heard of the first; what is said to some of them besides, that their requests are cancelled, ends those.
    @Test func manyAreToldOfBothMovesInOrder() async throws {
        let bundles = try TestBundles()
        try bundles.add(
            "single", script: try TestBundles.source("Tests/Fixtures/Python/puppet.py"),
            beside: ["exthost.py": try TestBundles.source("Sources/Samples/Python/exthost.py")],
            point: "com.apple.app.non-ui-extension")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            var told: [ExtensionRequest] = []
            var cancelled: [ExtensionRequest] = []
            for number in 0..<12 {
                let request = try await host.begin(
                    "org.exthost.tests.single", items: [order("notices", number < 6 ? "2" : "3")])
                if number < 6 { told.append(request) } else { cancelled.append(request) }
            }
            try await eventually { output.text.components(separatedBy: "watching").count == 13 }
            try await host.setState(.background)
            for request in cancelled { try await request.cancel() }
            let both = ["NSExtensionHostWillResignActiveNotification", "NSExtensionHostDidEnterBackgroundNotification"]
            for request in told {
                #expect(try items(of: await request.outcome).first?.userInfo?["seen"] as? [String] == both)
            }
            for request in cancelled { #expect(await request.outcome.cause == .cancelledByHost) }
            #expect(Set((told + cancelled).map(\.processIdentifier)).count == 12)
        }
    }

    @Test(arguments: Language.allCases) func onlyTheExtensionsOfThatHostAreTold(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let watching = OneSignal()
            let leaving = try await daemon.host("leaving") { _ in watching.fire() }
            let staying = try await daemon.host("staying")
            let told = try await leaving.begin(puppet, items: [order("notices", "1")])
            await watching.wait()
            let untold = try await staying.begin(puppet, items: [order("notices", "1")])
            try await leaving.setState(.inactive)
            #expect(await told.outcome.kind == .completed)
            // The request is over for the daemon once it has this host's acknowledgement.
            try await leaving.application.fence()
            #expect(try await daemon.control.requests().map(\.request) == [untold.identifier])
        }
    }

    // spec: P-092, P-093
    @Test func eachOpenRequestOfTheHostGetsOnePostAboutItsContextAndNothingElse() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let leaving = try await daemon.host("leaving")
            let staying = try await daemon.host("staying")
            var open: [ExtensionRequest] = []
            for _ in 0..<2 { open.append(try await leaving.begin(puppet, items: [order("collect")])) }
            let other = try await staying.begin(puppet, items: [order("collect")])
            let over = try await leaving.begin(puppet, items: [order("count")])
            #expect(await over.outcome.cause == .completed)
            // Moving the clock returns when every extension has dealt with what was sent to it.
            try await daemon.clock.advance(by: .milliseconds(1))
            try await leaving.setState(.background)
            try await daemon.clock.advance(by: .milliseconds(1))
            let asking = try await staying.begin(puppet, items: [order("collected")])
            let posts = try #require(try items(of: await asking.outcome).first?.userInfo?["posts"] as? [String])
            #expect(posts.count == 4)
            for request in open {
                let own = posts.filter { $0.contains("> - UUID: \(request.identifier) ") }
                #expect(
                    own.map { $0.prefix { $0 != " " } } == [
                        "NSExtensionHostWillResignActiveNotification", "NSExtensionHostDidEnterBackgroundNotification",
                    ])
                #expect(
                    own.allSatisfy { $0.contains("<NSExtensionContext: ") && $0.hasSuffix(" userInfo: nil") }, "\(own)")
            }
            #expect(Set((open + [asking, other, over]).map(\.processIdentifier)).count == 1)
        }
    }

    // spec: P-095
    @Test(arguments: Language.allCases) func aRequestBegunWhileTheHostIsAwayHearsOfTheNextChangeOnly(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let watching = OneSignal()
            let host = try await daemon.host("notes") { _ in watching.fire() }
            try await host.setState(.background)
            let request = try await host.begin(puppet, items: [order("notices", "2")])
            await watching.wait()
            try await host.setState(.active)
            let answer = try items(of: await request.outcome).first?.userInfo
            #expect(
                answer?["seen"] as? [String] == [
                    "NSExtensionHostWillEnterForegroundNotification", "NSExtensionHostDidBecomeActiveNotification",
                ])
            // The wire says where the host was; Apple's context has no member that would.
            #expect(answer?["began"] as? String == (language == .python ? "background" : nil))
        }
    }

    @Test func anOperatorMovesAHostsStateAndAnUnknownHostIsAnError() async throws {
        try await withTestDaemon(applications: []) { daemon in
            let host = try await daemon.host("notes")
            let twin = try await daemon.host("notes")
            #expect(host.name == "notes")
            #expect(twin.name == "notes-2")
            try await daemon.control.setState(.background, ofHost: "notes-2")
            let states = try await daemon.control.hosts().map { [$0.host, $0.state.rawValue] }
            #expect(states == [["notes", "active"], ["notes-2", "background"]])
            let error = try await #require(throws: ExtensionHostError.self) {
                try await daemon.control.setState(.active, ofHost: "nobody")
            }
            #expect(error.code == .noSuchHost)
            #expect(error.remedy?.contains("notes, notes-2") == true)
        }
    }

    // spec: C4, P-096
    @Test(arguments: Language.allCases) func theBusSignalsCarryTheLogsSequenceInTheLogsOrderWhichIsTheExtensions(
        language: Language
    ) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--bus", "private"]) { daemon in
            let listener = try await BusListener.start(try #require(daemon.bus))
            let watching = OneSignal()
            let host = try await daemon.host("notes") { _ in watching.fire() }
            let request = try await host.begin(puppet, items: [order("notices", "4")])
            await watching.wait()
            try await host.setState(.background)
            try await host.setState(.active)
            let signals = try await listener.signals(4)
            let logged = try await daemon.events().filter { $0.event == EventName.hostStateChanged.rawValue }
            #expect(signals.map(\.member) == logged.map { $0.detail ?? "" })
            #expect(signals.map(\.sequence) == logged.map(\.sequence))
            #expect(signals.allSatisfy { $0.host == "notes" })
            let seen = try items(of: await request.outcome).first?.userInfo?["seen"] as? [String]
            #expect(seen == signals.map { "NSExtension\($0.member)Notification" })
            let hosts = try await listener.call("ListHosts")
            #expect(hosts.contains("\"notes\" \(getuid()) \"active\" \(logged.last?.sequence ?? 0)"))
        }
    }

    @Test func withNoBusTheDaemonSaysSoOnceAndServesOn() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--bus", "unix:path=/no/such/bus"]) {
            daemon in
            let host = try await daemon.host("notes")
            try await host.setState(.background)
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(await request.outcome.kind == .completed)
            #expect(try await daemon.events().filter { $0.event == EventName.busLost.rawValue }.count == 1)
        }
    }
}
