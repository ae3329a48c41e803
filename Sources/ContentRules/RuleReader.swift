// RuleReader: the rules of a list, checked in WebKit's order.

/// The limits of a list. WebKit has only the first.
public struct RuleLimits: Sendable {
    /// The greatest number of rules: 150,000 (observed). A browser before iOS 15 has 50,000 (from memory).
    public var rules = 150_000
    /// The greatest size of the JSON in bytes (ours).
    public var bytes = 64 << 20
    /// The greatest size of one pattern in bytes (ours).
    public var pattern = 4096
    /// The greatest number of steps of all patterns together, of four bytes each (ours).
    public var steps = 8 << 20
    /// The greatest number of domains and patterns of all conditions together (ours).
    public var conditions = 1 << 20

    public init() {}
}

/// A remark on a rule that WebKit takes, and that may not do what its author means.
public struct RuleRemark: Sendable, Hashable {
    /// The number of the rule, from 1.
    public let rule: Int
    public let text: String
}

/// Reads the rules of a list one after the other.
struct RuleReader {
    private(set) var json: RuleJSONReader
    private var isFirst = true
    /// The number of the last rule, from 1.
    private(set) var number = 0
    /// The remarks on the last rule.
    private(set) var remarks: [String] = []

    static let triggerKeys: Set<String> = Set(
        [
            "url-filter", "url-filter-is-case-sensitive", "top-url-filter-is-case-sensitive",
            "frame-url-filter-is-case-sensitive", "resource-type", "load-type", "load-context",
        ] + RuleCondition.Kind.allCases.map(\.rawValue))

    /// Checks the JSON and counts the rules.
    init(_ bytes: [UInt8], limits: RuleLimits) throws(PlacedFault) {
        guard bytes.count <= limits.bytes else {
            throw PlacedFault(
                .limit, at: 0, "it has more than \(limits.bytes) bytes",
                remedy: "Make the list shorter")
        }
        var check = RuleJSONReader(bytes)
        check.skipSpace()
        let start = check.place
        let isArray = check.take(UInt8(ascii: "["))
        var count = 0
        if isArray {
            check.skipSpace()
            if !check.take(UInt8(ascii: "]")) {
                repeat {
                    try check.skipValue()
                    count += 1
                    check.skipSpace()
                } while check.take(UInt8(ascii: ","))
                guard check.take(UInt8(ascii: "]")) else { throw check.fault("a “,” or “]” is missing in the list") }
            }
        } else {
            try check.skipValue()
        }
        check.skipSpace()
        guard check.isAtEnd else { throw check.fault("there is more text after the list") }
        guard isArray else {
            throw PlacedFault(.notAnArray, at: start, "it is no array", remedy: "Write [ … ] around the rules")
        }
        guard count <= limits.rules else {
            throw PlacedFault(
                .tooManyRules, at: start, "there are \(count) rules, and at most \(limits.rules) are allowed",
                remedy: "Divide them among several content blockers")
        }
        json = RuleJSONReader(bytes, at: start + 1, greatestElements: limits.conditions)
    }

    /// Moves to the next rule. Returns false at the list's end.
    mutating func advance() -> Bool {
        json.skipSpace()
        if json.take(UInt8(ascii: "]")) { return false }
        if !isFirst { _ = json.take(UInt8(ascii: ",")) }
        isFirst = false
        number += 1
        remarks = []
        return true
    }

    /// Reads the rule. Returns nil for a rule that is skipped, because its selector is invalid.
    mutating func rule() throws(PlacedFault) -> ContentRule? {
        let rule = try json.value()
        guard rule.isObject else {
            throw PlacedFault(
                .invalidRule, at: rule.place, "the rule is no object",
                remedy: "Write {\"trigger\": {…}, \"action\": {…}}")
        }
        guard let trigger = rule.member("trigger"), trigger.isObject else {
            throw PlacedFault(
                .invalidTrigger, at: (rule.member("trigger") ?? rule).place, key: "trigger",
                "there is no object trigger",
                remedy: "Write \"trigger\": {\"url-filter\": \"…\"}")
        }
        let filter = trigger.member("url-filter")
        guard let filter, let text = filter.string, !text.isEmpty else {
            throw PlacedFault(
                .invalidURLFilter, at: (filter ?? trigger).place, key: "trigger.url-filter",
                "it is no string with a character", remedy: "Write \".*\" for all URLs")
        }
        if case .object(let members) = trigger.content {
            for (key, _) in members where !Self.triggerKeys.contains(key) {
                remarks.append("the key \(quoted(key)) of its trigger has no meaning")
            }
        }
        var flags = LoadFlags()
        try read(LoadFlags.types, "resource-type", trigger, &flags)
        try read(LoadFlags.parties, "load-type", trigger, &flags)
        try read(LoadFlags.contexts, "load-context", trigger, &flags)
        let condition = try condition(of: trigger)
        guard let (action, selector) = try action(of: rule) else { return nil }
        return ContentRule(
            urlFilter: text, filterPlace: filter.place,
            isCaseSensitive: trigger.member("url-filter-is-case-sensitive")?.boolean ?? false,
            flags: flags, condition: condition, action: action, selector: selector)
    }

    private func read(
        _ names: [String: LoadFlags], _ key: String, _ trigger: RuleValue, _ flags: inout LoadFlags
    ) throws(PlacedFault) {
        guard let value = trigger.member(key) else { return }
        guard let list = value.array else {
            throw PlacedFault(
                .invalidFlags, at: value.place, key: "trigger.\(key)", "it is no array",
                remedy: "Write a list, also of one name")
        }
        for element in list {
            guard let name = element.string, let flag = names[name] else {
                let found = element.string.map { quoted($0) + " is no known name" } ?? "an element is no string"
                throw PlacedFault(
                    .invalidFlag, at: element.place, key: "trigger.\(key)", found,
                    remedy: "The names are \(names.keys.sorted().joined(separator: ", "))")
            }
            flags.formUnion(flag)
        }
    }

    private func condition(of trigger: RuleValue) throws(PlacedFault) -> RuleCondition? {
        var found: RuleCondition?
        for kind in RuleCondition.Kind.allCases {
            guard let value = trigger.member(kind.rawValue) else { continue }
            let key = "trigger.\(kind.rawValue)"
            if let found {
                throw PlacedFault(
                    .multipleConditions, at: value.place, key: key, "the trigger has \(found.kind.rawValue), too",
                    remedy: "Make two rules of it")
            }
            guard let list = value.array, !list.isEmpty else {
                throw PlacedFault(
                    .invalidConditions, at: value.place, key: key, "it is no array with an element",
                    remedy: "Omit the key, or list \(kind.isDomain ? "domains" : "patterns of URLs")")
            }
            var strings: [String] = []
            for element in list {
                guard let text = element.string, !text.isEmpty else {
                    throw PlacedFault(
                        .invalidConditions, at: element.place, key: key, "an element is no string with a character",
                        remedy: "Write strings only")
                }
                if kind.isDomain,
                    text.utf8.contains(where: { $0 >= 0x80 || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
                {
                    throw PlacedFault(
                        .domainNotLowercaseASCII, at: element.place, key: key,
                        "\(quoted(text)) has other characters", remedy: "Write it in lower case and Punycode")
                }
                strings.append(text)
            }
            let sensitive = kind.isFrame ? "frame-url-filter-is-case-sensitive" : "top-url-filter-is-case-sensitive"
            found = RuleCondition(
                kind: kind, list: strings, places: list.map(\.place),
                isCaseSensitive: trigger.member(sensitive)?.boolean ?? false)
        }
        return found
    }

    private mutating func action(of rule: RuleValue) throws(PlacedFault) -> (RuleAction, selector: String?)? {
        guard let action = rule.member("action"), action.isObject else {
            throw PlacedFault(
                .invalidAction, at: (rule.member("action") ?? rule).place, key: "action", "there is no object action",
                remedy: "Write \"action\": {\"type\": \"block\"}")
        }
        let type = action.member("type")
        guard let type, let name = type.string, let known = RuleAction(rawValue: name) else {
            let names = RuleAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw PlacedFault(
                .invalidActionType, at: (type ?? action).place, key: "action.type",
                type?.string.map { quoted($0) + " is no known type" } ?? "it is no string",
                remedy: "The types are \(names)")
        }
        switch known {
        case .cssDisplayNone:
            let selector = action.member("selector")
            guard let selector, let text = selector.string else {
                throw PlacedFault(
                    .missingSelector, at: (selector ?? action).place, key: "action.selector",
                    "there is no string selector",
                    remedy: "Write \"selector\": \".ad\"")
            }
            guard CSSSelector.isValid(text) else {
                remarks.append("it is skipped, because \(quoted(text)) is no valid selector")
                return nil
            }
            return (known, text)
        case .notify where action.member("notification")?.string == nil:
            throw PlacedFault(
                .missingNotification, at: action.place, key: "action.notification", "there is no string notification",
                remedy: "Write \"notification\": \"…\"")
        default: return (known, nil)
        }
    }
}
