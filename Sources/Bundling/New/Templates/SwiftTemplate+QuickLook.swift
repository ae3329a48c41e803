// SwiftTemplate+QuickLook: the templates for thumbnails and previews of files.

extension SwiftTemplate {
    /// A thumbnail extension.
    var thumbnail: Parts {
        var parts = Parts(
            "thumbnails of texts, which show their words as boxes",
            className: "ThumbnailProvider", modules: ["ExtensionFoundation", "QuickLookThumbnailing", "UIKit"],
            run: "exthostctl run . --file FILE.txt --out thumbnail.png")
        parts.source = """
            // ThumbnailProvider: draws the thumbnails of texts.

            import QuickLookThumbnailing

            final class ThumbnailProvider: QLThumbnailProvider {
                override func provideThumbnail(
                    for request: QLFileThumbnailRequest, _ handler: @escaping (QLThumbnailReply?, (any Error)?) -> Void
                ) {
                    guard let text = try? String(contentsOf: request.fileURL, encoding: .utf8) else {
                        return handler(nil, CocoaError(.fileReadInapplicableStringEncoding))
                    }
                    let size = request.maximumSize
                    let reply = QLThumbnailReply(contextSize: size) { () -> Bool in
                        UIColor.white.setFill()
                        UIRectFill(CGRect(origin: .zero, size: size))
                        let words = NSAttributedString(
                            string: text, attributes: [.font: UIFont.systemFont(ofSize: size.height / 16)])
                        words.draw(in: CGRect(origin: .zero, size: size).insetBy(dx: size.width / 8, dy: size.height / 8))
                        return true
                    }
                    handler(reply, nil)
                }
            }

            """
        parts.test = "aThumbnailIsDrawn"
        parts.session = """
                        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\\(UUID()).txt")
                        try Data("Hello world".utf8).write(to: file)
                        defer { try? FileManager.default.removeItem(at: file) }
                        let thumbnail = try await ThumbnailHost(host.application, inspector: nil).thumbnail(
                            ofFileAt: file.path, size: 64, by: "\(project.extensionIdentifier)")
                        guard case .image = thumbnail.answer else {
                            Issue.record("\\(thumbnail.answer)")
                            return
                        }
                        #expect(thumbnail.isDrawn)
            """
        return parts
    }

    /// A preview extension.
    var preview: Parts {
        var parts = Parts(
            "a preview that shows a text", className: "PreviewViewController",
            modules: ["ExtensionFoundation", "QuickLook", "UIKit"], run: "exthostctl run . --file FILE.txt")
        parts.source = """
            // PreviewViewController: shows a text.

            import QuickLook

            final class PreviewViewController: UIViewController, QLPreviewingController {
                private let text = UILabel()

                override func viewDidLoad() {
                    super.viewDidLoad()
                    view.addSubview(text)
                }

                func preparePreviewOfFile(at url: URL) async throws {
                    text.text = try String(contentsOf: url, encoding: .utf8)
                }
            }

            """
        parts.test = "aTextIsShown"
        parts.session = """
                        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\\(UUID()).txt")
                        try Data("Hello world".utf8).write(to: file)
                        defer { try? FileManager.default.removeItem(at: file) }
                        let session = try await PreviewHost(host.application).begin(
                            .file(file.path), with: "\(project.extensionIdentifier)")
                        let view = try #require(await session.request.view(where: { _ in true }))
                        #expect("\\(view)".contains("Hello world"))
                        await session.end()
            """
        return parts
    }
}
