// InterfaceBuilder: objects that are made from an archive, filled and connected.

import ExtensionFoundation
import Foundation
import PropertyListCoding

/// The argument of `init(coder:)`. It is empty: values are set once the object exists.
final class InterfaceCoder: NSCoder {
    override var allowsKeyedCoding: Bool { true }
    override func containsValue(forKey key: String) -> Bool { false }
    override func decodeObject(forKey key: String) -> Any? { nil }
    override func decodeBool(forKey key: String) -> Bool { false }
    override func decodeInteger(forKey key: String) -> Int { 0 }
    override func decodeDouble(forKey key: String) -> Double { 0 }
    override func decodeFloat(forKey key: String) -> Float { 0 }
}

/// An object with its archive. Without an object it stands for the controller.
private struct MadeObject {
    let object: NSObject?
    let archive: ArchivedObject
}

/// A maker of the objects of one scene or nib.
///
/// The order is the documented one: all are made, then filled, then connected, then each gets `awakeFromNib`.
@MainActor struct InterfaceBuilder {
    let module: String
    /// The controller at which segues start.
    private weak var controller: UIViewController?
    /// The controller's identifier in the scene.
    private var controllerIdentifier: String?
    /// The objects by identifier, without the controller, which retains its builder until the view is loaded.
    private var objects: [String: NSObject] = [:]
    /// The objects in the order in which they were made.
    private var made: [MadeObject] = []
    /// The views that hold a child's view, with their segues.
    private(set) var embeds: [(view: UIView, segue: ArchivedObject.Segue)] = []
    /// The own labels and images of cells that are being filled, by the identifiers of their elements.
    private var cellViews: [String: UIView] = [:]

    init(module: String, controller: UIViewController?) {
        self.module = module
        self.controller = controller
    }

    /// Registers an existing object under an identifier.
    mutating func know(_ object: NSObject, as identifier: String) {
        if object === controller { controllerIdentifier = identifier } else { objects[identifier] = object }
    }

    /// The object that was made under an identifier.
    subscript(identifier: String) -> NSObject? {
        identifier == controllerIdentifier ? controller : objects[identifier]
    }

    // MARK: Making

    private static let classes: [String: AnyClass] = [
        "UIView": UIView.self, "UILabel": UILabel.self, "UIButton": UIButton.self, "UIImageView": UIImageView.self,
        "UITextField": UITextField.self, "UITextView": UITextView.self, "UISwitch": UISwitch.self,
        "UISlider": UISlider.self,
        "UIStepper": UIStepper.self, "UIStackView": UIStackView.self, "UIScrollView": UIScrollView.self,
        "UITableView": UITableView.self,
        "UITableViewCell": UITableViewCell.self, "UIActivityIndicatorView": UIActivityIndicatorView.self,
        "UIProgressView": UIProgressView.self, "UISegmentedControl": UISegmentedControl.self,
        "UIPageControl": UIPageControl.self,
        "UIControl": UIControl.self, "UINavigationBar": UINavigationBar.self, "UIToolbar": UIToolbar.self,
        "UIVisualEffectView": UIVisualEffectView.self, "UIViewController": UIViewController.self,
        "UITableViewController": UITableViewController.self, "UINavigationController": UINavigationController.self,
        "UINavigationItem": UINavigationItem.self, "UIBarButtonItem": UIBarButtonItem.self,
        "UITapGestureRecognizer": UITapGestureRecognizer.self,
        "UILongPressGestureRecognizer": UILongPressGestureRecognizer.self,
        "UIPinchGestureRecognizer": UIPinchGestureRecognizer.self,
        "UIPanGestureRecognizer": UIPanGestureRecognizer.self,
        "UISwipeGestureRecognizer": UISwipeGestureRecognizer.self, "NSLayoutConstraint": NSLayoutConstraint.self,
        "UICollectionView": UICollectionView.self, "UICollectionViewCell": UICollectionViewCell.self,
        "UICollectionReusableView": UICollectionReusableView.self,
        "UICollectionViewController": UICollectionViewController.self,
        "UICollectionViewFlowLayout": UICollectionViewFlowLayout.self,
        "UICollectionViewLayout": UICollectionViewLayout.self,
        "NSObject": NSObject.self,
    ]

    /// Returns the author's class, or that of the kit. A class that the program lacks is logged, as on Apple's systems.
    static func foundClass(_ archive: ArchivedObject, module: String) -> AnyClass {
        let known: AnyClass? = classes[archive.className] ?? NSClassFromString(archive.className)
        // A class of another framework is named with its module, and exists if the program imports that.
        if known == nil, archive.className.contains(".") {
            NSLog("%@", "Unknown class \(archive.className) in Interface Builder file: UIView is made instead")
        }
        let base: AnyClass = known ?? UIView.self
        guard let custom = archive.custom else { return base }
        let last = custom.split(separator: ".").last.map(String.init) ?? custom
        // The module may be that of a renamed product, and the class one of the kit's own.
        for name in [custom.contains(".") ? custom : "\(module).\(custom)", "\(module).\(last)", custom] {
            if let found = NSClassFromString(name) { return found }
        }
        if let own = classes[last] { return own }
        NSLog("%@", "Unknown class \(custom) in Interface Builder file: \(archive.className) is made instead")
        return base
    }

    /// Makes an object without its content. Nil if its initializer fails.
    static func instance(_ type: AnyClass) -> NSObject? {
        switch type {
        case let type as UIViewController.Type: type.init(coder: InterfaceCoder())
        case let type as UIView.Type: type.init(coder: InterfaceCoder())
        case let type as UIBarButtonItem.Type: type.init(coder: InterfaceCoder())
        case let type as UINavigationItem.Type: type.init(coder: InterfaceCoder())
        case let type as UICollectionViewLayout.Type: type.init(coder: InterfaceCoder())
        case let type as NSObject.Type: makeObject(of: type)
        default: nil
        }
    }

    /// Makes an object with all its content. First responders and a file's owner are known already, or nil.
    @discardableResult mutating func make(_ archive: ArchivedObject) -> NSObject? {
        guard archive.className != "placeholder" else {
            if let known = self[archive.identifier] { add(known, archive) }
            return nil
        }
        // A cell of a standard style has these views already, so nothing adds them.
        if let own = cellViews.removeValue(forKey: archive.identifier) {
            fill(own, archive)
            return nil
        }
        guard let object = Self.instance(Self.foundClass(archive, module: module)) else { return nil }
        fill(object, archive)
        return object
    }

    /// Sets an archive's values on an object, and makes its content.
    mutating func fill(_ object: NSObject, _ archive: ArchivedObject) {
        know(object, as: archive.identifier)
        add(object, archive)
        InterfaceValues.set(archive, on: object)
        if let cell = object as? UITableViewCell {
            let own: [(String, UIView?)] = [
                ("textLabel", cell.textLabel), ("detailTextLabel", cell.detailTextLabel), ("imageView", cell.imageView),
            ]
            for case (let key, let view?) in own { if let name = archive.text(key) { cellViews[name] = view } }
        }
        for member in archive.members { hold(member.object, member.role, object) }
        for name in archive.lists.keys.sorted() { hold(archive.lists[name] ?? [], name, object) }
        if let collection = object as? UICollectionView { setPrototypes(archive, of: collection) }
        if let view = object as? UIView {
            if let identifier = archive.text("safeArea") { know(view.safeAreaLayoutGuide, as: identifier) }
            embeds += archive.segues.filter { $0.kind == "embed" }.map { (view, $0) }
        }
    }

    private mutating func add(_ object: NSObject, _ archive: ArchivedObject) {
        made.append(MadeObject(object: object === controller ? nil : object, archive: archive))
    }

    private mutating func hold(_ member: ArchivedObject, _ role: String, _ object: NSObject) {
        switch (role, object) {
        case ("contentView", let cell as UITableViewCell): fill(cell.contentView, member)
        case ("contentView", let cell as UICollectionViewCell): fill(cell.contentView, member)
        case ("collectionViewLayout", let collection as UICollectionView):
            if let layout = make(member) as? UICollectionViewLayout { collection.collectionViewLayout = layout }
        case ("sectionHeaderView", is UICollectionView), ("sectionFooterView", is UICollectionView): break
        case ("contentView", let view as UIVisualEffectView): fill(view.contentView, member)
        case ("navigationItem", let controller as UIViewController): fill(controller.navigationItem, member)
        case ("navigationBar", let controller as UINavigationController): fill(controller.navigationBar, member)
        case ("view", is UIViewController): break
        case ("tableHeaderView", let table as UITableView): table.tableHeaderView = make(member) as? UIView
        case ("tableFooterView", let table as UITableView): table.tableFooterView = make(member) as? UIView
        case ("accessoryView", let cell as UITableViewCell): cell.accessoryView = make(member) as? UIView
        case ("leftBarButtonItem", let item as UINavigationItem):
            item.leftBarButtonItem = make(member) as? UIBarButtonItem
        case ("rightBarButtonItem", let item as UINavigationItem):
            item.rightBarButtonItem = make(member) as? UIBarButtonItem
        case ("backBarButtonItem", let item as UINavigationItem):
            item.backBarButtonItem = make(member) as? UIBarButtonItem
        case ("titleView", let item as UINavigationItem): item.titleView = make(member) as? UIView
        case ("customView", let item as UIBarButtonItem): item.customView = make(member) as? UIView
        default: make(member)
        }
    }

    private mutating func hold(_ list: [ArchivedObject], _ name: String, _ object: NSObject) {
        switch (name, object) {
        case ("prototypes", let table as UITableView):
            let module = module
            table.prototype = { identifier in
                guard let archive = list.first(where: { $0.text("reuseIdentifier") == identifier }) else { return nil }
                var builder = InterfaceBuilder(module: module, controller: nil)
                let cell = builder.make(archive) as? UITableViewCell
                cell?.reuseIdentifier = identifier
                builder.connect()
                return cell
            }
        case ("subviews", let view as UIView):
            for child in list {
                guard let made = make(child) as? UIView else { continue }
                if let stack = view as? UIStackView { stack.addArrangedSubview(made) } else { view.addSubview(made) }
            }
        case ("leftBarButtonItems", let item as UINavigationItem):
            item.leftBarButtonItems = list.compactMap { make($0) as? UIBarButtonItem }
        case ("rightBarButtonItems", let item as UINavigationItem):
            item.rightBarButtonItems = list.compactMap { make($0) as? UIBarButtonItem }
        case ("items", let bar as UINavigationBar): bar.items = list.compactMap { make($0) as? UINavigationItem }
        case ("items", let bar as UIToolbar): bar.items = list.compactMap { make($0) as? UIBarButtonItem }
        case ("constraints", let view as UIView):
            for child in list { if let made = make(child) as? NSLayoutConstraint { view.addConstraint(made) } }
        case ("sections", _), ("cells", is UICollectionView): break
        default: for child in list { make(child) }
        }
    }

    /// Sets the prototypes of a collection. Cells, headers and footers are made anew each time they are requested.
    private func setPrototypes(_ archive: ArchivedObject, of collection: UICollectionView) {
        let around = ["sectionHeaderView", "sectionFooterView"].compactMap(archive.member)
        let prototypes = (archive.lists["cells"] ?? []) + around
        let module = module
        collection.prototype = { identifier in
            guard let archive = prototypes.first(where: { $0.text("reuseIdentifier") == identifier }) else {
                return nil
            }
            var builder = InterfaceBuilder(module: module, controller: nil)
            let view = builder.make(archive) as? UICollectionReusableView
            builder.connect()
            return view
        }
    }

    // MARK: Connecting

    /// Connects the objects made since the last call, and calls `awakeFromNib` on each.
    mutating func connect() {
        var fresh: [(object: NSObject, archive: ArchivedObject)] = []
        for each in made { if let object = each.object ?? controller { fresh.append((object, each.archive)) } }
        made = []
        for (object, archive) in fresh {
            if let constraint = object as? NSLayoutConstraint { setItems(archive, of: constraint) }
        }
        for (object, archive) in fresh where object !== controller { setAttributes(archive, of: object) }
        for (object, archive) in fresh {
            setOutlets(archive, of: object)
            for action in archive.actions { add(action, to: object) }
            if let controller { add(archive.segues, to: object, controller) }
        }
        // The controller had its call before its view was loaded.
        for (object, archive) in fresh where archive.className != "placeholder" && object !== controller {
            if let responder = object as? UIResponder { responder.awakeFromNib() }
            if let item = object as? UIBarItem { item.awakeFromNib() }
            if let constraint = object as? NSLayoutConstraint { constraint.awakeFromNib() }
        }
    }

    /// Sets a constraint's items once all views are made, since any view may be one.
    ///
    /// The first item is the view that holds the constraint if none is named. An unknown item is nil.
    private func setItems(_ archive: ArchivedObject, of constraint: NSLayoutConstraint) {
        let first: AnyObject? = archive.text("firstItem").map { self[$0] } ?? constraint.holder
        constraint.set(
            firstItem: first, archive.text("firstAttribute").flatMap(NSLayoutConstraint.Attribute.init(named:)),
            secondItem: archive.text("secondItem").flatMap { self[$0] },
            archive.text("secondAttribute").flatMap(NSLayoutConstraint.Attribute.init(named:)))
    }

    /// Sets the attributes of an author's own properties. Those of the kit's classes are not found by name, and are
    /// skipped.
    func setAttributes(_ archive: ArchivedObject, of object: NSObject) {
        for (path, value) in archive.attributes {
            let setter = Selector("set\(path.prefix(1).uppercased())\(path.dropFirst()):")
            guard SelectorCall.responds(object, to: setter) else { continue }
            let plain: Any? = value.string ?? value.boolean ?? value.integer.map { Int($0) } ?? value.real
            SelectorCall.call(object, setter, [plain])
        }
    }

    private func setOutlets(_ archive: ArchivedObject, of object: NSObject) {
        var collections: [(property: String, objects: [NSObject])] = []
        for outlet in archive.outlets {
            guard let destination = self[outlet.destination] else { continue }
            if outlet.isCollection {
                if let index = collections.firstIndex(where: { $0.property == outlet.property }) {
                    collections[index].objects.append(destination)
                } else {
                    collections.append((outlet.property, [destination]))
                }
            } else if !InterfaceValues.connect(destination, as: outlet.property, of: object) {
                object.setValue(destination, forKey: outlet.property)
            }
        }
        for (property, members) in collections where property != "gestureRecognizers" {
            object.setValue(members, forKey: property)
        }
        for (property, members) in collections where property == "gestureRecognizers" {
            for case let recognizer as UIGestureRecognizer in members {
                (object as? UIView)?.addGestureRecognizer(recognizer)
            }
        }
    }

    /// Adds an action. A destination that is no object here stands for the first responder.
    private func add(_ action: ArchivedObject.Action, to object: NSObject) {
        let selector = Selector(action.selector)
        let target = self[action.destination]
        switch object {
        case let control as UIControl:
            control.addTarget(target, action: selector, for: InterfaceValues.event(action.event, of: control))
        case let item as UIBarButtonItem:
            item.target = target
            item.action = selector
        case let recognizer as UIGestureRecognizer: if let target { recognizer.addTarget(target, action: selector) }
        default: break
        }
    }

    /// Adds the segues of controls. Code performs those of the controller itself.
    private func add(_ segues: [ArchivedObject.Segue], to object: NSObject, _ controller: UIViewController) {
        for segue in segues where segue.kind != "embed" && segue.kind != "relationship" {
            let perform = UIAction { [weak controller] action in controller?.follow(segue, sender: action.sender) }
            switch object {
            case let control as UIControl: control.addAction(perform, for: InterfaceValues.event("", of: control))
            case let item as UIBarButtonItem: if item.action == nil { item.primaryAction = perform }
            default: break
            }
        }
    }
}
