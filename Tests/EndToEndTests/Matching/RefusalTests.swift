// RefusalTests: a request for items that the extension's rule does not accept is refused, unless it is forced.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite struct RefusalTests {
    private let link = ["NSExtensionActivationSupportsWebURLWithMaxCount": 1]

    // spec: P-308
    @Test func whatTheRuleDoesNotAcceptIsRefusedWithTheNearMiss() async throws {
        let bundles = try TestBundles.withPuppet(rule: link)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let refused = try await host.begin(puppet, items: [.url("https://example.org"), .text("x")])
            #expect(await refused.outcome.cause == .ruleMismatch)
            #expect(await refused.outcome.kind == .refused)
            let why = try #require(await refused.explanation)
            #expect(
                why.code == .ruleMismatch
                    && why.message.contains("would match without attachment 2 (public.plain-text)"))
            #expect(refused.processIdentifier == nil)

            let run = try await control(["run", puppet, "--text", "x"], daemon)
            #expect(run.status == 13 && run.output.hasPrefix("refused (ruleMismatch)"), "\(run)")
            #expect(
                run.output.contains("it would match with NSExtensionActivationSupportsText = true"), "\(run.output)")
            // Nobody was launched for it.
            #expect(try await daemon.events().allSatisfy { $0.event != "process.spawned" })
        }
    }

    // spec: P-309
    @Test func aForcedRequestIsServedAndTheLogSaysSo() async throws {
        let bundles = try TestBundles.withPuppet(rule: link)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("return")], force: true)
            #expect(await request.outcome.kind == .completed)
            let created = try await daemon.event { $0.event == "request.created" }
            #expect(created.detail?.hasSuffix("whatever the activation rule says") == true)
        }
    }

    @Test func forceServesAlsoWhatHasNoRuleOrABadOneButNotWhatIsSwitchedOff() async throws {
        for rule in [nil, "nonsense ("] {
            let bundles = try TestBundles.withPuppet(rule: rule)
            try await withTestDaemon(applications: [bundles.path]) { daemon in
                let host = try await daemon.host("notes")
                let refused = try await host.begin(puppet, items: [order("return")])
                #expect(await refused.outcome.cause == .ruleMismatch)
                let forced = try await host.begin(puppet, items: [order("return")], force: true)
                #expect(await forced.outcome.kind == .completed)
                try await daemon.control.elect(.ignore, puppet)
                let ignored = try await host.begin(puppet, items: [order("return")], force: true)
                #expect(await ignored.outcome.cause == .notElected)
            }
        }
    }

    /// The rule is asked on a thread of its own here; the request is open meanwhile, and served in the end.
    @Test func aRuleWithMuchToLookAtIsAskedAndTheRequestServed() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let many = (0..<200).map { NSItemProvider(item: "\($0)" as NSString, typeIdentifier: "public.plain-text") }
            let request = try await host.begin(puppet, items: [order("return", attachments: many)])
            #expect(await request.outcome.kind == .completed)
        }
    }

    /// A bundle in development is asked by its own rule; a program has a point without rules.
    @Test func aBundleInDevelopmentIsAskedToo() async throws {
        let bundles = try TestBundles.withPuppet(rule: link)
        let path = bundles.path + "/Tests.app/PlugIns/puppet.appex"
        try await withTestDaemon(applications: []) { daemon in
            let run = try await control(["run", path, "--text", "x"], daemon)
            #expect(run.status == 13 && run.output.hasPrefix("refused (ruleMismatch)"), "\(run)")
            let host = try await daemon.host("notes")
            #expect(try await host.application.register(path: path) == puppet)
            #expect(try await host.application.extensions(accepting: [.url("https://example.org")]).count == 1)
            #expect(try await host.application.extensions(accepting: [.text("x")]).isEmpty)
        }
    }
}
