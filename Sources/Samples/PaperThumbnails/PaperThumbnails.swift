// PaperThumbnails: a thumbnail extension that draws a text as a sheet of paper.

import QuickLookThumbnailing

/// The sheet has the proportions of A4, a folded corner, and the first words of the text.
final class ThumbnailProvider: QLThumbnailProvider {
    override func provideThumbnail(
        for request: QLFileThumbnailRequest, _ handler: @escaping (QLThumbnailReply?, (any Error)?) -> Void
    ) {
        let text: String
        do {
            text = try String(contentsOf: request.fileURL, encoding: .utf8)
        } catch {
            return handler(nil, error)
        }
        // An empty text has no thumbnail.
        guard !text.isEmpty else { return handler(nil, nil) }
        let height = request.maximumSize.height
        let size = CGSize(width: (height / 1.4142).rounded(), height: height)
        let reply = QLThumbnailReply(contextSize: size) { () -> Bool in
            let fold = size.width / 5
            let sheet = UIBezierPath()
            sheet.move(to: .zero)
            sheet.addLine(to: CGPoint(x: size.width - fold, y: 0))
            sheet.addLine(to: CGPoint(x: size.width, y: fold))
            sheet.addLine(to: CGPoint(x: size.width, y: size.height))
            sheet.addLine(to: CGPoint(x: 0, y: size.height))
            sheet.close()
            UIColor.white.setFill()
            sheet.fill()
            UIColor.gray.setStroke()
            sheet.lineWidth = 2
            sheet.stroke()
            let words = NSAttributedString(
                string: text,
                attributes: [.font: UIFont.systemFont(ofSize: size.width / 16), .foregroundColor: UIColor.darkGray])
            words.draw(in: CGRect(origin: .zero, size: size).insetBy(dx: size.width / 8, dy: fold))
            return true
        }
        reply.extensionBadge = "TXT"
        handler(reply, nil)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
