// SaveQuickly: a Share extension with a view of its own: the address, Post and Cancel.

import UIKit
import UniformTypeIdentifiers

final class SaveQuicklyController: UIViewController {
    private let address = UILabel(frame: CGRect(x: 8, y: 56, width: 284, height: 111))

    override func viewDidLoad() {
        super.viewDidLoad()
        let card = UIView(
            frame: CGRect(x: (view.frame.width - 300) / 2, y: (view.frame.height - 175) / 2, width: 300, height: 175))
        card.layer.cornerRadius = 7
        card.backgroundColor = .white
        view.addSubview(card)

        let cancel = UIAction(title: "Cancel") { [weak self] _ in
            self?.extensionContext?.cancelRequest(withError: CocoaError(.userCancelled))
        }
        let post = UIAction(title: "Post") { [weak self] _ in
            self?.extensionContext?.completeRequest(returningItems: [], completionHandler: nil)
        }
        card.addSubview(UIButton(type: .system, primaryAction: cancel))
        card.addSubview(UIButton(type: .system, primaryAction: post))

        address.accessibilityIdentifier = "address"
        address.numberOfLines = 0
        address.textAlignment = .center
        card.addSubview(address)
        showAddress()
    }

    private func showAddress() {
        let items = (extensionContext?.inputItems ?? []).compactMap { $0 as? NSExtensionItem }
        let provider = items.flatMap { $0.attachments ?? [] }
            .first { $0.hasItemConformingToTypeIdentifier(UTType.url.identifier) }
        provider?.loadItem(forTypeIdentifier: UTType.url.identifier, options: nil) { value, _ in
            let text = (value as? URL)?.absoluteString
            DispatchQueue.main.async { self.address.text = text }
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
