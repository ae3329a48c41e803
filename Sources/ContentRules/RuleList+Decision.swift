// RuleList+Decision: the rules that apply to a load, and their actions in order.

extension RuleList {
    /// Decides about a load.
    ///
    /// All rules are tried, and their actions apply in order (documented). A URL of the scheme `data` is left alone
    /// (observed).
    ///
    /// - Parameter load: the load.
    /// - Throws: `Decision.TooManySteps` above `stepLimit`.
    public func decision(for load: ContentLoad) throws(Decision.TooManySteps) -> Decision {
        var decision = Decision()
        guard load.url.scheme != "data" else { return decision }
        let longest = max(filters.longest, topURLs.filters.longest, frameURLs.filters.longest)
        var matcher = URLFilterMatcher(budget: stepLimit, longest: longest)
        let applied = appliedRules(load, &matcher)
        guard matcher.budget >= 0 else { throw Decision.TooManySteps(limit: stepLimit) }
        decision.steps = stepLimit - matcher.budget
        let ignoring = applied.lastIndex { rules[Int($0)].action == .ignorePreviousRules }
        decision.ignoring = ignoring.map { Int(rules[Int(applied[$0])].number) }
        for index in applied[(ignoring.map { $0 + 1 } ?? 0)...] {
            apply(rules[Int(index)], load, &decision)
        }
        return decision
    }

    /// Applies an action. The first rule of each action counts.
    private func apply(_ rule: Rule, _ load: ContentLoad, _ decision: inout Decision) {
        let number = Int(rule.number)
        switch rule.action {
        case .block: decision.blocked = decision.blocked ?? number
        case .blockCookies: decision.blockedCookies = decision.blockedCookies ?? number
        case .makeHTTPS:
            if decision.upgraded == nil, let url = load.url.upgraded { decision.upgraded = (number, url) }
        case .cssDisplayNone:
            decision.hidden.append(Decision.Hiding(rule: number, selector: selectors[Int(rule.selector)]))
        case .ignorePreviousRules, .notify: break
        }
    }

    /// Returns the indices of the rules that apply, ascending.
    private func appliedRules(_ load: ContentLoad, _ matcher: inout URLFilterMatcher) -> [Int32] {
        var met: Set<Int32> = []
        domains.find(load.page.host, &met, &matcher)
        let domainConditions = met
        topURLs.find(load.page, &met, &matcher)
        frameURLs.find(load.frame ?? load.page, &met, &matcher)
        let flags = flags(of: load)

        func applies(_ index: Int32) -> Bool {
            let rule = rules[Int(index)]
            return rule.flags.admits(flags)
                && (rule.condition < 0 || met.contains(rule.condition) != rule.isUnless)
        }

        var found: [Int32] = []
        for pattern in filters.matches(load.url, &matcher) {
            let group = rulesOfPatterns[pattern]
            matcher.spend(group.count)
            found.append(contentsOf: group.filter(applies))
        }
        for condition in domainConditions {
            let index = rulesOfConditions[Int(condition)]
            let rule = rules[Int(index)]
            if rule.pattern < 0, !rule.isUnless, applies(index) { found.append(index) }
        }
        found.sort()
        matcher.spend(universal.count)
        let general = universal.lazy.filter(applies)
        return merged(found, general)
    }

    private func merged(_ one: [Int32], _ other: some Sequence<Int32>) -> [Int32] {
        guard !one.isEmpty else { return Array(other) }
        var result: [Int32] = []
        var place = 0
        for index in other {
            while place < one.count, one[place] < index {
                result.append(one[place])
                place += 1
            }
            result.append(index)
        }
        return result + one[place...]
    }

    private func flags(of load: ContentLoad) -> LoadFlags {
        // WebKit compares the registrable domains alone (observed); the documentation has scheme and port, too.
        let isFirstParty =
            load.url.host == load.page.host
            || suffixes.registrableDomain(of: load.url.host) == suffixes.registrableDomain(of: load.page.host)
        return [
            LoadFlags(load.type), isFirstParty ? .firstParty : .thirdParty,
            load.frame == nil ? .topFrame : .childFrame,
        ]
    }
}
