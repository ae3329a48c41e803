// RandomValues: property lists made from a seed, the same ones every time.

import PropertyListCoding

/// SplitMix64: small, and the same on every machine.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

struct RandomValues {
    var generator: SeededGenerator
    /// Only what XML, and Python's dates of whole seconds, can carry too.
    var isPlain = false

    init(seed: UInt64, isPlain: Bool = false) {
        generator = SeededGenerator(seed: seed)
        self.isPlain = isPlain
    }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private static let words: [[Character]] = [
        Array("abcdefghijklmnopqrstuvwxyz0123456789 .-_/"), Array("äöüßéèñçøåÆŁ"), Array("日本語テキスト漢字"),
        Array("😀👩‍👩‍👧🇩🇪𝄞🜁"),
    ]
    private static let plain = words + [Array("<>&\"' ]")]
    private static let any = words + [Array("\u{0}\u{1}\r\n\t\u{7F}\u{FFFF}\u{10FFFF}")]
    private static let lengths = [0, 1, 3, 7, 14, 15, 16, 17, 40, 150]

    mutating func string() -> String {
        let alphabets = isPlain ? Self.plain : Self.any
        let mixed = below(4) == 0
        var letters = alphabets[below(alphabets.count)]
        var text = ""
        for _ in 0..<Self.lengths[below(Self.lengths.count)] {
            if mixed { letters = alphabets[below(alphabets.count)] }
            text.append(letters[below(letters.count)])
        }
        return text
    }

    private mutating func instant() -> Double {
        let seconds = real()
        return seconds.isNaN ? 0 : seconds
    }

    private mutating func integer() -> Int64 {
        let edges: [Int64] = [
            0, 1, -1, 127, 128, 255, 256, 65535, 65536, Int64(UInt32.max), Int64(UInt32.max) + 1, .max, .min, .min + 1,
        ]
        return below(2) == 0 ? edges[below(edges.count)] : Int64(bitPattern: generator.next())
    }

    private mutating func real() -> Double {
        let edges = [0.0, -0.0, 1.5, .pi, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        if below(2) == 0 { return edges[below(edges.count)] }
        let value = Double(bitPattern: generator.next())
        return value.isNaN ? 0.25 : value
    }

    mutating func value(depth: Int = 4) -> PropertyList {
        switch below(depth > 0 ? 12 : 8) {
        case 0: return .boolean(below(2) == 0)
        case 1: return .integer(integer())
        case 2: return .real(real())
        case 3: return .date(isPlain ? Double(below(4_000_000_000) - 2_000_000_000) : instant())
        case 4:
            return .data(
                (0..<[0, 1, 14, 15, 64, 65, 300][below(7)]).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        case 5...7: return .string(string())
        case 8, 9: return .array((0..<below(8)).map { _ in value(depth: depth - 1) })
        default:
            var entries = PropertyListDictionary()
            for _ in 0..<(below(12) == 0 ? 40 : below(8)) { entries[string()] = value(depth: depth - 1) }
            return .dictionary(entries)
        }
    }
}
