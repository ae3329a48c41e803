// PickerController: document pickers and file actions that do what their Info.plist or their buttons say.

import ExtensionFoundation
import FileProviderUI
import Foundation
import Glibc
import UIKit

/// The words of `TestWish` in the extension's Info.plist.
@MainActor private let wish = (Bundle.main.object(forInfoDictionaryKey: "TestWish") as? String ?? "")
    .split(separator: " ").map(String.init)

/// Prints each call: the test reads them in order.
@MainActor private func note(_ text: String) { print(Thread.isMainThread ? text : "\(text), off the main queue") }

extension UIViewController {
    fileprivate func add(_ title: String, _ body: @escaping () -> Void) {
        let button = UIButton()
        button.setTitle(title, for: .normal)
        button.addAction(UIAction { _ in body() }, for: .touchUpInside)
        view.addSubview(button)
    }
}

/// A document picker. The first word of the wish is the act of `prepareForPresentation(in:)`, if it has one.
final class PickerController: UIDocumentPickerExtensionViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        note("viewDidLoad")
        for act in [
            "note", "new", "outside", "dotdot", "link", "folderLink", "folder", "fifo", "device", "sparse", "secret",
            "nothing", "twice", "web", "complete", "fail", "die", "copy", "move", "long",
        ] { add(act) { [weak self] in self?.perform(act) } }
    }

    override func prepareForPresentation(in mode: UIDocumentPickerMode) {
        note("prepare \(mode.rawValue), loaded \(isViewLoaded)")
        note("types \(validTypes?.joined(separator: ",") ?? "none"), provider “\(providerIdentifier)”")
        note("storage \(documentStorageURL.map { $0.lastPathComponent } ?? "none")")
        if let originalURL {
            note(
                "original \(originalURL.lastPathComponent) \((try? String(contentsOf: originalURL, encoding: .utf8)) ?? "")"
            )
        }
        if wish.contains("hang") { sleep(1000) }
        if let act = wish.first, act != "hang" { perform(act) }
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note("viewWillAppear")
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        note("viewDidDisappear")
    }

    /// The folder for files of this act: the storage, or without one a temporary folder.
    private var folder: URL { documentStorageURL ?? FileManager.default.temporaryDirectory }

    private func file(_ name: String, _ text: String) -> URL {
        let url = folder.appendingPathComponent(name)
        try? Data(text.utf8).write(to: url)
        return url
    }

    private func perform(_ act: String) {
        switch act {
        case "note": dismissGrantingAccess(to: file("note.txt", "a note"))
        // A document of the provider's that has no file yet.
        case "new": dismissGrantingAccess(to: folder.appendingPathComponent("later.txt"))
        case "outside":
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("private.txt")
            try? Data("private".utf8).write(to: url)
            dismissGrantingAccess(to: url)
        case "dotdot": dismissGrantingAccess(to: URL(string: "file://\(folder.path)/../../etc/passwd"))
        case "link":
            let url = folder.appendingPathComponent("link.txt")
            symlink("/etc/passwd", url.path)
            dismissGrantingAccess(to: url)
        case "folderLink":
            let url = folder.appendingPathComponent("etc")
            symlink("/etc", url.path)
            dismissGrantingAccess(to: url.appendingPathComponent("passwd"))
        case "folder":
            let url = folder.appendingPathComponent("folder")
            mkdir(url.path, 0o700)
            dismissGrantingAccess(to: url)
        case "fifo":
            let url = folder.appendingPathComponent("pipe")
            mkfifo(url.path, 0o600)
            dismissGrantingAccess(to: url)
        case "device": dismissGrantingAccess(to: URL(fileURLWithPath: "/dev/zero"))
        case "sparse":
            let url = file("sparse", "")
            truncate(url.path, 4 << 30 + 1)
            dismissGrantingAccess(to: url)
        case "secret": dismissGrantingAccess(to: URL(fileURLWithPath: "/nonexistent/secret"))
        case "nothing": dismissGrantingAccess(to: nil)
        case "twice":
            dismissGrantingAccess(to: file("note.txt", "a note"))
            dismissGrantingAccess(to: nil)
        case "web": dismissGrantingAccess(to: URL(string: "https://example.org/x"))
        case "complete": extensionContext?.completeRequest(returningItems: [])
        case "fail": extensionContext?.cancelRequest(withError: NSError(domain: "test", code: 7))
        case "die": exit(9)
        case "copy", "move":
            guard let originalURL else { return note("no original") }
            let url = folder.appendingPathComponent("kept.txt")
            do {
                try FileManager.default.copyItem(at: originalURL, to: url)
            } catch {
                note("\(error)")
            }
            dismissGrantingAccess(to: url)
        case "long": dismissGrantingAccess(to: folder.appendingPathComponent(String(repeating: "x/", count: 6000)))
        default: break
        }
    }
}

/// A class that is no picker.
final class NoPicker: UIViewController {}

/// The actions of a file provider.
final class ActionController: FPUIActionExtensionViewController {
    override func viewDidLoad() {
        super.viewDidLoad()
        note("viewDidLoad")
        add("done") { [weak self] in self?.extensionContext.completeRequest() }
        add("cancel") { [weak self] in
            let code = Int(FPUIExtensionErrorCode.userCancelled.rawValue)
            self?.extensionContext.cancelRequest(withError: NSError(domain: FPUIErrorDomain, code: code, userInfo: nil))
        }
        add("die") { exit(9) }
    }

    override func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {
        let items = itemIdentifiers.map { $0 == .rootContainer ? "the root" : $0.rawValue }
        note("prepare \(actionIdentifier) \(items.joined(separator: ","))")
        note("domain \(extensionContext.domainIdentifier?.rawValue ?? "none"), \(type(of: extensionContext))")
        if wish.contains("atOnce") { extensionContext.completeRequest() }
    }

    override func prepare(forError error: any Error) {
        let error = error as NSError
        note("error \(error.domain) \(error.code) \(error.localizedDescription)")
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note("viewWillAppear")
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
