// KnownRules: a cache of compiled predicates by their text, because extensions of one app or template often share one.

import ActivationRules
import PropertyListCoding

/// The rules that one thread's pass over many bundles has read. Equal rules share one compiled form, which saves
/// memory.
struct KnownRules {
    /// A text compared by its bytes: texts that are only canonically equal are different rules.
    private struct Text: Hashable {
        let text: String

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    /// The maximum number of cached rules. Further rules are compiled one by one.
    private static let most = 64
    private var conditions: [Text: OfferCondition] = [:]

    /// - Parameter rule: the rule; nil if there is none.
    mutating func condition(_ rule: PropertyList?) -> OfferCondition {
        guard let rule else { return .noRule }
        guard case .string(let predicate) = rule else { return OfferCondition(reading: rule) }
        let text = Text(text: predicate)
        if let known = conditions[text] { return known }
        let condition = OfferCondition(reading: rule)
        if conditions.count < Self.most { conditions[text] = condition }
        return condition
    }
}
