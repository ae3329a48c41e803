// Looker: thumbnail and preview extensions that do what the file says.

import Glibc
import QuickLook
import QuickLookThumbnailing

final class Thumbnails: QLThumbnailProvider {
    override func provideThumbnail(
        for request: QLFileThumbnailRequest, _ handler: @escaping (QLThumbnailReply?, (any Error)?) -> Void
    ) {
        let text = (try? String(contentsOf: request.fileURL, encoding: .utf8)) ?? ""
        let folder = request.fileURL.deletingLastPathComponent()
        switch text {
        case "nothing": handler(nil, nil)
        case "throw": handler(nil, CocoaError(.fileReadCorruptFile))
        case "die": exit(3)
        case "drop": break
        case "twice":
            handler(nil, nil)
            handler(nil, CocoaError(.fileReadCorruptFile))
        case "hang": while true { pause() }
        case "wide":
            handler(QLThumbnailReply(contextSize: CGSize(width: 9999, height: 1), drawing: { _ in true }), nil)
        case "undrawn": handler(QLThumbnailReply(contextSize: request.maximumSize, drawing: { _ in false }), nil)
        case "file":
            let image = UIGraphicsImage.make(16, 8)
            let url = folder.appendingPathComponent("made.png")
            try? image.write(to: url)
            handler(QLThumbnailReply(imageFileURL: url), nil)
        case "damaged":
            let url = folder.appendingPathComponent("damaged.png")
            try? Data("no image".utf8).write(to: url)
            handler(QLThumbnailReply(imageFileURL: url), nil)
        case "missing": handler(QLThumbnailReply(imageFileURL: URL(fileURLWithPath: "/nowhere.png")), nil)
        case "pipe":
            let url = folder.appendingPathComponent("pipe")
            mkfifo(url.path, 0o600)
            handler(QLThumbnailReply(imageFileURL: url), nil)
        case "huge":
            let url = folder.appendingPathComponent("huge.png")
            truncate(url)
            handler(QLThumbnailReply(imageFileURL: url), nil)
        default:
            // The lower left quarter is red.
            let size = CGSize(width: request.maximumSize.width, height: request.maximumSize.height / 2)
            let reply = QLThumbnailReply(contextSize: size) { (context: CGContext) -> Bool in
                context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
                context.fill(CGRect(x: 0, y: 0, width: size.width / 2, height: size.height / 2))
                return true
            }
            reply.extensionBadge = text
            handler(reply, nil)
        }
    }

    private func truncate(_ url: URL) {
        let file = open(url.path, O_CREAT | O_WRONLY, 0o600)
        ftruncate(file, 1 << 30)
        close(file)
    }
}

/// A subclass that writes the async form.
final class AsyncThumbnails: QLThumbnailProvider {
    override func thumbnail(for request: QLFileThumbnailRequest) async throws -> QLThumbnailReply {
        QLThumbnailReply(contextSize: request.minimumSize) { () -> Bool in
            UIColor.blue.setFill()
            UIRectFill(CGRect(x: 0, y: 0, width: 8, height: 8))
            return true
        }
    }
}

/// A class without the method.
final class UnwrittenThumbnails: QLThumbnailProvider {}

enum UIGraphicsImage {
    static func make(_ width: Int, _ height: Int) -> Data {
        let context = CGContext(
            data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
            space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
        return context?.makeImage().flatMap { UIImage(cgImage: $0).pngData() } ?? Data()
    }
}

/// A preview with a view.
final class Controller: UIViewController, QLPreviewingController {
    private let label = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        label.text = "not prepared"
        view.addSubview(label)
    }

    func preparePreviewOfFile(at url: URL, completionHandler handler: @escaping ((any Error)?) -> Void) {
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        switch text {
        case "throw": handler(CocoaError(.fileReadCorruptFile))
        case "die": exit(3)
        case "drop": break
        default:
            label.text = "\(url.lastPathComponent): \(text)"
            handler(nil)
        }
    }
}

/// A preview of data.
final class Provider: QLPreviewProvider, QLPreviewingController {
    func providePreview(
        for request: QLFilePreviewRequest, completionHandler handler: @escaping (QLPreviewReply?, (any Error)?) -> Void
    ) {
        let text = (try? String(contentsOf: request.fileURL, encoding: .utf8)) ?? ""
        switch text {
        case "throw": handler(nil, CocoaError(.fileReadCorruptFile))
        case "file": handler(QLPreviewReply(fileURL: request.fileURL), nil)
        case "drawing":
            handler(
                QLPreviewReply(contextSize: CGSize(width: 20, height: 10), isBitmap: true) { context, reply in
                    reply.title = "drawn"
                    context.fill(CGRect(x: 0, y: 0, width: 20, height: 5))
                }, nil)
        case "many":
            handler(
                QLPreviewReply(dataOfContentType: .html, contentSize: .zero) { reply in
                    for number in 0..<20 {
                        reply.attachments["\(number)"] = QLPreviewReplyAttachment(data: Data(), contentType: .png)
                    }
                    return Data()
                }, nil)
        default:
            handler(
                QLPreviewReply(dataOfContentType: .plainText, contentSize: CGSize(width: 100, height: 50)) { reply in
                    reply.title = "a title"
                    reply.stringEncoding = .utf8
                    reply.attachments["picture"] = QLPreviewReplyAttachment(data: Data([1, 2, 3]), contentType: .png)
                    return Data("shown: \(text)".utf8)
                }, nil)
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
