// ScenarioWords: one line of a scenario file as words, each with its place.

/// A word, and the place where it begins.
public struct ScenarioWord: Sendable, Hashable {
    public let text: String
    /// The column, counted in characters from 1.
    public let column: Int
    /// Whether any part of the word was quoted. Such a word is never a keyword, an option or a comment.
    public let isQuoted: Bool
}

/// A place in a scenario file, the fault at it, and the remedy. Neither text ends with a full stop.
public struct ScenarioFault: Error, Sendable, Hashable {
    public let line: Int
    public let column: Int
    public let message: String
    public let remedy: String

    public init(line: Int, column: Int, _ message: String, remedy: String) {
        self.line = line
        self.column = column
        self.message = message
        self.remedy = remedy
    }
}

/// A splitter that cuts a line at blanks, as a shell does.
///
/// `"…"` holds blanks and the escapes `\"`, `\\`, `\n` and `\t`, and `'…'` anything. A `#` that begins a word begins a
/// comment.
struct ScenarioWords {
    private let characters: [Character]
    private let line: Int
    private var place = 0

    static func words(of text: Substring, line: Int) throws(ScenarioFault) -> [ScenarioWord] {
        var reader = ScenarioWords(characters: Array(text), line: line)
        var words: [ScenarioWord] = []
        while let word = try reader.next() { words.append(word) }
        return words
    }

    private init(characters: [Character], line: Int) {
        self.characters = characters
        self.line = line
    }

    private mutating func next() throws(ScenarioFault) -> ScenarioWord? {
        while place < characters.count, characters[place].isWhitespace { place += 1 }
        guard place < characters.count, characters[place] != "#" else { return nil }
        let start = place
        var text = ""
        var isQuoted = false
        while place < characters.count, !characters[place].isWhitespace {
            let character = characters[place]
            place += 1
            guard character == "\"" || character == "'" else {
                text.append(character)
                continue
            }
            isQuoted = true
            try readQuoted(character, into: &text)
        }
        return ScenarioWord(text: text, column: start + 1, isQuoted: isQuoted)
    }

    /// Reads a quoted text, from behind its opening quote.
    private mutating func readQuoted(_ quote: Character, into text: inout String) throws(ScenarioFault) {
        let opening = place
        while place < characters.count {
            let character = characters[place]
            place += 1
            if character == quote { return }
            guard character == "\\", quote == "\"" else {
                text.append(character)
                continue
            }
            let escapes: [Character: Character] = ["\"": "\"", "\\": "\\", "n": "\n", "t": "\t", "r": "\r"]
            guard place < characters.count, let meant = escapes[characters[place]] else {
                throw ScenarioFault(
                    line: line, column: place,
                    "there is no escape \\\(place < characters.count ? String(characters[place]) : "")",
                    remedy: #"Write \", \\, \n, \r or \t, or put the text in '…', where there are no escapes"#)
            }
            text.append(meant)
            place += 1
        }
        throw ScenarioFault(
            line: line, column: opening, "the quote is not closed", remedy: "Put a \(quote) after the text")
    }
}
