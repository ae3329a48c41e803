// RuleTrials: content rule lists, compiled and applied by WebKit.

import Glibc
import PageEngines
import PageMessages

enum RuleTrials {
    static func rules(_ engine: any PageEngine) throws {
        guard let engine = engine as? WPEEngine else { throw TrialFailure(description: "only wpe has rules") }
        let page = """
            <img src="https://ads.example/a.png"><img src="https://news.example/b.png">
            <script src="https://ads.example/s.js"></script><p class=ad>x</p>
            """
        let (image, own, script) = (
            "https://ads.example/a.png", "https://news.example/b.png", "https://ads.example/s.js"
        )
        func loads() throws -> Set<String> {
            try engine.load(Trials.source(page))
            return Set(try engine.loads())
        }
        try expect(try loads(), [image, own, script])
        let rules = #"""
            [{"trigger": {"url-filter": "^https?://ads\\.", "load-type": ["third-party"], "resource-type": ["image"]},
              "action": {"type": "block"}}]
            """#
        try expect(try engine.compile(rules), nil, "a valid list")
        try expect(try loads(), [own, script], "an image is blocked")
        let other = #"[{"trigger": {"url-filter": "ads"}, "action": {"type": "block"}}]"#
        try expect(try engine.compile(other), nil, "another list")
        try expect(try loads(), [own], "images and scripts are blocked")
        let hiding = #"[{"trigger": {"url-filter": ".*"}, "action": {"type": "css-display-none", "selector": ".ad"}}]"#
        try expect(try engine.compile(hiding), nil, "a list that hides")
        try expect(try loads(), [image, own, script], "nothing is blocked")
        try Trials.wait(
            for: "getComputedStyle(document.querySelector('.ad')).display == 'none' ? 'hidden' : ''", engine)
        let invalid = #"[{"trigger": {"url-filter": "a|b"}, "action": {"type": "block"}}]"#
        try expect(try engine.compile(invalid), "Invalid or unsupported regular expression.")
        try expect(try loads(), [image, own, script], "no list is in force")
        for invalid in ["", "{", "{}", "[1]", "[{\"trigger\": {}, \"action\": {\"type\": \"block\"}}]"] {
            try expect(try engine.compile(invalid) != nil, "\(invalid) is invalid")
        }
    }

    /// Compiles each list of standard input.
    static func compile(_ engine: any PageEngine) throws {
        guard let engine = engine as? WPEEngine else { throw TrialFailure(description: "only wpe has rules") }
        var input: [UInt8] = []
        while let character = Optional(getchar()), character != EOF { input.append(UInt8(character)) }
        for list in input.split(separator: 0, omittingEmptySubsequences: false).dropLast() {
            let words = try engine.compile(String(decoding: list, as: UTF8.self))
            print(words.map { String($0.map { $0.isNewline ? " " : $0 }) } ?? "valid")
        }
    }
}
