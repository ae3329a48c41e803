// TranslateController: an Action extension with a view. It shows the translation of the selection, and returns it on
// request.

import UIKit
import UniformTypeIdentifiers

final class TranslateController: UIViewController {
    private let translation = UILabel(frame: CGRect(x: 16, y: 64, width: 343, height: 200))
    private lazy var replace = UIButton(
        type: .system, primaryAction: UIAction(title: "Replace") { [weak self] _ in self?.finish() })

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Translate"
        translation.accessibilityIdentifier = "translation"
        view.addSubview(translation)
        replace.isEnabled = false
        view.addSubview(replace)
        let done = UIAction(title: "Done") { [weak self] _ in
            self?.extensionContext?.cancelRequest(withError: CocoaError(.userCancelled))
        }
        view.addSubview(UIButton(type: .system, primaryAction: done))
        Task { await translate() }
    }

    private func translate() async {
        let items = (extensionContext?.inputItems ?? []).compactMap { $0 as? NSExtensionItem }
        let provider = items.flatMap { $0.attachments ?? [] }
            .first { $0.hasItemConformingToTypeIdentifier(UTType.plainText.identifier) }
        do {
            guard let provider else { throw CocoaError(.featureUnsupported) }
            let text = try await provider.loadItem(forTypeIdentifier: UTType.plainText.identifier, as: String.self)
            translation.text = Words.translated(text)
            replace.isEnabled = true
        } catch {
            let alert = UIAlertController(title: "Nothing to translate", message: nil, preferredStyle: .alert)
            alert.addAction(
                UIAlertAction(title: "OK", style: .default) { [weak self] _ in
                    self?.extensionContext?.cancelRequest(withError: error)
                })
            present(alert, animated: true)
        }
    }

    private func finish() {
        let item = NSExtensionItem()
        let text = NSString(string: translation.text ?? "")
        item.attachments = [NSItemProvider(item: text, typeIdentifier: UTType.plainText.identifier)]
        extensionContext?.completeRequest(returningItems: [item])
    }
}
