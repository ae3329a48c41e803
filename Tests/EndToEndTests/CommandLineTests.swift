// CommandLineTests: exthostctl as its users meet it: statuses, lines and JSON of the built program.

import ExtensionHostTesting
import Foundation
import TestPrograms
import Testing

@Suite struct CommandLineTests {
    // MARK: Exit statuses

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let arguments: [String]
        let status: Int32
        let outcome: String

        init(_ name: String, _ more: [String], _ status: Int32, _ outcome: String) {
            self.name = name
            arguments = ["run", "org.exthost.samples.\(name)"] + more
            self.status = status
            self.outcome = outcome
        }

        var testDescription: String { name }
    }

    @Test(arguments: [
        Case("share", ["--url", "https://example.org"], 0, "completed"),
        Case("cancel", ["--url", "https://example.org"], 10, "cancelled"),
        Case("crash", ["--text", "x"], 11, "interrupted"),
        Case("hang", ["--text", "x", "--timeout", "50ms"], 12, "timedOut"),
    ])
    func theStatusOfRunSaysHowTheRequestEnded(_ one: Case) async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let ending = try await control(one.arguments, daemon)
            #expect(ending.status == one.status)
            #expect(ending.output.hasPrefix(one.outcome))
            let expected = try await control(one.arguments + ["--expect", one.outcome], daemon)
            #expect(expected.status == 0)
            let unexpected = try await control(one.arguments + ["--expect", "refused"], daemon)
            #expect(unexpected.status == 1)
            #expect(unexpected.errors.contains("expected refused, and the request was \(one.outcome)"))
        }
    }

    @Test func aDisabledBundleIsRefusedAndListedWithItsProblemAmongAllCopiesOnly() async throws {
        let bundles = try TestBundles()
        try bundles.add("broken", script: "#!/bin/sh\n", mode: 0o644)
        try await withTestDaemon(applications: [bundles.path, try samples()]) { daemon in
            let ending = try await control(["run", "org.exthost.tests.broken", "--text", "x"], daemon)
            #expect(ending.status == 13)
            #expect(ending.output.hasPrefix("refused (bundleDisabled)"))
            #expect(ending.output.contains("chmod +x"))
            #expect(try await control(["list"], daemon).output.contains("broken") == false)
            let all =
                try await json(["list", "-A", "-D", "-i", "org.exthost.tests.broken"], daemon) as? [[String: Any]]
            #expect((all?.first?["problems"] as? [String])?.isEmpty == false)
            #expect(all?.first?["winner"] as? Bool == false)
        }
    }

    // not simulated: N-018, N-050
    @Test(arguments: ["hold", "ready", "access"]) func verbsWithNothingBehindThemSaySo(_ verb: String) async throws {
        // Without a daemon: it has no part in this.
        let ending = try await Program.control([verb, "org.example.share", "--force"], socket: "/nonexistent").ending()
        #expect(ending.status == 70 && ending.output.isEmpty)
        #expect(ending.errors.hasPrefix("exthostctl: \(verb) is not simulated: "), "\(ending.errors)")
    }

    // not simulated: N-052, N-053
    @Test func optionsThatHaveNothingToChooseFromAreRefusedByName() async throws {
        for (arguments, option) in [
            (["list", "-P", "ios"], "-P"), (["elect", "use", "--point", "x", "org.example"], "--point"),
        ] {
            let ending = try await Program.control(arguments, socket: "/nonexistent").ending()
            #expect(ending.status == 64 && ending.errors.contains("Unknown option '\(option)'"), "\(ending.errors)")
        }
    }

    @Test func whatIsNotThereIs66AndSaysWhereToLook() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            for arguments in [
                ["run", "org.example.nobody", "--text", "x"], ["show", "org.example.nobody"],
                ["run", "org.exthost.samples.share", "--file", "/nonexistent/file"],
                ["run", "org.exthost.samples.share", "--items", "/nonexistent/file"],
                ["host", "state", "nobody", "active"],
                ["cancel", "00000000-0000-4000-8000-000000000000"], ["cancel", "0000"],
            ] {
                let ending = try await control(arguments, daemon)
                #expect(ending.status == 66, "\(arguments)")
                #expect(ending.output.isEmpty)
                #expect(
                    ending.errors.hasPrefix("exthostctl: ") && ending.errors.split(separator: "\n").count == 1,
                    "\(ending.errors)"
                )
            }
        }
    }

    @Test func noDaemonIs69AndNamesThePathAndAWayToStartOne() async throws {
        let ending = try await Program.control(["list", "--socket", "/nonexistent/host.sock"]).ending()
        #expect(ending.status == 69)
        #expect(ending.errors.contains("/nonexistent/host.sock"))
        #expect(ending.errors.contains("Start one with exthostd"))
        let system = try await Program.control(["--system", "ps"]).ending()
        #expect(system.errors.contains("/run/exthost/host.sock") || system.status == 0)
    }

    @Test(arguments: [
        [], ["nonsense"], ["run"], ["run", "x", "--timeout", "soon"], ["run", "x", "--timeout", "0"],
        ["run", "x", "--expect", "luck"],
        ["run", "x", "--url", "no url"], ["run", "x", "--data", "untyped"], ["host", "state", "notes", "asleep"],
        ["cancel", "what?"], ["watch", "--since", "-1"], ["list", "--ephemeral", "--socket", "x"],
        ["clock", "advance", "later"],
    ])
    func nonsenseIs64InOneLine(_ arguments: [String]) async throws {
        let ending = try await Program.control(arguments, socket: "/nonexistent/host.sock").ending()
        // No verb at all shows the help.
        #expect(ending.status == (arguments.isEmpty ? 0 : 64))
        #expect(ending.errors.split(separator: "\n").count == (arguments.isEmpty ? 0 : 1), "\(ending.errors)")
    }

    @Test func everyHelpShowsAnExample() async throws {
        let verbs = [
            ["run"], ["list"], ["show"], ["ps"], ["hosts"], ["requests"], ["exits"], ["host", "state"], ["watch"],
            ["clock", "advance"], ["fault"], ["fault", "list"], ["fault", "add"], ["fault", "orders"],
            ["fault", "clear"],
            ["explore"], ["bench"],
            ["cancel"],
        ]
        for verb in verbs {
            let ending = try await Program.control(verb + ["--help"]).ending()
            #expect(ending.status == 0)
            #expect(
                ending.output.contains("EXAMPLE")
                    && ending.output.contains("exthostctl " + verb.joined(separator: " ")),
                "\(verb)")
        }
    }

    // MARK: run

    @Test func theJSONOfRunHasEveryMemberInItsPlace() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let arguments = ["run", "org.exthost.samples.share", "--url", "https://example.org/a%20b"]
            let text = try await control(["--json"] + arguments, daemon).output
            #expect(text.split(separator: "\n").count == 1)
            #expect(
                text.contains(
                    #""items": [{"title": null, "contentText": null, "userInfo": {"shared": "https://example.org/a%20b"}"#
                ))
            #expect(
                try names(in: text) == [
                    "request", "extension", "outcome", "cause", "pid", "items", "error", "hostState", "expired",
                    "timings",
                    "exit",
                ])
            let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect(report["exit"] is NSNull && report["error"] is NSNull)
            #expect(report["hostState"] as? String == "active")
            let timings = try #require(report["timings"] as? [String: Any])
            #expect(timings["exited"] is NSNull)
            #expect((timings["finished"] as? Double ?? 0) > 0)
        }
    }

    @Test func waitExitTellsHowTheProcessEnded() async throws {
        try await withTestDaemon(
            applications: [try samples()], arguments: ["--timer", "idle=10ms", "--timer", "expire=20s"]
        ) {
            daemon in
            let arguments = ["run", "org.exthost.samples.share", "--url", "https://example.org", "--wait-exit"]
            let report = try #require(try await json(arguments, daemon) as? [String: Any])
            let exit = try #require(report["exit"] as? [String: Any])
            #expect(exit["status"] as? Int == 0)
            #expect(exit["cause"] as? String == "idle")
            #expect((report["timings"] as? [String: Any])?["exited"] is Double)
        }
    }

    @Test func theErrorOfACancellationShowsEachItemWithItsOwn() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let arguments = [
                "run", "org.exthost.samples.cancel", "--title", "One", "--text", "a", "--item", "--title", "Two",
            ]
            let report = try #require(try await json(arguments, daemon) as? [String: Any])
            let error = try #require(report["error"] as? [String: Any])
            #expect(error["domain"] as? String == "org.exthost.samples" && error["code"] as? Int == 7)
            #expect(error["description"] as? String == "This sample always cancels.")
            let pairs = try #require(
                (error["userInfo"] as? [String: Any])?["NSExtensionItemsAndErrorsKey"] as? [[String: Any]])
            #expect(pairs.compactMap { ($0["item"] as? [String: Any])?["title"] as? String } == ["One", "Two"])
            #expect(pairs.allSatisfy { ($0["error"] as? [String: Any])?["code"] as? Int == 256 })
        }
    }

    @Test func payloadOptionsGoIntoTheItemStartedLastInTheirOrder() async throws {
        let bundles = try TestBundles.withPuppet()
        let folder = bundles.path
        try Data([0, 1, 2, 255]).write(to: URL(fileURLWithPath: folder + "/bytes"))
        try Data(#"<plist version="1.0"><dict><key>count</key><integer>3</integer></dict></plist>"#.utf8)
            .write(to: URL(fileURLWithPath: folder + "/list.plist"))
        let items = """
            [{"userInfo": {"do": "return", "yes": true, "one": 1, "half": 0.5}, "title": null},
             {"contentText": "Text", "attachments": [{"types": ["public.url", "public.plain-text"],
              "values": {"public.plain-text": "a \\"b\\"", "public.url": "https://example.org/"}}]}]
            """
        try Data(items.utf8).write(to: URL(fileURLWithPath: folder + "/items.json"))
        try await withTestDaemon(applications: [folder]) { daemon in
            let arguments = [
                "run", "org.exthost.tests.puppet", "--items", folder + "/items.json", "--text", "--title",
                "--url=https://example.net",
                "--item", "--data", "public.png=\(folder)/bytes", "--title", "Two", "--plist", folder + "/list.plist",
            ]
            let text = try await control(arguments + ["--json"], daemon).output
            let start = try #require(text.range(of: #""items": "#))
            let end = try #require(text.range(of: #", "error""#))
            let digest = "3d1f57c984978ef98a18378c8166c1cb8ede02c03eeb6aee7e2f121dfeee3e56"
            #expect(
                text[start.upperBound..<end.lowerBound] == """
                    [{"title": null, "contentText": null, "userInfo": {"do": "return", "half": 0.5, "one": 1, "yes": true}, \
                    "attachments": []}, \
                    {"title": null, "contentText": "Text", "userInfo": {}, "attachments": [{"types": ["public.url", "public.plain-text"], \
                    "values": {"public.url": "https://example.org/", "public.plain-text": "a \\"b\\""}}]}, \
                    {"title": null, "contentText": null, "userInfo": {}, "attachments": [{"types": ["public.plain-text"], \
                    "values": {"public.plain-text": "--title"}}, \
                    {"types": ["public.url"], "values": {"public.url": "https://example.net"}}]}, \
                    {"title": "Two", "contentText": null, "userInfo": {}, "attachments": [{"types": ["public.png"], \
                    "values": {"public.png": {"bytes": 4, "sha256": "\(digest)"}}}, \
                    {"types": ["com.apple.property-list"], "values": {"com.apple.property-list": {"count": 3}}}]}]
                    """)
        }
    }

    @Test func anItemsFileWithAFaultIs64AndNamesThePlace() async throws {
        let bundles = try TestBundles()
        let path = bundles.path + "/items.json"
        for (contents, complaint) in [
            (#"{"a": 1}"#, "not an array"), (#"[{"titel": "x"}]"#, "unknown key “titel”"), ("[", "not JSON"),
            ("hello", "not a property list"),
            (#"[{"attachments": [{"types": ["a.b"]}]}]"#, "item 0, attachment 0 has no values"),
            (#"[{"attachments": [{"values": {"a.b": {"bytes": 1, "sha256": "00"}}}]}]"#, "checksum"),
            (#"[{"attachments": [{"values": {"a.b": null}}]}]"#, "there is no value"),
        ] {
            try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
            let ending = try await Program.control(["run", "x", "--items", path], socket: "/nonexistent/host.sock")
                .ending()
            #expect(ending.status == 64, "\(contents)")
            #expect(ending.errors.contains(complaint), "\(ending.errors)")
        }
    }

    @Test func whatTheExtensionPrintsGoesToStandardErrorUnderItsName() async throws {
        let bundles = try TestBundles.withPuppet()
        let items = bundles.path + "/items.json"
        try Data(#"[{"userInfo": {"do": "print", "argument": "20"}}]"#.utf8).write(to: URL(fileURLWithPath: items))
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "idle=10ms"]) { daemon in
            let arguments = ["run", "org.exthost.tests.puppet", "--items", items, "--wait-exit"]
            let ending = try await control(arguments, daemon)
            // On a slow machine the report of what the command waits for stands beside it.
            let printed = ending.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast().filter {
                !$0.hasPrefix("exthostctl: ") && !$0.hasPrefix("  ")
            }
            #expect(printed.count == 1 && ending.errors.hasSuffix("\n"), "\(ending)")
            #expect(printed.first?.hasPrefix("org.exthost.tests.puppet[") == true, "\(ending)")
            #expect(printed.first?.hasSuffix("]: xxxxxxxxxxxxxxxxxxxx") == true, "\(ending)")
            #expect(try await control(arguments + ["-q"], daemon).errors.isEmpty)
        }
    }

    @Test func interruptingRunCancelsAsTheHostWouldAndEndsWith130() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let program = try Program.control(
                ["run", "org.exthost.samples.hang", "--text", "x", "--json"], socket: daemon.address.path)
            try await daemon.event { $0.event == "request.delivered" }
            try program.interrupt()
            let ending = try await program.ending()
            #expect(ending.status == 130)
            #expect(ending.output.contains(#""outcome": "cancelled", "cause": "cancelledByHost""#))
        }
    }

    @Test func aTerminalShowsWhatRunIsWaitingFor() async throws {
        let terminal = try Terminal()
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let program = try Program.control(
                ["run", "org.exthost.samples.hang", "--text", "x"], socket: daemon.address.path, terminal: terminal)
            #expect(await terminal.shows("org.exthost.samples.hang has the request, running"))
            try program.interrupt()
            #expect(try await program.ending().status == 130)
        }
    }

    /// The host reads the file for each load, some tens of milliseconds: the line is drawn in the middle of one sooner
    /// or later.
    @Test func aTerminalShowsTheShareOfALargeLoad() async throws {
        let terminal = try Terminal()
        let bundles = try TestBundles.withPuppet()
        let payload = bundles.path + "/payload.bin"
        #expect(FileManager.default.createFile(atPath: payload, contents: nil))
        #expect(truncate(payload, 128 << 20) == 0)
        let path = bundles.path + "/pump.json"
        let attachment = #"{"values": {"public.data": {"file": "payload.bin"}}}"#
        let order = #"{"userInfo": {"do": "pump", "argument": "300 1"}, "attachments": [\#(attachment)]}"#
        try Data("[\(order)]".utf8).write(to: URL(fileURLWithPath: path))
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "load=60s"]) { daemon in
            let program = try Program.control(
                ["run", puppet, "--items", path], socket: daemon.address.path, terminal: terminal)
            #expect(await terminal.shows("has the request, running, "))
            try program.interrupt()
            #expect(try await program.ending().status == 130)
        }
    }

    // MARK: The other verbs

    // spec: P-206, P-230, P-231
    @Test func listShowsExtensionsInPluginkitsMannerReducedByPointAndIdentifier() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            func listed(_ names: [String]) -> [String] { names.map { "     org.exthost.samples.\($0)(1)\n" } }
            let lines = listed([
                "cancel", "crash", "hang", "later", "postcards.share", "python", "reading.quick", "reading.save",
                "share",
            ])
            let (keyboards, widgets) = (listed(["latin"]), listed(["reading.last"]))
            let all = listed([
                "brightness", "cancel", "chime", "coin-flip", "crash", "file-details", "go-live", "greeter", "hang",
                "hum",
                "invitation",
                "key-ring.provider", "known-callers",
                "later", "latin", "list-filter", "list-keeper", "local-names", "mellow", "notes", "paper-plane",
                "paper-plane-view",
                "paper-preview",
                "paper-thumbnails",
                "postcards.share",
                "python", "quiet", "quiet-text", "reading.last", "reading.quick", "reading.save", "recipes",
                "releases", "sealed", "sepia", "share", "shelf", "spam-report", "storage-files", "table-data",
                "translate",
                "translate-view", "tunnel",
            ])
            #expect(try await control(["list"], daemon).output == all.joined())
            #expect(try await control(["list", "-p", "com.apple.share-services"], daemon).output == lines.joined())
            #expect(try await control(["list", "-p", "com.apple.widget-extension"], daemon).output == widgets[0])
            #expect(try await control(["list", "-p", "com.apple.keyboard-service"], daemon).output == keyboards[0])
            let none = try await control(["list", "-p", "com.apple.FinderSync"], daemon)
            #expect(none.output.isEmpty)
            #expect(try await control(["list", "-i", "org.exthost.samples.hang"], daemon).output == lines[2])
            #expect(try await control(["list", "-vv"], daemon).output.hasSuffix(" (43 plug-ins)\n"))
            let text = try await control(["list", "--json", "-i", "org.exthost.samples.share"], daemon).output
            #expect(
                try names(in: String(text.dropFirst().dropLast(2))) == [
                    "identifier", "version", "shortVersion", "point", "path", "containingApp", "displayName",
                    "election",
                    "prefix",
                    "winner", "problems",
                ])
            let shown = try #require(try await json(["show", "org.exthost.samples.share"], daemon) as? [String: Any])
            #expect(shown["displayName"] as? String == "Share a link" && shown["winner"] as? Bool == true)
        }
    }

    @Test func aHostStateIsMovedEdgeByEdge() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let host = try await daemon.host("notes")
            let moves = [("background", "background"), ("foreground", "inactive"), ("active", "active")]
            for (asked, reached) in moves {
                #expect(try await control(["host", "state", "notes", asked], daemon).output == "notes is \(reached)\n")
                let hosts = try #require(try await json(["hosts"], daemon) as? [[String: Any]])
                #expect(hosts.first?["host"] as? String == "notes" && hosts.first?["state"] as? String == reached)
            }
            let edges = try await daemon.events().filter { $0.event == "host.stateChanged" }.map {
                "\($0.from ?? "")-\($0.to ?? "")"
            }
            #expect(edges == ["active-inactive", "inactive-background", "background-inactive", "inactive-active"])
            host.disconnect()
        }
    }

    @Test func psAndRequestsShowWhatIsOpenAndCancelEndsItByThePrefixOfItsName() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.samples.hang", items: [.text("x")])
            let requests = try #require(try await json(["requests"], daemon) as? [[String: Any]])
            #expect(requests.first?["request"] as? String == request.identifier.description)
            #expect(requests.first?["state"] as? String == "active" && requests.first?["host"] as? String == "notes")
            let processes = try #require(try await json(["ps"], daemon) as? [[String: Any]])
            #expect(processes.first?["pid"] as? Int == request.processIdentifier)
            #expect(processes.first?["requests"] as? [String] == [request.identifier.description])
            #expect(try await control(["ps"], daemon).output.contains("org.exthost.samples.hang"))
            let prefix = String(request.identifier.description.prefix(8)).lowercased()
            #expect(try await control(["cancel", prefix], daemon).output == "cancelled \(request.identifier)\n")
            #expect(await request.outcome.cause == .cancelledByOperator)
            #expect(try await control(["requests"], daemon).output == "No request is open.\n")
        }
    }

    @Test func exitsShowHowAnExtensionDied() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            _ = try await control(["run", "org.exthost.samples.crash", "--text", "x", "--wait-exit"], daemon)
            let exits = try #require(try await json(["exits"], daemon) as? [[String: Any]])
            let death = try #require(exits.first)
            #expect(death["cause"] as? String == "crashed" && death["decidedBy"] as? String == "system")
            #expect((death["stderrTail"] as? String)?.contains("Index out of range") == true)
            #expect(
                Set(death.keys) == [
                    "extension", "pid", "cause", "decidedBy", "signal", "status", "requests", "peakMemory", "limit",
                    "stderrTail",
                    "at", "sandbox",
                ])
        }
    }

    @Test func watchTellsWhatWasAndThenWhatComes() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let program = try Program.control(["watch", "--since", "0", "--json"], socket: daemon.address.path)
            var lines = program.lines.makeAsyncIterator()
            let first = try #require(await lines.next())
            #expect(first.hasPrefix(#"{"seq": 1, "time": "#) && first.contains(#""event": "daemon.started", "pid": "#))
            #expect(!first.contains("null"))
            let host = try await daemon.host("notes")
            #expect(await lines.next()?.contains(#""event": "host.connected", "host": "notes""#) == true)
            host.disconnect()
            #expect(await lines.next()?.contains(#""event": "host.disconnected""#) == true)
            try program.interrupt()
            // SIGINT itself ends it, as it ends other programs that only print: shells say 130.
            #expect(try await program.ending().status == nil)
        }
    }

    @Test func watchEndsWithItsDaemonWithoutComplaint() async throws {
        let daemon = try await TestDaemon.start(applications: [try samples()])
        let program = try Program.control(["watch", "--since", "0"], socket: daemon.address.path)
        let host = try await daemon.host("notes")
        _ = try await host.begin("org.exthost.samples.hang", items: [.text("x")])
        try await program.shows("request.delivered")
        try await daemon.stop()
        let ending = try await program.ending()
        #expect(ending.status == 0 && ending.errors.isEmpty)
        #expect(ending.output.contains("daemon.stopping"))
    }

    @Test func advancingTheClockMovesAVirtualOneOnly() async throws {
        try await withTestDaemon(applications: [try samples()], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.samples.hang", items: [.text("x")], timeout: .seconds(300))
            #expect(try await control(["clock", "advance", "5min"], daemon).status == 0)
            #expect(await request.outcome.cause == .requestTimeout)
        }
        try await withTestDaemon(applications: []) { daemon in
            let ending = try await control(["clock", "advance", "1s"], daemon)
            #expect(ending.status == 64 && ending.errors.contains("--clock virtual"))
        }
    }

    // MARK: Global options

    @Test func anEphemeralDaemonServesOneCommandAndGlobalOptionsStandAnywhere() async throws {
        let environment = ["EXTHOST_APPLICATIONS": try samples()]
        let run = ["run", "org.exthost.samples.share", "--url", "https://example.org"]
        for arguments in [["--ephemeral", "--json", "-q"] + run, run + ["-q", "--ephemeral", "--json"]] {
            let ending = try await Program.control(arguments, environment: environment).ending()
            #expect(ending.status == 0)
            #expect(ending.output.contains(#""shared": "https://example.org""#))
            #expect(ending.errors.isEmpty)
        }
        let host = try await Program.control(
            ["--ephemeral", "host", "state", "notes", "active"], environment: environment
        )
        .ending()
        #expect(host.status == 66)
    }

    // MARK: Support

    private func control(_ arguments: [String], _ daemon: TestDaemon) async throws -> Program.Ending {
        try await Program.control(arguments, socket: daemon.address.path).ending()
    }

    private func json(_ arguments: [String], _ daemon: TestDaemon) async throws -> Any {
        let ending = try await control(arguments + ["--json"], daemon)
        return try JSONSerialization.jsonObject(with: Data(ending.output.utf8))
    }

    /// The names of the outermost members, in their order.
    private func names(in text: String) throws -> [String] {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let places = try object.keys.map { name in (name, try #require(text.range(of: "\"\(name)\": ")).lowerBound) }
        return places.sorted { $0.1 < $1.1 }.map(\.0)
    }
}
