// InterfaceValues: the values that an archive sets on objects of the kit.

import Foundation
import PropertyListCoding

@MainActor enum InterfaceValues {
    static func set(_ archive: ArchivedObject, on object: NSObject) {
        switch object {
        case let view as UIView: set(archive, view)
        case let controller as UIViewController: if let title = archive.text("title") { controller.title = title }
        case let item as UINavigationItem:
            item.title = archive.text("title")
            item.prompt = archive.text("prompt")
        case let item as UIBarButtonItem: set(archive, item)
        case let constraint as NSLayoutConstraint: set(archive, constraint)
        case let layout as UICollectionViewFlowLayout: set(archive, layout)
        default: break
        }
    }

    private static func set(_ archive: ArchivedObject, _ layout: UICollectionViewFlowLayout) {
        if let size = archive.size("itemSize") { layout.itemSize = size }
        if let size = archive.size("headerReferenceSize") { layout.headerReferenceSize = size }
        if let size = archive.size("footerReferenceSize") { layout.footerReferenceSize = size }
        if let spacing = archive.number("minimumLineSpacing") { layout.minimumLineSpacing = spacing }
        if let spacing = archive.number("minimumInteritemSpacing") { layout.minimumInteritemSpacing = spacing }
        if archive.text("scrollDirection") == "horizontal" { layout.scrollDirection = .horizontal }
    }

    private static func set(_ archive: ArchivedObject, _ constraint: NSLayoutConstraint) {
        if let constant = archive.number("constant") { constraint.constant = constant }
        if let priority = archive.number("priority") { constraint.priority = UILayoutPriority(Float(priority)) }
        constraint.identifier = archive.text("identifier")
        constraint.setRelation(
            archive.text("relation").flatMap(NSLayoutConstraint.Relation.init(named:)) ?? .equal,
            multiplier: archive.number("multiplier") ?? 1)
    }

    private static func set(_ archive: ArchivedObject, _ view: UIView) {
        if let frame = archive.frame { view.frame = frame }
        if let tag = archive.number("tag") { view.tag = Int(exactly: tag.rounded()) ?? 0 }
        if let alpha = archive.number("alpha") { view.alpha = alpha }
        if let hidden = archive.flag("hidden") { view.isHidden = hidden }
        if let enabled = archive.flag("userInteractionEnabled") { view.isUserInteractionEnabled = enabled }
        if let text = archive.text("accessibilityIdentifier") { view.accessibilityIdentifier = text }
        if let text = archive.text("accessibilityLabel") { view.accessibilityLabel = text }
        if let control = view as? UIControl {
            if let enabled = archive.flag("enabled") { control.isEnabled = enabled }
            if let selected = archive.flag("selected") { control.isSelected = selected }
        }
        switch view {
        case let label as UILabel: label.text = archive.text("text")
        case let button as UIButton: set(archive, button)
        case let field as UITextField:
            field.text = archive.text("text") ?? ""
            field.placeholder = archive.text("placeholder")
            if let secure = archive.flag("secureTextEntry") { field.isSecureTextEntry = secure }
        case let text as UITextView:
            text.text = archive.text("text") ?? ""
            if let editable = archive.flag("editable") { text.isEditable = editable }
        case let image as UIImageView: image.image = archive.text("image").flatMap { UIImage(named: $0) }
        case let toggle as UISwitch: toggle.isOn = archive.flag("on") ?? true
        case let slider as UISlider:
            if let least = archive.number("minValue") { slider.minimumValue = Float(least) }
            if let most = archive.number("maxValue") { slider.maximumValue = Float(most) }
            if let value = archive.number("value") { slider.value = Float(value) }
        case let spinner as UIActivityIndicatorView:
            if let hides = archive.flag("hidesWhenStopped") { spinner.hidesWhenStopped = hides }
            if archive.flag("animating") == true { spinner.startAnimating() }
        case let stack as UIStackView:
            stack.axis = archive.text("axis") == "vertical" ? .vertical : .horizontal
            if let spacing = archive.number("spacing") { stack.spacing = spacing }
        case let segments as UISegmentedControl:
            for (index, title) in (archive.values["segments"]?.array ?? []).compactMap(\.string).enumerated() {
                segments.insertSegment(withTitle: title, at: index, animated: false)
            }
        case let table as UITableView:
            if let height = archive.number("rowHeight"), height > 0 { table.rowHeight = height }
        default: break
        }
    }

    private static func set(_ archive: ArchivedObject, _ button: UIButton) {
        let states: [(String, UIControl.State)] = [
            ("normal", .normal), ("highlighted", .highlighted), ("disabled", .disabled), ("selected", .selected),
        ]
        for (name, state) in states {
            if let title = archive.text("title.\(name)") { button.setTitle(title, for: state) }
            if let image = archive.text("image.\(name)") { button.setImage(UIImage(named: image), for: state) }
        }
    }

    private static func set(_ archive: ArchivedObject, _ item: UIBarButtonItem) {
        if let title = archive.text("title") { item.title = title }
        if let tag = archive.number("tag") { item.tag = Int(exactly: tag.rounded()) ?? 0 }
        if let enabled = archive.flag("enabled") { item.isEnabled = enabled }
        if let text = archive.text("accessibilityIdentifier") { item.accessibilityIdentifier = text }
        if let name = archive.text("systemItem") { item.system = systemItems.first { "\($0)" == name } }
        if archive.text("style") == "done" { item.style = .done }
        if let image = archive.text("image") { item.image = UIImage(named: image) }
    }

    private static let systemItems = (0...25).compactMap { UIBarButtonItem.SystemItem(rawValue: $0) }

    /// Sets the outlets of the kit's own classes. False if the author's class must handle the outlet.
    static func connect(_ destination: NSObject, as property: String, of object: NSObject) -> Bool {
        switch (property, object) {
        case ("view", let controller as UIViewController): controller.view = destination as? UIView
        case ("dataSource", let table as UITableView): table.dataSource = destination as? any UITableViewDataSource
        case ("delegate", let table as UITableView): table.delegate = destination as? any UITableViewDelegate
        case ("dataSource", let collection as UICollectionView):
            collection.dataSource = destination as? any UICollectionViewDataSource
        case ("delegate", let collection as UICollectionView):
            collection.delegate = destination as? any UICollectionViewDelegate
        case ("prefetchDataSource", is UICollectionView): break
        case ("delegate", let field as UITextField): field.delegate = destination as? any UITextFieldDelegate
        case ("delegate", let text as UITextView): text.delegate = destination as? any UITextViewDelegate
        case ("delegate", let recognizer as UIGestureRecognizer):
            recognizer.delegate = destination as? any UIGestureRecognizerDelegate
        case ("delegate", is UIView), ("dataSource", is UIView), ("searchDisplayController", _): break
        default: return false
        }
        return true
    }

    /// Returns an event by the name of Interface Builder. Without a name, it is that of a tap or of a change.
    static func event(_ name: String, of control: UIControl) -> UIControl.Event {
        let events: [String: UIControl.Event] = [
            "touchDown": .touchDown, "touchDownRepeat": .touchDownRepeat, "touchDragInside": .touchDragInside,
            "touchDragOutside": .touchDragOutside, "touchDragEnter": .touchDragEnter, "touchDragExit": .touchDragExit,
            "touchUpInside": .touchUpInside, "touchUpOutside": .touchUpOutside, "touchCancel": .touchCancel,
            "valueChanged": .valueChanged, "primaryActionTriggered": .primaryActionTriggered,
            "editingDidBegin": .editingDidBegin,
            "editingChanged": .editingChanged, "editingDidEnd": .editingDidEnd,
            "editingDidEndOnExit": .editingDidEndOnExit,
        ]
        if let event = events[name] { return event }
        return control is UIButton ? .touchUpInside : control is UITextField ? .editingDidEnd : .valueChanged
    }
}
