// TargetActionTests: controls, gestures and bar buttons call methods by their selectors, and are used by their names.

import ExtensionFoundation
import ExtensionProtocol
import Foundation
import Testing

@testable import UIKit

@MainActor final class Actor: UIViewController {
    var calls: [String] = []
    var onCall: (() -> Void)?
}

final class __Methods_Actor: _MethodTable {
    static var methods: [_Method] {
        [
            _Method("plain") { target, _ in (target as? Actor)?.calls.append("plain") },
            _Method("sent:") { target, arguments in
                (target as? Actor)?.calls.append("\(type(of: arguments[0, AnyObject.self]))")
            },
            _Method("image:didFinishSavingWithError:contextInfo:") { target, arguments in
                let actor = target as? Actor
                actor?.calls.append(arguments[1, NSError.self].localizedDescription)
                actor?.onCall?()
                return nil
            },
            _Method("sent:with:") { target, arguments in
                (target as? Actor)?.calls.append("\(type(of: arguments[1, UIEvent.self]))")
            },
        ]
    }
}

@MainActor @Suite struct TargetActionTests {
    let controller = Actor()

    private func act(_ name: String?, text: String? = nil, by other: UIViewController? = nil) throws {
        let act = UseView(
            request: RequestIdentifier(), action: text == nil ? "tap" : "setText", name: name, text: text)
        try (other ?? controller).perform(act)
    }

    // not simulated: N-315
    @Test func anImageIsNotSavedAndItsTargetHears() async {
        await withCheckedContinuation { ended in
            controller.onCall = { ended.resume() }
            UIImageWriteToSavedPhotosAlbum(UIImage(), controller, "image:didFinishSavingWithError:contextInfo:", nil)
            #expect(controller.calls.isEmpty)
        }
        #expect(controller.calls.first?.hasPrefix("notSimulated") == true)
        UIImageWriteToSavedPhotosAlbum(UIImage(), nil, nil, nil)
    }

    @Test func aControlSendsItselfAndTheEvent() {
        let button = UIButton(type: .system)
        button.addTarget(controller, action: "plain", for: .touchDown)
        button.addTarget(controller, action: "sent:", for: .touchUpInside)
        button.addTarget(controller, action: "sent:", for: .touchUpInside)
        button.addTarget(controller, action: "sent:with:", for: [.touchUpInside, .touchCancel])
        button.sendActions(for: .touchUpInside)
        #expect(controller.calls == ["UIButton", "UIEvent"])
        #expect(button.actions(forTarget: controller, forControlEvent: .touchDown) == ["plain"])
        button.removeTarget(controller, action: "sent:with:", for: .touchCancel)
        button.removeTarget(nil, action: "sent:", for: .allEvents)
        button.sendActions(for: .touchUpInside)
        #expect(controller.calls == ["UIButton", "UIEvent", "UIEvent"])
        button.removeTarget(nil, action: nil, for: .allEvents)
        button.sendActions(for: [.touchUpInside, .touchDown])
        #expect(controller.calls.count == 3 && button.allTargets.isEmpty)
    }

    @Test func aControlWithoutATargetAsksItsResponders() {
        let (box, button) = (UIView(), UIButton())
        controller.view.addSubview(box)
        box.addSubview(button)
        button.addTarget(nil, action: "plain", for: .valueChanged)
        button.addTarget(nil, action: "nobodyHasIt", for: .valueChanged)
        button.sendActions(for: .valueChanged)
        #expect(controller.calls == ["plain"])
    }

    @Test func aTargetThatHasGoneIsNotCalled() {
        let button = UIButton()
        do {
            let gone = Actor()
            button.addTarget(gone, action: "plain", for: .touchDown)
        }
        button.sendActions(for: .touchDown)
        #expect(button.allTargets.isEmpty)
    }

    @Test func aTapByNameIsRecognizedByItsGesture() throws {
        let label = UILabel()
        label.text = "More"
        label.addGestureRecognizer(UILongPressGestureRecognizer(target: controller, action: "plain"))
        controller.view.addSubview(label)
        #expect(throws: ExtensionHostError.self) { try act("More") }
        label.addGestureRecognizer(UITapGestureRecognizer(target: controller, action: "sent:"))
        try act("More")
        #expect(controller.calls == ["UITapGestureRecognizer"])
        #expect(label.gestureRecognizers?.allSatisfy { $0.view === label } == true)
    }

    @Test func theKitsOwnMethodsHaveTheirSelectors() throws {
        let field = UITextField()
        controller.view.addSubview(field)
        field.becomeFirstResponder()
        let tap = UITapGestureRecognizer(target: controller.view, action: "endEditing:")
        controller.view.addGestureRecognizer(tap)
        tap.recognize()
        #expect(!field.isFirstResponder)
    }

    // MARK: Bars

    private func stack() -> UINavigationController {
        let stack = UINavigationController(rootViewController: controller)
        stack.appear(false)
        return stack
    }

    @Test func barButtonsShowAndCallTheirTargets() throws {
        let item = UIBarButtonItem(title: "Send", style: .done, target: controller, action: "sent:")
        controller.navigationItem.rightBarButtonItems = [item, UIBarButtonItem(systemItem: .flexibleSpace)]
        controller.navigationItem.leftBarButtonItem = UIBarButtonItem(
            barButtonSystemItem: .cancel, target: nil, action: "plain")
        let search = UITextField()
        search.accessibilityIdentifier = "search"
        controller.navigationItem.titleView = search
        let stack = stack()
        #expect(stack.describe().children.map { $0.title ?? $0.name } == ["Cancel", "search", "Send"])
        try act("Send", by: stack)
        try act("Cancel", by: stack)
        try act("search", text: "words", by: stack)
        #expect(controller.calls == ["UIBarButtonItem", "plain"] && search.text == "words")
        item.isEnabled = false
        #expect(throws: ExtensionHostError.self) { try act("Send", by: stack) }
        controller.navigationItem.rightBarButtonItems = nil
        #expect(throws: ExtensionHostError.self) { try act("Send", by: stack) }
    }

    @Test func aToolbarIsUsedWhereItShows() throws {
        let custom = UIButton()
        custom.setTitle("Inner", for: .normal)
        custom.addTarget(controller, action: "sent:", for: .touchUpInside)
        controller.toolbarItems = [
            UIBarButtonItem(title: "Next", style: .plain, target: controller, action: "plain"),
            UIBarButtonItem(customView: custom),
        ]
        let stack = stack()
        #expect(throws: ExtensionHostError.self) { try act("Next", by: stack) }
        stack.isToolbarHidden = false
        try act("Next", by: stack)
        try act("Inner", by: stack)
        #expect(controller.calls == ["plain", "UIButton"])
        #expect(stack.describe().children.map(\.title) == ["Next", "Inner"])
    }

    @Test func aBarOfItsOwnItemsIsUsedToo() throws {
        let (bar, item) = (UINavigationBar(), UINavigationItem(title: "Own"))
        item.leftBarButtonItem = UIBarButtonItem(
            title: nil, image: nil,
            primaryAction: UIAction(title: "Act") { [controller] _ in controller.calls.append("action") })
        bar.setItems([item], animated: false)
        controller.view.addSubview(bar)
        try act("Act")
        #expect(controller.calls == ["action"])
    }

    // MARK: Values

    @Test func aSwitchAndAChoiceAreTurnedByName() throws {
        let toggle = UISwitch()
        toggle.accessibilityIdentifier = "private"
        toggle.addTarget(controller, action: "sent:", for: .valueChanged)
        let choice = UISegmentedControl(items: ["One", "Two"])
        choice.addTarget(controller, action: "sent:", for: .valueChanged)
        for view in [toggle, choice] { controller.view.addSubview(view) }
        try act("private")
        try act("Two")
        #expect(toggle.isOn && choice.selectedSegmentIndex == 1)
        #expect(controller.calls == ["UISwitch", "UISegmentedControl"])
        #expect(controller.describe().all.filter(\.isSelected).map { $0.name ?? $0.title } == ["private", "Two"])
    }

    @Test func aSegmentThatIsDisabledIsNotChosen() throws {
        let choice = UISegmentedControl(items: ["One", "Two"])
        controller.view.addSubview(choice)
        choice.setEnabled(false, forSegmentAt: 1)
        #expect(choice.isEnabledForSegment(at: 0) && !choice.isEnabledForSegment(at: 1))
        #expect(throws: ExtensionHostError.self) { try act("Two") }
        #expect(choice.selectedSegmentIndex == UISegmentedControl.noSegment)
        // It stays disabled behind another that is inserted.
        choice.insertSegment(withTitle: "Zero", at: 0, animated: false)
        #expect(choice.isEnabledForSegment(at: 1) && !choice.isEnabledForSegment(at: 2))
        choice.setEnabled(true, forSegmentAt: 2)
        try act("Two")
        #expect(choice.selectedSegmentIndex == 2)
    }

    @Test func anEditOfAFieldTellsItsDelegateAndTargets() throws {
        final class Delegate: NSObject, UITextFieldDelegate {
            var calls: [String] = []
            func textFieldDidBeginEditing(_ textField: UITextField) { calls.append("begin") }
            func textField(
                _ textField: UITextField, shouldChangeCharactersIn range: NSRange, replacementString string: String
            ) -> Bool {
                string != "no"
            }
            func textFieldDidEndEditing(_ textField: UITextField) { calls.append("end") }
        }
        let (field, delegate) = (UITextField(), Delegate())
        field.placeholder = "Name"
        field.delegate = delegate
        field.addTarget(controller, action: "sent:", for: .editingChanged)
        controller.view.addSubview(field)
        field.text = "set"
        #expect(controller.calls.isEmpty && delegate.calls.isEmpty)
        try act(nil, text: "yes")
        #expect(throws: ExtensionHostError.self) { try act(nil, text: "no") }
        #expect(field.text == "yes" && controller.calls == ["UITextField"])
        controller.view.endEditing(true)
        #expect(delegate.calls == ["begin", "end"] && !field.isFirstResponder)
        #expect(controller.describe().children.map(\.placeholder) == ["Name"])
    }
}
