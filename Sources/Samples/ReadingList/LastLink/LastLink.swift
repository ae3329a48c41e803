// LastLink: a Today widget that shows the address that SaveLink stored last, and its note in the expanded mode.

import NotificationCenter
import UIKit

final class LastLinkController: UIViewController, NCWidgetProviding {
    private static let group = "group.org.exthost.samples.reading"

    // The compact mode has 110 points, and a widget does not scroll.
    private let link = UILabel(frame: CGRect(x: 16, y: 16, width: 320, height: 44))
    private let note = UILabel(frame: CGRect(x: 16, y: 76, width: 320, height: 44))

    override func viewDidLoad() {
        super.viewDidLoad()
        // Each session begins with the compact mode only.
        extensionContext?.widgetLargestAvailableDisplayMode = .expanded
        link.text = "Nothing saved yet"
        link.accessibilityIdentifier = "link"
        note.accessibilityIdentifier = "note"
        note.isHidden = true
        view.addSubview(link)
        view.addSubview(note)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        showStored()
    }

    /// The app's reading list may have changed while no view was open.
    func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void) {
        completionHandler(showStored() ? .newData : .noData)
    }

    func widgetActiveDisplayModeDidChange(_ activeDisplayMode: NCWidgetDisplayMode, withMaximumSize maxSize: CGSize) {
        note.isHidden = activeDisplayMode == .compact
        preferredContentSize = CGSize(width: maxSize.width, height: note.isHidden ? maxSize.height : 136)
    }

    /// Shows what the group has stored. False if it has nothing.
    @discardableResult private func showStored() -> Bool {
        guard let defaults = UserDefaults(suiteName: Self.group), let stored = defaults.string(forKey: "link") else {
            return false
        }
        link.text = stored
        note.text = defaults.string(forKey: "note")
        return true
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
