// OfferSummary: what of an offer condition outlives the process that found it.

/// What the index keeps of how a bundle is offered, so that a start compiles no rules.
struct OfferSummary: Sendable, Hashable {
    /// Whether its extension point took rules then: where that is not so now, the rest means nothing.
    var takesRules: Bool
    /// Whether it or the app around it declares types.
    var declaresTypes: Bool
    var problem: String?
    var warning: String?
}
