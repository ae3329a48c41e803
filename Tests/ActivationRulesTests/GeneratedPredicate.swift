// GeneratedPredicate: predicates and trees made at random from a seed, for properties that hold of all of them.

import PropertyListCoding

/// SplitMix64: the same numbers for the same seed, everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// Writes predicates over a small tree, in every spelling that the grammar has.
struct GeneratedPredicate {
    private var random: SeededGenerator
    private var variables: [String] = []
    private var counter = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func one(_ choices: String...) -> String { choices.randomElement(using: &random) ?? "" }
    private mutating func chance(_ part: Int, of whole: Int) -> Bool {
        Int.random(in: 0..<whole, using: &random) < part
    }
    private mutating func space() -> String { one(" ", " ", "\n", "\t ", "  ") }

    mutating func clause(depth: Int = 4) -> String {
        guard depth > 0, chance(3, of: 4) else { return comparison(depth: depth) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return clause(depth: depth - 1) + space() + one("AND", "and", "&&") + space() + clause(depth: depth - 1)
        case 1: return clause(depth: depth - 1) + space() + one("OR", "or", "||") + space() + clause(depth: depth - 1)
        case 2: return one("NOT ", "not ", "!") + "(" + clause(depth: depth - 1) + ")"
        case 3: return "(" + space() + clause(depth: depth - 1) + ")"
        case 4: return one("TRUEPREDICATE", "FALSEPREDICATE", "truepredicate")
        default: return comparison(depth: depth)
        }
    }

    /// What nearly every published rule says of its attachments.
    private mutating func count(depth: Int) -> String {
        let start =
            (variables.last.map { "$" + $0 + "." } ?? "")
            + one("extensionItems", "attachments", "a", "registeredTypeIdentifiers")
        counter += 1
        variables.append("x\(counter)")
        let inner =
            chance(1, of: 2)
            ? "ANY $x\(counter).registeredTypeIdentifiers UTI-CONFORMS-TO 'public.data'" : clause(depth: depth - 1)
        let part = "SUBQUERY(\(start), $\(variables.removeLast()), \(inner)).@count"
        return part + one(" == \(start).@count", " > 0", " >= 1", " == 1", " > 1", " != \(start).@count")
    }

    mutating func comparison(depth: Int) -> String {
        if depth > 0, chance(1, of: 4) { return count(depth: depth) }
        let modifier = chance(1, of: 3) ? one("ANY ", "SOME ", "ALL ", "none ") : ""
        let left = operand(depth: depth)
        let options = chance(1, of: 4) ? one("[c]", "[d]", "[cd]", "[dc]") : ""
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return modifier + left + " BETWEEN " + "{" + operand(depth: 0) + ", " + operand(depth: 0) + "}"
        case 1: return modifier + left + " MATCHES" + options + " " + one("'a.*'", "\"[^x]+\"", "'(b|ö)?'")
        case 2...4: return modifier + left + space() + one("UTI-CONFORMS-TO", "uti-equals") + space() + text()
        case 5, 6:
            return modifier + left + space() + one("CONTAINS", "IN", "BEGINSWITH", "endswith", "LIKE") + options
                + space()
                + operand(depth: depth)
        default:
            return modifier + left + space() + one("==", "=", "!=", "<>", "<", "=<", ">", ">=", "=>", "<=") + options
                + space()
                + operand(depth: depth)
        }
    }

    private mutating func text() -> String {
        one(
            "'public.image'", "\"public.url\"", "'org.example.a'", "'a\\'b\\\\\\n'", "\"ö\"", "'Public.Data'", "''",
            "'a*?'")
    }

    mutating func operand(depth: Int) -> String {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return "\(Int.random(in: -3...3, using: &random))"
        case 1: return text()
        case 2 where depth > 0: return "{" + operand(depth: depth - 1) + ", " + operand(depth: depth - 1) + "}"
        case 3 where depth > 0, 4 where depth > 0:
            let collection = operand(depth: depth - 1)
            counter += 1
            let name = chance(1, of: 4) ? "x" : "x\(counter)"
            variables.append(name)
            let inner = clause(depth: depth - 1)
            variables.removeLast()
            return "SUBQUERY(\(collection), $\(name),\(space())\(inner))" + (chance(2, of: 3) ? ".@count" : "")
        case 5: return one("TRUE", "no", "nil", "NULL")
        default:
            let start = variables.randomElement(using: &random).map { chance(2, of: 3) ? "$" + $0 : key() } ?? key()
            return start + (chance(1, of: 2) ? "." + key() : "") + (chance(1, of: 4) ? ".@count" : "")
        }
    }

    private mutating func key() -> String {
        one("extensionItems", "attachments", "registeredTypeIdentifiers", "a", "b", "gone")
    }

    /// A tree that the keys above lead into.
    mutating func tree() -> PropertyList {
        let items = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            PropertyList.dictionary([
                "attachments": .array(
                    (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        let types = ["public.jpeg", "public.url", "org.example.a", "public.file-url"].filter { _ in
                            chance(1, of: 3)
                        }
                        return ["registeredTypeIdentifiers": .array(types.map(PropertyList.string)), "a": "ab"]
                    })
            ])
        }
        return [
            "extensionItems": .array(items), "a": ["a", "Ö", 2, 1.5],
            "b": .integer(Int64.random(in: -2...2, using: &random)),
        ]
    }
}
