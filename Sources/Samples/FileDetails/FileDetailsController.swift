// FileDetails: an action of a file provider that shows the identifiers of the selected items.

import ExtensionFoundation
import FileProviderUI
import Foundation
import UIKit

/// A view with the items and a button.
final class FileDetailsController: FPUIActionExtensionViewController {
    private let label = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        let button = UIButton(type: .system)
        button.setTitle("Done", for: .normal)
        button.addAction(UIAction { [weak self] _ in self?.extensionContext.completeRequest() }, for: .touchUpInside)
        view.addSubview(label)
        view.addSubview(button)
    }

    override func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {
        label.text = itemIdentifiers.map(\.rawValue).joined(separator: ", ")
    }

    override func prepare(forError error: any Error) { label.text = error.localizedDescription }
}

@main struct Main { static func main() { NSExtensionMain() } }
