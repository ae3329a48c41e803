// LifecycleTests: one request's life, from begin to the process's end, by the acceptance tests of spec section 7.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite struct LifecycleTests {
    // spec: A1, P-002, P-010, P-209, P-055
    @Test(arguments: Language.allCases) func completionReturnsTheItemsOnceWithTheRequestsIdentifier(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let first = order("return")
            first.attributedTitle = NSAttributedString(string: "A title")
            first.attributedContentText = NSAttributedString(string: "Some text")
            let second = NSExtensionItem()
            second.userInfo = [
                "number": 42, "flag": true, "list": ["a", "b"], "date": Date(timeIntervalSinceReferenceDate: 10),
            ]
            let request = try await host.begin(puppet, items: [first, second])
            let returned = try items(of: await request.outcome)
            #expect(returned.count == 2)
            #expect(returned[0].attributedTitle?.string == "A title")
            #expect(returned[0].attributedContentText?.string == "Some text")
            #expect(returned[1].userInfo?["number"] as? Int == 42)
            #expect(returned[1].userInfo?["flag"] as? Bool == true)
            #expect(returned[1].userInfo?["list"] as? [String] == ["a", "b"])
            #expect(returned[1].userInfo?["date"] as? Date == Date(timeIntervalSinceReferenceDate: 10))
            let ends = try await daemon.events().filter { $0.event == EventName.requestCompleted.rawValue }
            #expect(ends.map(\.request) == [request.identifier])
        }
    }

    // spec: P-019
    @Test(arguments: Language.allCases) func aHostsAttachmentComesBackAsItsOwn(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let provider = NSItemProvider(item: NSURL(string: "https://example.org/own"), typeIdentifier: "public.url")
            let request = try await host.begin(puppet, items: [order("return", attachments: [provider])])
            let returned = try items(of: await request.outcome)
            #expect(returned.first?.attachments?.first === provider)
        }
    }

    // spec: A2, P-013, P-016
    @Test(arguments: Language.allCases) func theHandlersFirstCallIsUnexpiredAndFollowsTheHostsReceipt(
        language: Language
    )
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=50ms"]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(puppet, items: [order("handler", "quick")])
            #expect(await request.outcome.kind == .completed)
            #expect(await request.exit?.record.cause == .idle)
            #expect(output.text == "handler: false\n")
        }
    }

    // spec: A3, P-015, P-016
    @Test(arguments: Language.allCases) func aHandlerThatObeysItsExpiryEndsInTime(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(puppet, items: [order("handler", "obey")])
            #expect(await request.outcome.kind == .completed)
            try await daemon.clock.advance(by: .seconds(5))
            let exit = await request.exit
            #expect(exit?.record.cause == .expiredInTime)
            #expect(exit?.record.status == 0)
            #expect(exit?.record.expired == true)
            #expect(output.text == "handler: false\nhandler: true\n")
        }
    }

    // spec: A4, P-014, P-015, P-025
    @Test(arguments: Language.allCases) func aHandlerThatIgnoresItsExpiryIsKilledAndTheOutcomeStaysOne(
        language: Language
    )
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("handler", "ignore")])
            #expect(await request.outcome.kind == .completed)
            try await daemon.clock.advance(by: .seconds(6))
            let exit = await request.exit
            #expect(exit?.record.cause == .expired)
            #expect(exit?.record.signal == Int(SIGKILL))
            let ends = try await daemon.events().filter { $0.event.hasPrefix("request.c") && $0.cause != nil }
            #expect(ends.count == 1)
        }
    }

    // spec: A5, P-006, P-017, P-035, P-100
    @Test(arguments: Language.allCases) func aCrashInterruptsEveryRequestOfTheProcessOnce(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let first = try await daemon.host("first")
            let second = try await daemon.host("second")
            let waiting = try await first.begin(puppet, items: [order("hang")])
            let crashing = try await second.begin(puppet, items: [order("crash")])
            #expect(await waiting.outcome.cause == .crashed)
            #expect(await crashing.outcome.cause == .crashed)
            #expect(waiting.processIdentifier == crashing.processIdentifier)
            let ends = try await daemon.events().filter { $0.event == EventName.requestInterrupted.rawValue }
            #expect(Set(ends.compactMap(\.request)) == [waiting.identifier, crashing.identifier])
            #expect(ends.count == 2)
            let death = try #require(try await daemon.control.exits().first)
            #expect(death.exit.signal == Int(SIGABRT))
            #expect(death.requests.count == 2)
        }
    }

    /// Its socket goes before it does: whoever reaps it may be late.
    @Test func aDeathThatIsReportedLateIsNoBreachOfTheProtocol() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--tree-kill", "guardian"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("hang")])
            let pid = pid_t(try #require(request.processIdentifier))
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let parent = try #require(
                status.split(separator: "\n").first { $0.hasPrefix("PPid:") }.flatMap { Int32($0.dropFirst(6)) })
            try #require(kill(parent, SIGSTOP) == 0)
            try await eventually { isStopped(parent) }
            #expect(kill(pid, SIGKILL) == 0)
            try await eventually { isGone(pid) }
            // The pause is part of the case: it is longer than the second in which a process that has lost its
            // connection may come back, and shorter than the time for which the test waits.
            try await Task.sleep(for: .milliseconds(1500))
            #expect(kill(parent, SIGCONT) == 0)
            #expect(await request.outcome.cause == .crashed)
            #expect(await request.exit?.record.signal == Int(SIGKILL))
            #expect(try await daemon.control.exits().first?.exit.cause == .crashed)
        }
    }

    // spec: A6, P-003, P-030
    @Test func aCancellationBringsItemsAndTheirErrorsBack() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let host = try await daemon.host("notes")
            let item = NSExtensionItem.url("https://example.org")
            item.attributedTitle = NSAttributedString(string: "refused")
            let request = try await host.begin("org.exthost.samples.cancel", items: [item])
            guard case .cancelled(let cause, let error as NSError) = await request.outcome else {
                throw UnexpectedOutcome(outcome: "\(await request.outcome)")
            }
            #expect(cause == .cancelledByExtension)
            #expect(error.domain == "org.exthost.samples")
            #expect(error.code == 7)
            let pairs = try #require(error.userInfo[NSExtensionItemsAndErrorsKey] as? [NSExtensionItem: NSError])
            #expect(pairs.count == 1)
            #expect(pairs.first?.key.attributedTitle?.string == "refused")
            let attachment = try #require(pairs.first?.key.attachments?.first)
            #expect(attachment === item.attachments?.first, "the host's own, with its values")
            #expect(pairs.first?.value.domain == NSCocoaErrorDomain)
        }
    }

    // spec: A7
    @Test(arguments: Language.allCases) func aHostsCancelDuringALoadFailsTheLoadAndSaysNothingMore(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let asked = OneSignal()
            let kept = Kept<NSItemProvider.CompletionHandler>()
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
                kept.keep(completion)  // and never calls it
                asked.fire()
            }
            let request = try await host.begin(puppet, items: [order("load", attachments: [provider])])
            await asked.wait()
            try await request.cancel()
            #expect(await request.outcome.cause == .cancelledByHost)
            let finished = try await daemon.event { $0.event == EventName.itemLoadFinished.rawValue }
            #expect(finished.detail?.contains("ended") == true)
            try await daemon.control.fence()
            let ends = try await daemon.events().filter { $0.request == request.identifier && $0.cause != nil }
            #expect(ends.map(\.event) == [EventName.requestCancelled.rawValue])
            try await eventually { output.text.contains("load: -1000") }
        }
    }

    // spec: P-037
    @Test func afterAHostsCancelTheProcessServesTheNextRequest() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let cancelled = try await host.begin(puppet, items: [order("hang")])
            try await cancelled.cancel()
            #expect(await cancelled.outcome.cause == .cancelledByHost)
            try await eventually { try await daemon.control.processes().map(\.state) == ["idle"] }
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(await next.outcome.kind == .completed)
            #expect(next.processIdentifier == cancelled.processIdentifier)
        }
    }

    // spec: A8, P-020
    @Test(arguments: Language.allCases) func completingInsideBeginRequestIsLegal(language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("count")])
            #expect(try items(of: await request.outcome).first?.userInfo?["begun"] as? Int == 1)
        }
    }

    // spec: A9, P-018
    // not simulated: N-013
    @Test(arguments: ["completeTwice", "cancelAfterComplete"], Language.allCases)
    func aSecondAnswerIsIgnoredAndLogged(act: String, language: Language) async throws {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order(act)])
            #expect(try items(of: await request.outcome).first?.userInfo?["answer"] as? Int == 1)
            let fault = try await daemon.event { $0.event == EventName.contextFault.rawValue }
            #expect(fault.detail?.contains("E_CONTEXT_FINISHED") == true)
        }
    }

    // spec: A10, P-026
    @Test(arguments: Language.allCases) func aSharedProcessIsReusedWithinIdleAndNotAfter(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            func count() async throws -> (begun: Int?, pid: Int?) {
                let request = try await host.begin(puppet, items: [order("count")])
                let answer = try items(of: await request.outcome).first?.userInfo
                return (answer?["begun"] as? Int, request.processIdentifier)
            }
            let first = try await count()
            try await daemon.clock.advance(by: .seconds(2))
            let second = try await count()
            try await daemon.clock.advance(by: .seconds(3))
            let third = try await count()
            #expect(first.begun == 1)
            #expect(second.begun == 2)
            #expect(second.pid == first.pid)
            #expect(third.begun == 1)
            #expect(third.pid != first.pid)
        }
    }

    // spec: P-101
    @Test(arguments: Language.allCases) func anExtensionOfOneRequestAProcessEndsWithItsRequest(language: Language)
        async throws
    {
        let bundles = try TestBundles.withPuppet(language, point: "com.apple.app.non-ui-extension")
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let first = try await host.begin(puppet, items: [order("count")])
            let second = try await host.begin(puppet, items: [order("count")])
            #expect(first.processIdentifier != second.processIdentifier)
            #expect(await first.exit?.record.cause == .completed)
            #expect(await second.exit?.record.cause == .completed)
        }
    }

    // spec: P-018
    @Test(arguments: Language.allCases) func aLoadOnAFinishedContextFailsInTheExtension(language: Language) async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let provider = NSItemProvider(item: NSURL(string: "https://example.org"), typeIdentifier: "public.url")
            let request = try await host.begin(puppet, items: [order("loadAfterComplete", attachments: [provider])])
            #expect(await request.outcome.kind == .completed)
            try await eventually { output.text.contains("late load: -1000") }
            guard language == .swift else { return }
            let fault = try await daemon.event { $0.event == EventName.contextFault.rawValue }
            #expect(fault.request == request.identifier && fault.detail?.contains("E_CONTEXT_FINISHED") == true)
        }
    }

    // spec: 1.2
    @Test(arguments: Language.allCases) func aRequestThatIsNotAnsweredInItsTimeEndsTheProcessThatServesNoOther(
        language: Language
    )
        async throws
    {
        let bundles = try TestBundles.withPuppet(language)
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let patient = try await host.begin(puppet, items: [order("hang")])
            let first = try await host.begin(puppet, items: [order("hang")], timeout: .seconds(10))
            try await daemon.clock.advance(by: .seconds(10))
            #expect(await first.outcome.cause == .requestTimeout)
            #expect(try await daemon.control.processes().count == 1)
            let second = try await host.begin(puppet, items: [order("hang")], timeout: .seconds(10))
            try await patient.cancel()
            try await daemon.clock.advance(by: .seconds(10))
            #expect(await second.outcome.cause == .requestTimeout)
            #expect(await second.exit?.record.cause == .requestTimeout)
        }
    }

    /// The launch is over before anybody knows the program: what was spawned for it is in the log all the same, before
    /// its end.
    @Test func aLaunchThatIsOverAtOnceIsSpawnedBeforeItIsKilled() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "launch=1us"]) { daemon in
            let host = try await daemon.host("notes")
            for _ in 0..<3 {
                let request = try await host.begin(puppet, items: [order("count")])
                #expect(await request.outcome.cause == .launchTimeout)
                _ = await request.exit
            }
            let names = try await daemon.events().map(\.event).filter { $0.hasPrefix("process.") }
            #expect(
                names
                    == Array(repeating: ["process.spawned", "process.signalled", "process.exited"], count: 3).flatMap {
                        $0
                    })
        }
    }

    @Test func anExtensionThatSaysNothingInTimeIsKilledAtOnce() async throws {
        let bundles = try TestBundles.withPuppet(point: "com.apple.app.non-ui-extension")
        try bundles.add("deaf", script: "#!/bin/sh\ntrap '' TERM\nwhile :; do read line <&3; sleep 1; done\n")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "launch=100ms"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.deaf", items: [.text("x")])
            #expect(await request.outcome.cause == .launchTimeout)
            #expect(await request.exit?.record.signal == Int(SIGKILL))
        }
    }

    @Test func theMainQueueIsServedByTheMainThread() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            for _ in 0..<3 {
                let request = try await host.begin(puppet, items: [order("mainThread")])
                #expect(try items(of: await request.outcome).first?.userInfo?["main"] as? Bool == true)
            }
        }
    }

    // spec: P-123
    @Test func theHandlersFirstCallIsATaskOfBackgroundPriority() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=50ms"]) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            let request = try await host.begin(puppet, items: [order("handlerQueue")])
            #expect(await request.outcome.kind == .completed)
            _ = await request.exit
            #expect(output.text == "handler false on com.apple.root.background-qos\n")
        }
    }

    // spec: P-214
    @Test func aCompletionDoesNotWaitBehindTheLaunchOfTheNextProcess() async throws {
        let bundles = try TestBundles.withPuppet()
        // Says no hello for as long as it runs.
        try bundles.add("slow", script: "#!/bin/sh\nsleep 1000\n")
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "launch=1h"]) { daemon in
            let host = try await daemon.host("notes")
            let gate = Kept<NSItemProvider.CompletionHandler>()
            let asked = OneSignal()
            let provider = NSItemProvider()
            provider.registerItem(forTypeIdentifier: "public.url") { completion, _, _ in
                gate.keep(completion)
                asked.fire()
            }
            let request = try await host.begin(puppet, items: [order("load", attachments: [provider])])
            await asked.wait()
            let next = try host.application.start("org.exthost.tests.slow", items: [order("nothing")])
            try await daemon.event {
                $0.event == EventName.processSpawned.rawValue && $0.extensionIdentifier == "org.exthost.tests.slow"
            }
            gate.take()?(NSURL(string: "https://example.org"), nil)
            #expect(await request.outcome.kind == .completed)
            // Its acknowledgement has come to the daemon.
            try await host.application.fence()
            let open = try await daemon.control.requests()
            #expect(open.map(\.request) == [next.identifier] && open.first?.state == "launching")
            try await next.cancel()
        }
    }
}
