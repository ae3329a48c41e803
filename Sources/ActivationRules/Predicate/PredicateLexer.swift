// PredicateLexer: the tokens of a predicate's text.

enum PredicateToken: Sendable, Hashable {
    /// A keyword or a key, as written: the parser knows which one is valid at a place.
    case word(String)
    /// A variable `$name`, without the dollar sign.
    case variable(String)
    /// An operator `@name`, without the at sign.
    case collectionOperator(String)
    case text(String)
    case integer(Int64)
    /// A run of `=`, `<`, `>`, `!`.
    case symbol(String)
    case and, or, not
    case open, close, openBrace, closeBrace, openBracket, closeBracket, comma, dot
    case end

    /// The token's name in messages.
    var written: String {
        switch self {
        case .word(let word): "“\(shortened(word))”"
        case .variable(let name): "“$\(shortened(name))”"
        case .collectionOperator(let name): "“@\(shortened(name))”"
        case .text(let text): "the text “\(shortened(text))”"
        case .integer(let number): "“\(number)”"
        case .symbol(let symbol): "“\(shortened(symbol))”"
        case .and: "“AND”"
        case .or: "“OR”"
        case .not: "“NOT”"
        case .open: "“(”"
        case .close: "“)”"
        case .openBrace: "“{”"
        case .closeBrace: "“}”"
        case .openBracket: "“[”"
        case .closeBracket: "“]”"
        case .comma: "“,”"
        case .dot: "“.”"
        case .end: "the end"
        }
    }
}

/// The reader of one token after the other. A place is an offset in Unicode scalars.
struct PredicateLexer {
    let scalars: [Unicode.Scalar]
    private(set) var place = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    private var current: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private func peek(_ distance: Int = 1) -> Unicode.Scalar? {
        place + distance < scalars.count ? scalars[place + distance] : nil
    }

    mutating func skipSpace() {
        while let scalar = current, Self.isSpace(scalar) { place += 1 }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            ? scalar == " " || (0x09...0x0D).contains(scalar.value)
            : scalar.properties.isWhitespace || scalar == "\u{FEFF}"
    }

    /// Returns the next token, which begins at `place` after `skipSpace()`.
    mutating func next() throws(RuleError) -> PredicateToken {
        guard let scalar = current else { return .end }
        switch scalar {
        case "(": return single(.open)
        case ")": return single(.close)
        case "{": return single(.openBrace)
        case "}": return single(.closeBrace)
        case "[": return single(.openBracket)
        case "]": return single(.closeBracket)
        case ",": return single(.comma)
        case ".": return single(.dot)
        case "\"", "'": return try text(endingWith: scalar)
        case "0"..."9": return try number()
        case "-" where peek().map(Self.isDigit) ?? false: return try number()
        case "$":
            place += 1
            guard let first = current, Self.beginsWord(first) else {
                throw error("there is no name after “$”", at: place - 1, hint: emptyVariableHint)
            }
            return .variable(plainWord())
        case "@":
            place += 1
            return .collectionOperator(plainWord())
        case "!" where peek() != "=": return single(.not)
        case "=", "<", ">", "!":
            let start = place
            while let scalar = current, "=<>!".unicodeScalars.contains(scalar), place - start < 8 { place += 1 }
            return .symbol(string(start))
        case "&", "|":
            guard peek() == scalar else {
                throw error(
                    "one “\(scalar)” is not an operator", at: place, hint: "Write “\(scalar)\(scalar)”, or AND or OR")
            }
            place += 2
            return scalar == "&" ? .and : .or
        case "/" where peek() == "*" || peek() == "/":
            throw error("a predicate has no comments", at: place, hint: "Remove it")
        case "%":
            throw error(
                "“%” is an argument, and a rule has no arguments", at: place,
                hint: "Write the text or the number itself"
            )
        case _ where Self.beginsWord(scalar): return word()
        default:
            throw error(
                "“\(shortened(String(Character(scalar))))” is not valid in a predicate", at: place,
                hint: "Quote it if it belongs to a text")
        }
    }

    private mutating func single(_ token: PredicateToken) -> PredicateToken {
        place += 1
        return token
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            || (!scalar.isASCII && scalar.properties.isXIDStart)
    }

    private static func continuesWord(_ scalar: Unicode.Scalar) -> Bool {
        beginsWord(scalar) || isDigit(scalar) || (!scalar.isASCII && scalar.properties.isXIDContinue)
    }

    /// Returns the text read since `start`.
    ///
    /// It encodes by hand, because the library's conversion from scalars takes most of the time of reading a rule.
    private func string(_ start: Int, to end: Int? = nil) -> String {
        let end = end ?? place
        return String(unsafeUninitializedCapacity: 4 * (end - start)) { bytes in
            var count = 0
            for scalar in scalars[start..<end] {
                if scalar.isASCII {
                    bytes[count] = UInt8(truncatingIfNeeded: scalar.value)
                    count += 1
                } else {
                    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                        bytes[count] = byte
                        count += 1
                    }
                }
            }
            return count
        }
    }

    private mutating func plainWord() -> String {
        let start = place
        while let scalar = current, Self.continuesWord(scalar) { place += 1 }
        return string(start)
    }

    /// Reads a key or a keyword. The two operators with dashes are one word each.
    private mutating func word() -> PredicateToken {
        let start = place
        let word = plainWord()
        guard word.lowercased() == "uti", current == "-" else { return .word(word) }
        for tail in ["-conforms-to", "-equals"] {
            let end = place + tail.utf8.count
            guard end <= scalars.count, end == scalars.count || !Self.continuesWord(scalars[end]),
                String(String.UnicodeScalarView(scalars[place..<end])).lowercased() == tail
            else { continue }
            place = end
            return .word(string(start))
        }
        return .word(word)
    }

    private mutating func number() throws(RuleError) -> PredicateToken {
        let start = place
        if current == "-" { place += 1 }
        while let scalar = current, Self.isDigit(scalar) { place += 1 }
        if let scalar = current, Self.continuesWord(scalar) {
            throw error("a number ends in “\(scalar)”", at: place, hint: "Divide the two by a space, or quote a text")
        }
        if current == ".", peek().map(Self.isDigit) ?? false {
            throw error("a number with a fraction", at: start, hint: "A rule can only have integers")
        }
        guard let value = Int64(string(start)) else {
            throw error("a number beyond 64 bits", at: start, hint: "Write a smaller one")
        }
        return .integer(value)
    }

    private mutating func text(endingWith quote: Unicode.Scalar) throws(RuleError) -> PredicateToken {
        let start = place
        place += 1
        var text = ""
        // The run begins behind the last escape.
        var run = place
        while let scalar = current {
            place += 1
            if scalar == quote { return .text(text + string(run, to: place - 1)) }
            guard scalar == "\\" else { continue }
            text += string(run, to: place - 1)
            text.unicodeScalars.append(try escaped())
            run = place
        }
        throw error("the text that begins here does not end", at: start, hint: "Close it with \(quote)")
    }

    /// Reads the characters behind a backslash.
    private mutating func escaped() throws(RuleError) -> Unicode.Scalar {
        let start = place - 1
        guard let scalar = current else {
            throw error(
                "the text ends in a backslash", at: start, hint: "Write \\\\ for a backslash, and close the text")
        }
        place += 1
        switch scalar {
        case "\\", "\"", "'": return scalar
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let first = try unit(start)
            if let scalar = Unicode.Scalar(first) { return scalar }
            // The unit is the first half of a surrogate pair.
            guard first < 0xDC00, current == "\\", peek() == "u" else {
                throw error("half a surrogate pair", at: start, hint: "Write both halves, or the character itself")
            }
            place += 2
            let second = try unit(start)
            guard (0xDC00...0xDFFF).contains(second) else {
                throw error("half a surrogate pair", at: start, hint: "Write both halves, or the character itself")
            }
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
        default:
            throw error(
                "there is no escape “\\\(shortened(String(Character(scalar))))”", at: start,
                hint: "There are \\\\ \\\" \\' \\n \\r \\t and \\uXXXX; write \\\\ for a backslash")
        }
    }

    private mutating func unit(_ start: Int) throws(RuleError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = current, scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
                throw error(
                    "“\\u” has fewer than four hexadecimal digits", at: start, hint: "Write four, as in \\u00E9")
            }
            value = value << 4 | UInt32(digit)
            place += 1
        }
        return value
    }

    /// Creates an error at a place of this text.
    func error(_ message: String, at place: Int, hint: String) -> RuleError {
        let (line, column) = Self.position(of: place, in: scalars)
        return RuleError(message, line: line, column: column, hint: hint)
    }

    /// Returns the line and column of an offset, both from 1.
    static func position(of place: Int, in scalars: some Sequence<Unicode.Scalar>) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        var previous: Unicode.Scalar?
        for scalar in scalars.prefix(place) {
            // A carriage return with a line feed is one line end.
            if scalar == "\n" || scalar == "\r" {
                if !(scalar == "\n" && previous == "\r") { line += 1 }
                column = 1
            } else {
                column += 1
            }
            previous = scalar
        }
        return (line, column)
    }
}

/// The likely cause of a missing variable name.
let emptyVariableHint =
    "A build tool, a shell or a template replaced “$name” as its own setting: "
    + "write “$$” or “\\$” there, as it requires, or exclude this file from its expansion"
