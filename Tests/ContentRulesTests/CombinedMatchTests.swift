// CombinedMatchTests: all patterns at once, compared with a matcher that tries one after the other by backtracking.

import ContentRules
import Testing

/// A pattern as a tree, with the simplest matcher there is.
indirect enum NaivePattern {
    case set(text: String, Set<UInt8>)
    case sequence([NaivePattern])
    case repeated(NaivePattern, mark: String)

    var text: String {
        switch self {
        case .set(let text, _): text
        case .sequence(let parts): parts.map(\.text).joined()
        case .repeated(let part, let mark):
            if case .sequence = part { "(\(part.text))\(mark)" } else { "\(part.text)\(mark)" }
        }
    }

    /// Returns the ends of all matches that begin at a place.
    func ends(_ bytes: [UInt8], from start: Int) -> Set<Int> {
        switch self {
        case .set(_, let set): return start < bytes.count && set.contains(bytes[start]) ? [start + 1] : []
        case .sequence(let parts):
            return parts.reduce([start]) { places, part in part.ends(bytes, from: places) }
        case .repeated(let part, let mark):
            let once = part.ends(bytes, from: start)
            if mark == "?" { return once.union([start]) }
            var (found, new) = (once, once)
            while !new.isEmpty {
                new = part.ends(bytes, from: new).subtracting(found)
                found.formUnion(new)
            }
            return mark == "*" ? found.union([start]) : found
        }
    }

    private func ends(_ bytes: [UInt8], from places: Set<Int>) -> Set<Int> {
        places.reduce(into: Set<Int>()) { $0.formUnion(ends(bytes, from: $1)) }
    }

    /// Whether each match has a character.
    var needsCharacter: Bool {
        switch self {
        case .set: true
        case .sequence(let parts): parts.contains { $0.needsCharacter }
        case .repeated(let part, let mark): mark == "+" && part.needsCharacter
        }
    }
}

/// A pattern with its anchors.
struct NaiveFilter {
    var isStart = false
    var isEnd = false
    var body: [NaivePattern] = []
    var isCaseSensitive = false

    var text: String { (isStart ? "^" : "") + body.map(\.text).joined() + (isEnd ? "$" : "") }

    func matches(_ url: String) -> Bool {
        // WebKit's rule for patterns that need no character.
        guard body.contains(where: \.needsCharacter) else { return true }
        let bytes = Array((isCaseSensitive ? url : url.lowercased()).utf8)
        let pattern = NaivePattern.sequence(body)
        return (0...(isStart ? 0 : bytes.count)).contains { start in
            let ends = pattern.ends(bytes, from: start)
            return isEnd ? ends.contains(bytes.count) : !ends.isEmpty
        }
    }
}

/// Random patterns and URLs over few characters, so that many match.
struct PatternMaker {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func number(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(bound))
    }

    private static let letters: [Character] = ["a", "b", "A", "c", "/", ".", "-"]

    private mutating func set(_ isCaseSensitive: Bool) -> NaivePattern {
        func both(_ bytes: [UInt8]) -> Set<UInt8> {
            let texts = bytes.map { String(Unicode.Scalar($0)) }
            return isCaseSensitive ? Set(bytes) : Set(texts.flatMap { Array($0.lowercased().utf8) })
        }
        let all = Set(UInt8(0x21)...0x7E)
        switch number(10) {
        case 0: return .set(text: ".", all)
        case 1: return .set(text: "[a-c]", both([0x61, 0x62, 0x63]))
        case 2:
            let inside: [UInt8] = isCaseSensitive ? [0x2F, 0x41] : [0x2F, 0x41, 0x61]
            return .set(text: "[^/A]", all.subtracting(inside))
        case 3: return .set(text: "[]", [])
        default:
            let letter = Self.letters[number(Self.letters.count)]
            return .set(text: letter == "." ? "\\." : String(letter), both([letter.asciiValue ?? 0]))
        }
    }

    private mutating func part(_ depth: Int, _ isCaseSensitive: Bool) -> NaivePattern {
        let inner: NaivePattern =
            depth < 2 && number(5) == 0
            ? .sequence((0..<number(4)).map { _ in part(depth + 1, isCaseSensitive) }) : set(isCaseSensitive)
        switch number(8) {
        case 0: return .repeated(inner, mark: "?")
        case 1: return .repeated(inner, mark: "*")
        case 2: return .repeated(inner, mark: "+")
        default: return inner
        }
    }

    mutating func filter() -> NaiveFilter {
        var filter = NaiveFilter()
        filter.isCaseSensitive = number(3) == 0
        filter.isStart = number(5) == 0
        filter.isEnd = number(5) == 0
        repeat {
            filter.body = (0..<(1 + number(7))).map { _ in part(0, filter.isCaseSensitive) }
        } while filter.text.isEmpty
        return filter
    }

    mutating func url() -> String {
        let letters: [Character] = ["a", "b", "c", "A", "B", "/", ".", "-"]
        return "http://a.b/" + String((0..<number(14)).map { _ in letters[number(letters.count)] })
    }
}

@Suite struct CombinedMatchTests {
    // spec: CB-11, CB-17
    @Test("CB-11: patterns matched at once find what each finds alone", arguments: 0..<8)
    func togetherAsAlone(_ seed: Int) throws {
        var maker = PatternMaker(seed: UInt64(seed))
        let filters = (0..<60).map { _ in maker.filter() }
        let json = list(
            filters.map { naive in
                let sensitive = #", "url-filter-is-case-sensitive": \#(naive.isCaseSensitive)"#
                return (filter(naive.text) + sensitive, hide("a"))
            })
        let rules = try RuleList(json: json)
        var hits = 0
        for _ in 0..<60 {
            let url = maker.url()
            let found = try rules.decision(for: ContentLoad(url: url)).hidden.map(\.rule)
            let expected = filters.indices.filter { filters[$0].matches(url) }.map { $0 + 1 }
            #expect(
                found == expected, "\(url): \(Set(found).symmetricDifference(expected).map { filters[$0 - 1].text })")
            hits += expected.count
        }
        #expect(hits > 300 && hits < 3400, "\(hits): the comparison means little")
    }

    // spec: CB-13, CB-17
    @Test("CB-17: rules with conditions apply as if tried one after the other", arguments: 0..<4)
    func rulesAsAlone(_ seed: Int) throws {
        var maker = PatternMaker(seed: UInt64(1000 + seed))
        let hosts = ["a.com", "b.com", "www.a.com", "x.www.a.com", "c.org"]
        let names = ["a.com", "*a.com", "b.com", "*www.a.com", "*org"]
        struct Rule {
            var filter: NaiveFilter
            var names: [String]?
            var isUnless: Bool
            var action: Int
        }
        let rules = (0..<40).map { _ in
            Rule(
                filter: maker.number(4) == 0 ? NaiveFilter() : maker.filter(),
                names: maker.number(2) == 0 ? nil : (0...maker.number(2)).map { _ in names[maker.number(names.count)] },
                isUnless: maker.number(2) == 0, action: maker.number(12))
        }
        let list = try RuleList(
            json: list(
                rules.map { rule in
                    var trigger = filter(rule.filter.body.isEmpty ? ".*" : rule.filter.text)
                    trigger += #", "url-filter-is-case-sensitive": \#(rule.filter.isCaseSensitive)"#
                    if let names = rule.names {
                        trigger += #", "\#(rule.isUnless ? "unless" : "if")-domain": \#(names)"#
                    }
                    return (trigger, rule.action == 0 ? ignore : rule.action < 4 ? block : hide("a"))
                }))
        for _ in 0..<80 {
            let url = maker.url()
            let host = hosts[maker.number(hosts.count)]
            var (blocked, hidden): (Int?, [Int]) = (nil, [])
            for (index, rule) in rules.enumerated() where rule.filter.matches(url) {
                if let names = rule.names {
                    let isListed = names.contains {
                        $0 == host || ($0.hasPrefix("*") && ("." + host).hasSuffix("." + $0.dropFirst()))
                    }
                    if isListed == rule.isUnless { continue }
                }
                switch rule.action {
                case 0: (blocked, hidden) = (nil, [])
                case 1..<4: blocked = blocked ?? index + 1
                default: hidden.append(index + 1)
                }
            }
            let found = try list.decision(for: ContentLoad(url: url, page: "http://\(host)/", type: .image))
            #expect(found.blocked == blocked && found.hidden.map(\.rule) == hidden, "\(url) on \(host)")
        }
    }
}
