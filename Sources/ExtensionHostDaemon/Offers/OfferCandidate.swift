// OfferCandidate: an extension whose rule is about to be evaluated for some items.

import ActivationRules
import ExtensionProtocol
import ExtensionRegistry
import UniformTypeIdentifiers

/// The data that decides about one extension; a value, for any thread.
struct OfferCandidate: Sendable {
    var bundle: ExtensionBundle
    var terms: OfferTerms
    /// Whether the user has switched the extension off.
    var isIgnored: Bool

    /// The condition of the offer.
    ///
    /// The first access reads the rule, so the loop must not make it unless the terms are ready.
    var condition: OfferCondition { terms.condition }
}

/// The items for which rules are evaluated: each form of them is built once, for any number of rules.
struct OfferSubject {
    private let plain: Result<RuleSubject, RuleError>
    private let withWebPages: Result<RuleSubject, RuleError>?

    /// Looks up every type, so the loop must not call it unless there are few.
    init(_ offered: OfferedTypes, types: TypeTable) {
        plain = Self.subject(offered.attachments, types)
        withWebPages = offered.webPages.isEmpty ? nil : Self.subject(offered.attachments(withWebPages: true), types)
    }

    private static func subject(_ attachments: [[[String]]], _ types: TypeTable) -> Result<RuleSubject, RuleError> {
        do throws(RuleError) {
            return .success(try RuleSubject(attachments: attachments, types: types))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the items in the form in which an extension with this rule gets them.
    func form(for rule: ActivationRule) throws(RuleError) -> RuleSubject {
        guard let withWebPages, rule.asksForWebPage else { return try plain.get() }
        return try withWebPages.get()
    }
}

extension OfferCandidate {
    /// The maximum steps of each attempt to find a near miss.
    private static let nearMissWork = 50_000
    /// The maximum bytes of a text for people, and of all clauses together.
    private static let textLimit = 512
    private static let clausesLimit = 40 * 1024

    /// Whether its rule asks for a web page.
    var wantsWebPage: Bool {
        guard case .rule(let rule) = condition else { return false }
        return rule.asksForWebPage
    }

    /// Evaluates the rule. A hostile rule takes some milliseconds, so the loop must not call it.
    func offer(_ subject: OfferSubject) -> OfferExplanation { judge(subject, withClauses: false) }

    /// Evaluates the rule like `offer`, and returns what decided, clause by clause.
    func explain(_ subject: OfferSubject) -> OfferExplanation { judge(subject, withClauses: true) }

    private func judge(_ subject: OfferSubject, withClauses: Bool) -> OfferExplanation {
        var answer = OfferExplanation(
            offer: OfferRecord(
                identifier: bundle.identifier, path: bundle.path, shown: false, why: "", wantsWebPage: wantsWebPage))
        switch condition {
        case .always:
            answer.offer.shown = true
            answer.offer.why = "its extension point, \(bundle.point), takes no rules: every extension of it is eligible"
        case .noRule:
            answer.offer.why =
                "it has no activation rule, which \(bundle.point) requires. Add NSExtensionActivationRule to its NSExtensionAttributes"
        case .unreadable(let error): answer.offer.why = "its activation rule cannot be read: \(error)"
        case .rule(let rule): ask(rule, subject, withClauses, &answer)
        }
        // The user's choice comes last, so that the clauses are present all the same.
        if isIgnored {
            answer.offer.shown = false
            answer.offer.why =
                "the user has switched it off. exthostctl elect default \(bundle.identifier) switches it on again"
        }
        answer.offer.why = answer.offer.why.cut(toBytes: Self.textLimit)
        answer.nearMiss = answer.nearMiss?.cut(toBytes: Self.textLimit)
        return answer
    }

    private func ask(
        _ rule: ActivationRule, _ subject: OfferSubject, _ withClauses: Bool, _ answer: inout OfferExplanation
    ) {
        do throws(RuleError) {
            let form = try subject.form(for: rule)
            answer.offer.shown = try rule.matches(form)
            if answer.offer.shown { answer.offer.why = "its rule accepts these items" }
            guard withClauses || !answer.offer.shown else { return }
            // The rule has been evaluated; if its explanation would take too long, there is none.
            guard
                let explanation = try? rule.explain(form, work: withClauses ? PredicateBounds.work : Self.nearMissWork)
            else {
                if !answer.offer.shown { answer.offer.why = "its rule does not accept these items" }
                return
            }
            answer.nearMiss = explanation.nearMiss
            if withClauses { answer.clauses = Self.clauses(explanation) }
            if !answer.offer.shown {
                answer.offer.why = "its rule does not accept these items" + Self.reason(explanation)
            }
        } catch {
            answer.offer.shown = false
            answer.offer.why = "its rule could not be evaluated: \(error.message). \(error.hint)"
        }
    }

    private static func reason(_ explanation: RuleExplanation) -> String {
        if let nearMiss = explanation.nearMiss { return "; it would match \(nearMiss)" }
        guard let clause = explanation.clauses.first(where: { $0.level == 0 && !$0.result }) else { return "" }
        return clause.detail.isEmpty ? ": not \(clause.clause)" : ": \(clause.detail)"
    }

    private static func clauses(_ explanation: RuleExplanation) -> [OfferExplanation.Clause] {
        var size = 0
        return explanation.clauses.lazy
            .map {
                OfferExplanation.Clause(
                    clause: $0.clause.cut(toBytes: textLimit), result: $0.result,
                    detail: $0.detail.cut(toBytes: textLimit),
                    level: $0.level)
            }
            .prefix { clause in
                // The constant is the size of a dictionary itself in binary form.
                size += clause.clause.utf8.count + clause.detail.utf8.count + 32
                return size <= clausesLimit
            }
    }
}
