// FileProviderExamples: values of every message of file providers and of their service.

import ExtensionPointKit
import PointMessages

private func item(isFull: Bool) -> FileItem {
    var item = FileItem(identifier: "7", parent: "root", name: "Grüße.txt")
    guard isFull else { return item }
    item.type = "public.plain-text"
    item.capabilities = 63
    (item.size, item.childCount) = (5, 0)
    (item.created, item.modified, item.lastUsed) = (1.5, 1_700_000_000.25, 3)
    (item.contentVersion, item.metadataVersion) = ([1, 255], [2])
    item.linkTarget = "../elsewhere"
    item.extendedAttributes = ["user.colour": [7]]
    (item.flags, item.tags, item.favoriteRank) = (3, [9], 4)
    item.states = ["isUploaded", "isShared"]
    item.userInfo = PointValue(["kind": "note"])
    return item
}

func fileProviderExamples() throws -> [MessageExamples] {
    let file = try PointFile(readingAt: "/etc/passwd")
    return [
        MessageExamples(
            OpenFiles.self, ["": OpenFiles()],
            replies: [
                "": OpenFiles.Reply(isReplicated: true)
            ]),
        MessageExamples(EndFiles.self, ["": EndFiles()]),
        MessageExamples(
            ItemForIdentifier.self, ["": ItemForIdentifier("7")],
            replies: [
                "full": ItemForIdentifier.Reply(item(isFull: true)),
                "bare": ItemForIdentifier.Reply(item(isFull: false)),
            ]),
        MessageExamples(
            EnumerateItems.self, ["": EnumerateItems("root", page: [1, 2])],
            replies: ["full": EnumerateItems.Reply(next: [3]), "bare": EnumerateItems.Reply(next: nil)],
            parts: [
                "full": EnumerateItems.Part([item(isFull: true)]), "bare": EnumerateItems.Part([item(isFull: false)]),
            ]),
        MessageExamples(
            EnumerateChanges.self, ["": EnumerateChanges("root", anchor: [1])],
            replies: ["": EnumerateChanges.Reply(anchor: [2], more: true)],
            parts: [
                "full": EnumerateChanges.Part(updated: [item(isFull: true)], deleted: ["8"]),
                "bare": EnumerateChanges.Part(updated: [item(isFull: false)]),
            ]),
        MessageExamples(
            CurrentSyncAnchor.self, ["": CurrentSyncAnchor("root")],
            replies: ["full": CurrentSyncAnchor.Reply([1]), "bare": CurrentSyncAnchor.Reply(nil)]),
        MessageExamples(
            FetchThumbnails.self, ["": FetchThumbnails(["7", "8"], width: 64, height: 32.5)],
            replies: ["": Nothing()],
            parts: [
                "full": FetchThumbnails.Part("7", data: [1], failure: "late"),
                "bare": FetchThumbnails.Part("7", data: nil, failure: nil),
            ]),
        MessageExamples(
            URLForItem.self, ["": URLForItem("7")],
            replies: ["full": URLForItem.Reply("a/b.txt"), "bare": URLForItem.Reply(nil)]),
        MessageExamples(
            IdentifierForURL.self, ["": IdentifierForURL("a/b.txt")],
            replies: ["full": IdentifierForURL.Reply("7"), "bare": IdentifierForURL.Reply(nil)]),
        MessageExamples(ProvidePlaceholder.self, ["": ProvidePlaceholder("a.txt")]),
        MessageExamples(StartProvidingItem.self, ["": StartProvidingItem("a.txt")]),
        MessageExamples(ItemChanged.self, ["": ItemChanged("a.txt")]),
        MessageExamples(StopProvidingItem.self, ["": StopProvidingItem("a.txt")]),
        MessageExamples(
            PerformFileAction.self,
            [
                "full": PerformFileAction(
                    .importDocument, "root", name: "a.txt", parent: "7", date: 1.5, tags: [1], rank: 2, file: file),
                "bare": PerformFileAction(.delete, "7"),
            ],
            replies: [
                "full": PerformFileAction.Reply(item(isFull: true)), "bare": PerformFileAction.Reply(nil),
            ]),
        MessageExamples(
            FetchContents.self,
            [
                "full": FetchContents("7", contentVersion: [1], metadataVersion: [2]), "bare": FetchContents("7"),
            ],
            replies: [
                "full": FetchContents.Reply(item(isFull: true), file: file),
                "bare": FetchContents.Reply(item(isFull: false), file: file),
            ]),
        MessageExamples(
            CreateItem.self,
            [
                "full": CreateItem(item(isFull: true), fields: 7, options: 1, file: file),
                "bare": CreateItem(item(isFull: false), fields: 2, options: 0, file: nil),
            ],
            replies: [
                "full": ChangedFileItem(item(isFull: true), remaining: 4, shouldFetch: true),
                "bare": ChangedFileItem(nil, remaining: 0, shouldFetch: false),
            ]),
        MessageExamples(
            ModifyItem.self,
            [
                "full": ModifyItem(
                    item(isFull: true), baseContentVersion: [1], baseMetadataVersion: [2], fields: 1, options: 1,
                    file: file),
                "bare": ModifyItem(item(isFull: false), fields: 2),
            ],
            replies: [
                "full": ChangedFileItem(item(isFull: true), remaining: 4, shouldFetch: true),
                "bare": ChangedFileItem(nil, remaining: 0, shouldFetch: false),
            ]),
        MessageExamples(
            DeleteItem.self,
            [
                "full": DeleteItem("7", baseContentVersion: [1], baseMetadataVersion: [2], options: 1),
                "bare": DeleteItem("7"),
            ]),
        MessageExamples(ImportDidFinish.self, ["": ImportDidFinish()]),
        MessageExamples(MaterializedItemsDidChange.self, ["": MaterializedItemsDidChange()]),
    ]
}

func fileServiceExamples() -> [MessageExamples] {
    let domain = FileDomain(identifier: "work", displayName: "Work", path: "places/work")
    return [
        MessageExamples(
            AddFileDomain.self,
            [
                "full": AddFileDomain(domain),
                "bare": AddFileDomain(FileDomain(identifier: "work", displayName: "Work")),
            ]),
        MessageExamples(RemoveFileDomain.self, ["": RemoveFileDomain("work")]),
        MessageExamples(
            FileDomains.self, ["": FileDomains()],
            replies: [
                "full": FileDomains.Reply([domain]),
                "bare": FileDomains.Reply([FileDomain(identifier: "work", displayName: "Work")]),
            ]),
        MessageExamples(SignalEnumerator.self, ["": SignalEnumerator(domain: "work", container: "root")]),
        MessageExamples(SignalErrorResolved.self, ["": SignalErrorResolved(domain: "work", code: -1004)]),
        MessageExamples(
            RegisterTransfer.self,
            [
                "": RegisterTransfer(
                    domain: "work", identifier: "item",
                    transfer: BackgroundTransfer(
                        session: "photos", task: 2, isUpload: true, url: "https://example.org/a"))
            ]),
        MessageExamples(EvictItem.self, ["": EvictItem(domain: "work", identifier: "7")]),
        MessageExamples(
            EvictFile.self,
            [
                "full": EvictFile("org.example.files", domain: "work", path: "/a.txt"),
                "bare": EvictFile("org.example.files", domain: nil, path: "/a.txt"),
            ]),
    ]
}
