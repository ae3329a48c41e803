// RuleTrials: content rule lists, compiled and applied by WebKit.

import Glibc
import PageEngines
import PageMessages

enum RuleTrials {
    static func rules(_ engine: any PageEngine) throws {
        let engine = try engineOfRules(engine)
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
        let engine = try engineOfRules(engine)
        for list in input() {
            let words = try engine.compile(list)
            print(words.map { String($0.map { $0.isNewline ? " " : $0 }) } ?? "valid")
        }
    }

    /// Compiles each list of standard input, and shows a page under a URL: the two texts after it.
    ///
    /// It prints a line for each page: the loads that no rule blocked, the identifiers of hidden elements, and those of
    /// elements that the selector in the fourth text matches, each in order. The page sets `isDone` at the end of its
    /// fetches. The list hides `#sentinel` by its last rule at the load of `sentinel`.
    static func apply(_ engine: any PageEngine) throws {
        let engine = try engineOfRules(engine)
        let texts = input()
        for index in stride(from: 0, to: texts.count - 3, by: 4) {
            try expect(try engine.compile(texts[index]), nil, texts[index])
            try engine.load(Trials.source(texts[index + 1], url: texts[index + 2]))
            func value(_ text: String) throws -> String {
                try engine.evaluate(PageScript(text, name: "t.js"), in: .page) ?? ""
            }
            // The page's event `load` does not wait for its fetches.
            try Trials.wait(for: "window.isDone || ''", engine)
            // WebKit hides elements some time after a load, in the order of the loads.
            _ = try value("new Image().src = '\(sentinel)'; ''")
            try Trials.wait(
                for: "getComputedStyle(document.getElementById('sentinel')).display == 'none' ? 'hidden' : ''", engine)
            let identifiers = "map(element => element.id).sort().join(' ')"
            let isHidden = "filter(element => getComputedStyle(element).display == 'none')"
            print(
                Set(try engine.loads()).subtracting([sentinel]).sorted().joined(separator: " "),
                try value("Array.from(document.querySelectorAll('[id]')).\(isHidden).\(identifiers)"),
                try value("Array.from(document.querySelectorAll(`\(texts[index + 3])`)).\(identifiers)"),
                separator: "\t")
        }
    }

    private static let sentinel = "https://sentinel.example/"

    private static func engineOfRules(_ engine: any PageEngine) throws -> WPEEngine {
        guard let engine = engine as? WPEEngine else { throw TrialFailure(description: "only wpe has rules") }
        return engine
    }

    /// The texts of standard input, each of which has a NUL at its end.
    private static func input() -> [String] {
        var input: [UInt8] = []
        while let character = Optional(getchar()), character != EOF { input.append(UInt8(character)) }
        return input.split(separator: 0, omittingEmptySubsequences: false).dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
