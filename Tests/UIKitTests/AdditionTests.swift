// AdditionTests: pages, pickers, web views, values for all views of a class, and calls that are taken back.

import ExtensionFoundation
import ExtensionWire
import Foundation
import Testing

@testable import UIKit

@MainActor @Suite(.serialized) struct AdditionTests {
    private final class Pages: NSObject, UIPageViewControllerDataSource, UIPageViewControllerDelegate {
        let all: [UIViewController]
        var said: [String] = []

        init(_ titles: [String]) {
            all = titles.map { title in
                let (controller, label) = (UIViewController(), UILabel())
                label.text = title
                controller.title = title
                controller.view.addSubview(label)
                return controller
            }
        }

        private func page(_ step: Int, from controller: UIViewController) -> UIViewController? {
            guard let place = all.firstIndex(of: controller), all.indices.contains(place + step) else { return nil }
            return all[place + step]
        }

        func pageViewController(
            _ pageViewController: UIPageViewController, viewControllerBefore viewController: UIViewController
        ) -> UIViewController? { page(-1, from: viewController) }
        func pageViewController(
            _ pageViewController: UIPageViewController, viewControllerAfter viewController: UIViewController
        ) -> UIViewController? { page(1, from: viewController) }
        func pageViewController(
            _ pageViewController: UIPageViewController, willTransitionTo pendingViewControllers: [UIViewController]
        ) { said.append("to \(pendingViewControllers.compactMap(\.title))") }
        func pageViewController(
            _ pageViewController: UIPageViewController, didFinishAnimating finished: Bool,
            previousViewControllers: [UIViewController], transitionCompleted completed: Bool
        ) { said.append("from \(previousViewControllers.compactMap(\.title)) \(completed)") }
    }

    private func tap(_ name: String, _ controller: UIViewController) throws(ExtensionHostError) {
        try controller.perform(UseView(request: RequestIdentifier(), action: "tap", name: name, text: nil))
    }

    // spec: P-687
    @Test("P-687: taps on the page buttons turn the pages of a controller within an extension's view")
    func pagesTurn() throws {
        let (root, pages) = (UIViewController(), Pages(["One", "Two"]))
        let book = UIPageViewController(transitionStyle: .scroll, navigationOrientation: .horizontal, options: nil)
        book.dataSource = pages
        book.delegate = pages
        var ended: [Bool] = []
        book.setViewControllers([pages.all[0]], direction: .forward, animated: false) { ended.append($0) }
        root.addChild(book)
        root.view.addSubview(book.view)
        book.didMove(toParent: root)
        root.appear(false)
        #expect(ended == [true] && pages.said.isEmpty && book.children == [pages.all[0]])
        #expect(root.describe().all.compactMap(\.text) == ["One"])
        #expect(root.describe().all.compactMap(\.name) == ["previousPage", "nextPage"])
        try tap("nextPage", root)
        #expect(root.describe().all.compactMap(\.text) == ["Two"] && book.viewControllers == [pages.all[1]])
        #expect(pages.all[0].parent == nil && pages.all[0].view.superview == nil)
        #expect(pages.said == ["to [\"Two\"]", "from [\"One\"] true"])
        #expect(throws: ExtensionHostError.self) { try tap("nextPage", root) }
        try tap("previousPage", root)
        #expect(root.describe().all.compactMap(\.text) == ["One"])
        book.dataSource = nil
        #expect(root.describe().all.compactMap(\.name).isEmpty)
    }

    private final class Rows: NSObject, UIPickerViewDataSource, UIPickerViewDelegate {
        var rows = [["Red", "Green"], ["Light", "Dark", "Green"]]
        var chosen: [String] = []

        func numberOfComponents(in pickerView: UIPickerView) -> Int { rows.count }
        func pickerView(_ pickerView: UIPickerView, numberOfRowsInComponent component: Int) -> Int {
            rows[component].count
        }
        func pickerView(_ pickerView: UIPickerView, titleForRow row: Int, forComponent component: Int) -> String? {
            rows[component][row]
        }
        func pickerView(_ pickerView: UIPickerView, didSelectRow row: Int, inComponent component: Int) {
            chosen.append("\(component) \(row)")
        }
    }

    // spec: P-687
    @Test("P-687: a host sees the rows of a picker and chooses one by its title")
    func aRowIsChosen() throws {
        let (controller, picker, rows) = (UIViewController(), UIPickerView(), Rows())
        picker.accessibilityIdentifier = "wheel"
        picker.dataSource = rows
        picker.delegate = rows
        controller.view.addSubview(picker)
        #expect(picker.selectedRow(inComponent: 1) == 0 && picker.selectedRow(inComponent: 2) == -1)
        try tap("Dark", controller)
        try tap("Green", controller)
        #expect(rows.chosen == ["1 1", "0 1"] && picker.selectedRow(inComponent: 1) == 1)
        let table = try #require(controller.describe().all.first { $0.name == "wheel" })
        #expect(table.children.map(\.title) == ["Red", "Green", "Light", "Dark", "Green"])
        #expect(table.children.map(\.isSelected) == [false, true, false, true, false])
        picker.selectRow(2, inComponent: 1, animated: false)
        #expect(rows.chosen.count == 2 && picker.selectedRow(inComponent: 1) == 2)
        rows.rows = [["Red"], []]
        picker.reloadAllComponents()
        #expect(picker.selectedRow(inComponent: 0) == 0 && picker.selectedRow(inComponent: 1) == -1)
    }

    private final class Bar: UINavigationBar {}
    private final class Note: UILabel {}

    // spec: P-688
    @Test("P-688: views that are made afterwards take over what is set for their class")
    func valuesOfAClass() {
        let before = Bar()
        Bar.appearance().barTintColor = .red
        Bar.appearance().titleTextAttributes = [NSAttributedString.Key("size"): 12]
        Bar.appearance().isTranslucent = false
        #expect(Bar.appearance() === Bar.appearance())
        let after = Bar(frame: .zero)
        #expect(before.barTintColor == nil && before.isTranslucent)
        #expect(after.barTintColor == .red && !after.isTranslucent && after.titleTextAttributes?.count == 1)
        #expect(UINavigationBar().barTintColor == nil)
        Note.appearance().font = UIFont.systemFont(ofSize: 30)
        Note.appearance().backgroundColor = .blue
        Note.appearance(whenContainedInInstancesOf: [UIView.self]).textColor = .green
        let note = Note()
        #expect(note.font.pointSize == 30 && note.backgroundColor == .blue && note.textColor == .black)
        note.font = UIFont.systemFont(ofSize: 8)
        #expect(note.font.pointSize == 8 && UILabel().font.pointSize == 17)
    }

    private final class Observer: NSObject, UIWebViewDelegate {
        var onFailure: ((any Error) -> Void)?
        func webView(_ webView: UIWebView, didFailLoadWithError error: any Error) { onFailure?(error) }
    }

    // not simulated: N-204
    @Test func aWebViewKeepsItsPageAndLoadsNothing() async {
        let (view, observer) = (UIWebView(), Observer())
        view.delegate = observer
        let code = await withCheckedContinuation { ended in
            observer.onFailure = { ended.resume(returning: ($0 as? ExtensionHostError)?.code) }
            view.loadHTMLString("<p>", baseURL: nil)
        }
        #expect(code == .notSimulated && view.page == "<p>" && !view.isLoading)
    }

    @Test func aDelayedCallIsTakenBack() {
        let (outer, first, second, third) = (UIView(), UIView(), UIView(), UIView())
        for view in [first, second, third] {
            outer.addSubview(view)
            view.perform(Selector("removeFromSuperview"), with: nil, afterDelay: 0)
        }
        first.perform(Selector("setNeedsLayout"), with: nil, afterDelay: 0)
        NSObject.cancelPreviousPerformRequests(withTarget: first)
        NSObject.cancelPreviousPerformRequests(
            withTarget: second, selector: Selector("removeFromSuperview"), object: nil)
        // Another argument is another call.
        NSObject.cancelPreviousPerformRequests(
            withTarget: third, selector: Selector("removeFromSuperview"), object: "other")
        while third.superview != nil, RunLoop.current.run(mode: .default, before: .distantFuture) {}
        #expect(outer.subviews == [first, second])
    }
}
