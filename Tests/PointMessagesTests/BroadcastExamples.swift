// BroadcastExamples: values of every message of broadcasts.

import ExtensionPointKit
import PointMessages
import PropertyListCoding

func broadcastExamples() throws -> [MessageExamples] {
    let words = BroadcastWords(
        failure: .init(domain: "Example", code: -7, text: "enough"), serviceInfo: PointValue(["viewers": 12]),
        url: "https://live.example/room")
    return [
        MessageExamples(
            StartBroadcast.self,
            [
                "full": StartBroadcast(setupInfo: PointValue(["title": "Hello"]), stream: try offer()),
                "bare": StartBroadcast(setupInfo: nil, stream: try offer()),
            ], replies: ["full": words, "bare": BroadcastWords()]),
        MessageExamples(PauseBroadcast.self, ["": PauseBroadcast(samples: 3)], replies: ["": BroadcastWords()]),
        MessageExamples(ResumeBroadcast.self, ["": ResumeBroadcast(samples: 3)], replies: ["": BroadcastWords()]),
        MessageExamples(
            AnnotateBroadcast.self,
            [
                "": AnnotateBroadcast(
                    samples: 3, application: PointValue(["RPApplicationInfoBundleIdentifierKey": "a.b"]))
            ],
            replies: ["": BroadcastWords()]),
        MessageExamples(SettleBroadcast.self, ["": SettleBroadcast(samples: 3)], replies: ["": BroadcastWords()]),
        MessageExamples(FinishBroadcast.self, ["": FinishBroadcast(samples: 3)], replies: ["": BroadcastWords()]),
        MessageExamples(EndBroadcast.self, ["": EndBroadcast()], replies: ["": BroadcastWords()]),
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

/// An offer of a routed stream.
private func offer() throws -> PointStreamOffer {
    try PointDecoder.decode(
        PointStreamOffer.self, from: EncodedValue(plist: ["stream": 1, "capacity": 65536], descriptors: []))
}
