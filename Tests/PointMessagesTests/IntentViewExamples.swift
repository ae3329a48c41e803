// IntentViewExamples: values of every message of the views of intents.

import PointMessages

func intentViewExamples() -> [MessageExamples] {
    // A dictionary has no order, so each has one member here.
    let intent = IntentDescription("OrderIntent", identifier: "1", values: ["soup": .text("leek")])
    let answer = IntentAnswer(
        "OrderIntentResponse", code: "success", number: 4, isSuccess: true, values: ["time": .integer(9)],
        activity: IntentAnswer.Activity(
            type: "org.example.order", title: "Order", userInfo: ["count": .integer(1)],
            webpage: "https://example.org/"))
    let soup = IntentParameterPath(.intent, "soup", indexes: ["soup": 1])
    let time = IntentParameterPath(.response, "time")
    func configure(_ answer: IntentAnswer?) -> ConfigureIntentView {
        ConfigureIntentView(
            [soup], of: IntentInteraction(identifier: "2", intent, answer, start: 5, end: 6), all: [soup, time],
            behavior: .launch, place: .maps, least: .init(320, 44), most: .init(375, 600))
    }
    let size = IntentType(.enumeration, isList: true, record: "size", cases: ["small": 1], isSet: true)
    func describe(_ type: IntentType) -> DescribeInteraction.Reply {
        DescribeInteraction.Reply(
            [DescribeIntent.Parameter("soup", type, isResolved: true)], response: "OrderIntentResponse",
            properties: [DescribeIntent.Parameter("time", type, isResolved: false)],
            codes: [DescribeInteraction.Code("success", 4, isSuccess: true)])
    }
    return [
        MessageExamples(
            DescribeInteraction.self, ["": DescribeInteraction("OrderIntent")],
            replies: ["full": describe(size), "bare": describe(IntentType(.integer))]),
        MessageExamples(
            ConfigureIntentView.self, ["full": configure(answer), "bare": configure(nil)],
            replies: [
                "parameters": ConfigureIntentView.Reply(
                    .parameters, isConfigured: true, parameters: [soup, time], size: .init(320, 120.5)),
                "interaction": ConfigureIntentView.Reply(
                    .interaction, isConfigured: true, size: .init(320, 80), displaysMap: true, displaysMessage: true,
                    displaysPaymentTransaction: true),
                "notWritten": ConfigureIntentView.Reply(.notWritten, isConfigured: false),
            ]),
        MessageExamples(EndIntentView.self, ["": EndIntentView()]),
    ]
}
