// ContentBlockerTests: content blockers as real processes, and the browser that asks them for their lists.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import PointHosts
import SafariServices
import Testing

@Suite struct ContentBlockerTests {
    private static let load = Result { try ContentLoad(url: "http://a.com/good.js") }

    /// Reloads, and returns the error.
    private func failure(_ host: ContentBlockerHost, _ identifier: String = SafariStage.blocker) async throws -> NSError
    {
        do {
            _ = try await host.reload(identifier)
        } catch {
            return error as NSError
        }
        Issue.record("the list is compiled")
        return NSError(domain: "", code: 0)
    }

    // spec: CB-1, CB-20
    @Test("CB-1: the attachment of the one item is the list, as a file or as data", arguments: ["list", "data"])
    func theAttachmentIsTheList(_ act: String) async throws {
        try await SafariStage.with { stage in
            try stage.write(act, to: "act")
            try stage.write(SafariStage.rule("data"), to: "blockerList.json")
            let safari = ContentBlockerHost(stage.host)
            let list = try await safari.reload(SafariStage.blocker)
            #expect(list.statistics.rules == 1)
            #expect(try list.decision(for: ContentLoad(url: "http://a/data")).blocked == 1)
            #expect(await safari.rules(of: SafariStage.blocker)?.statistics == list.statistics)
            let begun = try await stage.daemon.events().filter { $0.event == EventName.requestCreated.rawValue }
            #expect(begun.count == 1)
        }
    }

    // spec: CB-2
    @Test("CB-2: a blocker that is none, or another app's, is not found") func aStrangersBlockerIsNotFound()
        async throws
    {
        try await SafariStage.with(["blocker", "links"]) { stage in
            try stage.write(SafariStage.rule("a"), to: "blockerList.json")
            let safari = ContentBlockerHost(stage.host)
            for identifier in ["org.example.missing", SafariStage.links] {
                let error = try await failure(safari, identifier)
                #expect(error.domain == SFErrorDomain && error.code == SFError.noExtensionFound.rawValue)
            }
            let app = stage.bundles.path + "/Tests.app"
            try await safari.reload(SafariStage.blocker, for: app)
            let error = await #expect(throws: (any Error).self) {
                try await safari.reload(SafariStage.blocker, for: stage.bundles.path + "/Other.app")
            }
            let found = error.map { $0 as NSError }
            #expect(found?.domain == SFErrorDomain && found?.code == SFError.noExtensionFound.rawValue)
            #expect(await safari.rules(of: SafariStage.blocker)?.statistics.rules == 1)
        }
    }

    // spec: CB-3
    @Test(
        "CB-3: without an item, an attachment, a type or a value there is no attachment",
        arguments: ["nothing", "bare", "text", "broken"])
    func withoutAnAttachment(_ act: String) async throws {
        try await SafariStage.with { stage in
            try stage.write(act, to: "act")
            let error = try await failure(ContentBlockerHost(stage.host))
            #expect(error.domain == SFErrorDomain && error.code == SFError.noAttachmentFound.rawValue, "\(error)")
        }
    }

    // spec: CB-4
    @Test("CB-4: an end before the list interrupts the load", arguments: ["cancel", "exit", "crash"])
    func anEndInterruptsTheLoad(_ act: String) async throws {
        try await SafariStage.with { stage in
            try stage.write(act, to: "act")
            let error = try await failure(ContentBlockerHost(stage.host))
            #expect(error.domain == SFErrorDomain && error.code == SFError.loadingInterrupted.rawValue)
            #expect(error.userInfo[NSUnderlyingErrorKey] != nil)
        }
    }

    // spec: CB-4
    @Test("CB-4: a blocker has 30 s, and a cancelled reload ends its request") func aBlockerHasATimeLimit() async throws
    {
        try await SafariStage.with { stage in
            try stage.write("hang", to: "act")
            let safari = ContentBlockerHost(stage.host)
            let late = Task { try await failure(safari) }
            try await stage.daemon.event { $0.event == EventName.requestDelivered.rawValue }
            try await stage.daemon.clock.advance(by: .milliseconds(29_900))
            #expect(try await stage.daemon.events().allSatisfy { $0.event != EventName.requestTimedOut.rawValue })
            try await stage.daemon.clock.advance(by: .milliseconds(100))
            #expect(try await late.value.code == SFError.loadingInterrupted.rawValue)
            let asked = try await stage.daemon.events().last?.sequence ?? 0
            let cancelled = Task { try await failure(safari) }
            try await stage.daemon.event {
                $0.event == EventName.requestDelivered.rawValue && $0.sequence > asked
            }
            cancelled.cancel()
            #expect(try await cancelled.value.code == SFError.loadingInterrupted.rawValue)
            try await stage.daemon.event { $0.event == EventName.requestCancelled.rawValue }
        }
    }

    // spec: CB-4
    @Test("CB-4: a death after complete takes nothing away: the list travelled with it")
    func aDeathAfterCompleteDoesNoHarm() async throws {
        try await SafariStage.with { stage in
            try stage.write("late", to: "act")
            try stage.write(SafariStage.rule("good"), to: "blockerList.json")
            let safari = ContentBlockerHost(stage.host)
            try await safari.reload(SafariStage.blocker)
            #expect(try await safari.rules(of: SafariStage.blocker)?.decision(for: Self.load.get()).blocked == 1)
        }
    }

    // spec: CB-5
    @Test("CB-5: a list that does not compile is WebKit's error, and the last good list stays in force")
    func theLastGoodListStays() async throws {
        try await SafariStage.with { stage in
            let safari = ContentBlockerHost(stage.host)
            // Bundle caches the names of a folder's files.
            try stage.write("list", to: "act")
            try stage.write(SafariStage.rule("a|b"), to: "blockerList.json")
            let first = try await failure(safari)
            #expect(first.domain == "WKErrorDomain" && first.code == 6)
            let anchor = "Rule list compilation failed: Invalid or unsupported regular expression."
            #expect(first.userInfo["NSHelpAnchor"] as? String == anchor)
            #expect(first.ruleListFaults?.map(\.rule) == [1])
            #expect(await safari.rules(of: SafariStage.blocker) == nil)
            try stage.write(SafariStage.rule("good"), to: "blockerList.json")
            try await safari.reload(SafariStage.blocker)
            for broken in ["[", "[]", SafariStage.rule("(")] {
                try stage.write(broken, to: "blockerList.json")
                #expect(try await failure(safari).code == 6)
            }
            try stage.write("crash", to: "act")
            #expect(try await failure(safari).code == SFError.loadingInterrupted.rawValue)
            #expect(try await safari.rules(of: SafariStage.blocker)?.decision(for: Self.load.get()).blocked == 1)
        }
    }

    // spec: CB-8
    @Test("CB-8: a host can have another limit of rules, and reads no more bytes than it allows")
    func theHostHasLimits() async throws {
        try await SafariStage.with { stage in
            var limits = RuleLimits()
            (limits.rules, limits.bytes) = (2, 1000)
            let safari = ContentBlockerHost(stage.host, limits: limits)
            let rule = SafariStage.rule("a").dropFirst().dropLast()
            try stage.write("[\(rule), \(rule), \(rule)]", to: "blockerList.json")
            #expect(try await failure(safari).ruleListFaults?.first?.kind == .tooManyRules)
            try stage.write(SafariStage.rule("a") + String(repeating: " ", count: 2000), to: "blockerList.json")
            #expect(try await failure(safari).ruleListFaults?.first?.kind == .limit)
        }
    }

    // spec: CB-18
    @Test("CB-18: each of several blockers decides by itself, and one that blocks is enough; the user switches them on")
    func eachBlockerDecides() async throws {
        try await SafariStage.with(["blocker", "second"]) { stage in
            let second = "org.exthost.tests.second"
            let ignoring = #"{"trigger": {"url-filter": ".*"}, "action": {"type": "ignore-previous-rules"}}"#
            try stage.write("[\(SafariStage.rule("good").dropFirst().dropLast())]", to: "blockerList.json")
            try stage.write(
                "[\(SafariStage.rule("x").dropFirst().dropLast()), \(ignoring)]", to: "blockerList.json", of: "second")
            let safari = ContentBlockerHost(stage.host)
            for blocker in [SafariStage.blocker, second] { try await safari.reload(blocker) }
            #expect(try await safari.decisions(for: Self.load.get()).byBlocker.isEmpty)
            #expect(try await !safari.isEnabled(SafariStage.blocker))
            for blocker in [SafariStage.blocker, second] {
                _ = try await stage.daemon.control.setConsent(ContentBlockerHost.consent, true, of: blocker)
            }
            #expect(try await safari.isEnabled(SafariStage.blocker))
            let decisions = try await safari.decisions(for: Self.load.get())
            #expect(decisions.isBlocked && decisions.byBlocker.count == 2)
            #expect(decisions.byBlocker[second]?.blocked == nil && decisions.byBlocker[second]?.ignoring == 2)
            _ = try await stage.daemon.control.setConsent(ContentBlockerHost.consent, false, of: SafariStage.blocker)
            #expect(try await !safari.decisions(for: Self.load.get()).isBlocked)
        }
    }
}
