// ControllerTests: the life of controllers without a screen: what is called, and in which order.

import Foundation
import Testing
import UIKit

@MainActor private final class Recorder: UIViewController {
    var calls: [String] = []

    override func loadView() {
        calls.append("loadView")
        super.loadView()
    }
    override func viewDidLoad() { calls.append("viewDidLoad") }
    override func viewWillAppear(_ animated: Bool) { calls.append("willAppear") }
    override func viewDidLayoutSubviews() { calls.append("didLayout") }
    override func viewDidAppear(_ animated: Bool) { calls.append("didAppear") }
    override func viewWillDisappear(_ animated: Bool) { calls.append("willDisappear") }
    override func viewDidDisappear(_ animated: Bool) { calls.append("didDisappear") }
}

@MainActor @Suite struct ControllerTests {
    /// The compiler does not see it in code of Swift 5. Apple's checker reports it, and the program goes on.
    @Test func aViewOffTheMainThreadIsReportedOnceAndAppears() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let (controller, alert) = await (UIViewController(), UIAlertController())
                let present: @MainActor () -> Void = {
                    precondition(!Thread.isMainThread)
                    controller.present(alert, animated: true)
                    controller.dismiss(animated: true)
                }
                // As code of Swift 5 calls it.
                unsafeBitCast(present, to: (() -> Void).self)()
                await MainActor.run { precondition(alert.isViewLoaded && controller.presentedViewController == nil) }
            })
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.components(separatedBy: "changed off the main thread").count == 2, "\(message)")
    }

    /// Whoever sets a delegate of the presentation asks for it first.
    @Test @MainActor func aPresentationDoesNotKeepItsController() {
        weak var gone: UIViewController?
        var presentation: UIPresentationController?
        do {
            let controller = UIViewController()
            controller.modalPresentationStyle = .popover
            presentation = controller.presentationController
            #expect(presentation?.presentedViewController === controller)
            #expect(presentation?.presentingViewController === controller)
            _ = (controller.popoverPresentationController, controller.sheetPresentationController)
            gone = controller
        }
        #expect(gone == nil && presentation?.presentedView == nil)
    }

    @Test func aViewIsLoadedOnceAndAtItsFirstUse() {
        let controller = Recorder()
        #expect(!controller.isViewLoaded && controller.calls.isEmpty)
        let view = controller.view
        #expect(controller.view === view)
        #expect(controller.calls == ["loadView", "viewDidLoad"])
    }

    @Test func aPresentedControllerAppearsAndGoesInOrder() {
        let base = UIViewController()
        let shown = Recorder()
        var said: [String] = []
        base.present(shown, animated: false) { said.append("presented") }
        #expect(shown.calls == ["loadView", "viewDidLoad", "willAppear", "didLayout", "didAppear"])
        #expect(base.presentedViewController === shown && shown.presentingViewController === base)
        shown.dismiss(animated: false) { said.append("dismissed") }
        #expect(Array(shown.calls.suffix(2)) == ["willDisappear", "didDisappear"])
        #expect(base.presentedViewController == nil && said == ["presented", "dismissed"])
    }

    @Test func onlyTheTopOfAStackIsVisible() {
        let (first, second) = (Recorder(), Recorder())
        let stack = UINavigationController(rootViewController: first)
        let base = UIViewController()
        base.present(stack, animated: false)
        stack.pushViewController(second, animated: false)
        #expect(first.calls.last == "didDisappear" && second.calls.last == "didAppear")
        #expect(second.navigationController === stack)
        #expect(stack.popViewController(animated: false) === second)
        #expect(first.calls.last == "didAppear" && second.calls.last == "didDisappear")
        #expect(stack.popViewController(animated: false) == nil)
    }

    @Test func anAlertGoesAndThenItsAnswerIsHeard() {
        let base = UIViewController()
        let alert = UIAlertController(title: "Delete?", message: nil, preferredStyle: .alert)
        var wasThere: Bool?
        alert.addAction(
            UIAlertAction(title: "Yes", style: .destructive) { _ in wasThere = base.presentedViewController != nil })
        base.present(alert, animated: false)
        alert.choose(alert.actions[0])
        #expect(wasThere == false)
    }

    @Test func aControllerOutsideOfAnExtensionHasNoContext() {
        #expect(UIViewController().extensionContext == nil)
    }
}

@MainActor private final class Rows: NSObject, UITableViewDataSource, UITableViewDelegate {
    var selected: [Int] = []

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 2 }
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "row", for: indexPath)
        cell.textLabel?.text = "row \(indexPath.row)"
        return cell
    }
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) { selected.append(indexPath.row) }
}

@MainActor private final class Counter: NSObject {
    var taps = 0
    func tapped(_ sender: Any) { taps += sender is UIButton ? 1 : 0 }
}

@MainActor @Suite struct ViewTests {
    @Test func aViewHasOnePlaceInTheTree() {
        let (first, second, child) = (UIView(), UIView(), UILabel())
        first.addSubview(child)
        second.addSubview(child)
        #expect(first.subviews.isEmpty && second.subviews == [child] && child.superview === second)
        #expect(child.isDescendant(of: second) && !child.isDescendant(of: first))
        child.removeFromSuperview()
        #expect(child.superview == nil && second.subviews.isEmpty)
    }

    @Test func aTableAsksItsSourceAndTellsItsDelegate() {
        let rows = Rows()
        let table = UITableView(frame: .zero)
        table.register(UITableViewCell.self, forCellReuseIdentifier: "row")
        (table.dataSource, table.delegate) = (rows, rows)
        #expect(table.cellForRow(at: IndexPath(row: 1, section: 0))?.textLabel?.text == "row 1")
        #expect(table.cellForRow(at: IndexPath(row: 2, section: 0)) == nil)
        table.selectRow(at: IndexPath(row: 0, section: 0), animated: false, scrollPosition: .none)
        #expect(rows.selected.isEmpty)
        table.tap(IndexPath(row: 1, section: 0))
        table.tap(IndexPath(row: 7, section: 0))
        #expect(rows.selected == [1] && table.indexPathForSelectedRow?.row == 1)
    }

    @Test func aButtonCallsActionsAndMethodsOfItsTarget() {
        let counter = Counter()
        var actions = 0
        let button = UIButton(type: .system, primaryAction: UIAction(title: "Go") { _ in actions += 1 })
        button.addTarget(counter, action: Counter.tapped, for: .touchUpInside)
        button.sendActions(for: .touchUpInside)
        #expect(button.currentTitle == "Go" && actions == 1 && counter.taps == 1)
        button.removeTarget(counter, for: .touchUpInside)
        button.sendActions(for: .touchUpInside)
        #expect(actions == 2 && counter.taps == 1)
    }

    @Test func onlyAnEditTellsTheDelegate() {
        final class Delegate: NSObject, UITextViewDelegate {
            var changes = 0
            func textView(_ textView: UITextView, shouldChangeTextIn range: NSRange, replacementText text: String)
                -> Bool
            {
                text.count < 5
            }
            func textViewDidChange(_ textView: UITextView) { changes += 1 }
        }
        let (text, delegate) = (UITextView(), Delegate())
        text.delegate = delegate
        text.text = "set"
        #expect(delegate.changes == 0)
        #expect(text.edit("edit") && text.text == "edit" && delegate.changes == 1)
        #expect(!text.edit("too long") && text.text == "edit" && delegate.changes == 1)
    }
}
