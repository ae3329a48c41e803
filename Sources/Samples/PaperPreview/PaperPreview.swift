// PaperPreview: a preview extension that shows a text, with a button that counts its words.

import QuickLook

final class PreviewViewController: UIViewController, QLPreviewingController {
    private let text = UILabel()
    private let count = UIButton(type: .system)

    override func viewDidLoad() {
        super.viewDidLoad()
        count.setTitle("Count words", for: .normal)
        count.addAction(
            UIAction { [weak self] _ in
                guard let self else { return }
                let words = (text.text ?? "").split { $0.isWhitespace }.count
                count.setTitle("\(words) words", for: .normal)
            }, for: .touchUpInside)
        view.addSubview(text)
        view.addSubview(count)
    }

    func preparePreviewOfFile(at url: URL) async throws {
        title = url.lastPathComponent
        text.text = try String(contentsOf: url, encoding: .utf8)
    }

    func preparePreviewOfSearchableItem(identifier: String, queryString: String?) async throws {
        title = identifier
        text.text = queryString.map { "\(identifier), found by \($0)" } ?? identifier
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
