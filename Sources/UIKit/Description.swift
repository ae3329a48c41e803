// Description: a view as the plain values that its host shows, and an act by name as the call that a touch would make.

package import ExtensionProtocol
import Foundation

/// A controller that is more than the views in it, as a compose sheet.
package protocol DescribedController: UIViewController {
    /// Itself, without what it presents.
    @MainActor func describeItself() -> ViewElement
    /// False for an act that is none of its own: it is looked for in its views then.
    @MainActor func performItself(_ act: UseView) throws(ExtensionHostError) -> Bool
}

extension UIView {
    /// Nothing for a view that nobody sees; a view that only holds others is left out for them, unless its author named it.
    package final func describe() -> [ViewElement] {
        guard !isHidden, alpha > 0 else { return [] }
        let inside = { self.subviews.flatMap { $0.describe() } }
        var element: ViewElement
        switch self {
        case let label as UILabel:
            guard let text = label.text, !text.isEmpty else { return inside() }
            element = ViewElement(.label, text: text, children: inside())
            element.isEnabled = label.isEnabled
        case let button as UIButton:
            element = ViewElement(.button, title: button.currentTitle, children: inside())
            element.isEnabled = button.isEnabled
            element.isSelected = button.isSelected
        case let text as UITextView:
            element = ViewElement(.text, text: text.text, children: inside())
            element.isEnabled = text.isEditable
        case let wheel as UIActivityIndicatorView:
            guard wheel.isAnimating || !wheel.hidesWhenStopped else { return [] }
            element = ViewElement(.activity)
            element.isPending = wheel.isAnimating
        case let image as UIImageView:
            guard let bytes = image.image?.data.count else { return inside() }
            element = ViewElement(.image, text: "\(bytes) bytes", children: inside())
        case let table as UITableView: element = ViewElement(.table, children: table.describeRows())
        default:
            guard accessibilityIdentifier != nil else { return inside() }
            element = ViewElement(.view, children: inside())
        }
        element.name = accessibilityIdentifier
        if element.title == nil { element.title = accessibilityLabel }
        return [element]
    }
}

extension UITableView {
    /// Of a longer table the first thousand rows: a view has a bound.
    private static let mostRows = 1000

    fileprivate func describeRows() -> [ViewElement] {
        allRows.prefix(Self.mostRows).compactMap { place in
            guard let cell = cellForRow(at: place) else { return nil }
            var row = ViewElement(
                .row, name: cell.accessibilityIdentifier, title: cell.textLabel?.text, text: cell.detailTextLabel?.text,
                children: (cell.contentView.subviews + cell.subviews).flatMap { $0.describe() })
            row.isSelected = indexPathForSelectedRow == place || cell.accessoryType == .checkmark
            return row
        }
    }

    fileprivate var allRows: [IndexPath] {
        (0..<numberOfSections).flatMap { section in
            (0..<numberOfRows(inSection: section)).map { IndexPath(row: $0, section: section) }
        }
    }

    fileprivate func row(named name: String) -> IndexPath? {
        allRows.first { place in
            let cell = cellForRow(at: place)
            return cell?.accessibilityIdentifier == name || cell?.textLabel?.text == name
        }
    }
}

extension UIViewController {
    /// Itself, and what it presents as its last child.
    package func describe() -> ViewElement {
        var element: ViewElement
        switch self {
        case let controller as any DescribedController: element = controller.describeItself()
        case let alert as UIAlertController: element = alert.describeQuestion()
        case let stack as UINavigationController:
            element = stack.topViewController?.describe() ?? ViewElement(.view)
        default: element = ViewElement(.view, title: title ?? navigationItem.title, children: view.describe())
        }
        if let presented = presentedViewController { element.children.append(presented.describe()) }
        return element
    }

    /// What is above everything else: only that can be touched.
    private var topmost: UIViewController { presentedViewController?.topmost ?? self }

    package func perform(_ act: UseView) throws(ExtensionHostError) {
        let controller = topmost
        if let described = controller as? any DescribedController, try described.performItself(act) { return }
        switch act.action {
        case "setText":
            let texts = controller.allViews.compactMap { $0 as? UITextView }.filter { act.name == nil || $0.isNamed(act.name) }
            guard let text = texts.first else { throw controller.nothing(for: act) }
            guard text.edit(act.text ?? "") else {
                throw ExtensionHostError(
                    .notPermitted, "the text cannot be edited, or its delegate refuses the edit", remedy: "Try another text")
            }
        case "tap": try controller.tap(act.name ?? "", act)
        case "post": try controller.tap("Post", act)
        case "cancel": try controller.tap("Cancel", act)
        default:
            throw ExtensionHostError(
                .invalidArgument, "the extension's kit knows no act “\(act.action)”", remedy: "Use setText, tap, post or cancel")
        }
    }

    private func tap(_ name: String, _ act: UseView) throws(ExtensionHostError) {
        if let alert = self as? UIAlertController, let answer = alert.actions.first(where: { $0.title == name }) {
            guard answer.isEnabled else { throw disabled(name) }
            return alert.choose(answer)
        }
        for view in allViews {
            if let control = view as? UIControl, control.isNamed(name) || (control as? UIButton)?.currentTitle == name {
                guard control.isEnabled else { throw disabled(name) }
                return control.sendActions(for: .touchUpInside)
            }
            if let table = view as? UITableView, let row = table.row(named: name) { return table.tap(row) }
        }
        throw nothing(for: act)
    }

    /// In the order in which they are described; hidden ones cannot be touched. Of a stack the topmost controller's.
    private var allViews: [UIView] {
        if let stack = self as? UINavigationController { return stack.topViewController?.allViews ?? [] }
        func within(_ view: UIView) -> [UIView] {
            view.isHidden || view.alpha <= 0 ? [] : [view] + view.subviews.flatMap(within)
        }
        return within(view)
    }

    package func disabled(_ name: String) -> ExtensionHostError {
        ExtensionHostError(.notPermitted, "“\(name)” is disabled", remedy: "See what its view asks for first")
    }

    private func nothing(for act: UseView) -> ExtensionHostError {
        let names = Set(describe().all.compactMap { $0.name ?? $0.title }).sorted().prefix(32)
        return ExtensionHostError(
            .invalidArgument, "the view has nothing to \(act.action) named “\(act.name ?? "")”",
            remedy: names.isEmpty ? "Wait until it shows something" : "Name one of: \(names.joined(separator: ", "))")
    }
}

extension UIView {
    fileprivate func isNamed(_ name: String?) -> Bool { accessibilityIdentifier == name || accessibilityLabel == name }
}

extension UIAlertController {
    fileprivate func describeQuestion() -> ViewElement {
        let answers = actions.map { action in
            var button = ViewElement(.button, title: action.title)
            button.isEnabled = action.isEnabled
            return button
        }
        return ViewElement(.alert, title: title, text: message, children: answers)
    }
}
