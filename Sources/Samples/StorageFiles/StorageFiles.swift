// StorageFiles: a document picker that shows the provider's documents as buttons, and takes a document of the host's.

import ExtensionFoundation
import Foundation
import UIKit

final class StorageFilesController: UIDocumentPickerExtensionViewController {
    /// The folder of the documents: the provider's storage, or without a provider a folder of this extension.
    private var folder: URL {
        documentStorageURL ?? FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
    }

    override func prepareForPresentation(in mode: UIDocumentPickerMode) {
        switch mode {
        case .import, .open: showDocuments()
        case .exportToService, .moveToService: add("Save here") { [weak self] in self?.save() }
        }
        add("Cancel") { [weak self] in self?.dismissGrantingAccess(to: nil) }
    }

    private func add(_ title: String, _ body: @escaping () -> Void) {
        let button = UIButton()
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { _ in body() }, for: .touchUpInside)
        view.addSubview(button)
    }

    private func showDocuments() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        // Hidden files are the provider's own.
        for name in names.sorted() where !name.hasPrefix(".") {
            let url = folder.appendingPathComponent(name)
            add(name) { [weak self] in self?.dismissGrantingAccess(to: url) }
        }
    }

    /// Copies the host's document, under a name that is not taken.
    private func save() {
        guard let originalURL else { return dismissGrantingAccess(to: nil) }
        var target = folder.appendingPathComponent(originalURL.lastPathComponent)
        for number in 2..<1000 where FileManager.default.fileExists(atPath: target.path) {
            target = folder.appendingPathComponent("\(number) \(originalURL.lastPathComponent)")
        }
        do {
            try FileManager.default.copyItem(at: originalURL, to: target)
            dismissGrantingAccess(to: target)
        } catch {
            extensionContext?.cancelRequest(withError: error)
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
