// Description: a view as the plain values that its host shows, and an act by name as the call that a touch would make.

package import ExtensionWire
import Foundation

/// A controller that is more than its views, such as a compose sheet.
package protocol DescribedController: UIViewController {
    /// Returns the description of this controller, without a presented one.
    @MainActor func describeItself() -> ViewElement
    /// Performs an act of this controller's own. False for any other act, which is then looked up in its views.
    @MainActor func performItself(_ act: UseView) throws(ExtensionHostError) -> Bool
}

extension UIView {
    /// Returns the elements of the view. A hidden view has none.
    ///
    /// A view that only holds others is replaced by them, unless its author named it.
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
            element = ViewElement(.button, title: button.shownTitle, children: inside())
            element.isEnabled = button.isEnabled
            element.isSelected = button.isSelected
        case let text as UITextView:
            element = ViewElement(
                .text, text: text.isSecureTextEntry ? text.text.map(Self.dots) : text.text, children: inside())
            element.isEnabled = text.isEditable
        case let field as UITextField:
            element = ViewElement(
                .text, text: field.isSecureTextEntry ? field.text.map(Self.dots) : field.text, children: inside())
            element.isEnabled = field.isEnabled
            element.placeholder = field.placeholder
        case let control as UISwitch:
            element = ViewElement(.button, children: inside())
            element.isEnabled = control.isEnabled
            element.isSelected = control.isOn
        case let choice as UISegmentedControl: element = ViewElement(.view, children: choice.describeSegments())
        case let wheel as UIActivityIndicatorView:
            guard wheel.isAnimating || !wheel.hidesWhenStopped else { return [] }
            element = ViewElement(.activity)
            element.isPending = wheel.isAnimating
        case let image as UIImageView:
            guard let shown = image.image else { return inside() }
            element = ViewElement(.image, text: shown.symbol ?? "\(shown.data.count) bytes", children: inside())
        case let table as UITableView:
            element = ViewElement(.table, children: table.describeRows())
            element.children.insert(contentsOf: table.tableHeaderView?.describe() ?? [], at: 0)
            element.children += table.tableFooterView?.describe() ?? []
        case let picker as UIPickerView: element = ViewElement(.table, children: picker.describeRows())
        case let pages as PageView: return inside() + pages.turns.map { ViewElement(.button, name: $0.rawValue) }
        case let collection as UICollectionView: element = ViewElement(.table, children: collection.describeItems())
        default:
            if !barItems.isEmpty || self is UINavigationBar { return describeBar() + inside() }
            guard accessibilityIdentifier != nil else { return inside() }
            element = ViewElement(.view, children: inside())
        }
        element.name = accessibilityIdentifier
        if element.title == nil { element.title = accessibilityLabel }
        return [element]
    }

    /// Returns what a field for a password shows: a dot for each letter.
    private static func dots(_ text: String) -> String { String(repeating: "•", count: text.count) }
}

extension UIView {
    /// Returns the buttons of a bar in their order, and between them the view in place of a title.
    fileprivate func describeBar() -> [ViewElement] {
        let top = (self as? UINavigationBar)?.topItem
        let buttons = { (items: [UIBarButtonItem]?) in (items ?? []).flatMap { $0.describe() } }
        guard let top else { return buttons(barItems) }
        return buttons(top.leftBarButtonItems) + (top.titleView?.describe() ?? [])
            + buttons(top.rightBarButtonItems?.reversed())
    }
}

extension UIView {
    /// Taps a button of a bar. False if the bar has none of that name.
    package func tap(_ name: String, from controller: UIViewController) throws(ExtensionHostError) -> Bool {
        guard let item = barItems.first(where: { !$0.isHidden && $0.isNamed(name) }) else { return false }
        guard item.isEnabled else { throw controller.disabled(name) }
        item.tap(from: (controller as? UINavigationController)?.topViewController ?? controller)
        return true
    }
}

extension UIBarButtonItem {
    package func describe() -> [ViewElement] {
        guard !isHidden else { return [] }
        if let customView { return customView.describe() }
        guard let title = shownTitle ?? accessibilityIdentifier else { return [] }
        var element = ViewElement(.button, title: title)
        element.name = accessibilityIdentifier
        element.isEnabled = isEnabled
        return [element]
    }

    fileprivate func isNamed(_ name: String) -> Bool {
        accessibilityIdentifier == name || accessibilityLabel == name || shownTitle == name
    }
}

extension UISegmentedControl {
    fileprivate func describeSegments() -> [ViewElement] {
        titles.enumerated().map { place, title in
            var segment = ViewElement(.button, title: title)
            segment.isEnabled = isEnabled && isEnabledForSegment(at: place)
            segment.isSelected = place == selectedSegmentIndex
            return segment
        }
    }
}

extension UITableView {
    /// The number of rows that are described: the description is bounded.
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

extension UIPickerView {
    fileprivate func describeRows() -> [ViewElement] {
        places.map { place in
            let title = title(of: place)
            let view = title == nil ? view(forRow: place.row, forComponent: place.component) : nil
            var row = ViewElement(.row, title: title, children: view?.describe() ?? [])
            row.isSelected = selectedRow(inComponent: place.component) == place.row
            return row
        }
    }
}

extension UICollectionView {
    /// The first thousand items: the description is bounded.
    fileprivate var shownItems: [IndexPath] {
        let items = (0..<numberOfSections).lazy.flatMap { section in
            (0..<self.numberOfItems(inSection: section)).lazy.map { IndexPath(item: $0, section: section) }
        }
        return Array(items.prefix(1000))
    }

    /// Returns the items of each section, with its header and footer.
    fileprivate func describeItems() -> [ViewElement] {
        let items = Dictionary(grouping: shownItems, by: \.section)
        return items.keys.sorted().flatMap { section in
            let around = [Self.elementKindSectionHeader, Self.elementKindSectionFooter].map { kind in
                supplementaryView(forElementKind: kind, at: IndexPath(item: 0, section: section))?.describe() ?? []
            }
            return around[0] + (items[section] ?? []).compactMap(describe) + around[1]
        }
    }

    private func describe(_ place: IndexPath) -> ViewElement? {
        guard let cell = cellForItem(at: place) else { return nil }
        var item = ViewElement(
            .row, name: cell.accessibilityIdentifier, title: cell.accessibilityLabel,
            children: cell.subviews.flatMap { $0.describe() })
        item.isSelected = cell.isSelected
        return item
    }

    fileprivate func item(named name: String) -> IndexPath? {
        shownItems.first { cellForItem(at: $0)?.isCalled(name) == true }
    }

    /// Makes all cells, as a person sees all of them.
    fileprivate func showItems() { for place in shownItems { _ = cellForItem(at: place) } }
}

extension UIViewController {
    /// Returns the description of the controller, with a presented one as its last child.
    package func describe() -> ViewElement {
        var element: ViewElement
        switch self {
        case let controller as any DescribedController: element = controller.describeItself()
        case let alert as UIAlertController: element = alert.describeQuestion()
        case let stack as UINavigationController:
            element = stack.topViewController?.describe() ?? ViewElement(.view)
            if !stack.isNavigationBarHidden {
                element.children.insert(contentsOf: stack.navigationBar.describe(), at: 0)
            }
            if !stack.isToolbarHidden { element.children += stack.toolbar.describe() }
        default: element = ViewElement(.view, title: title ?? navigationItem.title, children: view.describe())
        }
        if let presented = presentedViewController { element.children.append(presented.describe()) }
        return element
    }

    /// The controller above all others, which alone can be touched.
    private var topmost: UIViewController { presentedViewController?.topmost ?? self }

    package func perform(_ act: UseView) throws(ExtensionHostError) {
        let controller = topmost
        if let described = controller as? any DescribedController, try described.performItself(act) { return }
        switch act.action {
        case "setText":
            let texts = controller.allViews.filter {
                ($0 is UITextView || $0 is UITextField) && (act.name == nil || $0.isNamed(act.name))
            }
            guard let view = texts.first else { throw controller.nothing(for: act) }
            let text = act.text ?? ""
            guard (view as? UITextView)?.edit(text) ?? (view as? UITextField)?.edit(text) ?? false else {
                throw ExtensionHostError(
                    .notPermitted, "the text is not editable, or its delegate refuses the edit",
                    remedy: "Try another text")
            }
        case "tap": try controller.tap(act.name ?? "", act)
        case "post": try controller.tap("Post", act)
        case "cancel": try controller.tap("Cancel", act)
        default:
            throw ExtensionHostError(
                .invalidArgument, "the extension's kit knows no act “\(act.action)”",
                remedy: "Use setText, tap, post or cancel")
        }
    }

    private func tap(_ name: String, _ act: UseView) throws(ExtensionHostError) {
        if let alert = self as? UIAlertController, let answer = alert.actions.first(where: { $0.title == name }) {
            guard answer.isEnabled else { throw disabled(name) }
            return alert.choose(answer)
        }
        for view in allViews {
            if try view.tap(name, from: self) { return }
            if let control = view as? UIControl, control.isNamed(name) || (control as? UIButton)?.shownTitle == name {
                guard control.isEnabled else { throw disabled(name) }
                return control.touch()
            }
            if let choice = view as? UISegmentedControl, let place = choice.titles.firstIndex(of: name) {
                guard choice.isEnabled, choice.isEnabledForSegment(at: place) else { throw disabled(name) }
                return choice.choose(place)
            }
            if view.isNamed(name) || (view as? UILabel)?.text == name,
                view.gestureRecognizers?.contains(where: { $0 is UITapGestureRecognizer }) == true
            {
                return view.touch()
            }
            if let table = view as? UITableView, let row = table.row(named: name) { return table.tap(row) }
            if let picker = view as? UIPickerView, let place = picker.place(named: name) { return picker.choose(place) }
            if let page = view as? PageView, let turn = page.turns.first(where: { $0.rawValue == name }) {
                guard page.pages?.turn(turn) == true else { throw disabled(name) }
                return
            }
            if let collection = view as? UICollectionView, let item = collection.item(named: name) {
                return collection.tap(item)
            }
        }
        throw nothing(for: act)
    }

    /// The views in the order of their descriptions, without hidden ones, which cannot be touched.
    ///
    /// A stack's view holds that of its topmost controller.
    private var allViews: [UIView] {
        func within(_ view: UIView) -> [UIView] {
            guard !view.isHidden, view.alpha > 0 else { return [] }
            (view as? UICollectionView)?.showItems()
            let items = (view as? UINavigationBar)?.topItem.map { [$0.titleView].compactMap { $0 } } ?? []
            let custom = view.barItems.compactMap { $0.isHidden ? nil : $0.customView }
            let edges = [(view as? UITableView)?.tableHeaderView, (view as? UITableView)?.tableFooterView].compactMap {
                $0
            }
            return [view] + (items + custom + edges + view.subviews).flatMap(within)
        }
        return within(view)
    }

    package func disabled(_ name: String) -> ExtensionHostError {
        ExtensionHostError(.notPermitted, "“\(name)” is disabled", remedy: "First do what its view requires")
    }

    private func nothing(for act: UseView) -> ExtensionHostError {
        let names = Set(describe().all.compactMap { $0.name ?? $0.title }).sorted().prefix(32)
        return ExtensionHostError(
            .invalidArgument, "the view has nothing to \(act.action) named “\(act.name ?? "")”",
            remedy: names.isEmpty ? "Wait until it shows an element" : "Name one of: \(names.joined(separator: ", "))")
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
