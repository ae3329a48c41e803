// SaveLink: a Share extension with a compose sheet. It stores an address for its app in their group, with a note and an
// audience.

import Social
import UIKit
import UniformTypeIdentifiers

final class SaveLinkController: SLComposeServiceViewController {
    private static let longestNote = 40

    private var isPublic = false
    private var audience = Audience.everybody
    private let wheel = UIActivityIndicatorView(style: .large)

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "Save link"
        placeholder = "A note"
        wheel.center = view.center
        view.addSubview(wheel)
    }

    override func isContentValid() -> Bool {
        let left = Self.longestNote - contentText.count
        charactersRemaining = NSNumber(value: left)
        return left >= 0
    }

    /// Saves the address. The sheet stays, with a spinning wheel, until the address is loaded.
    override func didSelectPost() {
        guard let context = extensionContext else { return }
        guard let provider = context.firstAttachment(conformingTo: .url) else {
            return context.completeRequest(returningItems: [])
        }
        wheel.startAnimating()
        Task {
            defer { wheel.stopAnimating() }
            do {
                let link = try await provider.loadItem(forTypeIdentifier: UTType.url.identifier, as: URL.self)
                SharedList.add(link, note: contentText, audience: isPublic ? audience.title : "nobody else")
                context.completeRequest(returningItems: context.inputItems)
            } catch {
                context.cancelRequest(withError: error)
            }
        }
    }

    // MARK: Options

    override func configurationItems() -> [Any]! {
        guard let publicity = SLComposeSheetConfigurationItem() else { return nil }
        publicity.title = "Public"
        publicity.value = isPublic ? "Yes" : "No"
        publicity.tapHandler = { [weak self] in
            self?.isPublic.toggle()
            self?.reloadConfigurationItems()
        }
        guard isPublic, let readers = SLComposeSheetConfigurationItem() else { return [publicity] }
        readers.title = "Readers"
        readers.value = audience.title
        readers.tapHandler = { [weak self] in self?.chooseAudience() }
        return [publicity, readers]
    }

    private func chooseAudience() {
        let chooser = AudienceController()
        chooser.onChoice = { [weak self] chosen in
            self?.audience = chosen
            self?.popConfigurationViewController()
            self?.reloadConfigurationItems()
        }
        pushConfigurationViewController(chooser)
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
