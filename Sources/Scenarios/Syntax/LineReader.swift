// LineReader: the words of one line, taken one after the other.

import ExtensionProtocol

struct LineReader {
    private var words: ArraySlice<ScenarioWord>
    let line: Int
    /// The place after the last word, for a fault about a missing word.
    let end: ScenarioWord

    init(words: [ScenarioWord], line: Int, end: Int) {
        self.words = words[...]
        self.line = line
        let last = words.last.map { $0.column + $0.text.count } ?? end
        self.end = ScenarioWord(text: "", column: max(1, min(last + 1, end)), isQuoted: false)
    }

    var peek: ScenarioWord? { words.first }

    func fault(_ word: ScenarioWord, _ message: String, remedy: String) -> ScenarioFault {
        ScenarioFault(line: line, column: word.column, message, remedy: remedy)
    }

    mutating func optional() -> ScenarioWord? { words.popFirst() }

    /// - Parameter what: the expected word, described for people.
    mutating func word(_ what: String) throws(ScenarioFault) -> ScenarioWord {
        guard let word = words.popFirst() else {
            throw fault(end, "\(what) is missing", remedy: "Write it at the end of the line")
        }
        return word
    }

    /// Takes all remaining words.
    mutating func rest() -> [String] {
        defer { words = [] }
        return words.map(\.text)
    }

    func expectEnd(remedy: String = "Omit it, or put several words in quotes") throws(ScenarioFault) {
        guard let word = words.first else { return }
        throw fault(word, "“\(word.text)” is not expected here", remedy: remedy)
    }

    mutating func duration() throws(ScenarioFault) -> Duration {
        let word = try word("a duration")
        guard let duration = Duration(written: word.text), duration > .zero else {
            throw fault(
                word, "“\(word.text)” is no duration above 0",
                remedy: "Write 500ms, 3s or 5min; a bare number is seconds")
        }
        return duration
    }

    mutating func count() throws(ScenarioFault) -> Int {
        let word = try word("a number")
        guard let number = Int(word.text), (0...1_000_000).contains(number) else {
            throw fault(word, "“\(word.text)” is not a number", remedy: "Write 0, 1, 2 …")
        }
        return number
    }

    /// Takes an event: `process.exited`, `process.exited(crashed)`.
    mutating func event() throws(ScenarioFault) -> EventPattern { try Self.pattern(try word("an event"), line) }

    /// Takes events separated by commas; blanks do not matter.
    mutating func events() throws(ScenarioFault) -> [EventPattern] {
        var patterns: [EventPattern] = []
        while let word = words.popFirst() {
            var column = word.column
            for part in word.text.split(separator: ",", omittingEmptySubsequences: false) {
                if !part.isEmpty {
                    patterns.append(
                        try Self.pattern(
                            ScenarioWord(text: String(part), column: column, isQuoted: word.isQuoted), line))
                }
                column += part.count + 1
            }
        }
        guard !patterns.isEmpty else {
            throw fault(end, "an event is missing", remedy: "Write one, such as process.exited")
        }
        return patterns
    }

    private static func pattern(_ word: ScenarioWord, _ line: Int) throws(ScenarioFault) -> EventPattern {
        let parts = word.text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
        guard let event = EventName(rawValue: String(parts[0])) else {
            throw ScenarioFault(
                line: line, column: word.column, "there is no event “\(parts[0])”",
                remedy: nearest(to: String(parts[0]), of: EventName.allCases.map(\.rawValue)))
        }
        guard parts.count == 2 else { return EventPattern(event) }
        guard parts[1].hasSuffix(")") else {
            throw ScenarioFault(
                line: line, column: word.column, "the bracket is not closed",
                remedy: "Write \(parts[0])(CAUSE), without spaces")
        }
        let place = ScenarioWord(
            text: String(parts[1].dropLast()), column: word.column + parts[0].count + 1, isQuoted: false)
        return EventPattern(event, try cause(place, line))
    }

    static func cause(_ word: ScenarioWord, _ line: Int) throws(ScenarioFault) -> Cause {
        guard let cause = Cause(rawValue: word.text), cause != .unrecognized else {
            throw ScenarioFault(
                line: line, column: word.column, "there is no cause “\(word.text)”",
                remedy: nearest(to: word.text, of: Cause.allCases.filter { $0 != .unrecognized }.map(\.rawValue)))
        }
        return cause
    }

    /// Returns a question with the names that were probably meant, or a list of all names.
    static func nearest(to text: String, of names: [String]) -> String {
        NearestNames.question(text, among: names) ?? "There are: \(names.joined(separator: ", "))"
    }
}
