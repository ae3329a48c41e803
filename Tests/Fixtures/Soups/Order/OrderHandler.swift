// OrderHandler: the handlers of a shop, in both forms. The bridging header imports Intents.

import SoupKit

class IntentHandler: INExtension {
    override func handler(for intent: INIntent) -> Any {
        switch intent {
        case is OrderSoupIntent: return OrderHandler()
        case is CountSoupsIntent: return CountHandler()
        default: return self
        }
    }
}

/// The form with completion handlers.
class OrderHandler: NSObject, OrderSoupIntentHandling {
    func resolveSoup(for intent: OrderSoupIntent, with completion: @escaping (SoupResolutionResult) -> Void) {
        guard let soup = intent.soup else {
            let soups = ["tomato", "pea"].map { Soup(identifier: $0, display: $0) }
            return completion(.disambiguation(with: soups))
        }
        soup.spiciness = 0.5
        completion(.success(with: soup))
    }

    func resolveQuantity(
        for intent: OrderSoupIntent, with completion: @escaping (OrderSoupQuantityResolutionResult) -> Void
    ) {
        guard let quantity = intent.quantity?.intValue else { return completion(.needsValue()) }
        completion(quantity < 1 ? .unsupported(forReason: .lessThanMinimumValue) : .success(with: quantity))
    }

    func resolveSize(for intent: OrderSoupIntent, with completion: @escaping (SoupSizeResolutionResult) -> Void) {
        completion(intent.size == .unknown ? .confirmationRequired(with: .default) : .success(with: intent.size))
    }

    func resolveToppings(
        for intent: OrderSoupIntent, with completion: @escaping ([INStringResolutionResult]) -> Void
    ) {
        completion((intent.toppings ?? []).map { .success(with: $0.uppercased()) })
    }

    func provideSoupOptionsCollection(
        for intent: OrderSoupIntent, with completion: @escaping (INObjectCollection<Soup>?, Error?) -> Void
    ) {
        completion(INObjectCollection(items: [Soup(identifier: "pea", display: "pea")]), nil)
    }

    func confirm(intent: OrderSoupIntent, completion: @escaping (OrderSoupIntentResponse) -> Void) {
        completion(OrderSoupIntentResponse(code: .ready, userActivity: nil))
    }

    func handle(intent: OrderSoupIntent, completion: @escaping (OrderSoupIntentResponse) -> Void) {
        guard let soup = intent.soup else {
            return completion(OrderSoupIntentResponse(code: .failure, userActivity: nil))
        }
        guard soup.identifier != "pea" else { return completion(.failureOutOfSoup(soup)) }
        let minutes = Kitchen.minutes(for: soup.displayString) * (intent.quantity?.intValue ?? 1)
        completion(.success(soup: soup, waitTime: NSNumber(value: minutes)))
    }
}

/// The async form.
class CountHandler: NSObject, CountSoupsIntentHandling {
    func handle(intent: CountSoupsIntent) async -> CountSoupsIntentResponse {
        let response = CountSoupsIntentResponse(code: .success, userActivity: nil)
        response.count = 2
        return response
    }
}

extension IntentHandler: OrgCloseShopIntentHandling {
    func handle(intent: OrgCloseShopIntent) async -> OrgCloseShopIntentResponse {
        OrgCloseShopIntentResponse(code: .continueInApp, userActivity: nil)
    }
}
