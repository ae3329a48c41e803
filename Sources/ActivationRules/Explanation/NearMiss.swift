// NearMiss: the single attachment or count whose change would make a rule match.

enum NearMiss {
    /// The maximum number of tries: each is one evaluation.
    private static let greatestTries = 64

    /// Returns the text that follows “It would match”; nil if no single change is enough.
    static func of(_ rule: ActivationRule, _ subject: RuleSubject, work: Int) -> String? {
        var ways = withoutOneAttachment(rule, subject, work: work)
        switch rule.body {
        case .dictionary(let read): ways += withOneKey(read.rule, subject)
        case .predicate(let predicate): ways += withOneCount(predicate, subject, work: work)
        }
        return ways.isEmpty ? nil : ways.prefix(3).joined(separator: ", or ")
    }

    private static func withoutOneAttachment(_ rule: ActivationRule, _ subject: RuleSubject, work: Int) -> [String] {
        let items = subject.attachments
        let names = AttachmentNames(items)
        var ways: [String] = []
        var tried: Set<[String]> = []
        for (index, types) in names.types.enumerated().prefix(greatestTries)
        where tried.insert(types + ["\(names.items[index])"]).inserted {
            var rest = items
            let first = names.items.firstIndex(of: names.items[index]) ?? 0
            rest[names.items[index]].remove(at: index - first)
            guard let smaller = try? RuleSubject(attachments: rest, types: subject.types),
                (try? rule.matches(smaller, work: work)) == true
            else {
                continue
            }
            ways.append("without \(names.name(index))")
        }
        return ways
    }

    private static func withOneKey(_ rule: DictionaryRule, _ subject: RuleSubject) -> [String] {
        var ways: [String] = []
        func attempt(_ way: String, _ change: (inout DictionaryRule) -> Void) {
            var changed = rule
            change(&changed)
            if changed.matches(subject.table) { ways.append(way) }
        }
        for (attachmentClass, _, key) in ActivationKey.classes(rule.fileMeaning) {
            let needed = subject.table.count(of: attachmentClass)
            guard needed > rule[attachmentClass] else { continue }
            attempt("with \(key) = \(attachmentClass == .text ? "true" : "\(needed)")") { $0[attachmentClass] = needed }
        }
        if let maximum = rule.maximum {
            let needed = subject.table.countedTogether
            if needed > maximum { attempt("with \(ActivationKey.maximum) = \(needed)") { $0.maximum = needed } }
        }
        let count = subject.table.classes.count
        if count < rule.minimum { attempt("with \(ActivationKey.minimum) = \(count)") { $0.minimum = count } }
        if rule.version == 1 { attempt("with \(ActivationKey.version) = 2") { ($0.version, $0.isStrict) = (2, false) } }
        if rule.version == 2, rule.isStrict { attempt("without \(ActivationKey.strict)") { $0.isStrict = false } }
        return ways
    }

    /// Returns the changes of a count that misses its number by one.
    private static func withOneCount(_ predicate: ActivationPredicate, _ subject: RuleSubject, work: Int) -> [String] {
        var ways: [String] = []
        var tries = 0
        for comparison in predicate.written.comparisons {
            guard case .count = predicate.written.operands[Int(comparison.left)],
                case .integer(let value) = predicate.written.operands[Int(comparison.right)]
            else { continue }
            for (other, isOver) in [value.addingReportingOverflow(1), value.subtractingReportingOverflow(1)]
            where !isOver && other >= least(comparison.comparator) {
                tries += 1
                if tries > greatestTries { return ways }
                var changed = predicate.written
                changed.operands[Int(comparison.right)] = .integer(other)
                guard
                    let matches = try? ActivationPredicate.evaluate(
                        changed, from: changed.root, subject, work: work), matches
                else { continue }
                let (line, column) = predicate.position(predicate.written.operandPlaces[Int(comparison.right)])
                let written = comparison.comparator.written
                ways.append(
                    "with “\(written) \(other)” in place of “\(written) \(value)” at line \(line), column \(column)")
            }
        }
        return ways
    }

    /// Returns the least bound that requires anything: “none may match” is no useful advice.
    private static func least(_ comparator: PredicateTree.Comparator) -> Int64 { comparator == .greater ? 0 : 1 }
}
