// BlockerBench: a content blocker's list of 150,000 rules: the time to compile it, its memory, and the time to decide
// about a load; prints a line of samples for each figure.

import ContentRules
import Glibc

/// Rules like those of public lists: 55 % block a domain, 15 % a part of a path, 15 % hide elements of one site, 5 %
/// have a query, 5 % are conditional, 5 % hide elements everywhere.
@main
struct BlockerBench {
    private static let count = 150_000
    private static let rounds = 300

    static func main() throws {
        var words = Words()
        let json = list(&words)
        let start = now()
        let rules = try RuleList(json: json)
        print("compile us \(Double(now() - start) / 1e3)")
        // The peak of the process: with the JSON, and all that the compiler needs meanwhile.
        print("memory KB \(peakMemory())")
        guard rules.statistics.rules == count, rules.statistics.skipped == 0 else { fatalError("rules are missing") }
        let page = "https://www.example.com/page"
        let loads = try [
            ("short", "https://www.example.com/"),
            ("script", "https://cdn.example.org/assets/lib/script.min.js?version=1234567890&cache=false&user=abcdefgh"),
            ("long", "https://example.org/" + String(repeating: "segment/", count: 120)),
        ].map { ($0.0, try ContentLoad(url: $0.1, page: page, type: .script)) }
        for (name, load) in loads {
            let times = try (0..<rounds).map { _ in
                let start = now()
                _ = try rules.decision(for: load)
                return Double(now() - start) / 1e3
            }
            print((["decision.\(name)", "us"] + times.map { "\($0)" }).joined(separator: " "))
        }
    }

    private static func list(_ words: inout Words) -> [UInt8] {
        var text = "["
        for number in 0..<count {
            if number > 0 { text += ",\n" }
            let (one, two) = (words.next(), words.next())
            let (trigger, action): (String, String) =
                switch number % 20 {
                case 0..<11:
                    (
                        #""url-filter": "^[^:]+:(//)?([^/]+\\.)?\#(one)\#(two)\\.com", "load-type": ["third-party"]"#,
                        "block"
                    )
                case 11..<14:
                    (#""url-filter": "/\#(one)/\#(two)[-_.]ad", "resource-type": ["image", "script"]"#, "block")
                case 14..<17: (#""url-filter": ".*", "if-domain": ["*\#(one)\#(two).com"]"#, "css-display-none")
                case 17: (#""url-filter": "[?&]\#(one)=.*\#(two)""#, "block")
                case 18:
                    (
                        #""url-filter": "^https?://([^/]*\\.)?\#(one)\#(two)\\.net[/:]", "unless-domain": ["*\#(one).com"]"#,
                        "block-cookies"
                    )
                default: (#""url-filter": ".*""#, "css-display-none")
                }
            text +=
                #"{"trigger": {\#(trigger)}, "action": {"type": "\#(action)", "selector": ".\#(one) > div.\#(two)"}}"#
        }
        return Array((text + "]").utf8)
    }

    private static func peakMemory() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(0), &usage)
        return usage.ru_maxrss
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// Random words, the same in each run.
private struct Words {
    private var state: UInt64 = 7

    private mutating func number(_ bound: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return (value ^ (value >> 31)) % bound
    }

    mutating func next() -> String {
        String((0..<(3 + number(8))).map { _ in Character(Unicode.Scalar(UInt8(97 + number(26)))) })
    }
}
