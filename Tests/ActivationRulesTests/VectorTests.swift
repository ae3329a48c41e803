// VectorTests: every known answer, and every text that no parser may accept.

import ActivationRules
import PropertyListCoding
import Testing

@Suite struct VectorTests {
    // spec: D1, D2, D3, P-328, P-330, P-205, P-351, P-352, P-353
    @Test func everyKnownAnswerIsGiven() throws {
        #expect(Vectors.expected.count == 9 * 14 + 6 * 15)
        for (rule, payload, shown) in Vectors.expected {
            let value = try #require(Vectors.rules[rule])
            let items = try #require(Vectors.payloads[payload])
            let subject = try RuleSubject(items)
            let rule_ = try ActivationRule(value)
            #expect(try rule_.matches(subject) == shown, "\(rule) of \(payload)")
            let explanation = try rule_.explain(subject)
            #expect(explanation.matches == shown && explanation.nearMiss == nil || !shown)
            // The same question as a host's begin asks it.
            #expect(try rule_.matches(RuleSubject(attachments: subject.attachments)) == shown)
        }
    }

    @Test func pairsThatAreNotListedHaveAnAnswerTooAndTheWrittenFormGivesTheSame() throws {
        for value in Vectors.rules.values {
            let rule = try ActivationRule(value)
            for items in Vectors.payloads.values {
                let subject = try RuleSubject(items)
                let answer = try rule.matches(subject)
                if let text = rule.predicateText {
                    #expect(try ActivationRule(predicate: text).matches(subject) == answer)
                    #expect(try ActivationRule(predicate: text).predicateText == text)
                }
            }
        }
    }

    // spec: E1, P-333
    @Test func whatMustBeRejectedIsAnErrorWithItsPlace() throws {
        #expect(Vectors.mustReject.count == 6)
        for (id, text) in Vectors.mustReject {
            let error = try #require(fault(text), "\(id) was accepted")
            #expect(error.line >= 1 && error.column >= 1 && !error.message.isEmpty && !error.hint.isEmpty, "\(id)")
        }
    }

    // spec: P-334
    @Test func variablesLostOnTheWayAreRecognised() throws {
        let text = try #require(Vectors.mustReject.first { $0.id == "X6" }).text
        let error = try #require(fault(text))
        #expect(error.column == 28 && error.message.contains("SUBQUERY has no variable"))
        #expect(error.hint.contains("replaced “$name” as its own setting"))
        #expect(try #require(fault("ANY .registeredTypeIdentifiers == \"a\"")).hint == error.hint)
        #expect(try #require(fault("SUBQUERY(extensionItems, $, TRUEPREDICATE).@count == 1")).hint == error.hint)
    }
}
