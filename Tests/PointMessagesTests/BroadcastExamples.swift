// BroadcastExamples: values of every message of broadcasts.

import ExtensionPointKit
import PointMessages
import PropertyListCoding

func broadcastExamples() throws -> [MessageExamples] {
    let words = BroadcastWords(
        failure: .init(domain: "Example", code: -7, text: "enough"), serviceInfo: PointValue(["viewers": 12]),
        url: "https://live.example/room")
    let replies: KeyValuePairs = ["full": words, "bare": BroadcastWords()]
    return [
        MessageExamples(
            StartBroadcast.self,
            [
                "full": StartBroadcast(
                    setupInfo: PointValue(["title": "Hello"]), stream: try streamOffer(isRing: true)),
                "bare": StartBroadcast(setupInfo: nil, stream: try streamOffer(isRing: false)),
            ], replies: replies),
        MessageExamples(PauseBroadcast.self, ["": PauseBroadcast(samples: 3)], replies: replies),
        MessageExamples(ResumeBroadcast.self, ["": ResumeBroadcast(samples: 3)], replies: replies),
        MessageExamples(
            AnnotateBroadcast.self,
            [
                "": AnnotateBroadcast(
                    samples: 3, application: PointValue(["RPApplicationInfoBundleIdentifierKey": "a.b"]))
            ],
            replies: replies),
        MessageExamples(SettleBroadcast.self, ["": SettleBroadcast(samples: 3)], replies: replies),
        MessageExamples(FinishBroadcast.self, ["": FinishBroadcast(samples: 3)], replies: replies),
        MessageExamples(EndBroadcast.self, ["": EndBroadcast()], replies: replies),
        MessageExamples(
            FailBroadcast.self, ["": FailBroadcast(.init(domain: "Example", code: -7, text: "enough"))]),
        MessageExamples(
            CompleteSetup.self,
            [
                "full": CompleteSetup(url: "https://live.example/", setupInfo: PointValue(["title": "Hello"])),
                "bare": CompleteSetup(url: "https://live.example/", setupInfo: nil),
            ]),
        MessageExamples(
            LoadBroadcastingApplication.self, ["": LoadBroadcastingApplication()],
            replies: [
                "full": .init(identifier: "a.b", displayName: "Game", icon: [1, 2, 255]),
                "bare": .init(identifier: "a.b", displayName: "Game", icon: nil),
            ]),
    ]
}
