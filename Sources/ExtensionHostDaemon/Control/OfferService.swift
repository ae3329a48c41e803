// OfferService: which extensions accept some items, and why one does or does not.

import EventLoop
import ExtensionConnection
import ExtensionProtocol
import ExtensionRegistry

extension ControlService {
    /// One page is asked at a time: who wants all of it asks again.
    func match(_ packet: Packet, _ message: MatchItems) {
        let (chosen, count) = engine.candidates(for: owner, from: message.offset, limit: Self.pageLimit)
        let first = min(max(0, message.offset), count)
        let types = engine.typeSource(for: owner)
        offLoop(packet, "match") {
            let subject = OfferSubject(message.types, types: types.table)
            return chosen.map { $0.offer(subject).offer }
        } then: { service, offers in
            service.page(packet, of: offers, from: first, count: count)
        }
    }

    func explain(_ packet: Packet, _ message: ExplainOffer) {
        guard let bundle = engine.bundle(message.extensionIdentifier, for: owner) else {
            return peer.reply(
                packet,
                engine.noSuchExtension(message.extensionIdentifier, remedy: "exthostctl list shows what there is"))
        }
        guard let candidate = engine.candidate(bundle.identifier, for: owner) else {
            let why = "it is disabled: \(bundle.problems.joined(separator: "; "))".cut(toBytes: 1024)
            let offer = OfferRecord(identifier: bundle.identifier, path: bundle.path, shown: false, why: why)
            return peer.reply(packet, OfferExplanation(offer: offer))
        }
        let types = engine.typeSource(for: owner)
        offLoop(packet, "explain") {
            candidate.explain(OfferSubject(message.types, types: types.table))
        } then: { service, answer in
            service.peer.reply(packet, answer)
        }
    }
}
