// IntentExamples: values of every message of intents.

import PointMessages

func intentExamples() -> [MessageExamples] {
    let person = IntentValue.record(
        "person", ["name": .text("Anna"), "handle": .record("handle", ["value": .text("anna@example.org")])])
    let full = IntentDescription(
        "OrderIntent", identifier: "1",
        values: [
            "text": .text("Hello"), "integer": .integer(3), "number": .number(1.5), "boolean": .boolean(true),
            "date": .date(5), "components": .components(["year": 2026]), "data": .data([1, 255]),
            "url": .url("https://example.org/"), "people": .list([person]),
        ])
    let bare = IntentDescription("OrderIntent", identifier: "1", values: [:])
    let answer = IntentAnswer(
        "OrderIntentResponse", code: "success", number: 4, isSuccess: true, values: ["person": person],
        activity: IntentAnswer.Activity(
            type: "org.example.order", title: "Order", userInfo: ["count": .integer(1)],
            webpage: "https://example.org/"))
    return [
        MessageExamples(
            DescribeIntent.self, ["": DescribeIntent("OrderIntent")],
            replies: [
                "": DescribeIntent.Reply([
                    DescribeIntent.Parameter("count", IntentType(.integer), isResolved: true),
                    DescribeIntent.Parameter(
                        "people", IntentType(.record, isList: true, record: "person"), isResolved: false),
                    DescribeIntent.Parameter("size", IntentType(.enumeration, cases: ["small": 1]), isResolved: true),
                ])
            ]),
        MessageExamples(
            ResolveIntent.self, ["": ResolveIntent(full, parameter: "integer")],
            replies: [
                "full": ResolveIntent.Reply([
                    IntentResolution(.success, value: person), IntentResolution(.unsupported, reason: 2),
                    IntentResolution(.disambiguation, options: [person, .text("x")]), IntentResolution(.needsValue),
                ]),
                "bare": ResolveIntent.Reply(nil),
            ]),
        MessageExamples(
            ConfirmIntent.self, ["": ConfirmIntent(bare)],
            replies: ["full": ConfirmIntent.Reply(answer), "bare": ConfirmIntent.Reply(nil)]),
        MessageExamples(HandleIntent.self, ["": HandleIntent(full)], replies: ["": HandleIntent.Reply(answer)]),
        MessageExamples(EndIntent.self, ["": EndIntent()]),
    ]
}
