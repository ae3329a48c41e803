// ScenarioExpectation+Reading: a reader of the words after `expect`.

import ExtensionProtocol

extension ScenarioExpectation {
    /// The first words of all kinds of expectations.
    static let words = [
        "outcome", "item", "items", "error", "log", "no", "process", "processes", "loads", "exit", "output", "view",
        "result", "picture", "shown", "field", "keyboard", "transfers", "file",
    ]

    /// Whether the expectation is about a request.
    var isOfRequest: Bool {
        switch self {
        case .outcome, .item, .items, .error, .errorText, .loads, .exit, .view: true
        case .log, .noLog, .processes, .noProcess, .output, .noOutput, .result, .picture, .shown, .field, .keyboard,
            .transfers, .file:
            false
        }
    }

    init(_ line: inout LineReader) throws(ScenarioFault) {
        let word = try line.word("what is expected")
        switch word.isQuoted ? "" : word.text {
        case "outcome": self = try Self.outcome(&line)
        case "item": self = try Self.item(&line)
        case "items": self = .items(try line.count())
        case "error": self = try Self.error(&line)
        case "log": self = .log(try line.events())
        case "no": self = try Self.absence(&line)
        case "processes": self = .processes(try line.count())
        case "loads": self = .loads(try line.count())
        case "exit": self = .exit(try LineReader.cause(try line.word("a cause"), line.line))
        case "output": self = .output(try Self.text(&line))
        case "view":
            let name = try Self.text(&line)
            guard let state = line.optional() else {
                self = .view(name, isEnabled: nil)
                return
            }
            guard ["enabled", "disabled"].contains(state.text) else {
                throw line.fault(
                    state, "“\(state.text)” is not expected here", remedy: "Write enabled or disabled, or nothing")
            }
            self = .view(name, isEnabled: state.text == "enabled")
        case "result":
            let word = try line.word("a result")
            guard let result = PointResult(rawValue: word.text) else {
                throw line.fault(
                    word, "there is no result “\(word.text)”",
                    remedy: LineReader.nearest(to: word.text, of: PointResult.allCases.map(\.rawValue)))
            }
            self = .result(result)
        case "picture": self = .picture(try Self.text(&line))
        case "field": self = .field(try line.word("the text of the field, in quotes").text)
        case "keyboard":
            let word = try line.word("custom, system or none")
            guard let shown = ShownKeyboard(rawValue: word.text) else {
                throw line.fault(word, "“\(word.text)” is no keyboard", remedy: "Write custom, system or none")
            }
            self = .keyboard(shown)
        case "transfers": self = .transfers(try line.count())
        case "file": self = try Self.file(&line)
        case "shown":
            let place = try line.word("a path such as title")
            let path = place.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard !path.contains("") else {
                throw line.fault(place, "“\(place.text)” is no path", remedy: "Write title, subtitle or body")
            }
            let comparison = try Self.comparison(&line)
            self = .shown(path: path, comparison, try Self.value(try line.word("a value"), line))
        default:
            throw line.fault(
                word, "“\(word.text)” is not an expectation",
                remedy:
                    "There are: outcome, item, items, error, log, loads, exit, output, view, processes, result, picture, shown, field, keyboard, transfers, file, no log, no output, no process, no transfers"
            )
        }
    }

    private static func outcome(_ line: inout LineReader) throws(ScenarioFault) -> ScenarioExpectation {
        let word = try line.word("an outcome")
        guard let kind = OutcomeKind(rawValue: word.text) else {
            throw line.fault(
                word, "“\(word.text)” is no outcome",
                remedy: "There are: \(OutcomeKind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        guard let place = line.optional() else { return .outcome(kind, nil) }
        let cause = try LineReader.cause(place, line.line)
        guard cause.outcome == kind else {
            throw line.fault(
                place, "no request is \(kind.rawValue) by \(cause.rawValue)",
                remedy: "Its outcome is \(cause.outcome.rawValue)")
        }
        return .outcome(kind, cause)
    }

    /// Reads `item [2] userInfo.shared = "x"`.
    private static func item(_ line: inout LineReader) throws(ScenarioFault) -> ScenarioExpectation {
        var number = 1
        if let word = line.peek, !word.isQuoted, let named = Int(word.text) {
            guard named > 0 else { throw line.fault(word, "there is no item \(named)", remedy: "The first is 1") }
            _ = line.optional()
            number = named
        }
        let place = try line.word("a path such as userInfo.shared")
        let path = place.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let root = path.first, ["title", "contentText", "userInfo", "attachments"].contains(root),
            !path.contains("")
        else {
            throw line.fault(
                place, "“\(place.text)” is no path into an item",
                remedy: "Begin with title, contentText, userInfo or attachments, as in run --json: userInfo.shared")
        }
        let comparison = try comparison(&line)
        let word = try line.word("a value")
        return .item(number, path: path, comparison, try value(word, line))
    }

    /// Reads `file GROUP/PATH = "TEXT"`.
    private static func file(_ line: inout LineReader) throws(ScenarioFault) -> ScenarioExpectation {
        let place = try line.word("an app group and a path, as group.org.example/photo")
        let parts = place.text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1, parts.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw line.fault(
                place, "“\(place.text)” is no file of an app group",
                remedy: "Write the group and a path in its container: group.org.example/photo")
        }
        let comparison = try comparison(&line)
        let word = try line.word("a text in quotes, or null")
        let value = try value(word, line)
        switch (value, comparison) {
        case (.text, _), (.null, .equal), (.null, .unequal): break
        default:
            throw line.fault(
                word, "the content of a file is text",
                remedy: "Put the text in quotes, or write = null if there has to be no file")
        }
        return .file(
            group: String(parts[0]), path: parts.dropFirst().joined(separator: "/"), comparison, value)
    }

    private static func comparison(_ line: inout LineReader) throws(ScenarioFault) -> Comparison {
        let sign = try line.word("=, != or contains")
        guard let comparison = Comparison(rawValue: sign.text) else {
            throw line.fault(
                sign, "“\(sign.text)” is not a comparison", remedy: "Write =, != or contains, with spaces around it")
        }
        return comparison
    }

    private static func value(_ word: ScenarioWord, _ line: LineReader) throws(ScenarioFault) -> ScenarioValue {
        if word.isQuoted { return .text(word.text) }
        switch word.text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default:
            guard let number = Double(word.text), number.isFinite else {
                throw line.fault(
                    word, "“\(word.text)” is not a value",
                    remedy: "Put text in quotes; otherwise write a number, true, false or null")
            }
            return .number(number)
        }
    }

    /// Reads `error "words"`, or `error DOMAIN [CODE]`.
    private static func error(_ line: inout LineReader) throws(ScenarioFault) -> ScenarioExpectation {
        let word = try line.word("words in quotes, or a domain")
        if word.isQuoted { return .errorText(word.text) }
        guard let code = line.optional() else { return .error(domain: word.text, code: nil) }
        guard let number = Int(code.text) else {
            throw line.fault(code, "“\(code.text)” is no error's code", remedy: "Write a number")
        }
        return .error(domain: word.text, code: number)
    }

    private static func absence(_ line: inout LineReader) throws(ScenarioFault) -> ScenarioExpectation {
        let word = try line.word("log, output, process or transfers")
        switch word.text {
        case "log": return .noLog(try line.events())
        case "output": return .noOutput(try text(&line))
        case "process": return .noProcess
        case "transfers": return .transfers(0)
        default:
            throw line.fault(
                word, "“no \(word.text)” is not an expectation",
                remedy: "Write no log EVENT, no output \"TEXT\", no process or no transfers")
        }
    }

    private static func text(_ line: inout LineReader) throws(ScenarioFault) -> String {
        let word = try line.word("a text in quotes")
        guard !word.text.isEmpty else {
            throw line.fault(word, "the text is empty", remedy: "Write the text to search for")
        }
        return word.text
    }
}
