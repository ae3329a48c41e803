// ScenarioReaderTests: what each line of a scenario file means, and what is said of one that means nothing.

import ExtensionProtocol
import Scenarios
import Testing

@Suite struct ScenarioReaderTests {
    /// The only step of a test with one line more in it.
    private func act(_ line: String, before: String = "begin --text x") throws -> ScenarioAct {
        let scenario = try Scenario(reading: "test \"t\"\n\(before)\n\(line)\nexpect processes 1\n")
        return try #require(scenario.tests.first?.steps.dropFirst().first?.act)
    }

    private func expectation(_ line: String) throws -> ScenarioExpectation {
        guard case .expect(let expectation, nil) = try act("expect \(line)") else { throw CancellationError() }
        return expectation
    }

    @Test func aFileHasItsExtensionItsSettingsAndItsTests() throws {
        let scenario = try Scenario(
            reading: """
                # what this is for
                extension ./Share.app org.example.share   # the one of two
                clock real
                limit 3s
                applications A "B C"
                daemon --timer idle=1s
                daemon --limit memory=64MiB

                test "first # no comment"
                  begin --url https://example.org/#top --title 'a "b" c'
                  expect outcome completed
                test second
                  begin
                  expect no process
                """)
        #expect(scenario.subject == .init(name: "./Share.app", chosen: "org.example.share"))
        #expect(scenario.clock == .real && scenario.limit == .seconds(3) && scenario.applications == ["A", "B C"])
        #expect(scenario.daemonOptions == ["--timer", "idle=1s", "--limit", "memory=64MiB"])
        #expect(
            scenario.tests.map(\.name) == ["first # no comment", "second"] && scenario.tests.map(\.line) == [9, 12])
        let first = try #require(scenario.tests.first?.steps.first)
        #expect(first.line == 10 && first.text == #"begin --url https://example.org/#top --title 'a "b" c'"#)
        guard case .begin(let request) = first.act else { throw CancellationError() }
        #expect(request.parts.map(\.part) == [.url("https://example.org/#top"), .title(#"a "b" c"#)])
        #expect(request.parts.map(\.column) == [9, 40])
    }

    @Test func clockAndLimitHaveTheirUsualValuesAndTheExtensionMayBeNamedElsewhere() throws {
        let scenario = try Scenario(reading: "test t\nexpect no process")
        #expect(scenario.clock == .virtual && scenario.limit == .seconds(10) && scenario.subject == nil)
    }

    @Test func aRequestTakesTheOptionsOfTheCommandLine() throws {
        let line = "start as second --text=a --item --data public.png=p.png --host notes --timeout 500ms --force"
        guard case .begin(let request) = try act(line) else { throw CancellationError() }
        #expect(
            request.name == "second" && request.host == "notes" && request.timeout == .milliseconds(500)
                && request.force)
        #expect(!request.waitsForDelivery)
        #expect(request.parts.map(\.part) == [.text("a"), .nextItem, .data("public.png=p.png")])
    }

    @Test func aTextMayLookLikeAnOptionOrAKeyword() throws {
        guard case .begin(let request) = try act(#"begin --text --force --title "as""#) else {
            throw CancellationError()
        }
        #expect(request.parts.map(\.part) == [.text("--force"), .title("as")] && !request.force)
    }

    @Test func everyActReadsAsItIsWritten() throws {
        let table: [(String, ScenarioAct)] = [
            ("host background", .host(.background, of: nil)), ("host host foreground", .host(.inactive, of: "host")),
            ("advance 5min", .advance(.seconds(300))), ("cancel", .cancel(nil)), ("disconnect", .disconnect(nil)),
            ("disconnect host", .disconnect("host")), ("kill", .kill(nil, signal: 9)),
            ("kill SIGSEGV", .kill(nil, signal: 11)),
            ("fault kill at loadOpen", .fault(FaultOrder(.kill, at: .loadOpen))),
            ("fault noMemory at spawning", .fault(FaultOrder(.noMemory, at: .spawning))),
            ("fault garbage at delivered seed 7", .fault(FaultOrder(.garbage, at: .delivered, seed: 7))),
            (
                "fault slow at delivered sent for 45s times 3 after 2 seed -1",
                .fault(FaultOrder(.slow, at: .delivered, after: 2, times: 3, seed: -1, delay: 45, sent: true))
            ),
            ("view text a  note", .view(.text("a note"), of: nil)),
            ("view text \"a  note\"", .view(.text("a  note"), of: nil)),
            ("view tap Public", .view(.tap("Public"), of: nil)), ("view post", .view(.post, of: nil)),
            ("view cancel", .view(.cancel, of: nil)),
            ("wait process.ready", .wait(EventPattern(.processReady), within: nil)),
            (
                "wait process.exited(idle) within 2s",
                .wait(EventPattern(.processExited, .idle), within: .seconds(2))
            ),
        ]
        for (line, expected) in table { #expect(try act(line) == expected, "\(line)") }
        #expect(try act("kill other SIGABRT", before: "begin as other") == .kill("other", signal: 6))
        #expect(try act("view other tap OK", before: "begin as other") == .view(.tap("OK"), of: "other"))
        #expect(try act("host notes active", before: "begin --host notes") == .host(.active, of: "notes"))
        #expect(try act("expect other items 1", before: "begin as other") == .expect(.items(1), of: "other"))
    }

    @Test func everyExpectationReadsAsItIsWritten() throws {
        let table: [(String, ScenarioExpectation)] = [
            ("outcome completed", .outcome(.completed, nil)),
            ("outcome timedOut requestTimeout", .outcome(.timedOut, .requestTimeout)),
            (
                #"item userInfo.shared = "https://example.org""#,
                .item(1, path: ["userInfo", "shared"], .equal, .text("https://example.org"))
            ),
            ("item 2 userInfo.words != 3.5", .item(2, path: ["userInfo", "words"], .unequal, .number(3.5))),
            ("item title = null", .item(1, path: ["title"], .equal, .null)),
            ("item contentText contains 'b c'", .item(1, path: ["contentText"], .contains, .text("b c"))),
            (
                "item attachments.0.types.0 = \"public.url\"",
                .item(1, path: ["attachments", "0", "types", "0"], .equal, .text("public.url"))
            ),
            ("item userInfo.ok = true", .item(1, path: ["userInfo", "ok"], .equal, .boolean(true))),
            ("items 0", .items(0)), ("error NSCocoaErrorDomain 3072", .error(domain: "NSCocoaErrorDomain", code: 3072)),
            ("error org.example", .error(domain: "org.example", code: nil)),
            ("error \"no link\"", .errorText("no link")),
            (
                "log process.spawned, request.timedOut,process.exited(crashed)",
                .log([
                    EventPattern(.processSpawned), EventPattern(.requestTimedOut),
                    EventPattern(.processExited, .crashed),
                ])
            ),
            ("no log context.misused", .noLog([EventPattern(.contextFault)])), ("processes 2", .processes(2)),
            ("no process", .noProcess), ("loads 1", .loads(1)), ("exit idle", .exit(.idle)),
            ("output \"a b\"", .output("a b")),
            ("no output x", .noOutput("x")), ("view Public", .view("Public", isEnabled: nil)),
            ("view Done disabled", .view("Done", isEnabled: false)),
        ]
        for (line, expected) in table { #expect(try expectation(line) == expected, "\(line)") }
    }

    /// Each with its place, the start of what is said, and of the remedy.
    static let faulty: [(text: String, place: String, message: String, remedy: String)] = [
        ("", "1:1", "there is no test", "Write test"),
        ("tset \"x\"", "1:1", "a test has no line “tset”", "There are: begin"),
        ("begin", "1:1", "no test has begun", "Write test"),
        ("clock slow", "1:7", "“slow” is no clock", "Write virtual or real"),
        ("clock real\nclock real", "2:1", "“clock” is repeated", "Omit one"),
        ("limit 0", "1:7", "“0” is no duration above 0", "Write 500ms"),
        ("limit", "1:6", "a duration is missing", "Write it"),
        ("daemon --clock real", "1:8", "each test has a private daemon", "Write clock real"),
        ("daemon", "1:7", "there is no option after daemon", "Write one"),
        ("extension a b c", "1:15", "“c” is not expected here", "Omit it"),
        ("test \"x", "1:6", "the quote is not closed", "Put a \""),
        ("test \"a\\q\"", "1:8", "there is no escape \\q", "Write"),
        ("test a b", "1:8", "“b” is not expected here", "Put the whole name in quotes"),
        ("test \"\"", "1:6", "the name is empty", "Write what"),
        ("test a\nexpect no process\ntest a", "3:6", "the test of line 1 has this name", "Give each"),
        ("test a\nbegin", "1:1", "the test expects nothing", "Add a line"),
        ("test a\nclock real", "2:1", "“clock” applies to all tests", "Move it"),
        ("test a\n  begin --txt x", "2:9", "“--txt” is no option of a request", "There are: --data"),
        ("test a\n  begin --text", "2:15", "a value of --text is missing", "Write it"),
        ("test a\nbegin --timeout soon", "2:17", "“soon” is no duration", "Write 500ms"),
        ("test a\nbegin as expect", "2:10", "“expect” cannot be a request's name", "Use letters"),
        ("test a\nbegin as x\nbegin as x", "3:10", "the test already has a request x", "Choose another"),
        ("test a\ncancel", "2:1", "the test has begun no request", "Write a line begin"),
        ("test a\nbegin\ncancel it", "3:8", "no request of this test is named it", "Name one: begin as it"),
        ("test a\nbegin\nkill SIGFOO", "3:6", "“SIGFOO” is neither a request of this test nor a signal", "Signals are"),
        ("fault kill at loadOpen", "1:1", "no test has begun", "Write test"),
        ("test a\nfault", "2:6", "a fault is missing", "Write it"),
        ("test a\nfault kil at loadOpen", "2:7", "there is no fault “kil”", "Is kill or operatorKill meant?"),
        ("test a\nfault kill", "2:11", "at and a point is missing", "Write it"),
        ("test a\nfault kill loadOpen", "2:12", "“loadOpen” is not expected here", "Write fault kill at POINT"),
        ("test a\nfault kill at", "2:14", "a point is missing", "Write it"),
        ("test a\nfault kill at loadopen", "2:15", "there is no point “loadopen”", "Is loadOpen meant?"),
        (
            "test a\nfault kill at starting", "2:15", "the daemon has already started",
            "Write above the tests: daemon --fault"
        ),
        ("test a\nfault kill at spawning", "2:15", "at spawning, there is no process", "Choose a later point"),
        ("test a\nfault kill at idle sent", "2:20", "kill has no direction", "Omit it. Faults of packets are: slow"),
        ("test a\nfault kill at idle for 3s", "2:20", "kill has no duration", "Omit it: only slow"),
        ("test a\nfault slow at idle for ever", "2:24", "“ever” is no duration", "Write 500ms"),
        ("test a\nfault slow at idle for 90000", "2:24", "a connection is slow for up to a day", "Write at most a day"),
        ("test a\nfault kill at idle seed", "2:24", "a number is missing", "Write it"),
        ("test a\nfault kill at idle seed x", "2:25", "“x” is no seed", "Write a whole number"),
        ("test a\nfault kill at idle times 0", "2:26", "it would never be injected", "Write 1, 2"),
        ("test a\nfault kill at idle seed 1 seed 2", "2:27", "“seed” is repeated", "Omit one"),
        ("test a\nfault kill at idle now", "2:20", "“now” is not expected here", "There are: after"),
        ("test a\nbegin\nview dance", "3:6", "“dance” is not an act", "There are: text"),
        ("test a\nhost asleep", "2:6", "no host asleep has begun", "Name one of: host"),
        ("test a\nhost host asleep", "2:11", "“asleep” is no host state", "Write active"),
        ("test a\nwait process.gone", "2:6", "there is no event “process.gone”", "There are:"),
        ("test a\nwait exited", "2:6", "there is no event “exited”", "Is process.exited meant?"),
        ("test a\nwait process.exited(sick)", "2:21", "there is no cause “sick”", "There are:"),
        ("test a\nwait process.exited(idle", "2:6", "the bracket is not closed", "Write process.exited(CAUSE)"),
        ("test a\nwait process.ready 3s", "2:20", "“3s” is not expected here", "Write wait EVENT within"),
        ("test a\nexpect outcome done", "2:16", "“done” is no outcome", "There are: completed"),
        (
            "test a\nbegin\nexpect outcome completed idle", "3:26", "no request is completed by idle",
            "Its outcome is interrupted"
        ),
        ("test a\nexpect outcome completed", "2:8", "the test has begun no request", "Write a line begin"),
        ("test a\nexpect happiness", "2:8", "“happiness” is not an expectation", "There are: outcome"),
        ("test a\nexpect no fun", "2:11", "“no fun” is not an expectation", "Write no log"),
        ("test a\nbegin\nexpect item shared = \"x\"", "3:13", "“shared” is no path into an item", "Begin with title"),
        ("test a\nbegin\nexpect item 0 title = \"x\"", "3:13", "there is no item 0", "The first is 1"),
        ("test a\nbegin\nexpect item title is \"x\"", "3:19", "“is” is not a comparison", "Write =, !="),
        ("test a\nbegin\nexpect item title = x", "3:21", "“x” is not a value", "Put text in quotes"),
        ("test a\nbegin\nexpect items many", "3:14", "“many” is not a number", "Write 0, 1"),
        ("test a\nexpect log", "2:11", "an event is missing", "Write one"),
        ("test a\nexpect output \"\"", "2:15", "the text is empty", "Write the text"),
        ("test a\nexpect log process.ready, reqest.completed", "2:27", "there is no event “reqest.completed”", ""),
    ]

    @Test func aFaultyLineIsNamedWithItsPlaceAndARemedy() {
        for (text, place, message, remedy) in Self.faulty {
            do {
                let scenario = try Scenario(reading: text)
                Issue.record("read as \(scenario): \(text)")
            } catch {
                let fault = error.faults.first
                #expect(fault.map { "\($0.line):\($0.column)" } == place, "\(text)")
                #expect(fault?.message.hasPrefix(message) == true, "\(text): \(fault?.message ?? "")")
                #expect(
                    fault?.remedy.hasPrefix(remedy) == true && fault?.remedy.isEmpty == false,
                    "\(text): \(fault?.remedy ?? "")")
            }
        }
    }

    @Test func everyFaultOfAFileIsToldInOrder() {
        #expect {
            try Scenario(reading: "clock slow\ntest a\n  begin --nope\n  expect nothing\n")
        } throws: { error in
            (error as? ScenarioFaults)?.faults.map(\.line) == [1, 3, 4]
        }
    }

    @Test func theClockThatIsRealIsNotMoved() {
        #expect {
            try Scenario(reading: "clock real\ntest a\nadvance 1s\nexpect no process")
        } throws: { error in
            (error as? ScenarioFaults)?.faults.first?.message == "the clock is real, so a test cannot advance it"
        }
    }

    @Test func whatIsTooLongIsNotRead() {
        let text = String(repeating: "#", count: Scenario.longest + 1)
        #expect(throws: ScenarioFaults.self) { try Scenario(reading: text) }
    }

    @Test func aHundredFaultsAreEnough() {
        #expect {
            try Scenario(reading: "test a\n" + String(repeating: "nonsense\n", count: 100_000))
        } throws: { error in
            (error as? ScenarioFaults)?.faults.count == 100
        }
    }

    @Test func eventsAreFoundInTheirOrderWithOthersBetween() {
        let records = [EventName.processSpawned, .processReady, .requestDelivered, .processExited].enumerated().map {
            EventRecord(sequence: $0 + 1, time: 0, event: $1, cause: $1 == .processExited ? .idle : nil)
        }
        let table: [([EventPattern], Int)] = [
            ([EventPattern(.processSpawned), EventPattern(.processExited)], 2),
            ([EventPattern(.processReady), EventPattern(.processSpawned)], 1),
            ([EventPattern(.processExited, .idle)], 1), ([EventPattern(.processExited, .crashed)], 0),
            ([EventPattern(.processReady), EventPattern(.processReady)], 1),
        ]
        for (patterns, count) in table { #expect(EventPattern.found(patterns, in: records) == count, "\(patterns)") }
    }

    @Test func pathsOfAPayloadStartInTheScenariosFolder() {
        #expect(PayloadPart.file("a.png").located(in: "/s") == .file("/s/a.png"))
        #expect(PayloadPart.file("/a.png").located(in: "/s") == .file("/a.png"))
        #expect(PayloadPart.data("public.png=a=b.png").located(in: "/s") == .data("public.png=/s/a=b.png"))
        #expect(PayloadPart.text("a").located(in: "/s") == .text("a"))
    }

    // MARK: Extension points

    @Test("PC-27: a line at an extension point has a step, and its results")
    func stepsAtExtensionPointsAreRead() throws {
        let scenario = try Scenario(
            reading: """
                test t
                  update
                  expect result newData
                  expect picture "update 1"
                  open
                  toggle
                  view tap Expand
                  close
                  push payload.json
                  push '{"aps": {}}'
                  push {odd}.json
                  notification show payload.json
                  notification respond reply "so be it"
                  notification media
                  notification dismiss
                  report message "one" two from +1
                  report call
                  report done
                  report cancel
                  expect result handlerDropped
                  expect shown title = "a b"
                  expect shown badge = 4
                  expect shown body contains "x"
                """)
        let acts = scenario.tests[0].steps.map(\.act)
        #expect(
            acts == [
                .point(.update), .expect(.result(.newData), of: nil), .expect(.picture("update 1"), of: nil),
                .point(.open), .point(.toggle), .view(.tap("Expand"), of: nil), .point(.close),
                .point(.push("payload.json", isInline: false)), .point(.push(#"{"aps": {}}"#, isInline: true)),
                .point(.push("{odd}.json", isInline: false)),
                .point(.notification(.show("payload.json", isInline: false))),
                .point(.notification(.respond("reply", text: "so be it"))), .point(.notification(.media)),
                .point(.notification(.dismiss)),
                .point(.report(.messages(["one", "two"], sender: "+1"))), .point(.report(.call(sender: nil))),
                .point(.report(.done)), .point(.report(.cancel)), .expect(.result(.handlerDropped), of: nil),
                .expect(.shown(path: ["title"], .equal, .text("a b")), of: nil),
                .expect(.shown(path: ["badge"], .equal, .number(4)), of: nil),
                .expect(.shown(path: ["body"], .contains, .text("x")), of: nil),
            ])
    }

    @Test("PC-27: the lines of a photo editing extension are read")
    func editsAreRead() throws {
        let scenario = try Scenario(
            reading: """
                test t
                  edit "a photo.jpg"
                  discard goOn
                  expect result goesOn
                  finish
                  expect result saved
                  expect shown adjustment.formatVersion = "1.0"
                  revert
                  edit b.png
                  discard confirm
                  discard
                """)
        #expect(
            scenario.tests[0].steps.map(\.act) == [
                .point(.edit("a photo.jpg")), .point(.discard(goesOn: true)), .expect(.result(.goesOn), of: nil),
                .point(.finish), .expect(.result(.saved), of: nil),
                .expect(.shown(path: ["adjustment", "formatVersion"], .equal, .text("1.0")), of: nil),
                .point(.revert), .point(.edit("b.png")), .point(.discard(goesOn: false)),
                .point(.discard(goesOn: false)),
            ])
    }

    @Test("PC-27: the lines of a Spotlight index extension are read")
    func searchesAreRead() throws {
        let scenario = try Scenario(
            reading: """
                test t
                  reindex
                  expect result indexed
                  reindex 1 "two words"
                  search coffee
                  expect result found
                  expect shown count = 2
                  query 'title == "a*"c'
                  expect result nothing
                """)
        #expect(
            scenario.tests[0].steps.map(\.act) == [
                .point(.reindex([])), .expect(.result(.indexed), of: nil), .point(.reindex(["1", "two words"])),
                .point(.search("coffee", isQuery: false)), .expect(.result(.found), of: nil),
                .expect(.shown(path: ["count"], .equal, .number(2)), of: nil),
                .point(.search(#"title == "a*"c"#, isQuery: true)), .expect(.result(.nothing), of: nil),
            ])
    }

    @Test("FP-33: the lines of a document picker and of file actions are read")
    func picksAreRead() throws {
        let scenario = try Scenario(
            reading: """
                test t
                  pick open public.text public.image
                  view tap "note.txt"
                  expect result picked
                  expect shown kind = "opened"
                  pick import
                  expect result cancelled
                  pick moveToService file.txt
                  expect result refused
                  action describe items.json
                  expect result completed
                  action describe
                """)
        #expect(
            scenario.tests[0].steps.map(\.act) == [
                .point(.pick(mode: "open", types: ["public.text", "public.image"], file: nil)),
                .view(.tap("note.txt"), of: nil), .expect(.result(.picked), of: nil),
                .expect(.shown(path: ["kind"], .equal, .text("opened")), of: nil),
                .point(.pick(mode: "import", types: ["public.item", "public.content"], file: nil)),
                .expect(.result(.cancelled), of: nil),
                .point(.pick(mode: "moveToService", types: [], file: "file.txt")),
                .expect(.result(.refused), of: nil), .point(.action("describe", items: "items.json")),
                .expect(.result(.completed), of: nil), .point(.action("describe", items: nil)),
            ])
    }

    @Test(
        "PC-27: a line at an extension point that means nothing has a place and a remedy",
        arguments: [
            ("push", "a payload: a file, or JSON in single quotes is missing"),
            ("push ''", "the payload is empty"), ("toggle", "no widget is open"), ("close", "no widget is open"),
            ("update now", "“now” is not expected here"), ("expect result newData", "nothing above has such a result"),
            ("expect picture x", "nothing above has such a result"),
            ("expect shown title = 'x'", "nothing above has such a result"),
            ("update\nexpect result chnaged", "there is no result “chnaged”"),
            ("update\nexpect result changed", "changed is the result of a push"),
            ("push x\nexpect result newData", "newData is the result of an update"),
            ("push x\nexpect shown ttl. = 'x'", "“ttl.” is no path"),
            ("edit", "the path of a photo is missing"), ("edit ''", "the path is empty"),
            ("finish", "no photo is being edited"), ("edit a\ndiscard now", "“now” is not expected here"),
            ("edit a\nexpect result newData", "newData is the result of an update"),
            ("push a\nexpect result saved", "saved is the result of an edit"),
            ("search", "words, in quotes is missing"), ("query ''", "the search is empty"),
            ("search a b", "“b” is not expected here"),
            ("pick", "a mode is missing"), ("pick now", "“now” is no mode of a document picker"),
            ("pick exportToService", "the path of a file is missing"),
            ("action", "the identifier of an action is missing"),
            ("push a\nexpect result picked", "picked is the result of a pick"),
            ("push a\nexpect result completed", "completed is the result of an action"),
            ("push a\nexpect result found", "found is the result of a search"),
            ("push a\nexpect result indexed", "indexed is the result of a reindexing"),
            ("flow", "a URL, or tcp:HOST:PORT is missing"), ("flow a inbound", "a file of bytes is missing"),
            ("flow a now b", "“now” is not expected here"),
            ("push a\nexpect result dropped", "dropped is the result of a flow"),
            ("notification", "show, respond, media or dismiss is missing"),
            ("notification open", "“open” is nothing to do with a notification"),
            ("notification show ''", "the payload is empty"),
            ("notification respond", "the identifier of a button is missing"),
            ("push a\nexpect result forwarded", "forwarded is the result of a step with a notification"),
            ("proxy", "start, stop, message, or a place as tcp:HOST:PORT is missing"),
            ("proxy example.org", "“example.org” is nothing to do with a proxy"),
            ("proxy tcp:a:0", "“tcp:a:0” is nothing to do with a proxy"),
            ("proxy tcp::80", "“tcp::80” is nothing to do with a proxy"),
            ("proxy tcp:a:80 now", "“now” is not expected here"), ("proxy tcp:a:80 send ''", "the text is empty"),
            ("proxy start mode", "“mode” is not KEY=VALUE"), ("proxy stop now", "“now” is not expected here"),
            ("resolve", "a name is missing"), ("resolve a..b", "“a..b” is no name of a host"),
            ("resolve a MX", "“MX” is not expected here"),
            ("resolve a\nexpect result connected", "connected is the result of a step with a tunnel"),
            ("lookup", "a telephone number is missing"), ("reload now", "“now” is not expected here"),
            ("push a\nexpect result loaded", "loaded is the result of a reload"),
            ("push a\nexpect result identified", "identified is the result of a lookup"),
            ("broadcast", "start, play, pause, resume, annotate or finish is missing"),
            ("broadcast stop", "“stop” is nothing to do with a broadcast"),
            ("broadcast play a.y4m b.wav", "“b.wav” is not expected here"),
            ("broadcast start x", "“x” is not KEY=VALUE"),
            ("sms", "the text of a message, in quotes is missing"),
            ("report", "message, call, done or cancel is missing"),
            ("report open", "“open” is nothing to do with a report"),
            ("report message", "the text of a message, in quotes is missing"),
            ("report message 'a' from", "the number of the sender is missing"),
            ("report call now", "“now” is not expected here"),
            ("push a\nexpect result reported", "reported is the result of a step with a report"),
            ("credential", "a service, or configure is missing"),
            ("credential a identity", "the name of a user is missing"), ("credential a b", "“b” is not expected here"),
            ("push a\nexpect result provided", "provided is the result of a credential"),
            ("sms 'a' from", "the number of the sender is missing"), ("sms 'a' now b", "“now” is not expected here"),
            ("push a\nexpect result junk", "junk is the result of a message"),
            ("intent", "the class of an intent is missing"), ("intent A b", "“b” is not expected here"),
            ("intent A reply b", "“b” has no name and value"),
            ("intent A locked locked", "“locked” is not expected here"),
            ("intent A code ready", "“code” is not expected here"),
            ("intent A view view", "“view” is not expected here"),
            ("intent A view code", "the name of a code is missing"),
            ("intent A view result b", "“b” has no name and value"),
            ("intent A view by", "an intents extension is missing"),
            ("push a\nexpect result handled", "handled is the result of an intent"),
            ("push x\nexpect shown title is 'x'", "“is” is not a comparison"),
        ])
    func aWrongStepIsAFault(lines: String, message: String) {
        let faults = #expect(throws: ScenarioFaults.self) {
            try Scenario(reading: "test t\n\(lines)\nexpect processes 1")
        }
        #expect(faults?.faults.map(\.message) == [message])
        #expect(faults?.faults.allSatisfy { !$0.remedy.isEmpty } == true)
    }

    // MARK: Background transfers

    @Test("the lines of background transfers are read") func transfersAreRead() throws {
        let scenario = try Scenario(
            reading: """
                test t
                  answer https://example.org/a
                  answer http://example.org/b status 404 header X-A "b c" header X-B d body "e f" cut 1 times 2
                  answer https://example.org/a file "b c.jpg" tag v1 delay 2s duration 1min
                  answer https://example.org/c status none delay 500ms
                  deliver org.example.photos to extension
                  expect transfers 2
                  expect no transfers
                  expect file group.org.example/a/b.txt = "x"
                  expect file group.org.example/a != null
                  expect file group.org.example/a contains 'z 1'
                """)
        let acts = scenario.tests[0].steps.map(\.act)
        let answers = acts.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
        #expect(answers.map(\.url).map { String($0.suffix(1)) } == ["a", "b", "a", "c"])
        #expect(answers.map(\.status) == [200, 404, 200, nil] && answers.map(\.times) == [nil, 2, nil, nil])
        #expect(answers[1].headers.map(\.name) == ["X-A", "X-B"] && answers[1].headers.map(\.value) == ["b c", "d"])
        #expect(answers.map(\.body) == [nil, .text("e f"), .file("b c.jpg", column: 37), nil])
        #expect(answers.map(\.cut) == [nil, 1, nil, nil] && answers.map(\.tag) == [nil, nil, "v1", nil])
        #expect(answers.map(\.delay) == [.zero, .zero, .seconds(2), .milliseconds(500)])
        #expect(answers.map(\.duration) == [.zero, .zero, .seconds(60), .zero])
        #expect(
            acts.dropFirst(4) == [
                .deliver(session: "org.example.photos", to: .extension), .expect(.transfers(2), of: nil),
                .expect(.transfers(0), of: nil),
                .expect(.file(group: "group.org.example", path: "a/b.txt", .equal, .text("x")), of: nil),
                .expect(.file(group: "group.org.example", path: "a", .unequal, .null), of: nil),
                .expect(.file(group: "group.org.example", path: "a", .contains, .text("z 1")), of: nil),
            ])
    }

    @Test(
        "a line of background transfers that means nothing has a place and a remedy",
        arguments: [
            ("answer", "7", "a URL is missing"), ("answer ftp://a", "8", "“ftp://a” is no URL of a transfer"),
            ("answer https://", "8", "“https://” is no URL of a transfer"),
            ("answer http://a stauts 4", "17", "“stauts” is not expected here"),
            ("answer http://a status ok", "24", "“ok” is no status"),
            ("answer http://a status 100", "24", "“100” is no status"),
            ("answer http://a times 0", "23", "no attempt would get it"),
            ("answer http://a cut many", "21", "“many” is not a number"),
            ("answer http://a delay 0", "23", "“0” is no duration above 0"),
            ("answer http://a body x body y", "24", "“body” is repeated"),
            ("answer http://a body x file y", "24", "the answer has two bodies"),
            ("answer http://a file ''", "22", "the path is empty"),
            ("answer http://a status 206 tag a", "28", "an answer 206 has no tag"),
            ("answer http://a tag a status 404", "17", "an answer 404 has no tag"),
            ("answer http://a tag '\"a\"'", "21", "“\"a\"” is no tag"),
            ("answer http://a cut 3 body x status none", "17", "without an answer there is no cut"),
            ("answer http://a header X: b", "24", "“X:” is no name of a header field"),
            ("answer http://a header X", "25", "the value of the header field is missing"),
            ("answer http://a header X 'a\tb'", "26", "the value has a control character"),
            ("begin\nanswer http://a", "1", "the answers of servers come before the first request"),
            ("update\nanswer http://a", "1", "the answers of servers come before the first request"),
            ("deliver", "8", "the identifier of a background session is missing"),
            ("deliver a app", "11", "“app” is not expected here"),
            ("deliver a to nobody", "14", "“nobody” gets no events"),
            ("expect transfers none", "18", "“none” is not a number"),
            ("expect file group.a = 'x'", "13", "“group.a” is no file of an app group"),
            ("expect file group.a/../b = 'x'", "13", "“group.a/../b” is no file of an app group"),
            ("expect file /b = 'x'", "13", "“/b” is no file of an app group"),
            ("expect file group.a/b is 'x'", "23", "“is” is not a comparison"),
            ("expect file group.a/b = 3", "25", "the content of a file is text"),
            ("expect file group.a/b contains null", "32", "the content of a file is text"),
        ])
    func aWrongLineOfTransfers(lines: String, column: String, message: String) {
        let faults = #expect(throws: ScenarioFaults.self) {
            try Scenario(reading: "test t\n\(lines)\nexpect processes 1")
        }
        #expect(faults?.faults.map(\.message) == [message])
        #expect(faults?.faults.map { "\($0.column)" } == [column])
        #expect(faults?.faults.allSatisfy { !$0.remedy.isEmpty } == true)
    }

    @Test(
        "answers need a daemon whose transfers use no network",
        arguments: [
            ("clock virtual", true), ("clock real", false), ("clock real\ndaemon --transfers scripted", true),
            ("clock real\ndaemon --transfers=scripted", true), ("daemon --transfers network", false),
            ("daemon --transfers scripted --timer idle=1s\ndaemon --transfers network", false),
        ])
    func answersNeedAScript(above: String, isAllowed: Bool) {
        let text = "\(above)\ntest t\n answer http://a\n expect no transfers"
        if isAllowed {
            #expect(throws: Never.self) { try Scenario(reading: text) }
        } else {
            let faults = #expect(throws: ScenarioFaults.self) { try Scenario(reading: text) }
            #expect(faults?.faults.map(\.message) == ["the background transfers of this file use the network"])
            #expect(faults?.faults.first?.column == 2)
        }
    }
}
