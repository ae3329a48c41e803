// OfferSummary: what of an offer condition outlives the process that found it, and what it is found from.

import PropertyListCoding
import UniformTypeIdentifiers

/// What the index keeps of how a bundle is offered, so that a start compiles no rules.
struct OfferSummary: Sendable, Hashable {
    /// Whether its extension point took rules then: where that is not so now, the rest means nothing.
    var takesRules: Bool
    /// Whether it or the app around it declares types.
    var declaresTypes: Bool
    var problem: String?
    var warning: String?
}

/// What of a bundle just read decides how it is offered: at hand until that has been found out, so that no plist is unpacked for it.
struct OfferSource: Sendable {
    /// `NSExtensionActivationRule` as it stands there.
    var rule: PropertyList?
    /// Those of the app around it, then its own.
    var types: [DeclaredType]
}
