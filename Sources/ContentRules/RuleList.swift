// RuleList: a compiled list of rules.

/// A compiled list of rules. It is immutable; every function may be called from any thread.
public struct RuleList: Sendable {
    /// A rule in its compiled form.
    struct Rule: Sendable {
        let number: Int32
        /// The pattern; -1 for one that matches each URL.
        let pattern: Int32
        /// The condition; -1 without one.
        let condition: Int32
        let isUnless: Bool
        let action: RuleAction
        let flags: LoadFlags
        /// The index of the selector; -1 without one.
        let selector: Int32
    }

    /// The sizes of a list.
    public struct Statistics: Sendable, Hashable {
        /// The rules of the list, with those that are skipped.
        public internal(set) var rules = 0
        /// The rules that are skipped, because their selectors are invalid.
        public internal(set) var skipped = 0
        /// The rules of each action.
        public internal(set) var actions: [RuleAction: Int] = [:]
        /// The different patterns, and their steps.
        public internal(set) var patterns = 0
        public internal(set) var patternSteps = 0
        /// The memory of the compiled list in bytes, without what the allocator adds.
        public internal(set) var bytes = 0
    }

    /// A pattern, and the cost of it.
    public struct PatternCost: Sendable, Hashable {
        public let pattern: String
        /// The first rule with the pattern, from 1.
        public let rule: Int
        /// The length of the text that a URL must contain before the pattern runs; nil if it runs at every load.
        public let window: Int?
        /// The steps of the pattern, of which each may be taken once for each character of a URL.
        public let steps: Int
    }

    public private(set) var statistics = Statistics()
    /// The remarks on single rules, at most 100.
    public private(set) var remarks: [RuleRemark] = []
    /// The greatest number of steps of a decision.
    public var stepLimit = 20_000_000

    let rules: [Rule]
    let selectors: [String]
    let filters: URLFilterSet
    /// The rules of each pattern.
    let rulesOfPatterns: Groups
    /// The rules whose patterns match each URL, ascending, without those in `rulesOfDomains`.
    let universal: [Int32]
    let domains: DomainIndex
    let topURLs: URLConditions
    let frameURLs: URLConditions
    /// The rule of each condition.
    let rulesOfConditions: [Int32]
    let suffixes: PublicSuffixList
    private let texts: [String]

    static let greatestRemarks = 100

    /// Compiles a list.
    ///
    /// - Parameters:
    ///   - json: the list, in UTF-8.
    ///   - limits: the limits of the list.
    ///   - suffixes: the public suffixes, for `load-type`.
    /// - Throws: `RuleListError` if WebKit would refuse the list, or if it exceeds a limit.
    public init(
        json: [UInt8], limits: RuleLimits = RuleLimits(), suffixes: PublicSuffixList = PublicSuffixList()
    ) throws(RuleListError) {
        var compiler = RuleCompiler(json, limits)
        try compiler.compile()
        self.suffixes = suffixes
        statistics = compiler.statistics
        remarks = compiler.remarks
        rules = compiler.rules
        selectors = compiler.selectors
        texts = compiler.filters.texts
        rulesOfConditions = compiler.rulesOfConditions
        filters = compiler.filters.finish()
        domains = DomainIndex(compiler.domains)
        topURLs = URLConditions(compiler.topFilters.finish(), compiler.topConditions)
        frameURLs = URLConditions(compiler.frameFilters.finish(), compiler.frameConditions)
        var pairs: [(key: Int32, member: Int32)] = []
        var universal: [Int32] = []
        for (index, rule) in rules.enumerated() {
            if rule.pattern >= 0 {
                pairs.append((rule.pattern, Int32(index)))
            } else if rule.condition < 0 || !compiler.isIfDomain[Int(rule.condition)] {
                universal.append(Int32(index))
            }
        }
        rulesOfPatterns = Groups(count: filters.patterns.count, pairs)
        self.universal = universal
        statistics.patterns = filters.patterns.count
        statistics.patternSteps = filters.steps.count
        statistics.bytes = size
    }

    private var size: Int {
        rules.count * MemoryLayout<Rule>.stride + filters.size + rulesOfPatterns.size + universal.count * 4
            + domains.size + topURLs.size + frameURLs.size + rulesOfConditions.count * 4
            + (selectors + texts).reduce(0) { $0 + 16 + ($1.utf8.count > 15 ? $1.utf8.count + 32 : 0) }
    }

    /// Returns the patterns that cost most: first those that run at every load, then by their steps.
    ///
    /// - Parameter count: the number of patterns.
    public func slowestPatterns(_ count: Int) -> [PatternCost] {
        var windows: [Int32: Int] = [:]
        for table in filters.tables {
            for pattern in table.members { windows[pattern] = table.length }
        }
        return filters.patterns.indices.map { index in
            PatternCost(
                pattern: texts[index],
                rule: rulesOfPatterns[Int32(index)].first.map { Int(rules[Int($0)].number) } ?? 0,
                window: windows[Int32(index)], steps: Int(filters.patterns[index].count))
        }
        .sorted { ($0.window ?? 0, $1.steps, $0.rule) < ($1.window ?? 0, $0.steps, $1.rule) }
        .prefix(count).map { $0 }
    }
}

/// Compiles the rules of a list.
struct RuleCompiler {
    private let json: [UInt8]
    private let limits: RuleLimits
    private var faults: [RuleFault] = []

    var statistics = RuleList.Statistics()
    var remarks: [RuleRemark] = []
    var rules: [RuleList.Rule] = []
    var selectors: [String] = []
    var filters = URLFilterSetBuilder()
    var topFilters = URLFilterSetBuilder()
    var frameFilters = URLFilterSetBuilder()
    var domains: [(domain: String, condition: Int32)] = []
    var topConditions: [(member: URLFilterSetBuilder.Member, condition: Int32)] = []
    var frameConditions: [(member: URLFilterSetBuilder.Member, condition: Int32)] = []
    var rulesOfConditions: [Int32] = []
    var isIfDomain: [Bool] = []

    /// The faults of patterns, which WebKit finds after those of all rules.
    private var patternFaults: [RuleFault] = []

    init(_ json: [UInt8], _ limits: RuleLimits) { (self.json, self.limits) = (json, limits) }

    mutating func compile() throws(RuleListError) {
        var reader: RuleReader
        do { reader = try RuleReader(json, limits: limits) } catch {
            throw RuleListError(faults: [error.located(in: json, rule: nil)])
        }
        while faults.count < RuleListError.greatestCount, reader.advance() {
            do {
                guard let rule = try reader.rule() else {
                    statistics.skipped += 1
                    remark(reader)
                    continue
                }
                remark(reader)
                try add(rule, number: reader.number)
            } catch {
                // To locate a fault is to read the JSON up to it, so it is done for those that are kept.
                let isOfPattern = error.kind == .invalidRegularExpression || error.kind == .limit
                if !isOfPattern {
                    faults.append(error.located(in: json, rule: reader.number))
                } else if patternFaults.count < RuleListError.greatestCount {
                    patternFaults.append(error.located(in: json, rule: reader.number))
                }
                if error.kind == .limit { break }
            }
        }
        statistics.rules = reader.number
        faults += patternFaults.prefix(RuleListError.greatestCount - faults.count)
        if faults.isEmpty, rules.isEmpty {
            let (detail, remedy) =
                statistics.skipped == 0
                ? ("there is no rule", "Write a rule, such as one that matches no page")
                : ("each rule is skipped, because its selector is invalid", "Correct the selectors")
            faults.append(PlacedFault(.empty, at: 0, detail, remedy: remedy).located(in: json, rule: nil))
        }
        guard faults.isEmpty else { throw RuleListError(faults: faults) }
    }

    private mutating func remark(_ reader: RuleReader) {
        for text in reader.remarks { remark(reader.number, text) }
    }

    private mutating func remark(_ rule: Int, _ text: String) {
        if remarks.count < RuleList.greatestRemarks { remarks.append(RuleRemark(rule: rule, text: text)) }
    }

    private mutating func add(_ rule: ContentRule, number: Int) throws(PlacedFault) {
        let member = try add(
            rule.urlFilter, rule.isCaseSensitive, rule.filterPlace, "trigger.url-filter", number, to: \.filters)
        var condition: Int32 = -1
        if let conditions = rule.condition { condition = try add(conditions, number) }
        var pattern: Int32 = -1
        if case .pattern(let known) = member { pattern = known }
        var selector: Int32 = -1
        if let text = rule.selector {
            selector = Int32(selectors.count)
            selectors.append(text)
        }
        rules.append(
            RuleList.Rule(
                number: Int32(number), pattern: pattern, condition: condition,
                isUnless: rule.condition?.kind.isUnless ?? false, action: rule.action, flags: rule.flags,
                selector: selector))
        statistics.actions[rule.action, default: 0] += 1
    }

    private mutating func add(_ condition: RuleCondition, _ rule: Int) throws(PlacedFault) -> Int32 {
        let number = Int32(rulesOfConditions.count)
        guard domains.count + topConditions.count + frameConditions.count + condition.list.count <= limits.conditions
        else {
            throw PlacedFault(
                .limit, at: condition.places[0], key: "trigger.\(condition.kind.rawValue)",
                "its conditions have more than \(limits.conditions) domains and patterns",
                remedy: "Divide the list among several content blockers")
        }
        for (index, text) in condition.list.enumerated() {
            let key = "trigger.\(condition.kind.rawValue)"
            if condition.kind.isDomain {
                // WebKit makes patterns of domains, and leaves these characters as they are (observed).
                if let other = text.first(where: { "|^()".contains($0) }) {
                    throw PlacedFault(
                        .invalidRegularExpression, at: condition.places[index], key: key,
                        "\(quoted(text)) has a “\(other)”, which no domain has", remedy: "Write domains only")
                }
                domains.append((text, number))
                if text.hasPrefix("*.") {
                    let all = quoted("*" + text.dropFirst(2))
                    remark(rule, "\(quoted(text)) matches no host; write \(all) for all of its hosts")
                }
                continue
            }
            let path: WritableKeyPath<Self, URLFilterSetBuilder> =
                condition.kind.isFrame ? \.frameFilters : \.topFilters
            let member = try add(text, condition.isCaseSensitive, condition.places[index], key, rule, to: path)
            if condition.kind.isFrame {
                frameConditions.append((member, number))
            } else {
                topConditions.append((member, number))
            }
        }
        rulesOfConditions.append(Int32(rules.count))
        isIfDomain.append(condition.kind == .ifDomain)
        return number
    }

    private mutating func add(
        _ pattern: String, _ isCaseSensitive: Bool, _ place: Int, _ key: String, _ rule: Int,
        to builder: WritableKeyPath<Self, URLFilterSetBuilder>
    ) throws(PlacedFault) -> URLFilterSetBuilder.Member {
        guard pattern.utf8.count <= limits.pattern else {
            throw PlacedFault(
                .limit, at: place, key: key, "a pattern has \(pattern.utf8.count) bytes, and at most \(limits.pattern)",
                remedy: "Write a shorter pattern, or several rules")
        }
        guard filters.stepCount + topFilters.stepCount + frameFilters.stepCount <= limits.steps else {
            throw PlacedFault(
                .limit, at: place, key: key, "the patterns have more than \(limits.steps) steps",
                remedy: "Divide the list among several content blockers")
        }
        do {
            let (member, oddities) = try self[keyPath: builder].add(pattern, isCaseSensitive: isCaseSensitive)
            for oddity in oddities { remark(rule, oddity) }
            return member
        } catch {
            var text = RuleStringReader(bytes: json, place: place + 1)
            var place = text.place
            for _ in 0...error.place { place = text.next()?.place ?? text.place }
            throw PlacedFault(
                .invalidRegularExpression, at: place, key: key, "\(quoted(pattern)): \(error.detail)",
                remedy: error.remedy)
        }
    }
}
