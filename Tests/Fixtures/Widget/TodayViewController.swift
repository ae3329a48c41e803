// TodayViewController: a Today widget that does what its group's defaults, or its own arguments, say, for TodayTests.

import ExtensionFoundation
import Foundation
import NotificationCenter
import UIKit

/// The wish of the test, from the extension's Info.plist.
@MainActor private var wish: String { Bundle.main.object(forInfoDictionaryKey: "TestWish") as? String ?? "" }

/// Prints each call: the test reads them in order.
@MainActor private func note(_ text: String) { print(Thread.isMainThread ? text : "\(text), off the main queue") }

class TodayViewController: UIViewController, NCWidgetProviding {
    private let label = UILabel()
    private let field = UITextField()
    private let text = UITextView()
    private static var sessions = 0
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
        let fill = UIButton()
        fill.setTitle("Fill", for: .normal)
        fill.addAction(
            UIAction { _ in while true { memset(malloc(1 << 20)!, 1, 1 << 20) } }, for: .touchUpInside)
        let type = UIButton()
        type.setTitle("Type", for: .normal)
        type.addAction(
            UIAction { [weak self] _ in
                guard let self else { return }
                label.text = "\(field.becomeFirstResponder()) \(text.becomeFirstResponder())"
            }, for: .touchUpInside)
        for view in [label, field, text, button, back, done, fill, type] as [UIView] { self.view.addSubview(view) }
        Self.sessions += 1
        if wish == "expanded" || (wish == "odd" && Self.sessions % 2 == 1) {
            extensionContext?.widgetLargestAvailableDisplayMode = .expanded
        }
        switch wish {
        case "overflow": label.frame = CGRect(x: 0, y: 0, width: 50, height: 111)
        case "hidden":
            label.frame = CGRect(x: 0, y: 0, width: 50, height: 111)
            label.isHidden = true
        case "nested":
            let row = UIView(frame: CGRect(x: 0, y: 80, width: 50, height: 30))
            row.addSubview(UIView(frame: CGRect(x: 0, y: 20, width: 50, height: 20)))
            self.view.addSubview(row)
        case "scroll":
            let scroll = UIScrollView(frame: CGRect(x: 0, y: 0, width: 50, height: 110))
            scroll.contentSize.height = 400
            self.view.addSubview(scroll)
        default: break
        }
        preferredContentSize = CGSize(width: 900, height: wish == "tall" ? 700 : 60)
    }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        note("viewWillAppear")
        label.text = "live"
        if wish == "late" { extensionContext?.widgetLargestAvailableDisplayMode = .expanded }
        if wish == "sizes" { noteSizes() }
    }

    override func viewWillDisappear(_ animated: Bool) {
        super.viewWillDisappear(animated)
        note("viewWillDisappear")
        if wish == "hangClose" { hang() }
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        note("viewDidDisappear")
        label.text = "closed"
    }

    /// Blocks the main thread until the process ends.
    private func hang() { DispatchSemaphore(value: 0).wait() }

    private func noteSizes() {
        let sizes =
            [view.frame.size]
            + [NCWidgetDisplayMode.compact, .expanded].compactMap { extensionContext?.widgetMaximumSize(for: $0) }
        note(sizes.map { "\(Int($0.width))x\(Int($0.height))" }.joined(separator: " "))
    }

    func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void) {
        updates += 1
        note("update")
        label.text = "update \(updates)"
        if wish.hasPrefix("raw "), let value = UInt(wish.dropFirst(4)) {
            note("\(NCUpdateResult(rawValue: 3) == nil) \(NCWidgetDisplayMode.expanded.rawValue)")
            if let result = NCUpdateResult(rawValue: value) { completionHandler(result) }
            return
        }
        switch wish {
        case "noData": completionHandler(.noData)
        case "failed": completionHandler(.failed)
        case "drop": break
        case "hang": kept = completionHandler
        case "block": hang()
        case "twice":
            completionHandler(.newData)
            completionHandler(.failed)
        case "die": exit(1)
        case "empty":
            NCWidgetController().setHasContent(
                false, forWidgetWithBundleIdentifier: Bundle.main.bundleIdentifier ?? "")
            completionHandler(.newData)
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
    private let label = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        label.text = "bare"
        view.addSubview(label)
    }

    override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        label.text = "gone"
    }
}

/// A widget with the async form of its update.
final class AsyncViewController: UIViewController, NCWidgetProviding {
    private let label = UILabel()

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(label)
    }

    func widgetPerformUpdate() async -> NCUpdateResult {
        note("async update")
        await Task.yield()
        note("async result")
        label.text = "async"
        return .newData
    }
}

/// A controller that is not a widget.
final class PlainViewController: UIViewController {}

@main struct Main { static func main() { NSExtensionMain() } }
