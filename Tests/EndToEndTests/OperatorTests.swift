// OperatorTests: the verbs of whoever looks after a daemon: status, kill, logs.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing

@Suite struct OperatorTests {
    // MARK: status

    @Test func statusShowsTheDaemonAndTheLastDeathThatNobodyWishedForWithItsRemedy() async throws {
        try await withTestDaemon(applications: [try samples()], arguments: ["--timer", "idle=10ms"]) { daemon in
            let before = try await json(["status"], daemon)
            #expect(
                Set(before.keys) == [
                    "version", "pid", "user", "started", "socket", "bus", "clock", "extensions", "disabled",
                    "processes",
                    "requests", "hosts", "state", "memory", "breakers", "watching", "kept", "folders", "peakMemory",
                    "treeKill",
                    "sandbox", "missingLayers", "limits",
                    "lastDeath",
                ])
            #expect(before["pid"] as? Int == daemon.processIdentifier)
            let layers = try #require(before["sandbox"] as? String)
            #expect(isSanitized ? layers == "none" : layers.contains("landlock") || layers.contains("namespaces"))
            #expect(before["socket"] as? String == daemon.address.path)
            #expect(before["bus"] is NSNull && before["lastDeath"] is NSNull)
            let known = try await daemon.control.extensions().count
            #expect(known > 0 && before["extensions"] as? Int == known && before["clock"] as? String == "real")
            #expect((before["memory"] as? Int ?? 0) > 1_000_000)
            _ = try await control(["run", "org.exthost.samples.crash", "--text", "x", "--wait-exit"], daemon)
            // An end that is as it should be does not hide it.
            _ = try await control(["run", "org.exthost.samples.share", "--text", "x", "--wait-exit"], daemon)
            let death = try #require(try await json(["status"], daemon)["lastDeath"] as? [String: Any])
            #expect(
                death["extension"] as? String == "org.exthost.samples.crash" && death["cause"] as? String == "crashed")
            #expect((death["remedy"] as? String)?.contains("exthostctl logs org.exthost.samples.crash") == true)
            let text = try await control(["status"], daemon).output
            #expect(text.hasPrefix("● exthostd - app extensions for "))
            for part in [
                "Active: active (running) since ", "Main PID: \(daemon.processIdentifier)\n",
                "Socket: \(daemon.address.path)\n",
                "Bus: none\n", "Clock: real\n", "\(known) can be used, 0 disabled", "Requests: 0 open\n",
                "Tree kill: namespace\n",
                "Sandbox: \(layers)\n", "Last death: org.exthost.samples.crash[", " crashed (signal ",
                "Remedy: exthostctl logs ",
            ] { #expect(text.contains(part), "\(part) in \(text)") }
        }
    }

    @Test func statusCountsWhatIsOpenAndNamesTheBusAndAVirtualClock() async throws {
        let arguments = ["--bus", "private"]
        try await withTestDaemon(applications: [try samples()], clock: .virtual, arguments: arguments) { daemon in
            let host = try await daemon.host("notes")
            _ = try await host.begin("org.exthost.samples.hang", items: [.text("x")])
            let status = try await json(["status"], daemon)
            #expect(status["requests"] as? Int == 1 && status["hosts"] as? Int == 1 && status["processes"] as? Int == 1)
            #expect(status["clock"] as? String == "virtual")
            #expect(status["bus"] as? String == daemon.bus.map { "message bus at \($0)" })
            withExtendedLifetime(host) {}
        }
    }

    // MARK: kill

    // spec: P-210
    @Test func killEndsEveryProcessOfAnExtensionAndTouchesNoOther() async throws {
        // Of this point each request has a process of its own.
        let bundles = try TestBundles.withPuppet(point: "com.apple.app.non-ui-extension")
        try await withTestDaemon(applications: [bundles.path, try samples()]) { daemon in
            let host = try await daemon.host("notes")
            let first = try await host.begin(puppet, items: [order("hang")])
            let second = try await host.begin(puppet, items: [order("hang")])
            let other = try await host.begin("org.exthost.samples.hang", items: [.text("x")])
            let pids = [first, second].compactMap(\.processIdentifier).sorted()
            #expect(Set(pids).count == 2)
            let ending = try await control(["kill", puppet], daemon)
            #expect(ending.output == pids.map { "ended \($0)\n" }.joined())
            for pid in pids { #expect(isGone(pid_t(pid))) }
            #expect(await first.outcome.cause == .terminatedByOperator)
            #expect(await second.outcome.cause == .terminatedByOperator)
            let requests = try await daemon.control.requests()
            #expect(requests.map(\.request) == [other.identifier])
            let deaths = try await daemon.control.exits()
            #expect(deaths.map(\.exit.cause) == [.terminatedByOperator, .terminatedByOperator])
            #expect(deaths.map(\.decidedBy) == ["operator", "operator"])

            let pid = try #require(other.processIdentifier)
            let answer = try await json(["kill", "\(pid)"], daemon)
            #expect(answer["killed"] as? [Int] == [pid])
            #expect(await other.outcome.cause == .terminatedByOperator)
            for gone in [puppet, "\(pid)", "org.example.nobody"] {
                let ending = try await control(["kill", gone], daemon)
                #expect(
                    ending.status == 66
                        && ending.errors.contains("is not running. exthostctl ps lists the running ones"))
            }
        }
    }

    @Test func killEndsAProcessThatIsStoppedAndAHostCanGoOn() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("stop")])
            #expect(try await control(["kill", puppet, "-q"], daemon).output.isEmpty)
            #expect(await request.outcome.cause == .terminatedByOperator)
            let next = try await host.begin(puppet, items: [order("count")])
            #expect(try items(of: await next.outcome).first?.userInfo?["begun"] as? Int == 1)
        }
    }

    // MARK: logs

    @Test func logsShowWhatAnExtensionPrintedAndWhatWasPrintedForOneRequest() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=1min"]) { daemon in
            let host = try await daemon.host("notes")
            var requests: [ExtensionRequest] = []
            for size in ["3", "5"] {
                let request = try await host.begin(puppet, items: [order("print", size)])
                _ = await request.outcome
                requests.append(request)
            }
            let pid = try #require(requests[0].processIdentifier)
            let lines = try await jsonLines(["logs", puppet], daemon)
            #expect(lines.map { $0["text"] as? String } == ["xxx", "xxxxx"])
            for line in lines {
                #expect(line["stream"] as? String == "stdout" && line["pid"] as? Int == pid)
                #expect(line["extension"] as? String == puppet)
                #expect(abs((line["time"] as? Double ?? 0) - Date().timeIntervalSince1970) < 60)
            }
            // The same process served both; what it printed for one is not shown for the other.
            for (request, text) in zip(requests, ["xxx", "xxxxx"]) {
                let name = request.identifier.description
                #expect(try await jsonLines(["logs", name], daemon).map { $0["text"] as? String } == [text])
                let ending = try await control(["logs", String(name.prefix(13)).lowercased()], daemon)
                #expect(ending.output.hasSuffix(" \(puppet)[\(pid)] stdout: \(text)\n"), "\(ending)")
            }
            // The event log has sizes only.
            let records = try await daemon.events()
            #expect(!records.contains { $0.detail?.contains("xxx") == true })
            #expect(records.contains { $0.event == "process.output" && $0.detail == "stdout 4 bytes" })
        }
    }

    @Test func completionWorkPrintsForItsRequestAndADeathsLastWordsForItsOwn() async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.add("words", script: "#!/bin/sh\nprintf 'to standard error' >&2\n")
        try await withTestDaemon(
            applications: [bundles.path], arguments: ["--timer", "postComplete=20ms", "--timer", "expire=20s"]
        ) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("handler", "obey")])
            _ = await request.outcome
            let death = try await host.begin("org.exthost.tests.words", items: [])
            #expect(await death.outcome.cause == .exitedEarly)
            let following = try await control(["logs", "-f", request.identifier.description], daemon)
            #expect(
                following.output.contains("stdout: handler: false\n") && following.output.hasSuffix("handler: true\n"))
            let words = try await jsonLines(["logs", death.identifier.description], daemon)
            #expect(words.map { $0["text"] as? String } == ["to standard error"])
            #expect(words.first?["stream"] as? String == "stderr")
        }
    }

    @Test func theLogOfAnExtensionIsBoundedAndSaysThatEarlierLinesAreGone() async throws {
        let bundles = try TestBundles.withPuppet()
        try await withTestDaemon(applications: [bundles.path]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin(puppet, items: [order("print", "1000000")])
            _ = await request.outcome
            for name in [puppet, request.identifier.description] {
                let ending = try await control(["logs", name], daemon)
                #expect(ending.errors.contains("earlier lines are no longer stored"))
                #expect((200_000...280_000).contains(ending.output.utf8.count), "\(ending.output.utf8.count)")
                #expect(ending.output.hasSuffix("x\n"))
            }
        }
    }

    @Test func followingShowsLinesAsTheyComeUntilTheRequestOrTheDaemonEnds() async throws {
        let daemon = try await TestDaemon.start(applications: [try samples()])
        let all = try Program.control(["logs", "-f", "org.exthost.samples.hang"], socket: daemon.address.path)
        let host = try await daemon.host("notes")
        let request = try await host.begin("org.exthost.samples.hang", items: [.text("x")])
        let one = try Program.control(
            ["logs", "--follow", request.identifier.description], socket: daemon.address.path)
        try await all.shows("stdout: this sample never completes")
        try await one.shows("stdout: this sample never completes")
        try await request.cancel()
        let ending = try await one.ending()
        #expect(ending.status == 0 && ending.errors.isEmpty)
        try await daemon.stop()
        let last = try await all.ending()
        #expect(last.status == 0 && last.errors == "exthostctl: the daemon has ended\n")
    }

    @Test func logsOfNothingAre66AndOfASilentExtensionSaySo() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            for name in ["org.example.nobody", "00000000-0000-4000-8000-000000000000", "abc"] {
                let ending = try await control(["logs", name], daemon)
                #expect(ending.status == 66 && ending.errors.contains("exthostctl list -A -D"), "\(ending)")
            }
            let ending = try await control(["logs", "org.exthost.samples.share"], daemon)
            #expect(ending.status == 0 && ending.output.isEmpty)
            #expect(ending.errors == "exthostctl: the daemon has no stored output of org.exthost.samples.share\n")
        }
    }

    // MARK: All of them

    @Test func noDaemonIs69AndTheOneOfTheScopeIsNamed() async throws {
        for verb in [
            ["status"], ["kill", "x"], ["logs", "x"], ["requests"], ["cancel", "0000"], ["run", "x", "--text", "y"],
        ] {
            let user = try await Program.control(
                ["--user"] + verb, socket: "/nonexistent/other.sock",
                environment: ["XDG_RUNTIME_DIR": "/nonexistent/runtime"]
            ).ending()
            #expect(user.status == 69 && user.errors.contains("/nonexistent/runtime/exthost/host.sock"), "\(user)")
            let system = try await Program.control(verb + ["--system"]).ending()
            #expect(system.errors.contains("/run/exthost/host.sock") || system.status != 69, "\(system)")
        }
    }
}
