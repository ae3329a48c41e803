// ExplanationTests: what decided, and what one thing would change it.

import ActivationRules
import PropertyListCoding
import Testing

@Suite struct ExplanationTests {
    private func explain(_ rule: PropertyList, _ attachments: [String]...) throws -> RuleExplanation {
        try ActivationRule(rule).explain(RuleSubject(attachments: [attachments]))
    }

    private let one = """
        SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a,
            ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO "public.image").@count == $i.attachments.@count).@count == 1
        """

    @Test func aDictionaryIsExplainedKeyByKeyAndAttachmentByAttachment() throws {
        let explanation = try explain(
            ["NSExtensionActivationSupportsWebURLWithMaxCount": 1], ["public.url"], ["public.plain-text"])
        #expect(!explanation.matches && explanation.form == .dictionary)
        #expect(
            explanation.clauses.map { "\($0.result) \($0.clause): \($0.detail)" } == [
                "true NSExtensionActivationSupportsAttachmentsWithMinCount = 1 (the default): 2 attachments",
                "true NSExtensionActivationSupportsWebURLWithMaxCount = 1: 1 web URL attachment",
                "false version 1: every attachment is supported: 1 of 2 are",
                "true attachment 1 (public.url): web URL",
                "false attachment 2 (public.plain-text): text: not supported by the rule",
            ])
        #expect(
            explanation.nearMiss
                == "without attachment 2 (public.plain-text), or with NSExtensionActivationSupportsText = true, or with "
                + "NSExtensionActivationDictionaryVersion = 2")
        #expect(explanation.text.hasPrefix("does not match\n  ✓ NSExtension"))
        #expect(explanation.text.contains("\n    ✗ attachment 2 (public.plain-text)  – text: not"))
    }

    @Test(
        arguments: [
            (
                ["NSExtensionActivationSupportsImageWithMaxCount": 1], ["public.png", "public.png"],
                "without attachment 1 (public.png), or with NSExtensionActivationSupportsImageWithMaxCount = 2"
            ),
            (
                ["NSExtensionActivationSupportsText": true, "NSExtensionActivationSupportsAttachmentsWithMinCount": 2],
                ["public.text"],
                "with NSExtensionActivationSupportsAttachmentsWithMinCount = 1"
            ),
            (
                [
                    "NSExtensionActivationSupportsImageWithMaxCount": 9,
                    "NSExtensionActivationSupportsAttachmentsWithMaxCount": 1,
                ],
                ["public.png", "public.png"],
                "without attachment 1 (public.png), or with NSExtensionActivationSupportsAttachmentsWithMaxCount = 2"
            ),
            (
                [
                    "NSExtensionActivationSupportsImageWithMaxCount": 1, "NSExtensionActivationDictionaryVersion": 2,
                    "NSExtensionActivationUsesStrictMatching": true,
                ], ["public.png", "x.y"],
                "without attachment 2 (x.y), or without NSExtensionActivationUsesStrictMatching"
            ),
            (["NSExtensionActivationSupportsImageWithMaxCount": 1], ["x.y", "x.y"], nil),
        ] as [(PropertyList, [String], String?)])
    func oneThingThatDecidesIsNamed(_ rule: PropertyList, _ types: [String], _ nearMiss: String?) throws {
        let subject = try RuleSubject(attachments: [types.map { [$0] }])
        #expect(try ActivationRule(rule).explain(subject).nearMiss == nearMiss)
    }

    @Test func aPredicateIsExplainedForEachElementItAsked() throws {
        let explanation = try explain(.string(one), ["public.jpeg"], ["com.adobe.pdf", "public.file-url"])
        #expect(!explanation.matches && explanation.form == .predicate)
        #expect(explanation.clauses.map(\.result) == [false, false, true, false])
        #expect(explanation.clauses.map(\.level) == [0, 1, 2, 2])
        #expect(
            explanation.clauses.map(\.detail) == [
                "0 against 1", "1 against 2", "public.jpeg", "com.adobe.pdf, public.file-url",
            ])
        #expect(explanation.clauses[1].clause.hasPrefix("item 1: SUBQUERY($i.attachments, $a, ANY"))
        #expect(explanation.clauses[3].clause.hasPrefix("attachment 2 (com.adobe.pdf, public.file-url): ANY $a."))
        #expect(explanation.nearMiss == "without attachment 2 (com.adobe.pdf, public.file-url)")
    }

    @Test func aCountThatMissesByOneIsNamedWithItsPlace() throws {
        let rule = PropertyList.string(
            "SUBQUERY(extensionItems, $i,\n SUBQUERY($i.attachments, $a, TRUEPREDICATE).@count == 1).@count == 1")
        let explanation = try explain(rule, ["x.y"], ["x.y"])
        #expect(
            explanation.nearMiss == "without attachment 1 (x.y), or with “== 2” in place of “== 1” at line 2, column 56"
        )
    }

    @Test func everyKindOfClauseIsExplained() throws {
        let value: PropertyList = ["a": [1, "x"], "d": .date(0), "r": 1.5, "deep": [[1], [2]]]
        let text = """
            (a == 1 OR NOT r < 1) AND ANY {r, 2} == 2 AND gone == nil AND d != 3 AND TRUEPREDICATE \
            AND SUBQUERY(deep, $x, $x.@count == 1 AND ANY $x == 2) != {3} AND SUBQUERY({1, 'b'}, $y, $y == 1).@count == 1
            """
        let explanation = try ActivationRule(predicate: text).explain(RuleSubject(value))
        #expect(explanation.matches && explanation.nearMiss == nil)
        #expect(explanation.clauses.first?.detail == "7 of 7 conditions hold")
        #expect(explanation.clauses.contains { $0.clause == "r < 1" && $0.detail == "1.5 against 1" && !$0.result })
        #expect(explanation.clauses.contains { $0.clause == "gone == NIL" && $0.detail == "nil" })
        #expect(explanation.clauses.contains { $0.clause == "element 2: $y == 1" || $0.clause == "b: $y == 1" })
    }

    @Test func anExplanationIsBounded() throws {
        let subject = try RuleSubject(attachments: Array(repeating: Array(repeating: ["x.y"], count: 40), count: 40))
        let explanation = try ActivationRule(predicate: one).explain(subject)
        #expect(explanation.clauses.count == 300)
        #expect(explanation.text.contains("… and more"))
        let long =
            "1 == 2 OR "
            + Array(repeating: "ANY extensionItems == 'öööööööööööö'", count: 100).joined(separator: " OR ")
        for clause in try ActivationRule(predicate: long).explain(subject).clauses {
            #expect(clause.clause.count <= 400)
        }
    }
}
