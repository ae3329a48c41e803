// URLFilterParser: the patterns of `url-filter`, in the dialect that WebKit takes (observed).

/// A compiled pattern.
struct URLFilter: Sendable {
    /// The steps. The first set of `sets` has the index 0.
    var steps: [FilterStep] = []
    var sets: [ByteSet] = []
    var literals = LiteralRuns()
    /// Whether a match begins at the URL's start.
    var isAnchored = false
    /// Whether the pattern needs a character. One that needs none matches each URL, also with an anchor (observed).
    var needsCharacter = false
    /// The escapes that mean something else than most authors think.
    var oddities: [String] = []
}

/// The fault of a pattern.
struct URLFilterFault: Error {
    /// The place in the pattern, in characters from 0.
    let place: Int
    let detail: String
    let remedy: String
}

/// A parser that emits steps. It is linear in the pattern, apart from the steps that a repetition moves.
struct URLFilterParser {
    private static let greatestDepth = 100

    private let pattern: [UInt8]
    private let isCaseSensitive: Bool
    private var place = 0
    private var filter = URLFilter()
    private var setIndices: [ByteSet: Int] = [:]
    private var groups: [Mark] = []
    /// The state before the last atom, which a repetition may follow.
    private var atom: Mark?
    private var isEnded = false

    private struct Mark {
        let step: Int
        let literals: LiteralRuns.Mark
        let needsCharacter: Bool
    }

    private init(_ pattern: [UInt8], isCaseSensitive: Bool) {
        (self.pattern, self.isCaseSensitive) = (pattern, isCaseSensitive)
    }

    /// Compiles a pattern.
    static func parse(_ pattern: String, isCaseSensitive: Bool) throws(URLFilterFault) -> URLFilter {
        var parser = Self(Array(pattern.utf8), isCaseSensitive: isCaseSensitive)
        try parser.parse()
        return parser.filter
    }

    private var current: UInt8? { place < pattern.count ? pattern[place] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private func fault(_ detail: String, at place: Int? = nil, _ remedy: String) -> URLFilterFault {
        URLFilterFault(place: place ?? self.place, detail: detail, remedy: remedy)
    }

    private static let dialect =
        "There are characters, ., [sets], groups, ?, *, + and, at the ends, ^ and $; make two rules of alternatives"

    private var mark: Mark {
        Mark(step: filter.steps.count, literals: filter.literals.mark, needsCharacter: filter.needsCharacter)
    }

    // MARK: - The pattern

    private mutating func parse() throws(URLFilterFault) {
        if let other = pattern.firstIndex(where: { $0 >= 0x80 }) {
            throw fault(
                "the pattern has a character that is not ASCII", at: other, "Write it percent-encoded, as %C3%A9")
        }
        while let character = current {
            switch character {
            case UInt8(ascii: "^"): try parseStart()
            case UInt8(ascii: "$"):
                try beginAtom()
                place += 1
                endURL()
                atom = nil
            case UInt8(ascii: "|"): throw fault("alternatives are not supported", Self.dialect)
            case UInt8(ascii: "("): try parseGroup()
            case UInt8(ascii: ")"): try endGroup()
            case UInt8(ascii: "["): try parseSet()
            case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"):
                place += 1
                try repeated(
                    isOptional: character != UInt8(ascii: "+"), isMany: character != UInt8(ascii: "?"), from: place - 1)
            case UInt8(ascii: "{"):
                if try !parseCount() { try literal(character) }
            case UInt8(ascii: "\\"): try parseEscape()
            case UInt8(ascii: "."):
                try beginAtom()
                place += 1
                filter.steps.append(FilterStep(.any))
                filter.literals.end()
                filter.needsCharacter = true
            default: try literal(character)
            }
        }
        guard groups.isEmpty else { throw fault("a group is not closed", "Write ), or \\( for the character") }
        filter.steps.append(FilterStep(.match))
    }

    /// Begins an atom, which only the end of a pattern may not precede.
    private mutating func beginAtom() throws(URLFilterFault) {
        guard !isEnded else { throw fault("$ is not the last character", "Write \\$ for the character, or omit it") }
        atom = mark
    }

    private mutating func endURL() {
        filter.steps.append(FilterStep(.end))
        filter.literals.end()
        isEnded = true
    }

    private mutating func parseStart() throws(URLFilterFault) {
        guard filter.steps.isEmpty, groups.isEmpty, !isEnded, atom == nil else {
            throw fault("^ is not the first character", "Write \\^ for the character, or omit it")
        }
        place += 1
        filter.isAnchored = true
    }

    /// Adds a character.
    private mutating func literal(_ byte: UInt8) throws(URLFilterFault) {
        try beginAtom()
        place += 1
        emit(byte)
    }

    private mutating func emit(_ byte: UInt8) {
        // WebKit has NUL for the URL's end.
        guard byte != 0 else { return endURL() }
        filter.steps.append(FilterStep(.byte, Int(isCaseSensitive ? byte : lowercased(byte))))
        filter.literals.append(byte)
        filter.needsCharacter = true
    }

    private mutating func emit(_ set: ByteSet) {
        if set.count == 1, set.contains(0) { return endURL() }
        filter.needsCharacter = true
        if let byte = set.first, set.count == 1 || (!isCaseSensitive && isOneLetter(set)) {
            filter.steps.append(FilterStep(.byte, Int(isCaseSensitive ? byte : lowercased(byte))))
            filter.literals.append(byte)
            return
        }
        let index = setIndices[set] ?? filter.sets.count
        if index == filter.sets.count {
            setIndices[set] = index
            filter.sets.append(set)
        }
        filter.steps.append(FilterStep(.set, index))
        filter.literals.end()
    }

    private func isOneLetter(_ set: ByteSet) -> Bool {
        guard set.count == 2, let upper = set.first else { return false }
        return lowercased(upper) != upper && set.contains(lowercased(upper))
    }

    // MARK: - Groups and repetitions

    private mutating func parseGroup() throws(URLFilterFault) {
        let start = place
        try beginAtom()
        place += 1
        if take("?") {
            if !take(":") {
                // (?<name>…) is a group; (?<=…) and (?<!…) look behind.
                guard take("<"), let letter = current, isNameStart(letter) else {
                    throw fault("look-ahead and look-behind are not supported", at: start, Self.dialect)
                }
                while let letter = current, isNameStart(letter) || isDigit(letter) { place += 1 }
                guard take(">") else { throw fault("the name of a group is not closed", "Write (…)") }
            }
        }
        guard groups.count < Self.greatestDepth else {
            throw fault("groups are nested more than \(Self.greatestDepth) deep", at: start, "Omit the inner ones")
        }
        groups.append(mark)
        atom = nil
    }

    private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private func isNameStart(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "$")
    }

    private mutating func endGroup() throws(URLFilterFault) {
        guard let start = groups.popLast() else {
            throw fault("“)” closes nothing", "Write \\) for the character")
        }
        guard !isEnded else { throw fault("$ is not the last character", "Put it behind the group") }
        place += 1
        atom = start
    }

    /// Repeats the last atom.
    private mutating func repeated(isOptional: Bool, isMany: Bool, from start: Int) throws(URLFilterFault) {
        guard let atom else {
            throw fault(
                "“\(Character(Unicode.Scalar(pattern[start])))” repeats nothing", at: start,
                "Write \\\(Character(Unicode.Scalar(pattern[start]))) for the character")
        }
        // A lazy repetition finds the same URLs.
        _ = take("?")
        let length = filter.steps.count - atom.step
        if isOptional {
            if isMany { filter.steps.append(FilterStep(.jump, -length - 1)) }
            filter.steps.insert(FilterStep(.split, length + (isMany ? 2 : 1)), at: atom.step)
            filter.literals.forget(atom.literals)
            filter.needsCharacter = atom.needsCharacter
        } else {
            filter.steps.append(FilterStep(.split, -length))
            filter.literals.end()
        }
        self.atom = nil
    }

    /// Reads `{0,1}`, `{0,}` and `{1,}`, which are ?, * and +. Returns false for a brace that begins no repetition.
    private mutating func parseCount() throws(URLFilterFault) -> Bool {
        let start = place
        place += 1
        guard let least = number() else {
            place = start
            return false
        }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}") else {
            place = start
            return false
        }
        switch (least, most) {
        case (0, 1): try repeated(isOptional: true, isMany: false, from: start)
        case (0, nil): try repeated(isOptional: true, isMany: true, from: start)
        case (1, nil): try repeated(isOptional: false, isMany: true, from: start)
        default: throw fault("a counted repetition is not supported", at: start, "Write the atom several times")
        }
        return true
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = current, isDigit(digit) {
            value = min((value ?? 0) * 10 + Int(digit - UInt8(ascii: "0")), 1_000_000)
            place += 1
        }
        return value
    }

    // MARK: - Escapes and sets

    private enum Escaped { case byte(UInt8), kind, boundary }

    private mutating func parseEscape() throws(URLFilterFault) {
        let start = place
        try beginAtom()
        switch try escaped(inSet: false) {
        case .byte(let byte): emit(byte)
        case .kind: throw fault("\\d, \\w, \\s and their opposites are not supported", at: start, "Write a set: [0-9]")
        case .boundary: throw fault("\\b and \\B are not supported", at: start, "Write the character of the boundary")
        }
    }

    private mutating func escaped(inSet: Bool) throws(URLFilterFault) -> Escaped {
        let start = place
        place += 1
        guard let character = current else {
            throw fault("a backslash ends the pattern", "Write \\\\ for the character")
        }
        place += 1
        switch character {
        case UInt8(ascii: "b") where inSet: return .byte(0x08)
        case UInt8(ascii: "b"), UInt8(ascii: "B"): return inSet ? .byte(character) : .boundary
        case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "w"),
            UInt8(ascii: "W"):
            return .kind
        case UInt8(ascii: "f"): return .byte(0x0C)
        case UInt8(ascii: "n"): return .byte(0x0A)
        case UInt8(ascii: "r"): return .byte(0x0D)
        case UInt8(ascii: "t"): return .byte(0x09)
        case UInt8(ascii: "v"): return .byte(0x0B)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            let value = octal(character)
            filter.oddities.append(
                "“\\\(Character(Unicode.Scalar(character)))” is no back reference, but the character \(value)")
            return .byte(try ascii(value, start))
        case UInt8(ascii: "c"):
            guard let letter = current, isNameStart(letter), letter != UInt8(ascii: "_"), letter != UInt8(ascii: "$")
            else {
                // The backslash itself; the c is read next.
                place -= 1
                return .byte(UInt8(ascii: "\\"))
            }
            place += 1
            return .byte(letter & 0x1F)
        case UInt8(ascii: "x"): return .byte(try ascii(hexadecimal(2) ?? Int(character), start))
        case UInt8(ascii: "u"): return .byte(try ascii(hexadecimal(4) ?? Int(character), start))
        case UInt8(ascii: "k") where hasNamedGroup && !inSet:
            throw fault("back references are not supported", at: start, Self.dialect)
        default: return .byte(character)
        }
    }

    /// Whether a group has a name, which `\k` could refer to.
    private lazy var hasNamedGroup = pattern.indices.contains { pattern[$0...].starts(with: "(?<".utf8) }

    private func ascii(_ value: Int, _ start: Int) throws(URLFilterFault) -> UInt8 {
        guard value < 0x80 else {
            throw fault(
                "an escape is of a character that is not ASCII", at: start, "Write it percent-encoded, as %C3%A9")
        }
        return UInt8(value)
    }

    private mutating func octal(_ first: UInt8) -> Int {
        var value = Int(first - UInt8(ascii: "0"))
        for _ in 0..<2 {
            guard let digit = current, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit),
                value * 8 + Int(digit - UInt8(ascii: "0")) < 256
            else { break }
            value = value * 8 + Int(digit - UInt8(ascii: "0"))
            place += 1
        }
        return value
    }

    private mutating func hexadecimal(_ digits: Int) -> Int? {
        guard place + digits <= pattern.count else { return nil }
        var value = 0
        for byte in pattern[place..<place + digits] {
            guard let digit = hexValue(byte) else { return nil }
            value = value << 4 | Int(digit)
        }
        place += digits
        return value
    }

    private mutating func parseSet() throws(URLFilterFault) {
        let start = place
        try beginAtom()
        place += 1
        let isInverted = take("^")
        var set = ByteSet()
        while let character = current, character != UInt8(ascii: "]") {
            let low = try member()
            guard current == UInt8(ascii: "-"), place + 1 < pattern.count, pattern[place + 1] != UInt8(ascii: "]")
            else {
                insert(low...low, into: &set)
                continue
            }
            place += 1
            let high = try member()
            guard low <= high else {
                throw fault("a range has its ends in the wrong order", at: start, "Exchange its ends")
            }
            insert(low...high, into: &set)
        }
        guard take("]") else { throw fault("a set is not closed", at: start, "Write ], or \\[ for the character") }
        if isInverted { set.invert() }
        emit(set)
    }

    private mutating func insert(_ range: ClosedRange<UInt8>, into set: inout ByteSet) {
        for byte in range {
            set.insert(byte)
            if !isCaseSensitive, isNameStart(byte), byte != UInt8(ascii: "_"), byte != UInt8(ascii: "$") {
                set.insert(byte ^ 0x20)
            }
        }
    }

    private mutating func member() throws(URLFilterFault) -> UInt8 {
        let start = place
        guard let character = current else {
            throw fault("a set is not closed", "Write ], or \\[ for the character")
        }
        guard character == UInt8(ascii: "\\") else {
            place += 1
            return character
        }
        switch try escaped(inSet: true) {
        case .byte(let byte): return byte
        case .kind, .boundary:
            throw fault("\\d, \\w, \\s and their opposites are not supported", at: start, "Write a range: 0-9")
        }
    }
}
