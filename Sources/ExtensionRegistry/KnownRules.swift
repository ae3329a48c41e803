// KnownRules: predicates that were read a moment ago, by their texts: the extensions of one app, or made of one template, often have the same.

import ActivationRules
import PropertyListCoding

/// Of one thread's look at many bundles. Rules that are the same share one compiled form, which saves memory, too.
struct KnownRules {
    /// By its bytes: two texts that are only canonically the same are two rules.
    private struct Text: Hashable {
        let text: String

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    /// Beyond these each is read for itself.
    private static let most = 64
    private var conditions: [Text: OfferCondition] = [:]

    /// - Parameter rule: nil where there is none.
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
