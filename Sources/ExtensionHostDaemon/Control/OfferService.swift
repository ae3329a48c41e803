// OfferService: the extensions that accept given items, and the reasons why one does or does not.

import EventLoop
import ExtensionConnection
import ExtensionProtocol
import ExtensionRegistry

extension ControlService {
    /// Sends one page of the offers; a client that wants all pages asks again.
    func match(_ message: MatchItems, _ reply: Reply<Page<OfferRecord>>) throws(ExtensionHostError) {
        let (chosen, count) = catalog.candidates(for: owner, from: message.offset, limit: Self.pageLimit)
        let first = min(max(0, message.offset), count)
        let types = catalog.typeSource(for: owner)
        try offLoop(reply, "match") {
            let subject = OfferSubject(message.types, types: types.table)
            return chosen.map { $0.offer(subject).offer }
        } then: { _, offers in
            reply(Self.page(of: offers, from: first, count: count))
        }
    }

    func explain(_ message: ExplainOffer, _ reply: Reply<OfferExplanation>) throws(ExtensionHostError) {
        guard let bundle = catalog.bundle(message.extensionIdentifier, for: owner) else {
            throw catalog.noSuchExtension(message.extensionIdentifier, remedy: "exthostctl list lists the extensions")
        }
        guard let candidate = catalog.candidate(bundle.identifier, for: owner) else {
            let why = "it is disabled: \(bundle.problems.joined(separator: "; "))".cut(toBytes: 1024)
            let offer = OfferRecord(identifier: bundle.identifier, path: bundle.path, shown: false, why: why)
            return reply(OfferExplanation(offer: offer))
        }
        let types = catalog.typeSource(for: owner)
        try offLoop(reply, "explain") {
            candidate.explain(OfferSubject(message.types, types: types.table))
        } then: { _, answer in
            reply(answer)
        }
    }
}
