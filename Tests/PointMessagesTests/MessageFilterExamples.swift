// MessageFilterExamples: values of every message of message filters.

import PointMessages

func messageFilterExamples() -> [MessageExamples] {
    [
        MessageExamples(
            FilterMessage.self,
            [
                "full": FilterMessage(.init(sender: "+15555550123", body: "Hello", country: "DE")),
                "bare": FilterMessage(.init(sender: nil, body: nil)),
            ], replies: ["": FilterMessage.Reply(.transaction, .transactionalOrders)]),
        MessageExamples(
            MessageFilterCapabilities.self, ["": MessageFilterCapabilities()],
            replies: [
                "": MessageFilterCapabilities.Reply(
                    transactional: [.transactionalHealth], promotional: [.promotionalOffers])
            ]),
        MessageExamples(EndMessageFilter.self, ["": EndMessageFilter()]),
        MessageExamples(
            DeferQueryToNetwork.self, ["": DeferQueryToNetwork()],
            replies: [
                "": DeferQueryToNetwork.Reply(
                    url: "https://filter.example/", status: 200, headers: ["Content-Type": "text/plain"],
                    body: [1, 2, 255])
            ]),
    ]
}
