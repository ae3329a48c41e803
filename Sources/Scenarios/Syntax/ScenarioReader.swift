// ScenarioReader: a reader that turns a file's text into tests, or into all of its faults.

import ExtensionProtocol

/// Every fault of a file, in the order of its lines.
public struct ScenarioFaults: Error, Sendable, Hashable {
    public let faults: [ScenarioFault]

    public init(faults: [ScenarioFault]) { self.faults = faults }
}

extension Scenario {
    /// The largest size of a scenario file, in bytes of UTF-8.
    public static let longest = 1 << 20
    /// The number of faults after which the reader stops looking for more.
    static let mostFaults = 100

    /// Reads a file's text. It neither runs anything nor opens another file.
    public init(reading text: String) throws(ScenarioFaults) {
        guard text.utf8.count <= Self.longest else {
            throw ScenarioFaults(faults: [
                ScenarioFault(line: 1, column: 1, "the file has more than 1 MiB", remedy: "Divide it into several")
            ])
        }
        var reader = ScenarioReader()
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            reader.read(line, number: number + 1)
            if reader.faults.count >= Self.mostFaults { break }
        }
        reader.finish()
        guard reader.faults.isEmpty else { throw ScenarioFaults(faults: reader.faults) }
        self = reader.scenario
    }
}

/// A reader that works line by line.
///
/// The meaning of a line may depend on earlier lines: names of requests, the clock.
struct ScenarioReader {
    private(set) var scenario = Scenario()
    private(set) var faults: [ScenarioFault] = []
    /// State of the test that is being read.
    private var requests: Set<String> = []
    private var hosts: Set<String> = []
    var hasRequest = false
    /// The steps at an extension point so far, each kind once.
    var points: Set<String> = []
    private var directives: Set<String> = []

    mutating func read(_ text: Substring, number: Int) {
        do throws(ScenarioFault) {
            let words = try ScenarioWords.words(of: text, line: number)
            guard let first = words.first else { return }
            var line = LineReader(words: words, line: number, end: text.count + 1)
            switch first.isQuoted ? "" : first.text {
            case "extension", "clock", "limit", "applications", "daemon": try readDirective(&line)
            case "test": try readTest(&line)
            default:
                let act = try readAct(&line)
                try line.expectEnd()
                guard !scenario.tests.isEmpty else {
                    throw line.fault(first, "no test has begun", remedy: "Write test \"NAME\" above it")
                }
                let source = text.drop { $0.isWhitespace }
                scenario.tests[scenario.tests.count - 1].steps.append(
                    ScenarioStep(line: number, text: String(source), act: act))
            }
        } catch {
            faults.append(error)
        }
    }

    /// Adds the faults that are certain only at the end of the file.
    mutating func finish() {
        for test in scenario.tests
        where !test.steps.contains(where: { if case .expect = $0.act { true } else { false } }) {
            // The missing line may be one that has a fault.
            guard faults.isEmpty else { break }
            faults.append(
                ScenarioFault(
                    line: test.line, column: 1, "the test expects nothing, so it cannot fail",
                    remedy: "Add a line such as expect outcome completed"))
        }
        if scenario.tests.isEmpty, faults.isEmpty {
            faults.append(ScenarioFault(line: 1, column: 1, "there is no test", remedy: "Write test \"NAME\""))
        }
    }

    // MARK: Above the tests

    private mutating func readDirective(_ line: inout LineReader) throws(ScenarioFault) {
        let keyword = try line.word("a word")
        guard scenario.tests.isEmpty else {
            throw line.fault(
                keyword, "“\(keyword.text)” applies to all tests, but comes after the first",
                remedy: "Move it above the first test")
        }
        if keyword.text != "applications", keyword.text != "daemon", !directives.insert(keyword.text).inserted {
            throw line.fault(keyword, "“\(keyword.text)” is repeated", remedy: "Omit one of them")
        }
        switch keyword.text {
        case "extension":
            scenario.subject = .init(name: try line.word("an identifier or a path").text, chosen: line.optional()?.text)
        case "clock":
            let word = try line.word("virtual or real")
            guard let clock = Scenario.Clock(rawValue: word.text) else {
                throw line.fault(word, "“\(word.text)” is no clock", remedy: "Write virtual or real")
            }
            scenario.clock = clock
        case "limit": scenario.limit = try line.duration()
        case "applications":
            scenario.applications.append(try line.word("a folder").text)
            while let word = line.optional() { scenario.applications.append(word.text) }
        default: try readDaemonOptions(&line)
        }
        try line.expectEnd()
    }

    private mutating func readDaemonOptions(_ line: inout LineReader) throws(ScenarioFault) {
        guard line.peek != nil else {
            throw line.fault(
                line.end, "there is no option after daemon", remedy: "Write one of exthostd, as daemon --timer idle=1s")
        }
        while let word = line.optional() {
            let name = word.text.split(separator: "=").first.map(String.init) ?? ""
            guard !["--clock", "--ephemeral", "--user", "--system"].contains(name) else {
                throw line.fault(
                    word, "each test has a private daemon, which excludes \(name)",
                    remedy: name == "--clock" ? "Write clock real or clock virtual" : "Omit it")
            }
            scenario.daemonOptions.append(word.text)
        }
    }

    private mutating func readTest(_ line: inout LineReader) throws(ScenarioFault) {
        _ = line.optional()
        let name = try line.word("the test's name in quotes")
        guard !name.text.isEmpty else {
            throw line.fault(name, "the name is empty", remedy: "Write what the test shows")
        }
        if let other = scenario.tests.first(where: { $0.name == name.text }) {
            throw line.fault(
                name, "the test of line \(other.line) has this name", remedy: "Give each a name of its own")
        }
        try line.expectEnd(remedy: "Put the whole name in quotes")
        scenario.tests.append(ScenarioTest(name: name.text, line: line.line))
        (requests, hosts, hasRequest, points) = ([], [ScenarioRequest.usualHost], false, [])
    }

    // MARK: Within a test

    private static let verbs = [
        "begin", "start", "host", "advance", "cancel", "disconnect", "kill", "fault", "view", "wait", "update", "open",
        "close", "toggle", "push", "edit", "finish", "discard", "revert", "focus", "type", "tap", "select", "switch",
        "dismiss", "load", "page", "pick", "action", "credential", "files", "tunnel", "flow", "notification", "proxy",
        "resolve", "sms", "report", "broadcast", "setup", "reload", "lookup", "intent", "thumbnail", "preview",
        "imessage", "reindex", "import",
        "search", "query", "audio", "answer", "deliver", "expect",
    ]

    private mutating func readAct(_ line: inout LineReader) throws(ScenarioFault) -> ScenarioAct {
        let verb = try line.word("a word")
        switch verb.isQuoted ? "" : verb.text {
        case "begin": return .begin(try readRequest(&line, waits: true))
        case "start": return .begin(try readRequest(&line, waits: false))
        case "host": return try readHost(&line)
        case "advance":
            guard scenario.clock == .virtual else {
                throw line.fault(
                    verb, "the clock is real, so a test cannot advance it",
                    remedy: "Write clock virtual, or wait for an event")
            }
            return .advance(try line.duration())
        case "cancel": return .cancel(try requestName(&line, verb))
        case "disconnect":
            guard let word = line.optional() else { return .disconnect(nil) }
            return .disconnect(try knownHost(word, line))
        case "kill": return try readKill(&line, verb)
        case "fault": return .fault(try FaultOrder(&line))
        case "view": return try readView(&line, verb)
        case "wait": return try readWait(&line)
        case "update", "open", "push", "edit", "page": return .point(try readPoint(&line, verb))
        case "load": return .point(try readLoad(&line))
        case "pick": return .point(try readPick(&line))
        case "action": return .point(try readAction(&line))
        case "credential": return .point(try readCredential(&line))
        case "files": return .point(try readFiles(&line))
        case "audio": return .point(.audio(try readAudio(&line)))
        case "tunnel": return .point(try readTunnel(&line))
        case "flow": return .point(try readFlow(&line))
        case "notification": return .point(.notification(try readNotification(&line)))
        case "proxy": return .point(.proxy(try readProxy(&line)))
        case "resolve": return .point(.proxy(try readResolve(&line)))
        case "intent": return .point(try readIntent(&line))
        case "reload", "lookup": return .point(try readDirectory(&line, verb))
        case "broadcast": return .point(try readBroadcast(&line))
        case "setup":
            hasRequest = true
            points.insert("setup")
            return .point(.setup)
        case "sms": return .point(try readMessage(&line))
        case "report": return .point(.report(try readReport(&line)))
        case "thumbnail": return .point(try readThumbnail(&line))
        case "preview": return .point(.preview(try readPreview(&line)))
        case "imessage": return .point(.conversation(try readConversation(&line)))
        case "import": return .point(try readImport(&line))
        case "reindex", "search", "query": return .point(try readIndexing(&line, verb))
        case "finish", "discard", "revert":
            guard points.contains("edit") else {
                throw line.fault(verb, "no photo is being edited", remedy: "Write a line edit above it")
            }
            return .point(try readEditing(&line, verb))
        case "close", "toggle":
            guard points.contains("open") else {
                throw line.fault(verb, "no widget is open", remedy: "Write a line open above it")
            }
            return .point(verb.text == "close" ? .close : .toggle)
        case "focus": return .point(.keyboard(try readFocus(&line)))
        case "type", "tap", "select", "switch", "dismiss":
            guard points.contains("focus") else {
                throw line.fault(verb, "no field has the focus", remedy: "Write a line focus above it")
            }
            return .point(.keyboard(try readKeyboard(&line, verb)))
        case "answer": return .answer(try readAnswer(&line, verb))
        case "deliver": return try readDeliver(&line)
        case "expect": return try readExpectation(&line, verb)
        default:
            throw line.fault(
                verb, "a test has no line “\(verb.text)”", remedy: "There are: \(Self.verbs.joined(separator: ", "))")
        }
    }

    private mutating func readRequest(_ line: inout LineReader, waits: Bool) throws(ScenarioFault) -> ScenarioRequest {
        var request = ScenarioRequest()
        request.waitsForDelivery = waits
        if line.peek?.text == "as", line.peek?.isQuoted == false {
            _ = line.optional()
            let word = try line.word("a name")
            guard let first = word.text.first, first.isLetter, word.text.allSatisfy({ $0.isLetter || $0.isNumber }),
                !Self.reserved.contains(word.text)
            else {
                throw line.fault(
                    word, "“\(word.text)” cannot be a request's name",
                    remedy: "Use letters and digits, and no word of these lines, such as second")
            }
            guard requests.insert(word.text).inserted else {
                throw line.fault(word, "the test already has a request \(word.text)", remedy: "Choose another name")
            }
            request.name = word.text
        }
        while let option = line.optional() {
            let (name, inside) = Self.divided(option)
            func value(_ line: inout LineReader, _ what: String) throws(ScenarioFault) -> ScenarioWord {
                if let inside { return ScenarioWord(text: inside, column: option.column, isQuoted: true) }
                return try line.word(what)
            }
            switch option.isQuoted && inside == nil ? "" : name {
            case PayloadPart.nextItemOption: request.parts.append(.init(part: .nextItem, column: option.column))
            case "--force": request.force = true
            case "--host":
                let word = try value(&line, "a host's name")
                request.host = word.text
                hosts.insert(word.text)
            case "--timeout":
                let word = try value(&line, "a duration")
                guard let duration = Duration(written: word.text), duration > .zero else {
                    throw line.fault(
                        word, "“\(word.text)” is no duration above 0",
                        remedy: "Write 500ms, 3s or 5min; a bare number is seconds")
                }
                request.timeout = duration
            default:
                guard let make = PayloadPart.valued(name) else {
                    throw line.fault(
                        option, "“\(option.text)” is no option of a request",
                        remedy:
                            "There are: \((PayloadPart.options + ["--force", "--host", "--timeout"]).sorted().joined(separator: ", "))"
                    )
                }
                request.parts.append(
                    .init(part: make(try value(&line, "a value of \(name)").text), column: option.column))
            }
        }
        hasRequest = true
        return request
    }

    private static let options = (PayloadPart.options + ["--force", "--host", "--timeout"]).sorted()

    /// Divides `--option=value`, given as one word.
    private static func divided(_ word: ScenarioWord) -> (name: String, value: String?) {
        guard word.text.hasPrefix("--"), let sign = word.text.firstIndex(of: "=") else { return (word.text, nil) }
        return (String(word.text[..<sign]), String(word.text[word.text.index(after: sign)...]))
    }

    private mutating func readHost(_ line: inout LineReader) throws(ScenarioFault) -> ScenarioAct {
        let first = try line.word("active, inactive, background or foreground")
        if let state = Self.state(first.text), line.peek == nil { return .host(state, of: nil) }
        let name = try knownHost(first, line)
        let word = try line.word("active, inactive, background or foreground")
        guard let state = Self.state(word.text) else {
            throw line.fault(
                word, "“\(word.text)” is no host state", remedy: "Write active, inactive (or foreground) or background")
        }
        return .host(state, of: name)
    }

    private static func state(_ word: String) -> HostStateName? {
        word == "foreground" ? .inactive : HostStateName(rawValue: word)
    }

    private func knownHost(_ word: ScenarioWord, _ line: LineReader) throws(ScenarioFault) -> String {
        guard hosts.contains(word.text) else {
            throw line.fault(
                word, "no host \(word.text) has begun a request",
                remedy: "Name one of: \(hosts.sorted().joined(separator: ", ")); begin --host NAME makes another")
        }
        return word.text
    }

    /// Takes the name of a request, if the line names one. The test must have begun a request.
    private mutating func requestName(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault) -> String? {
        guard hasRequest else {
            throw line.fault(verb, "the test has begun no request", remedy: "Write a line begin above it")
        }
        guard let word = line.peek, !word.isQuoted, requests.contains(word.text) else {
            if let word = line.peek, verb.text == "cancel" {
                throw line.fault(
                    word, "no request of this test is named \(word.text)",
                    remedy: requests.isEmpty
                        ? "Name one: begin as \(word.text)"
                        : "Name one of: \(requests.sorted().joined(separator: ", "))")
            }
            return nil
        }
        _ = line.optional()
        return word.text
    }

    private static let signals: [String: Int32] = [
        "SIGKILL": 9, "SIGSEGV": 11, "SIGABRT": 6, "SIGBUS": 7, "SIGILL": 4, "SIGTERM": 15, "SIGSTOP": 19,
        "SIGCONT": 18,
    ]

    private mutating func readKill(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault) -> ScenarioAct
    {
        let name = try requestName(&line, verb)
        guard let word = line.optional() else { return .kill(name, signal: 9) }
        guard let signal = Self.signals[word.text] else {
            throw line.fault(
                word, "“\(word.text)” is neither a request of this test nor a signal",
                remedy: "Signals are: \(Self.signals.keys.sorted().joined(separator: ", "))")
        }
        return .kill(name, signal: signal)
    }

    private mutating func readView(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault) -> ScenarioAct
    {
        let name = try requestName(&line, verb)
        let word = try line.word("an act")
        let rest = line.rest().joined(separator: " ")
        guard let act = SheetAct(verb: word.text, rest: rest) else {
            throw line.fault(word, "“\(word.text)” is not an act", remedy: "There are: \(SheetAct.help)")
        }
        return .view(act, of: name)
    }

    private func readAnswer(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault) -> ScenarioAnswer {
        guard scenario.hasScriptedTransfers else {
            throw line.fault(
                verb, "the background transfers of this file use the network",
                remedy: scenario.clock == .real
                    ? "Write clock virtual, or daemon --transfers scripted" : "Omit --transfers network above the tests"
            )
        }
        guard !hasRequest else {
            throw line.fault(
                verb, "the answers of servers come before the first request",
                remedy: "Move the line up; times N makes an answer end, and another one follow")
        }
        return try ScenarioAnswer(&line)
    }

    /// Reads `deliver SESSION to SIDE`.
    private func readDeliver(_ line: inout LineReader) throws(ScenarioFault) -> ScenarioAct {
        let session = try line.word("the identifier of a background session")
        let to = try line.word("to and a side")
        guard to.text == "to" else {
            throw line.fault(to, "“\(to.text)” is not expected here", remedy: "Write deliver SESSION to app")
        }
        let word = try line.word("a side")
        guard let side = TransferSide(rawValue: word.text) else {
            throw line.fault(
                word, "“\(word.text)” gets no events",
                remedy: "Write \(TransferSide.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return .deliver(session: session.text, to: side)
    }

    private mutating func readWait(_ line: inout LineReader) throws(ScenarioFault) -> ScenarioAct {
        let pattern = try line.event()
        guard let word = line.optional() else { return .wait(pattern, within: nil) }
        guard word.text == "within" else {
            throw line.fault(word, "“\(word.text)” is not expected here", remedy: "Write wait EVENT within 5s")
        }
        return .wait(pattern, within: try line.duration())
    }

    private mutating func readExpectation(_ line: inout LineReader, _ verb: ScenarioWord) throws(ScenarioFault)
        -> ScenarioAct
    {
        let name: String? = if hasRequest { try requestName(&line, verb) } else { nil }
        let place = line.peek
        let expectation = try ScenarioExpectation(&line)
        if expectation.isOfRequest, !hasRequest {
            throw line.fault(place ?? verb, "the test has begun no request", remedy: "Write a line begin above it")
        }
        try check(expectation, place ?? verb, line)
        return .expect(expectation, of: name)
    }

    /// The words that cannot name a request, because a line would then have another meaning.
    private static let reserved: Set<String> = Set(
        verbs + ScenarioExpectation.words + signals.keys + ["as", "within", "text", "tap", "post"])
}
