// RacingViewControllers: widgets whose completion handlers are answered once in the usual order of events. Two of them
// answer otherwise in another order. For the tests of the explorer.

import ExtensionFoundation
import NotificationCenter
import UIKit

/// A widget that answers an update once it is large enough for the new content.
class WaitingViewController: UIViewController, NCWidgetProviding {
    fileprivate var handler: ((NCUpdateResult) -> Void)?
    fileprivate var isExpanded = false

    override func viewDidLoad() {
        super.viewDidLoad()
        extensionContext?.widgetLargestAvailableDisplayMode = .expanded
    }

    func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void) {
        if isExpanded { return completionHandler(.newData) }
        handler = completionHandler
        isDue()
    }

    func widgetActiveDisplayModeDidChange(_ activeDisplayMode: NCWidgetDisplayMode, withMaximumSize maxSize: CGSize) {
        isExpanded = activeDisplayMode == .expanded
        if isExpanded { answer(.newData) }
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        isGone = true
        disappeared()
    }

    private var isGone = false

    /// Answers at once if no display mode follows.
    fileprivate func isDue() { if isGone { answer(.noData) } }

    fileprivate func disappeared() { answer(.noData) }

    fileprivate func answer(_ result: NCUpdateResult) {
        let handler = self.handler
        self.handler = nil
        handler?(result)
    }
}

/// A widget that forgets an update that waits when the view disappears.
final class DroppingViewController: WaitingViewController {
    fileprivate override func disappeared() { handler = nil }
}

/// A widget that answers an update again when the view disappears, if the widget was large before the update.
final class DoubleViewController: WaitingViewController {
    override func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void) {
        super.widgetPerformUpdate(completionHandler: completionHandler)
        handler = handler ?? (isExpanded ? completionHandler : nil)
    }
}
