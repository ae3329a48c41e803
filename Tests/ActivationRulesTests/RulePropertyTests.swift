// RulePropertyTests: what holds of every predicate, tried on generated ones.

import PropertyListCoding
import Testing

@testable import ActivationRules

@Suite struct RulePropertyTests {
    /// A thousand predicates, each with a tree.
    private func forEach(_ body: (String, RuleSubject) throws -> Void) throws {
        for seed in 0..<1000 {
            var generator = GeneratedPredicate(seed: UInt64(seed))
            let text = generator.clause()
            try body(text, try RuleSubject(generator.tree()))
        }
    }

    private func answer(_ text: String, _ subject: RuleSubject) throws -> Bool {
        try ActivationRule(predicate: text).matches(subject)
    }

    // spec: P-332
    @Test func whatIsWrittenReadsAsTheSame() throws {
        var truths = 0
        try forEach { (text: String, subject: RuleSubject) throws in
            let tree = try PredicateParser.parse(text)
            let written = PredicatePrinter.print(tree)
            let again = try PredicateParser.parse(written)
            #expect(again.shape == tree.shape, "\(text) → \(written)")
            #expect(PredicatePrinter.print(again) == written)
            let holds = try answer(text, subject)
            #expect(try answer(written, subject) == holds)
            truths += holds ? 1 : 0
        }
        #expect((200...800).contains(truths), "the predicates say something: \(truths) of 1000 hold")
    }

    // spec: P-336
    @Test func theCompiledFormAnswersAsTheWrittenOne() throws {
        try forEach { (text: String, subject: RuleSubject) throws in
            let predicate = try ActivationPredicate(text)
            let written = try ActivationPredicate.evaluate(
                predicate.written, from: predicate.written.root, subject, work: PredicateBounds.work
            ) { $0.holds(predicate.written.root) }
            #expect(try predicate.matches(subject, work: PredicateBounds.work) == written, "\(text)")
        }
    }

    /// Items as they are, and written in ways that the table of attachments has no room for.
    private func subjects() throws -> [RuleSubject] {
        let jpeg: PropertyList = ["registeredTypeIdentifiers": ["public.jpeg", 1, "org.example.a"]]
        let odd: [PropertyList] = [
            [:], 1, ["extensionItems": 1], ["extensionItems": []], ["extensionItems": [1]], ["extensionItems": [[:]]],
            ["extensionItems": [["attachments": 1]]], ["extensionItems": [["attachments": []]]],
            ["extensionItems": [["attachments": [jpeg, [:]]]]],
            ["extensionItems": [["attachments": [jpeg, "public.jpeg"]]]],
            [
                "extensionItems": [
                    ["attachments": [jpeg, ["registeredTypeIdentifiers": "public.jpeg"]]], ["attachments": [jpeg]],
                ]
            ],
            ["extensionItems": [["attachments": [jpeg, jpeg]], ["attachments": [jpeg]]]],
        ]
        return try
            (odd
            + (0..<40).map { seed in
                var generator = GeneratedPredicate(seed: UInt64(seed))
                return generator.tree()
            }).map { try RuleSubject($0) }
    }

    // spec: P-336
    @Test func aQuestionAboutAttachmentsIsAnsweredAsItsTreeIs() throws {
        let least = "\(Int64.min)", most = "\(Int64.max)"
        let counts = ["> 0", ">= 1", "== 1", "< 2", "<= 1", "> 1", "== 0", "<= \(most)", ">= \(least)"]
        let others = ["!= 1", "> \(most)", "< \(least)", "IN {1, 2}"]
        let subjects = try subjects()
        #expect(subjects.contains { $0.table.isWhole } && subjects.contains { !$0.table.isWhole })
        var (questions, truths) = (0, 0)
        for outer in ["== extensionItems.@count"] + counts + others {
            for inner in ["== $item.attachments.@count"] + counts + others {
                for types in [["public.image"], ["public.url", "public.image"], ["org.example.a"]] {
                    let asked = types.map { "ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO '\($0)'" }
                    let text =
                        "SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $attachment, "
                        + "\(asked.joined(separator: " || "))).@count \(inner)).@count \(outer)"
                    let predicate = try ActivationPredicate(text)
                    let isQuestion = !others.contains(outer) && !others.contains(inner) && types[0] != "org.example.a"
                    #expect((predicate.question != nil) == isQuestion, "\(text)")
                    questions += isQuestion ? 1 : 0
                    for subject in subjects {
                        let written = try ActivationPredicate.evaluate(
                            predicate.written, from: predicate.written.root, subject, work: PredicateBounds.work)
                        #expect(try predicate.matches(subject, work: PredicateBounds.work) == written, "\(text)")
                        #expect(try ActivationRule(predicate: text).matches(subject) == written, "\(text)")
                        truths += written ? 1 : 0
                    }
                }
            }
        }
        #expect(questions == 200 && truths > 1000)
    }

    /// Another variable, another key, another modifier, one more condition: nothing of that is the question.
    @Test(arguments: [
        "SUBQUERY(extensionItems, $item, SUBQUERY(extensionItems, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.url').@count > 0).@count > 0",
        "SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $a, ANY $item.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.url').@count > 0).@count > 0",
        "SUBQUERY(extensionItems, $item, SUBQUERY($item.a, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.url').@count > 0).@count > 0",
        "SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $a, ANY $a.a UTI-CONFORMS-TO 'public.url').@count > 0).@count > 0",
        "SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $a, ALL $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.url').@count > 0).@count > 0",
        "ANY SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.url').@count > 0).@count > 0",
        "SUBQUERY(extensionItems, $item, SUBQUERY($item.attachments, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.url').@count > 0 AND $item.a == 1).@count > 0",
        "extensionItems.@count > 0", "SUBQUERY(extensionItems, $item, $item.attachments.@count > 0).@count > 0",
        "SUBQUERY({1}, $item, SUBQUERY($item.attachments, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.url').@count > 0).@count > 0",
        "SUBQUERY(extensionItems.attachments, $item, SUBQUERY($item.attachments, $a, ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.url').@count > 0).@count > 0",
    ])
    func whatAsksAnythingElseIsNoQuestionAboutAttachments(_ text: String) throws {
        let predicate = try ActivationPredicate(text)
        #expect(predicate.question == nil)
        for subject in try subjects() {
            let written = try ActivationPredicate.evaluate(
                predicate.written, from: predicate.written.root, subject, work: PredicateBounds.work)
            #expect(try predicate.matches(subject, work: PredicateBounds.work) == written)
        }
    }

    // spec: P-336
    @Test func notTwiceIsNothingAndAndAndOrHaveNoOrder() throws {
        try forEach { (text: String, subject: RuleSubject) throws in
            var generator = GeneratedPredicate(seed: UInt64(text.utf8.count) << 20)
            let other = generator.clause()
            let (own, its) = (try answer(text, subject), try answer(other, subject))
            #expect(try answer("NOT NOT (\(text))", subject) == own)
            #expect(try answer("!(\(text))", subject) == !own)
            #expect(try answer("(\(text)) AND (\(other))", subject) == (own && its))
            #expect(try answer("(\(other)) AND (\(text))", subject) == (own && its))
            #expect(try answer("(\(text)) OR (\(other))", subject) == (own || its))
            #expect(try answer("(\(other)) OR (\(text))", subject) == (own || its))
        }
    }

    // spec: P-331
    @Test func aComparisonWithAMissingKeyHoldsOnlyWhereTheSpecificationSaysSo() throws {
        let value: PropertyList = ["a": [1, "x"], "n": 1, "s": "x"]
        for comparator in [
            "<", "<=", ">", ">=", "CONTAINS", "IN", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "BETWEEN",
            "UTI-CONFORMS-TO",
            "UTI-EQUALS",
        ] {
            for other in ["gone", "nil", "n", "s", "a", "{1, nil}", "gone.gone.@count"] {
                for (left, right) in [("gone", other), (other, "gone")] {
                    for modifier in ["", "ANY "] {
                        // A fault of the text is as good: BETWEEN wants two bounds.
                        guard let rule = try? ActivationRule(predicate: "\(modifier)\(left) \(comparator) \(right)")
                        else {
                            continue
                        }
                        #expect(try !rule.matches(RuleSubject(value)), "\(modifier)\(left) \(comparator) \(right)")
                    }
                }
            }
        }
    }

    // spec: P-330, P-331
    @Test func addingAClauseNeverTurnsAMissingKeyIntoAMatch() throws {
        try forEach { (text: String, subject: RuleSubject) throws in
            #expect(try !answer("gone == 1 AND (\(text))", subject))
            #expect(try !answer("(\(text)) AND ANY gone UTI-CONFORMS-TO 'public.data'", subject))
            #expect(try !answer("SUBQUERY(gone, $g, \(text)).@count > 0", subject))
        }
    }

    @Test func addingASupportedTypeToTheDictionaryFormNeverHidesAnExtensionThatIsStrict() throws {
        let keys = ["Image", "Movie", "WebURL", "WebPage", "File"].map {
            "NSExtensionActivationSupports\($0)WithMaxCount"
        }
        for items in Vectors.payloads.values {
            let subject = try RuleSubject(items)
            for mask in 0..<32 {
                func rule(_ mask: Int) throws -> ActivationRule {
                    try ActivationRule(
                        .dictionary(
                            PropertyListDictionary(keys.indices.filter { mask >> $0 & 1 == 1 }.map { (keys[$0], 99) })))
                }
                guard try rule(mask).matches(subject) else { continue }
                for bit in 0..<5 { #expect(try rule(mask | 1 << bit).matches(subject)) }
            }
        }
    }

    @Test func anExplanationNeverContradictsTheAnswer() throws {
        try forEach { (text: String, subject: RuleSubject) throws in
            let rule = try ActivationRule(predicate: text)
            let explanation = try rule.explain(subject)
            #expect(explanation.matches == (try rule.matches(subject)))
            #expect(explanation.clauses.first?.result == explanation.matches)
            #expect(explanation.nearMiss == nil || !explanation.matches)
            _ = rule.warnings()
        }
    }
}

extension PredicateTree {
    /// The tree without places and numbers.
    fileprivate var shape: String { shape(clause: root) }

    private func shape(clause number: Int32) -> String {
        switch clauses[Int(number)] {
        case .constant(let value): "\(value)"
        case .not(let inner): "(not \(shape(clause: inner)))"
        case .and(let first, let count): "(and \(numbers(first, count).map(shape(clause:)).joined(separator: " ")))"
        case .or(let first, let count): "(or \(numbers(first, count).map(shape(clause:)).joined(separator: " ")))"
        case .comparison(let number): shape(comparisons[Int(number)])
        case .types, .every, .some: "fused"
        }
    }

    private func shape(_ comparison: Comparison) -> String {
        "(\(comparison.modifier) \(comparison.comparator) \(comparison.options.rawValue) \(shape(operand: comparison.left)) "
            + "\(shape(operand: comparison.right)))"
    }

    private func shape(operand number: Int32) -> String {
        switch operands[Int(number)] {
        case .nothing: "nil"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .text(let text): "text:\(Array(texts.text(text).utf8))"
        case .list(let first, let count): "{\(numbers(first, count).map(shape(operand:)).joined(separator: ","))}"
        case .path(let slot, let first, let count):
            "\(slot < 0 ? "" : "$" + variables[Int(slot)]).\(keys(first, count).joined(separator: "."))"
        case .count(let inner): "count(\(shape(operand: inner)))"
        case .subquery(let number):
            "sub(\(shape(operand: subqueries[Int(number)].collection)) \(variables[Int(subqueries[Int(number)].slot)]) "
                + "\(shape(clause: subqueries[Int(number)].clause)))"
        }
    }
}
