// TodayViewController: a Today widget that does what its group's defaults, or its own arguments, say, for TodayTests.

import ExtensionFoundation
import Foundation
import NotificationCenter
import UIKit

/// What the test wants, from the extension's Info.plist.
@MainActor private var wish: String { Bundle.main.object(forInfoDictionaryKey: "TestWish") as? String ?? "" }

/// Prints each call: the test reads them in order.
@MainActor private func note(_ text: String) { print(text) }

class TodayViewController: UIViewController, NCWidgetProviding {
    private let label = UILabel()
    private let field = UITextField()
    private var updates = 0
    private var kept: ((NCUpdateResult) -> Void)?

    override func viewDidLoad() {
        super.viewDidLoad()
        note("viewDidLoad")
        label.text = "loaded"
        field.accessibilityIdentifier = "field"
        let button = UIButton()
        button.setTitle("Expand", for: .normal)
        button.addAction(
            UIAction { [weak self] _ in self?.extensionContext?.widgetLargestAvailableDisplayMode = .expanded },
            for: .touchUpInside)
        let back = UIButton()
        back.setTitle("Compact", for: .normal)
        back.addAction(
            UIAction { [weak self] _ in self?.extensionContext?.widgetLargestAvailableDisplayMode = .compact },
            for: .touchUpInside)
        let done = UIButton()
        done.setTitle("Done", for: .normal)
        done.addAction(
            UIAction { [weak self] _ in self?.extensionContext?.completeRequest(returningItems: nil) },
            for: .touchUpInside)
        for view in [label, field, button, back, done] as [UIView] { self.view.addSubview(view) }
        preferredContentSize = CGSize(width: 900, height: wish == "tall" ? 700 : 60)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note("viewWillAppear")
        label.text = "live"
    }

    override func viewWillDisappear(_ animated: Bool) {
        super.viewWillDisappear(animated)
        note("viewWillDisappear")
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        note("viewDidDisappear")
        label.text = "closed"
    }

    func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void) {
        updates += 1
        note("update")
        label.text = "update \(updates)"
        switch wish {
        case "noData": completionHandler(.noData)
        case "failed": completionHandler(.failed)
        case "drop": break
        case "hang": kept = completionHandler
        case "twice":
            completionHandler(.newData)
            completionHandler(.failed)
        case "die": exit(1)
        default: completionHandler(.newData)
        }
    }

    func widgetActiveDisplayModeDidChange(_ activeDisplayMode: NCWidgetDisplayMode, withMaximumSize maxSize: CGSize) {
        note("mode \(activeDisplayMode == .expanded ? "expanded" : "compact") \(Int(maxSize.height))")
        preferredContentSize = CGSize(width: 0, height: activeDisplayMode == .expanded ? 300 : maxSize.height)
    }

    func widgetMarginInsets(forProposedMarginInsets defaultMarginInsets: UIEdgeInsets) -> UIEdgeInsets {
        note("margins \(Int(defaultMarginInsets.left))")
        return .zero
    }
}

/// A widget without any optional method.
final class BareViewController: UIViewController, NCWidgetProviding {
    override func viewDidLoad() {
        super.viewDidLoad()
        let label = UILabel()
        label.text = "bare"
        view.addSubview(label)
    }
}

/// A controller that is not a widget.
final class PlainViewController: UIViewController {}

@main struct Main { static func main() { NSExtensionMain() } }
