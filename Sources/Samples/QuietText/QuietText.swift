// QuietText: a message filter that knows some words, and asks its server about all other messages.

import IdentityLookup

/// Decides about messages by their words. It cannot use the network, and cannot write into its group: so no filter can
/// pass on what it reads. The host asks the server in its place.
///
/// The server answers with JSON: `{"action": "junk"}`.
final class QuietText: ILMessageFilterExtension, ILMessageFilterQueryHandling,
    ILMessageFilterCapabilitiesQueryHandling
{
    func handle(
        _ capabilitiesQueryRequest: ILMessageFilterCapabilitiesQueryRequest, context: ILMessageFilterExtensionContext,
        completion: @escaping (ILMessageFilterCapabilitiesQueryResponse) -> Void
    ) {
        let response = ILMessageFilterCapabilitiesQueryResponse()
        response.transactionalSubActions = [.transactionalFinance, .transactionalReminders]
        response.promotionalSubActions = [.promotionalCoupons]
        completion(response)
    }

    func handle(
        _ queryRequest: ILMessageFilterQueryRequest, context: ILMessageFilterExtensionContext,
        completion: @escaping (ILMessageFilterQueryResponse) -> Void
    ) {
        let response = ILMessageFilterQueryResponse()
        (response.action, response.subAction) = Self.decision(about: queryRequest.messageBody ?? "")
        guard response.action == .none else { return completion(response) }
        context.deferQueryRequestToNetwork { answer, _ in
            response.action = answer.map(Self.decision) ?? .none
            completion(response)
        }
    }

    private static func decision(about text: String) -> (ILMessageFilterAction, ILMessageFilterSubAction) {
        let words = Set(text.lowercased().split { !$0.isLetter }.map(String.init))
        if !words.isDisjoint(with: ["lottery", "prize"]) { return (.junk, .none) }
        if words.contains("coupon") { return (.promotion, .promotionalCoupons) }
        if words.contains("invoice") { return (.transaction, .transactionalFinance) }
        if words.contains("appointment") { return (.transaction, .transactionalReminders) }
        return (.none, .none)
    }

    private static func decision(of answer: ILNetworkResponse) -> ILMessageFilterAction {
        struct Answer: Decodable { let action: String }
        guard answer.urlResponse.statusCode == 200,
            let decoded = try? JSONDecoder().decode(Answer.self, from: answer.data)
        else { return .none }
        switch decoded.action {
        case "allow": return .allow
        case "junk": return .junk
        case "promotion": return .promotion
        case "transaction": return .transaction
        default: return .none
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
