// MatchSketch: the least that asking a thousand rules takes: types as bits of a word, rules as trees; for RuleBench to
// stand beside.

import Glibc

/// The rules and the request of RuleBench, made by hand: no text is read, no operator is looked up, nothing
/// is bounded, and a type's conformance is one bit test.
@main
struct MatchSketch {
    /// What one of an attachment's types conforms to, a bit each.
    typealias Types = UInt64

    indirect enum Condition {
        case conforms(to: Types)
        case either(Condition, Condition)

        func holds(of attachment: Types) -> Bool {
            switch self {
            case .conforms(let types): attachment & types != 0
            case .either(let one, let other): one.holds(of: attachment) || other.holds(of: attachment)
            }
        }
    }

    enum Rule {
        /// As many items as this all of whose attachments meet the condition.
        case items(Int, Condition)
        /// At most so many attachments of each type, and none of another.
        case counts([(type: Types, most: Int)])

        @inline(never)
        func accepts(_ items: [[Types]]) -> Bool {
            switch self {
            case .items(let wanted, let condition):
                var found = 0
                for item in items {
                    var meeting = 0
                    for attachment in item where condition.holds(of: attachment) { meeting += 1 }
                    if meeting == item.count { found += 1 }
                }
                return found == wanted
            case .counts(let limits):
                var unclaimed = 0
                for item in items {
                    for attachment in item where !limits.contains(where: { attachment & $0.type != 0 }) {
                        unclaimed += 1
                    }
                }
                if unclaimed > 0 { return false }
                for limit in limits {
                    var count = 0
                    for item in items { for attachment in item where attachment & limit.type != 0 { count += 1 } }
                    if count > limit.most { return false }
                }
                return true
            }
        }
    }

    static func main() {
        let rules = (0..<1000).map { number -> Rule in
            number % 2 == 0
                ? .items(number % 3 + 1, .either(.conforms(to: 1 << (number % 5)), .conforms(to: 1 << (number % 7))))
                : .counts([(1, number % 7 + 1), (8, 1), (2, 1), (4, 100)])
        }
        // An image, an address, text.
        let request: [[Types]] = [[1 | 32, 2, 4 | 32]]
        var times: [UInt64] = []
        var matching = 0
        for _ in 0..<300 {
            let start = now()
            for rule in rules where rule.accepts(request) { matching += 1 }
            times.append(now() - start)
        }
        guard matching > 0 else { fatalError("none matches") }
        print((["match.1000", "us"] + times.map { "\(Double($0) / 1e3)" }).joined(separator: " "))
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
