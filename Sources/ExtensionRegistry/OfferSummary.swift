// OfferSummary: the part of an offer condition that outlives its process, and the source that it is made from.

import PropertyListCoding
import UniformTypeIdentifiers

/// The summary in the index of how a bundle is offered, so that a start compiles no rules.
struct OfferSummary: Sendable, Hashable {
    /// Whether its extension point took rules then. If the point differs now, the rest is void.
    var takesRules: Bool
    /// Whether the bundle or the app around it declares types.
    var declaresTypes: Bool
    var problem: String?
    var warning: String?
}

/// The parts of a bundle just read that decide how it is offered.
///
/// They are held until the summary is known, so that no plist is unpacked for it.
struct OfferSource: Sendable {
    /// The unchanged `NSExtensionActivationRule`.
    var rule: PropertyList?
    /// The types of the app around it, then its own.
    var types: [DeclaredType]
}
