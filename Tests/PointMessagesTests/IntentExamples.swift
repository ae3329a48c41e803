// IntentExamples: values of every message of intents.

import PointMessages

func intentExamples() -> [MessageExamples] {
    // A dictionary has no order, so each has one member here.
    let person = IntentValue.record("person", ["name": .text("Anna")])
    let values: [IntentValue] = [
        .text("Hello"), .integer(3), .number(1.5), .boolean(true), .date(5), .components(["year": 2026]),
        .data([1, 255]), .url("https://example.org/"), person,
    ]
    let intent = IntentDescription("OrderIntent", identifier: "1", values: ["all": .list(values)])
    let full = IntentAnswer(
        "OrderIntentResponse", code: "success", number: 4, isSuccess: true, values: ["person": person],
        activity: IntentAnswer.Activity(
            type: "org.example.order", title: "Order", userInfo: ["count": .integer(1)],
            webpage: "https://example.org/"))
    let bare = IntentAnswer(
        "OrderIntentResponse", code: "failure", number: 5, isSuccess: false, values: [:], activity: nil)
    let size = IntentType(.enumeration, isList: true, record: "size", cases: ["small": 1], isSet: true)
    return [
        MessageExamples(
            DescribeIntent.self, ["": DescribeIntent("OrderIntent")],
            replies: [
                "full": DescribeIntent.Reply([DescribeIntent.Parameter("sizes", size, isResolved: true)]),
                "bare": DescribeIntent.Reply([
                    DescribeIntent.Parameter("count", IntentType(.integer), isResolved: false)
                ]),
            ]),
        MessageExamples(
            ResolveIntent.self, ["": ResolveIntent(intent, parameter: "all")],
            replies: [
                "full": ResolveIntent.Reply([
                    IntentResolution(.disambiguation, value: person, options: [person, .text("x")], reason: 2)
                ]),
                "bare": ResolveIntent.Reply(nil),
            ]),
        MessageExamples(
            ConfirmIntent.self, ["": ConfirmIntent(intent)],
            replies: ["full": ConfirmIntent.Reply(full), "bare": ConfirmIntent.Reply(nil)]),
        MessageExamples(
            HandleIntent.self, ["": HandleIntent(intent)],
            replies: ["full": HandleIntent.Reply(full), "bare": HandleIntent.Reply(bare)]),
        MessageExamples(EndIntent.self, ["": EndIntent()]),
    ]
}
