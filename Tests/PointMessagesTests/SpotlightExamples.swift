// SpotlightExamples: values of every message of the index's service.

import ExtensionPointKit
import PointMessages

/// An item of an index, with all properties or with those that each item has.
func spotlightItem(isFull: Bool) -> SpotlightItem {
    SpotlightItem(
        identifier: "note-1", domain: isFull ? "notes.work" : nil, expires: isFull ? 700_000_000.5 : nil,
        attributes: PointValue(["title": "Grüße", "rating": 3, "keywords": ["a", "b"]]),
        searchable: isFull ? ["org_example_flavour"] : nil, thumbnail: isFull ? [1, 2, 255] : nil, isUpdate: isFull)
}

func spotlightExamples() -> [MessageExamples] {
    [
        MessageExamples(
            PutItems.self,
            [
                "full": PutItems([spotlightItem(isFull: true)], batch: 7),
                "bare": PutItems([spotlightItem(isFull: false)]),
            ]),
        MessageExamples(
            DeleteItems.self,
            [
                "full": DeleteItems(identifiers: ["note-1"], domains: ["notes"], all: true, batch: 7),
                "bare": DeleteItems(),
            ]),
        MessageExamples(
            BeginIndexBatch.self, ["": BeginIndexBatch()], replies: ["": BeginIndexBatch.Reply(7)]),
        MessageExamples(EndIndexBatch.self, ["": EndIndexBatch(batch: 7, index: "notes", state: [1, 2])]),
        MessageExamples(DropIndexBatch.self, ["": DropIndexBatch(7)]),
        MessageExamples(
            LastClientState.self, ["": LastClientState("notes")],
            replies: ["full": LastClientState.Reply([1, 2]), "bare": LastClientState.Reply(nil)]),
        MessageExamples(
            QueryItems.self,
            ["": QueryItems("title == \"fo*\"cd", filters: ["rating > 2"], attributes: ["title"])],
            replies: ["": QueryItems.Reply(2)],
            parts: [
                "full": QueryItems.Part([spotlightItem(isFull: true)]),
                "bare": QueryItems.Part([spotlightItem(isFull: false)]),
            ]),
        MessageExamples(SetIndexDelegate.self, ["": SetIndexDelegate(true)]),
    ]
}
