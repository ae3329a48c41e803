// SearchBench: an index of 100,000 items: the time to index them, and the time of searches; prints a line of samples
// for each figure.

import Glibc
import PropertyListCoding
import SpotlightStore

/// Items like notes: a title of four words, a text of 30, two keywords, a date and a rating, of 2,000 words in all.
@main
struct SearchBench {
    private static let count = 100_000
    private static let rounds = 100

    static func main() throws {
        var words = Words()
        let path = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ":memory:"
        let store = try SpotlightStore(path: path)
        let family = AppFamily("app", owner: "/app")
        let start = now()
        for first in stride(from: 0, to: count, by: 250) {
            let items = (first..<first + 250).map { number in
                IndexedItem(
                    identifier: "\(number)", domain: "notes.\(number % 100)", expires: 1e9,
                    attributes: [
                        "title": .string(words.text(4)), "textContent": .string(words.text(30)),
                        "keywords": [.string(words.next()), .string(words.next())],
                        "contentModificationDate": .date(Double(number)), "rating": .integer(Int64(number % 5)),
                    ])
            }
            try store.apply([.put(items)], of: family, now: 0)
        }
        print("index us \(Double(now() - start) / 1e3)")
        let word = words.word(7)
        let searches: [(String, IndexCursor.Search)] = try [
            ("word", .words(word)), ("prefix", .words(String(word.prefix(2)))),
            ("letter", .words(String(word.prefix(1)))),
            ("words", .words("\(words.word(1)) \(words.word(2))")),
            ("missing", .words("nowhere")),
            ("query.prefix", .query(SearchQuery("title == \"\(word)*\"cd"))),
            ("query.inside", .query(SearchQuery("title == \"*\(word.dropFirst())*\"cd"))),
            ("query.number", .query(SearchQuery("rating == 3 && contentModificationDate > 99000"))),
            ("query.missing", .query(SearchQuery("title == \"*nowhere*\"cd"))),
        ]
        for (name, search) in searches {
            var found = 0
            let times = try (0..<rounds).map { _ in
                let start = now()
                found = 0
                var cursor = IndexCursor(search, of: family, now: 0)
                // All pages up to 100 items, as a list shows them.
                while !cursor.isAtEnd, found < 100 { found += try store.page(&cursor, count: 100).count }
                return Double(now() - start) / 1e3
            }
            guard name.hasSuffix("missing") == (found == 0) else { fatalError("\(name) finds \(found)") }
            print((["\(name)", "us"] + times.map { "\($0)" }).joined(separator: " "))
        }
        try all(store, family, words)
    }

    /// Searches that find most items, page by page to the end.
    private static func all(_ store: SpotlightStore, _ family: AppFamily, _ words: Words) throws {
        let searches: [(String, IndexCursor.Search)] = try [
            ("all.letter", .words(String(words.word(7).prefix(1)))), ("all.number", .query(SearchQuery("rating >= 0"))),
            ("all.any", .query(SearchQuery("*==*"))),
        ]
        for (name, search) in searches {
            let times = try (0..<5).map { _ in
                let start = now()
                var cursor = IndexCursor(search, of: family, now: 0)
                while !cursor.isAtEnd { _ = try store.page(&cursor, count: 64) }
                return Double(now() - start) / 1e3
            }
            print((["\(name)", "us"] + times.map { "\($0)" }).joined(separator: " "))
        }
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
    private var all: [String] = []

    init() {
        all = (0..<2000).map { _ in
            String((0..<(3 + number(8))).map { _ in Character(Unicode.Scalar(UInt8(97 + number(26)))) })
        }
    }

    private mutating func number(_ bound: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return (value ^ (value >> 31)) % bound
    }

    func word(_ place: Int) -> String { all[place] }
    mutating func next() -> String { all[Int(number(2000))] }
    mutating func text(_ count: Int) -> String { (0..<count).map { _ in next() }.joined(separator: " ") }
}
