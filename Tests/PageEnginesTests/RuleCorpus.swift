// RuleCorpus: rules in the forms of public lists, generated from a seed. No text of another's list is in it.

import ContentRules
import Foundation

/// A generator of rules, faults in them, and addresses that many of them are about. It gives the same in each run.
struct RuleCorpus {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func number(_ bound: Int) -> Int {
        // SplitMix64
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(bound))
    }

    private mutating func one<Element>(of list: [Element]) -> Element { list[number(list.count)] }

    // MARK: Words

    private static let hosts = [
        "ads", "metrics", "cdn", "track", "pixel", "stat", "promo", "news", "img", "beacon",
    ]
    private static let words = [
        "banner", "pixel", "sponsor", "counter", "popup", "teaser", "adframe", "analytics", "widget", "bid",
    ]
    private static let endings = ["gif", "png", "js", "css", "html"]
    private static let types = [
        "image", "script", "style-sheet", "raw", "fetch", "document", "font", "media", "popup",
    ]
    private static let names = ["id", "utm", "ad_slot", "ref", "v"]
    static let pages = ["https://news.example/a/story.html", "http://www.example.com/cart?id=5"]
    static let classes = ["ad", "banner", "sponsor", "box", "teaser"]

    private mutating func host() -> String { "\(one(of: Self.hosts)).\(one(of: ["example", "test", "invalid"]))" }
    private mutating func escapedHost() -> String { host().replacingDots }

    // MARK: Rules

    /// Returns a rule that lists of this form have, as JSON.
    ///
    /// - Parameter isVisible: whether its actions can be seen from outside: not `block-cookies`.
    mutating func rule(isVisible: Bool = false) -> String {
        #"{"trigger": {\#(filter())\#(options())}, "action": {\#(action(isVisible))}}"#
    }

    private mutating func filter() -> String {
        let (word, other) = (one(of: Self.words), one(of: Self.words))
        let pattern =
            switch number(14) {
            case 0, 1: #"^[^:]+:(//)?([^/]+\\.)?\#(escapedHost())"#
            case 2: #"^https?://([^/:]*\\.)?\#(escapedHost())[/:]"#
            case 3: #"^https?:/+([^/:]+\\.)?\#(escapedHost())[^a-z0-9_.%-]"#
            case 4: #"/\#(word)[0-9]*\\.\#(one(of: Self.endings))"#
            case 5: #"[&?]\#(one(of: Self.names))=[^&]+"#
            case 6: #"/\#(word)/.*\#(other)"#
            case 7: #"/\#(word)[-_./]\#(other)$"#
            case 8: #"\\.\#(one(of: Self.endings))(\\?.*)?$"#
            case 9: #"^http://"#
            case 10: #"/([0-9]+)x([0-9]+)[/_]"#
            case 11: #"\#(one(of: Self.hosts))[0-9a-f]?[0-9a-f]?\\."#
            case 12: #"^wss?://\#(escapedHost())"#
            default: ".*"
            }
        return #""url-filter": "\#(pattern)""#
    }

    private mutating func options() -> String {
        var text = ""
        if number(8) == 0 { text += #", "url-filter-is-case-sensitive": true"# }
        if number(3) == 0 { text += #", "load-type": ["\#(one(of: ["third-party", "first-party"]))"]"# }
        if number(3) == 0 {
            let types = (0...number(3)).map { _ in one(of: Self.types) }
            text += #", "resource-type": ["\#(types.joined(separator: "\", \""))"]"#
        }
        switch number(8) {
        case 0: text += #", "if-domain": [\#(domains())]"#
        case 1: text += #", "unless-domain": [\#(domains())]"#
        case 2: text += #", "if-top-url": ["^https?://\#(one(of: ["news", "www"]))\\."]"#
        case 3: text += #", "unless-top-url": ["/cart", "/\#(one(of: Self.words))"]"#
        default: break
        }
        return text
    }

    private mutating func domains() -> String {
        let known = ["news.example", "*news.example", "example.com", "*example.com", "www.example.com"]
        return (0...number(3)).map { _ in "\"\(number(2) == 0 ? one(of: known) : host())\"" }.joined(separator: ", ")
    }

    private mutating func action(_ isVisible: Bool) -> String {
        switch number(12) {
        case 0..<6: #""type": "block""#
        case 6..<9: #""type": "css-display-none", "selector": "\#(selector())""#
        case 9: #""type": "ignore-previous-rules""#
        case 10: #""type": "make-https""#
        default: isVisible ? #""type": "block""# : #""type": "block-cookies""#
        }
    }

    private mutating func selector() -> String {
        let name = one(of: Self.classes)
        return switch number(9) {
        case 0: "#\(name)-0"
        case 1: "div[id^='\(name)-']"
        case 2: ".\(name), .\(one(of: Self.classes))"
        case 3: "body > .\(name):not(.box)"
        case 4: "p.\(name) + div"
        case 5: "[class~=\(name)]:nth-child(2n+1)"
        case 6: "div.\(name):first-of-type"
        case 7: "a[href*='\(one(of: Self.words))'], .\(name)"
        default: ".\(name)"
        }
    }

    // MARK: Faults

    /// Returns the rule with one change, after which it is a fault, or is none.
    mutating func changed(_ rule: String) -> String {
        var text = rule
        switch number(6) {
        case 0, 1:
            // A part of a pattern, at its begin, in it or at its end.
            guard let start = text.range(of: #""url-filter": ""#)?.upperBound else { return text }
            let end = text[start...].firstIndex(of: "\"") ?? text.endIndex
            let offset = number(text.distance(from: start, to: end) + 1)
            let place = text.index(start, offsetBy: offset)
            text.insert(contentsOf: one(of: Self.patternParts), at: place)
        case 2:
            let (old, new) = one(of: Self.replacements)
            if let range = text.range(of: old) { text.replaceSubrange(range, with: new) }
        case 3:
            let (key, value) = one(of: Self.members)
            if let range = text.range(of: "\"url-filter\"") {
                text.insert(contentsOf: "\(key): \(value), ", at: range.lowerBound)
            }
        case 4:
            let place = text.index(text.startIndex, offsetBy: number(text.count))
            text.remove(at: place)
        default:
            let place = text.index(text.startIndex, offsetBy: number(text.count))
            text.insert(one(of: Array(#"{}[]",:\|()?*+$^.aZ0é"#)), at: place)
        }
        return text
    }

    private static let patternParts = [
        "|", "{2}", "{1,}", "(?=a)", "(?:a)", "(?!a)", #"\\d"#, #"\\w"#, #"\\b"#, #"\\s"#, #"\\1"#, #"\\/"#, #"\\."#,
        "$", "^", "[", "]", "(", ")", "()", "*", "+", "?", "**", "+?", "??", "[^]", "[]", "[z-a]", "[a-]", "[-a]",
        #"\\x41"#, #"\\u0041"#, #"\\cA"#, #"\\t"#, #"[\\d]"#, #"[\\]]"#, "é", " ", "%", "(a)?", "(a*)*", "(a?)+",
        #"\\"#, "{", "}", "(^a)", "(a$)", ".*.*", #"\\0"#, #"\\-"#, "[[:alpha:]]",
    ]
    private static let replacements = [
        (#""block""#, #""redirect""#), (#""block""#, "1"), (#""block""#, "null"), (#""type""#, #""Type""#),
        (#""selector""#, #""css""#), ("third-party", "third"), ("image", "images"), ("news.example", "News.example"),
        ("news.example", "néws.example"), ("*news", "*.news"), ("example\"", "exam|ple\""), ("[\"", "\""),
        (#""trigger""#, #""triggers""#), (#""action""#, #""actions""#), (".ad", ".ad >"), (".ad", ""), (".", ":foo"),
        (".ad", ":has(.ad)"), (".ad", "::before"), (".ad", "*|ad"), ("if-domain", "if-top-url"), (": true", ": 1"),
        ("css-display-none", "notify"), ("make-https", "modify-headers"), ("\"raw\"", "\"websocket\""),
        ("\"document\"", "\"top-document\""), ("\"document\"", "\"svg-document\""), ("\"font\"", "\"ping\""),
    ]
    private static let members = [
        (#""if-domain""#, "[]"), (#""if-domain""#, #"["a.com"]"#), (#""unless-domain""#, #"[""]"#),
        (#""if-top-url""#, "[1]"), (#""if-top-url""#, #"["a|b"]"#), (#""unless-top-url""#, #"["(a"]"#),
        (#""if-domain""#, #""a.com""#), (#""resource-type""#, "{}"), (#""resource-type""#, "[null]"),
        (#""load-type""#, "[]"), (#""load-type""#, #"["other"]"#), (#""load-context""#, #"["top-frame"]"#),
        (#""load-context""#, #"["frame"]"#), (#""unknown""#, "[1e5, -0.5, true]"), (#""url-filter""#, "7"),
        (#""top-url-filter-is-case-sensitive""#, "true"),
    ]

    // MARK: Pages

    /// A load of a page.
    struct Load {
        let url: String
        let type: ResourceType
    }

    /// Returns loads that many rules are about. A secure page has secure ones only: WebKit blocks others by itself.
    mutating func loads(_ count: Int, of page: String) -> [Load] {
        (0..<count).map { number in
            let path =
                switch self.number(5) {
                case 0: "\(one(of: Self.words))\(self.number(20))"
                case 1: "\(one(of: Self.words))/\(one(of: Self.words))-\(one(of: Self.words))"
                case 2: "\(self.number(900))x\(self.number(90))/\(one(of: Self.words))"
                case 3: "\(one(of: Self.words).uppercased())_\(one(of: Self.words))"
                default: "\(one(of: Self.words)).\(one(of: Self.words))"
                }
            let query = self.number(3) == 0 ? "?\(one(of: Self.names))=\(self.number(9))&n=\(number)" : "?n=\(number)"
            let host = self.number(3) == 0 ? one(of: ["news.example", "img.example.com"]) : host()
            let ending = self.number(3) == 0 ? "" : "." + one(of: Self.endings)
            let scheme = self.number(3) > 0 && !page.hasPrefix("https:") ? "http" : "https"
            let type = one(of: [ResourceType.image, .image, .script, .styleSheet, .fetch])
            return Load(url: "\(scheme)://\(host)/\(path)\(ending)\(query)", type: type)
        }
    }
}

extension String {
    fileprivate var replacingDots: String { split(separator: ".").joined(separator: #"\\."#) }
}
