// RegularExpressionParser: the parser of a pattern's text into pieces.

indirect enum RegularExpressionPiece: Sendable {
    case scalars([UInt32])
    case any
    /// An index into the parser's sets.
    case set(Int)
    case start, end
    case sequence([RegularExpressionPiece])
    case alternatives([RegularExpressionPiece])
    case repeated(RegularExpressionPiece, least: Int, most: Int?)
}

struct RegularExpressionParser {
    private let scalars: [Unicode.Scalar]
    private let options: FoldingOptions
    private var place = 0
    private var depth = 0
    private(set) var sets: [ScalarSet] = []

    private static let greatestDepth = 100
    private static let greatestCount = 1000

    init(_ pattern: String, options: FoldingOptions) {
        scalars = Array(pattern.unicodeScalars)
        self.options = options
    }

    mutating func parse() throws(RuleError) -> RegularExpressionPiece {
        let piece = try alternatives()
        guard place == scalars.count else { throw error("“)” closes nothing", hint: "Write \\) for the character") }
        return piece
    }

    private var current: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        place += 1
        return true
    }

    private func error(_ message: String, hint: String) -> RuleError {
        RuleError("the regular expression has a fault at its character \(place + 1): \(message)", hint: hint)
    }

    private func unsupported(_ what: String) -> RuleError {
        error(
            "\(what) is not supported",
            hint: "There are characters, ., [sets], \\d \\w \\s, groups, |, * + ? {m,n}, ^ and $")
    }

    private mutating func alternatives() throws(RuleError) -> RegularExpressionPiece {
        var pieces = [try sequence()]
        while take("|") { pieces.append(try sequence()) }
        return pieces.count == 1 ? pieces[0] : .alternatives(pieces)
    }

    private mutating func sequence() throws(RuleError) -> RegularExpressionPiece {
        var pieces: [RegularExpressionPiece] = []
        while let scalar = current, scalar != "|", scalar != ")" { pieces.append(try quantified(try atom())) }
        return .sequence(pieces)
    }

    private mutating func quantified(_ piece: RegularExpressionPiece) throws(RuleError) -> RegularExpressionPiece {
        let result: RegularExpressionPiece
        switch current {
        case "*": result = .repeated(piece, least: 0, most: nil)
        case "+": result = .repeated(piece, least: 1, most: nil)
        case "?": result = .repeated(piece, least: 0, most: 1)
        case "{":
            let (least, most) = try counts()
            result = .repeated(piece, least: least, most: most)
        default: return piece
        }
        place += 1
        // A lazy repetition gives the same answer for a whole text, so the mark is ignored.
        _ = take("?")
        if current == "+" { throw unsupported("a possessive repetition") }
        if current == "*" || current == "?" || current == "{" {
            throw error("a repetition of a repetition", hint: "Put the first one into a group: (?:a*)*")
        }
        return result
    }

    /// Reads `{m}`, `{m,}` or `{m,n}`, up to the closing brace.
    private mutating func counts() throws(RuleError) -> (Int, Int?) {
        place += 1
        guard let least = try number() else {
            throw error("there is no number after “{”", hint: "Write {2} or {2,4}, or \\{ for the character")
        }
        var most: Int? = least
        if take(",") { most = try number() }
        guard current == "}" else {
            throw error("“{” is not closed", hint: "Write {2} or {2,4}, or \\{ for the character")
        }
        if let most, most < least {
            throw error("{\(least),\(most)} has its bounds in the wrong order", hint: "Exchange the two")
        }
        return (least, most)
    }

    private mutating func number() throws(RuleError) -> Int? {
        var value: Int?
        while let scalar = current, let digit = Character(scalar).wholeNumberValue, scalar.isASCII {
            value = (value ?? 0) * 10 + digit
            if value ?? 0 > Self.greatestCount {
                throw error(
                    "a repetition of more than \(Self.greatestCount)", hint: "Repeat fewer times, or use * or +")
            }
            place += 1
        }
        return value
    }

    private mutating func atom() throws(RuleError) -> RegularExpressionPiece {
        guard let scalar = current else { return .sequence([]) }
        switch scalar {
        case "*", "+", "?": throw error("“\(scalar)” repeats nothing", hint: "Write \\\(scalar) for the character")
        case "{", "}": throw error("“\(scalar)” stands alone", hint: "Write \\\(scalar) for the character")
        case "(": return try group()
        case "[": return try set()
        case "\\": return try escape()
        case ".": place += 1; return .any
        case "^": place += 1; return .start
        case "$": place += 1; return .end
        default:
            place += 1
            return literal(scalar)
        }
    }

    private func literal(_ scalar: Unicode.Scalar) -> RegularExpressionPiece {
        .scalars(folded(String(Character(scalar)), options))
    }

    private mutating func group() throws(RuleError) -> RegularExpressionPiece {
        place += 1
        if take("?"), !take(":") {
            throw unsupported("a group with “(?\(current.map { shortened(String(Character($0))) } ?? "")”")
        }
        guard depth < Self.greatestDepth else {
            throw error("more than \(Self.greatestDepth) nested groups", hint: "Make it flatter")
        }
        depth += 1
        defer { depth -= 1 }
        let piece = try alternatives()
        guard take(")") else { throw error("a group is not closed", hint: "Write ), or \\( for the character") }
        return piece
    }

    private mutating func add(_ set: ScalarSet) -> RegularExpressionPiece {
        sets.append(set)
        return .set(sets.count - 1)
    }

    private mutating func escape() throws(RuleError) -> RegularExpressionPiece {
        switch try escaped() {
        case .kind(let kind, let isNegated):
            var set = ScalarSet()
            set.kinds = [(kind, isNegated)]
            return add(set)
        case .scalar(let scalar): return literal(scalar)
        }
    }

    private enum Escaped { case scalar(Unicode.Scalar), kind(ScalarSet.Kind, isNegated: Bool) }

    private mutating func escaped() throws(RuleError) -> Escaped {
        place += 1
        guard let scalar = current else { throw error("a backslash at the end", hint: "Write \\\\ for the character") }
        defer { place += 1 }
        switch scalar {
        case "d": return .kind(.digit, isNegated: false)
        case "D": return .kind(.digit, isNegated: true)
        case "w": return .kind(.word, isNegated: false)
        case "W": return .kind(.word, isNegated: true)
        case "s": return .kind(.space, isNegated: false)
        case "S": return .kind(.space, isNegated: true)
        case "n": return .scalar("\n")
        case "r": return .scalar("\r")
        case "t": return .scalar("\t")
        case "f": return .scalar("\u{c}")
        default:
            if scalar.isASCII, scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                throw unsupported("“\\\(scalar)”")
            }
            return .scalar(scalar)
        }
    }

    private mutating func set() throws(RuleError) -> RegularExpressionPiece {
        place += 1
        var set = ScalarSet()
        set.isNegated = take("^")
        var isFirst = true
        while let scalar = current, scalar != "]" || isFirst {
            isFirst = false
            guard let low = try member(&set) else { continue }
            guard current == "-", place + 1 < scalars.count, scalars[place + 1] != "]" else {
                set.ranges.append(low.value...low.value)
                continue
            }
            place += 1
            guard let high = try member(&set) else {
                throw error("a range ends in a class", hint: "Write \\- for the character")
            }
            guard low.value <= high.value else {
                throw error("a range has its ends in the wrong order", hint: "Exchange its ends")
            }
            set.ranges.append(low.value...high.value)
        }
        guard take("]") else { throw error("a set is not closed", hint: "Write ], or \\[ for the character") }
        return add(set)
    }

    /// Reads one character of a set; returns nil for a class, which is added at once.
    private mutating func member(_ set: inout ScalarSet) throws(RuleError) -> Unicode.Scalar? {
        guard let scalar = current else {
            throw error("a set is not closed", hint: "Write ], or \\[ for the character")
        }
        switch scalar {
        case "[": throw unsupported("a set in a set")
        case "&" where place + 1 < scalars.count && scalars[place + 1] == "&":
            throw unsupported("an intersection of sets")
        case "\\":
            switch try escaped() {
            case .scalar(let scalar): return scalar
            case .kind(let kind, let isNegated):
                set.kinds.append((kind, isNegated))
                return nil
            }
        default:
            place += 1
            return scalar
        }
    }
}
