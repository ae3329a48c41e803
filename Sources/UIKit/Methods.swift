// Methods: the kit's own methods that sources name in selectors, in tables as the source step writes them for authors'
// classes.

import ExtensionFoundation
import Foundation

final class __Methods_UIResponder: _MethodTable {
    static var methods: [_Method] {
        [
            _Method("becomeFirstResponder") { target, _ in (target as? UIResponder)?.becomeFirstResponder() },
            _Method("resignFirstResponder") { target, _ in (target as? UIResponder)?.resignFirstResponder() },
        ]
    }
}

final class __Methods_UIView: _MethodTable {
    static var methods: [_Method] {
        [
            // A recognizer or button sends itself: any value but NO ends the editing.
            _Method("endEditing:") { target, arguments in
                (target as? UIView)?.endEditing(arguments[0, Any?.self] as? Bool ?? true)
            },
            _Method("setNeedsLayout") { target, _ in (target as? UIView)?.setNeedsLayout() },
            _Method("layoutIfNeeded") { target, _ in (target as? UIView)?.layoutIfNeeded() },
            _Method("setNeedsDisplay") { target, _ in (target as? UIView)?.setNeedsDisplay() as Void? },
            _Method("removeFromSuperview") { target, _ in (target as? UIView)?.removeFromSuperview() },
        ]
    }
}

final class __Methods_UITableView: _MethodTable {
    static var methods: [_Method] { [_Method("reloadData") { target, _ in (target as? UITableView)?.reloadData() }] }
}

final class __Methods_UIViewController: _MethodTable {
    static var methods: [_Method] {
        // Apple's name, and the name by Swift's own rule.
        let names = ["dismissViewControllerAnimated:completion:", "dismissWithAnimated:completion:"]
        return names.map { name in
            _Method(name) { target, arguments in
                let completion = arguments[1, Any?.self] as? () -> Void
                (target as? UIViewController)?.dismiss(animated: true, completion: completion)
                return nil
            }
        }
    }
}

final class __Methods_UIInputViewController: _MethodTable {
    private static let listing = ["handleInputModeListFromView:withEvent:", "handleInputModeListFrom:with:"]
    /// The selectors that lead to the next keyboard.
    static let switching = listing + ["advanceToNextInputMode"]

    static var methods: [_Method] {
        let list = listing.map { name in
            _Method(name) { target, arguments in
                (target as? UIInputViewController)?.handleInputModeList(
                    from: arguments[0, UIView.self], with: arguments[1, UIEvent.self])
            }
        }
        return list + [
            _Method("advanceToNextInputMode") { target, _ in
                (target as? UIInputViewController)?.advanceToNextInputMode()
            },
            _Method("dismissKeyboard") { target, _ in (target as? UIInputViewController)?.dismissKeyboard() },
        ]
    }
}
