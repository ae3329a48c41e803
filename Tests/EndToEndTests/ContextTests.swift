// ContextTests: what an extension's author sees of a request: its items, its answers, its objects (spec 1.1, 1.4).

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite struct ContextTests {
    // spec: P-001
    @Test(arguments: Language.allCases) func aHostThatPassesNothingIsSeenAsNoItems(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [])
            #expect(try items(of: await request.outcome).first?.userInfo?["passed"] as? Int == 0)
        }
    }

    // spec: P-001
    @Test(arguments: Language.allCases) func theItemsOfHostAndExtensionChangeAlone(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let (first, second) = (order("change"), NSExtensionItem())
            first.attributedTitle = NSAttributedString(string: "the host's")
            second.attributedTitle = NSAttributedString(string: "the host's")
            async let begun = host.begin(puppet, items: [first, second])
            let request = try await begun
            second.attributedTitle = NSAttributedString(string: "the host's, later")
            let returned = try items(of: await request.outcome)
            #expect(returned.map { $0.attributedTitle?.string } == ["the extension's", "the host's"])
            #expect(first.attributedTitle?.string == "the host's")
            #expect(returned[1] !== second)
        }
    }

    // spec: P-002
    @Test(arguments: Language.allCases) func anExtensionMayReturnNoItems(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1min"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("nothing")])
            #expect(try items(of: await request.outcome).isEmpty)
            // As good an answer as any other: the next request meets the same process.
            let next = try await host.begin(puppet, items: [order("count")])
            let answer = try items(of: await next.outcome).first?.userInfo
            #expect(answer?["begun"] as? Int == 2 && next.processIdentifier == request.processIdentifier)
        }
    }

    // spec: P-003
    @Test(arguments: Language.allCases) func anExtensionThatGivesUpSaysWhy(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("no such act")])
            guard case .cancelled(.cancelledByExtension, let error as NSError) = await request.outcome else {
                throw UnexpectedOutcome(outcome: "\(await request.outcome)")
            }
            #expect(error.domain == "puppet" && error.code == 1)
            #expect(error.localizedDescription == "the puppet cannot no such act")
        }
    }

    // spec: P-040, P-041, P-210, P-006
    @Test func eachRequestHasItsOwnObjectThatIsBegunOnceAndTheProcessKeepsItsStatics() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1min"]) { daemon in
            let host = try await daemon.host("notes")
            for number in 1...3 {
                let request = try await host.begin(puppet, items: [order("object")])
                let seen = try #require(try items(of: await request.outcome).first?.userInfo)
                #expect(seen["begun"] as? Int == number, "the statics of the request before")
                #expect(seen["object"] as? Int == number, "a new object")
                #expect(seen["beginning"] as? Int == 1, "begun once")
                #expect(
                    (seen["context"] as? String)?.contains("UUID: \(request.identifier) ") == true, "its own context")
                #expect(try await daemon.control.processes().map(\.pid) == [request.processIdentifier])
            }
        }
    }

    // spec: P-040, P-041
    @Test func requestsAtTheSameTimeHaveObjectsOfTheirOwn() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1min"]) { daemon in
            let host = try await daemon.host("notes")
            let requests = try await withThrowingTaskGroup(of: ExtensionRequest.self) { group in
                for _ in 0..<20 { group.addTask { try await host.begin(puppet, items: [order("object")]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            var (objects, contexts): (Set<Int>, Set<String>) = ([], [])
            for request in requests {
                let seen = try #require(try items(of: await request.outcome).first?.userInfo)
                #expect(seen["beginning"] as? Int == 1)
                #expect((seen["context"] as? String)?.contains("UUID: \(request.identifier) ") == true)
                objects.insert(try #require(seen["object"] as? Int))
                contexts.insert(try #require(seen["context"] as? String))
            }
            #expect(objects == Set(1...20))
            #expect(contexts.count == 20)
        }
    }

    // spec: P-103
    @Test(arguments: Language.allCases) func afterAnInterruptionTheNextBeginLaunchesANewProcess(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1min"]) { daemon in
            let host = try await daemon.host("notes")
            func count() async throws -> (begun: Int?, pid: Int?) {
                let request = try await host.begin(puppet, items: [order("count")])
                let answer = try items(of: await request.outcome).first?.userInfo
                return (answer?["begun"] as? Int, request.processIdentifier)
            }
            let before = try await count()
            let crashing = try await host.begin(puppet, items: [order("crash")])
            #expect(await crashing.outcome.cause == .crashed)
            // At once: whoever asks again does not wait for the dead to be put away.
            let after = try await count()
            #expect(before.begun == 1 && after.begun == 1)
            #expect(before.pid == crashing.processIdentifier && after.pid != nil && after.pid != before.pid)
        }
    }
}
