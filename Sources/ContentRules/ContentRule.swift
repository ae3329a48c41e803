// ContentRule: a rule of a content blocker, as its JSON says it.

/// The kinds of loads. The raw values are the names in `resource-type`.
public enum ResourceType: String, Sendable, Hashable, CaseIterable {
    case topDocument = "top-document"
    case childDocument = "child-document"
    case image
    case styleSheet = "style-sheet"
    case script
    case font
    case svgDocument = "svg-document"
    case media
    case popup
    case ping
    case fetch
    case webSocket = "websocket"
    case contentSecurityPolicyReport = "csp-report"
    case other
}

/// The loads for which a rule may act: types, party and frame, in one number. An empty group means all of it.
struct LoadFlags: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    static let firstParty = Self(rawValue: 1 << 16)
    static let thirdParty = Self(rawValue: 1 << 17)
    static let topFrame = Self(rawValue: 1 << 18)
    static let childFrame = Self(rawValue: 1 << 19)

    private static let groups: [Self] = [
        Self(rawValue: 0xFFFF), [.firstParty, .thirdParty], [.topFrame, .childFrame],
    ]

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ type: ResourceType) {
        rawValue = 1 << UInt32(ResourceType.allCases.firstIndex(of: type) ?? 0)
    }

    /// Whether a rule with these flags acts for a load, which has one flag of each group.
    func admits(_ load: Self) -> Bool {
        Self.groups.allSatisfy { group in
            let wanted = intersection(group)
            return wanted.isEmpty || !wanted.isDisjoint(with: load)
        }
    }

    /// The names of `resource-type`. Some stand for several types (observed).
    static let types: [String: Self] = {
        var names: [String: Self] = [:]
        for type in ResourceType.allCases { names[type.rawValue] = Self(type) }
        names["document"] = [Self(.topDocument), Self(.childDocument)]
        names["raw"] = [Self(.fetch), Self(.webSocket), Self(.other), Self(.ping)]
        names["other"] = [Self(.other), Self(.ping), Self(.contentSecurityPolicyReport)]
        return names
    }()

    static let parties: [String: Self] = ["first-party": .firstParty, "third-party": .thirdParty]
    static let contexts: [String: Self] = ["top-frame": .topFrame, "child-frame": .childFrame]
}

/// The action of a rule.
public enum RuleAction: String, Sendable, Hashable, CaseIterable {
    case block
    case blockCookies = "block-cookies"
    case cssDisplayNone = "css-display-none"
    case ignorePreviousRules = "ignore-previous-rules"
    case makeHTTPS = "make-https"
    /// Tells the app of a web view; without effect in a content blocker.
    case notify
}

/// The condition of a trigger.
struct RuleCondition {
    enum Kind: String, CaseIterable {
        case ifDomain = "if-domain"
        case unlessDomain = "unless-domain"
        case ifTopURL = "if-top-url"
        case unlessTopURL = "unless-top-url"
        case ifFrameURL = "if-frame-url"
        case unlessFrameURL = "unless-frame-url"

        var isDomain: Bool { self == .ifDomain || self == .unlessDomain }
        var isFrame: Bool { self == .ifFrameURL || self == .unlessFrameURL }
        var isUnless: Bool { self == .unlessDomain || self == .unlessTopURL || self == .unlessFrameURL }
    }

    let kind: Kind
    let list: [String]
    /// The places of the list's strings.
    let places: [Int]
    /// Whether patterns of URLs are case-sensitive.
    let isCaseSensitive: Bool
}

/// A rule before it is compiled.
struct ContentRule {
    let urlFilter: String
    /// The place of the filter's string.
    let filterPlace: Int
    let isCaseSensitive: Bool
    let flags: LoadFlags
    let condition: RuleCondition?
    let action: RuleAction
    let selector: String?
}
