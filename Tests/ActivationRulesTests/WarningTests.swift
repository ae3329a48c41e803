// WarningTests: the traps of predicates, each named once and at its place.

import ActivationRules
import Foundation
import Testing

@Suite struct WarningTests {
    private func warnings(_ text: String, _ vocabulary: RuleVocabulary = .extensionItems) throws -> [RuleWarning] {
        try ActivationRule(predicate: text).warnings(for: vocabulary)
    }

    private func codes(_ text: String, _ vocabulary: RuleVocabulary = .extensionItems) throws -> [RuleWarning.Code] {
        try warnings(text, vocabulary).map(\.code)
    }

    private func attachments(_ condition: String) -> String {
        "SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, \(condition)).@count > 0).@count > 0"
    }

    // spec: P-338
    @Test func theThreeTrapsAreFoundInTheRulesThatHaveThem() throws {
        let traps: Set<RuleWarning.Code> = [.countsItemsNotAttachments, .emptyItemMatches, .urlMatchesFiles]
        let expected: [String: Set<RuleWarning.Code>] = [
            "R01": [.countsItemsNotAttachments, .emptyItemMatches],
            "R02": [.countsItemsNotAttachments, .emptyItemMatches],
            "R03": [.emptyItemMatches], "R04": [.urlMatchesFiles],
            "R05": [.countsItemsNotAttachments, .emptyItemMatches, .urlMatchesFiles],
            "R06": [.countsItemsNotAttachments, .emptyItemMatches, .urlMatchesFiles], "R07": [],
            "R08": [.urlMatchesFiles],
            "R09": [],
        ]
        for (name, codes) in expected {
            let rule = try ActivationRule(try #require(Vectors.rules[name]))
            #expect(Set(rule.warnings().map(\.code)) == codes, "\(name)")
            #expect(codes.isSubset(of: traps))
        }
    }

    @Test func aRuleThatFollowsTheRemediesHasNoWarning() throws {
        let rule = """
            SUBQUERY(extensionItems, $i, $i.attachments.@count == 1 AND SUBQUERY($i.attachments, $a, \
            ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO "public.url" AND NOT ANY $a.registeredTypeIdentifiers \
            UTI-CONFORMS-TO "public.file-url").@count == $i.attachments.@count).@count == 1
            """
        #expect(try codes(rule).isEmpty)
        #expect(try codes(rule.replacing("== 1 AND", with: "> 0 AND")).isEmpty)
    }

    @Test func aWarningHasItsPlace() throws {
        let trap = try #require(
            try warnings(attachments("\n  ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.url'")).first)
        #expect(trap.code == .urlMatchesFiles && trap.severity == .warning && trap.line == 2 && trap.column == 52)
        #expect(try warnings("truepredicate").map(\.code) == [.truePredicate])
        #expect(try warnings("FALSEPREDICATE").map(\.severity) == [.warning])
    }

    /// Whatever it is asked about, such a rule does not match; its neighbour with another number can.
    @Test func aRuleThatNeverMatchesIsFound() throws {
        let items = "extensionItems.@count"
        for text in [
            "NOT TRUEPREDICATE", "\(items) < 0", "\(items) == -1", "-1 >= \(items)", "1 == 2",
            "\(items) == 1 AND \(items) == 2", "\(items) > 2 AND \(items) == 1 AND TRUEPREDICATE",
            "\(items) > 3 AND (\(items) < 0 OR 2 < 1)",
            "SUBQUERY(extensionItems, $i, $i.attachments.@count < 0).@count >= 1",
            "SUBQUERY(extensionItems, $i, $i.attachments.@count > 3 AND $i.attachments.@count < 2).@count == 1",
        ] {
            let found = try warnings(text).filter { $0.code == .neverMatches }
            #expect(found.count == 1 && found[0].severity == .warning && found[0].line == 1, "\(text)")
            for count in 0...3 {
                let items = try RuleSubject(attachments: Array(repeating: [["public.text"]], count: count))
                #expect(try !ActivationRule(predicate: text).matches(items), "\(text)")
            }
        }
        for text in [
            "NOT FALSEPREDICATE", "\(items) < 1", "\(items) >= 0", "\(items) == 1 OR \(items) == 2",
            "\(items) > 2 AND \(items) < 4", "NOT (\(items) == 1 AND \(items) == 2)", "NOT \(items) < 0",
            "ANY {1} == 2",
            "SUBQUERY(extensionItems, $i, $i.attachments.@count < 0).@count == 0",
        ] { #expect(try !codes(text).contains(.neverMatches), "\(text)") }
    }

    // spec: P-363
    @Test func aCollectionWithoutModifierIsFound() throws {
        #expect(
            try codes(attachments("$a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.image'")) == [.missingModifier])
        #expect(try codes(attachments("$a.registeredTypeIdentifiers LIKE 'public.*'")) == [.missingModifier])
        #expect(try codes("{'a'} BEGINSWITH 'b'") == [.missingModifier])
        #expect(try codes("SUBQUERY(extensionItems, $i, TRUEPREDICATE) UTI-EQUALS 'a'") == [.missingModifier])
        #expect(try codes(attachments("$a.registeredTypeIdentifiers CONTAINS 'public.image'")).isEmpty)
    }

    @Test func aKeyThatIsAlwaysNilIsFoundWithTheRightOne() throws {
        for (text, remedy) in [
            ("extensionitems.@count == 1", "The only key here is extensionItems"),
            ("SUBQUERY(extensionItems, $i, $i.attachment.@count == 1).@count == 1", "The only key here is attachments"),
            (attachments("ANY $a.types == 'x'"), "The only key here is registeredTypeIdentifiers"),
            ("extensionItems.attachments.@count == 1", "Use SUBQUERY for the elements of a collection"),
            (
                attachments("SUBQUERY($a.registeredTypeIdentifiers, $t, $t.x == 1).@count == 1"),
                "A type identifier has no keys"
            ),
        ] {
            let found = try warnings(text)
            #expect(found.map(\.code) == [.unknownKeyPath] && found.first?.remedy == remedy, "\(text): \(found)")
        }
        #expect(
            try codes("SUBQUERY(fileProviderItems, $f, TRUEPREDICATE).@count > 0", .fileproviderItems) == [
                .unknownKeyPath
            ])
        #expect(try codes("SUBQUERY(fileproviderItems, $f, $f.any.thing == 1).@count > 0", .fileproviderItems).isEmpty)
    }

    @Test func aPublicTypeThatIsNoneIsFound() throws {
        let found = try warnings(attachments("ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'public.imgae'"))
        #expect(found.map(\.code) == [.unknownType] && found.first?.remedy == "Is public.image meant?")
        #expect(try codes(attachments("ANY $a.registeredTypeIdentifiers UTI-EQUALS 'public.zzz'")) == [.unknownType])
        #expect(try codes(attachments("ANY $a.registeredTypeIdentifiers UTI-EQUALS 'org.example.own'")).isEmpty)
    }

    @Test func warningsAreBoundedAndEveryOneHasARemedy() throws {
        let many = Array(repeating: "nothing == 1", count: 1000).joined(separator: " OR ")
        let found = try warnings(many)
        #expect(found.count == 100)
        for warning in found { #expect(!warning.message.isEmpty && !warning.remedy.isEmpty && warning.key == nil) }
    }
}

/// The page for authors names what the code can say.
@Suite struct ActivationRulesPageTests {
    private let page: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? String(contentsOf: root.appendingPathComponent("docs/activation-rules.md"), encoding: .utf8)) ?? ""
    }()

    @Test func thePageHasARowForEveryWarningAndNoOther() {
        let rows = page.split(separator: "\n").filter {
            $0.hasPrefix("| `") && ($0.contains("| warning |") || $0.contains("| error |"))
        }
        let named = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(
            Set(named) == Set(RuleWarning.Code.allCases.map(\.rawValue))
                && named.count == RuleWarning.Code.allCases.count)
    }

    @Test func thePredicateOfThePageReadsAndHasNoWarning() throws {
        let start = try #require(page.range(of: "SUBQUERY (\n"))
        let end = try #require(page.range(of: "\n```", range: start.lowerBound..<page.endIndex))
        let rule = try ActivationRule(predicate: String(page[start.lowerBound..<end.lowerBound]))
        #expect(rule.warnings().isEmpty)
        #expect(try rule.matches(item(["com.adobe.pdf"])) && !rule.matches(item(["com.adobe.pdf"], ["com.adobe.pdf"])))
    }
}
