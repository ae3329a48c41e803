// PayloadExamples: values of every message of iMessage apps.

import ExtensionPointKit
import PointMessages

func payloadExamples() throws -> [MessageExamples] {
    let file = try PointFile(readingAt: "/etc/passwd")
    let local = "9F2D3E70-1B7C-4B2A-9A3F-0A1B2C3D4E5F"
    let remote = "0C6A7D52-93F0-4E0B-8A70-5F4E3D2C1B0A"
    let bare = PayloadMessage(identifier: "a", sender: remote, isPending: false)
    var full = PayloadMessage(identifier: "b", sender: local, isPending: true)
    full.session = "5D9B8F5C-0E0A-4F57-9A55-2B0D0C9E8F7A"
    (full.url, full.summary, full.label) = ("https://example.org/?a=b", "Grüße", "a label")
    full.shouldExpire = true
    var layout = PayloadLayout(isLive: true)
    (layout.caption, layout.subcaption) = ("caption", "subcaption")
    (layout.trailingCaption, layout.trailingSubcaption) = ("trailing", "trailing below")
    (layout.imageTitle, layout.imageSubtitle) = ("title", "subtitle")
    (layout.media, layout.mediaName) = (file, "movie.mov")
    full.layout = layout
    var item = PayloadItem(.message)
    (item.message, item.text, item.file, item.fileName) = (full, "text", file, "file.txt")
    let view = PayloadView(style: .expanded, width: 375, height: 616.5)
    return [
        MessageExamples(
            OpenPayloadApp.self,
            [
                "full": OpenPayloadApp(view: view, isMedia: true, local: local, remotes: [remote], selected: full),
                "bare": OpenPayloadApp(view: view, isMedia: false, local: local, remotes: []),
            ], replies: ["": view]),
        MessageExamples(SelectPayload.self, ["full": SelectPayload(full), "bare": SelectPayload(bare)]),
        MessageExamples(ReceivePayload.self, ["full": ReceivePayload(full), "bare": ReceivePayload(bare)]),
        MessageExamples(
            StartSendingPayload.self, ["full": StartSendingPayload(full), "bare": StartSendingPayload(bare)]),
        MessageExamples(
            CancelSendingPayload.self, ["full": CancelSendingPayload(full), "bare": CancelSendingPayload(bare)]),
        MessageExamples(TransitPayloadApp.self, ["": TransitPayloadApp(view)], replies: ["": view]),
        MessageExamples(LookAtPayloadApp.self, ["": LookAtPayloadApp()], replies: ["": view]),
        MessageExamples(ClosePayloadApp.self, ["": ClosePayloadApp()]),
        MessageExamples(
            InsertPayload.self, ["full": InsertPayload(item), "bare": InsertPayload(PayloadItem(.text))],
            replies: ["full": PayloadItemReply(code: 8), "bare": PayloadItemReply()]),
        MessageExamples(
            SendPayload.self, ["full": SendPayload(item), "bare": SendPayload(PayloadItem(.sticker))],
            replies: ["full": PayloadItemReply(code: 9), "bare": PayloadItemReply()]),
        MessageExamples(RequestPayloadStyle.self, ["": RequestPayloadStyle(.compact)]),
        MessageExamples(DismissPayloadApp.self, ["": DismissPayloadApp()]),
    ]
}
