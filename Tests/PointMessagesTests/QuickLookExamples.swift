// QuickLookExamples: values of every message of thumbnail and preview extensions.

import ExtensionPointKit
import PointMessages

func quickLookExamples() throws -> [MessageExamples] {
    let file = try PointFile(readingAt: "/etc/passwd")
    let content = PreviewContent(
        type: "public.html", data: file, title: "Grüße", encoding: 4, width: 600, height: 400.5,
        attachments: [PreviewContent.Attachment(name: "picture", type: "public.png", data: file)])
    return [
        MessageExamples(
            ProvideThumbnail.self,
            [
                "": ProvideThumbnail(
                    fileName: "note.txt", file: file, width: 256, height: 128, leastWidth: 32, leastHeight: 32, scale: 2
                )
            ],
            replies: [
                "full": ProvideThumbnail.Reply(image: file, isDrawn: true, badge: "TXT"),
                "bare": ProvideThumbnail.Reply(image: nil, isDrawn: false, badge: ""),
            ]),
        MessageExamples(EndThumbnails.self, ["": EndThumbnails()]),
        MessageExamples(
            PreparePreview.self, ["": PreparePreview(fileName: "note.txt", file: file)],
            replies: ["full": PreparedPreview(content), "bare": PreparedPreview()]),
        MessageExamples(
            PrepareItemPreview.self,
            ["full": PrepareItemPreview("note-1", query: "coffee"), "bare": PrepareItemPreview("note-1")],
            replies: ["full": PreparedPreview(content), "bare": PreparedPreview()]),
        MessageExamples(EndPreview.self, ["": EndPreview()]),
    ]
}
