// Appearance: an extension that returns the steps of its controller's life, and prints its end; for tests.

import Social
import UIKit

final class AppearanceController: UIViewController {
    private var steps: [String] = []

    private func note(_ step: String) { steps.append(step + (Thread.isMainThread ? "" : " off the main thread")) }

    override func beginRequest(with context: NSExtensionContext) {
        note("begin \(isViewLoaded ? "loaded" : "unloaded") \(extensionContext === context ? "joined" : "alone")")
        _ = Timer.scheduledTimer(withTimeInterval: 0, repeats: false) { _ in
            MainActor.assumeIsolated {
                self.note("timer")
                self.finish()
            }
        }
    }

    override func viewDidLoad() { note("load") }
    override func viewWillAppear(_ animated: Bool) { note("appear") }
    override func viewDidAppear(_ animated: Bool) { note("visible") }
    override func viewDidDisappear(_ animated: Bool) { print("gone") }

    private func finish() {
        let item = NSExtensionItem()
        item.userInfo = ["steps": steps]
        // A child takes part in the request, too.
        let child = UIViewController()
        addChild(child)
        child.extensionContext?.completeRequest(returningItems: [item])
    }
}

/// A compose sheet whose one option says on which thread it was tapped.
final class SheetController: SLComposeServiceViewController {
    private var tapped = "untouched"

    override func viewDidLoad() {
        super.viewDidLoad()
        autoCompletionViewController = UIViewController()
    }

    override func loadPreviewView() -> UIView! {
        let label = UILabel()
        label.text = "its preview"
        return label
    }

    override func configurationItems() -> [Any]! {
        guard let item = SLComposeSheetConfigurationItem() else { return nil }
        item.title = "Where"
        item.value = tapped
        item.tapHandler = { [weak self] in
            self?.tapped = Thread.isMainThread ? "on the main queue" : "elsewhere"
            self?.reloadConfigurationItems()
        }
        return [item]
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
