// MessageFilterExamples: values of every message of message filters and of reports.

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

func classificationExamples() -> [MessageExamples] {
    let message = ReportedCommunication(sender: "+15555550123", date: 1_700_000_000, body: "Hello")
    return [
        MessageExamples(
            PrepareClassification.self,
            [
                "full": PrepareClassification(.message, [message]),
                "bare": PrepareClassification(.call, [.init(sender: nil, date: 0)]),
            ]),
        MessageExamples(
            ClassifyCommunications.self, ["": ClassifyCommunications()],
            replies: [
                "full": ClassifyCommunications.Reply(
                    .reportJunkAndBlockSender, userString: "words", userInfo: Array(#"{"a":1}"#.utf8)),
                "bare": ClassifyCommunications.Reply(.none),
            ]),
        MessageExamples(EndClassification.self, ["": EndClassification()]),
        MessageExamples(ChangeClassificationReadiness.self, ["": ChangeClassificationReadiness(true)]),
    ]
}
