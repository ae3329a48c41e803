// InterfaceCompiler: the compiler of an author's storyboard or nib into the property list that UIKit reads at run time.

import Foundation
import LinuxSystem
import PropertyListCoding

/// Compiles Interface Builder's XML (`com.apple.InterfaceBuilder3.CocoaTouch.Storyboard.XIB`, `….XIB`). The result,
/// format 1, is a dictionary:
///
/// - `format`, `module` (of the target), `initial` (identifier of the first scene's controller), `scenes`;
/// - a scene: `controller` (an object), `objects` (others at its top), for a nib `objects` only;
/// - an object: `id`, `class` of the kit, `custom` (Module.Class, or a bare name of the target's), `role` in what
///   holds it, `values`, `members` (one object each), `lists` (`subviews`, `items`, `prototypes`, …), `outlets`,
///   `actions`, `segues`, `attributes`.
///
/// A constraint is compiled if an outlet or an identifier names it. It becomes part of the list `constraints` of the
/// view that contains it, and `values` names its items. The rest of a layout is omitted.
struct InterfaceCompiler {
    struct Compiled {
        let bytes: [UInt8]
        /// The warnings: elements that are replaced by plain views.
        let findings: [ProjectFinding]
    }

    /// The format number, which a reader compares.
    static let format: Int64 = 1

    private let file: String
    /// The identifiers that outlets name.
    private var destinations: Set<String> = []
    private var findings: [ProjectFinding] = []
    private var told: Set<String> = []

    /// The reason why an interface is left out: it requires AppKit, or a later Xcode has to convert it; nil if there is
    /// none. Reads the file.
    static func obstacle(_ file: String) -> String? { (try? root(of: file)).flatMap(obstacle) }

    private static func obstacle(_ root: XMLElement) -> String? {
        if root.name == "archive" { return "it is an interface in the form of Xcode 4 and earlier" }
        let isForMac = root["type"]?.contains(".Cocoa.") == true
        return isForMac ? "it is an interface for the Mac, and there is no AppKit" : nil
    }

    /// Reads and compiles a file.
    ///
    /// - Throws: `ProjectError` with the line.
    static func compile(_ file: String, module: String) throws(ProjectError) -> Compiled {
        let root = try root(of: file)
        guard root.name == "document", root["type"]?.hasPrefix("com.apple.InterfaceBuilder3.CocoaTouch.") == true else {
            if let obstacle = obstacle(root) {
                let isOld = root.name == "archive"
                throw failure(
                    file, obstacle, line: root.line,
                    remedy: isOld
                        ? "Save it with a later Xcode"
                        : "Remove it from the target's resources: exthostctl bundle compiles UIKit's interfaces only")
            }
            throw failure(file, "it is not a document of Interface Builder", line: root.line)
        }
        var compiler = InterfaceCompiler(file: file)
        compiler.findDestinations(root)
        var result: PropertyListDictionary = ["format": .integer(format), "module": .string(module)]
        let scenes = root.list("scenes")
        if root.child("scenes") != nil {
            result["scenes"] = .array(scenes.map { compiler.scene($0) })
            if let initial = root["initialViewController"] { result["initial"] = .string(initial) }
        } else {
            result["objects"] = .array(root.list("objects").compactMap { compiler.object($0) })
        }
        do {
            return Compiled(bytes: try PropertyList.dictionary(result).encodeBinary(), findings: compiler.findings)
        } catch {
            throw failure(file, "it is too large: \(error)")
        }
    }

    private static func root(of file: String) throws(ProjectError) -> XMLElement {
        let bytes: [UInt8]
        do {
            bytes = try readFile(file, maximumSize: XMLTreeReader.sizeLimit)
        } catch {
            throw failure(file, "it cannot be read: \(error)")
        }
        do throws(XMLTreeReader.Fault) {
            return try XMLTreeReader.read(bytes)
        } catch {
            throw failure(file, error.message, line: error.line)
        }
    }

    private static func failure(
        _ file: String, _ message: String, line: Int? = nil, remedy: String? = nil
    ) -> ProjectError {
        ProjectError(
            ProjectFinding(
                .interfaceUnreadable, file, line: line, message,
                remedy: remedy ?? "Open it in Xcode and save it, or correct the file there"))
    }

    private init(file: String) { self.file = file }

    private mutating func findDestinations(_ element: XMLElement) {
        if element.name == "outlet" || element.name == "outletCollection", let destination = element["destination"] {
            destinations.insert(destination)
        }
        for child in element.children { findDestinations(child) }
    }

    // MARK: Objects

    /// The elements that only mark a place, or that only the editor needs.
    private static let ignored: Set<String> = [
        "viewLayoutGuide", "viewControllerLayoutGuide", "exit", "adaptation", "device", "layoutGuides",
        "variation",
        "simulatedStatusBarMetrics", "simulatedScreenMetrics", "simulatedOrientationMetrics",
        "freeformSimulatedSizeMetrics",
        "point",
    ]

    /// The kit's classes, by the names of their elements.
    private static let classes: [String: String] = [
        "view": "UIView", "label": "UILabel", "button": "UIButton", "imageView": "UIImageView",
        "textField": "UITextField",
        "textView": "UITextView", "switch": "UISwitch", "slider": "UISlider", "stepper": "UIStepper",
        "stackView": "UIStackView",
        "scrollView": "UIScrollView", "tableView": "UITableView", "tableViewCell": "UITableViewCell",
        "tableViewCellContentView": "UIView", "activityIndicatorView": "UIActivityIndicatorView",
        "progressView": "UIProgressView",
        "segmentedControl": "UISegmentedControl", "pageControl": "UIPageControl", "containerView": "UIView",
        "control": "UIControl",
        "navigationBar": "UINavigationBar", "toolbar": "UIToolbar", "visualEffectView": "UIVisualEffectView",
        "viewController": "UIViewController", "tableViewController": "UITableViewController",
        "navigationController": "UINavigationController", "navigationItem": "UINavigationItem",
        "barButtonItem": "UIBarButtonItem",
        "tapGestureRecognizer": "UITapGestureRecognizer", "longPressGestureRecognizer": "UILongPressGestureRecognizer",
        "pinchGestureRecognizer": "UIPinchGestureRecognizer", "panGestureRecognizer": "UIPanGestureRecognizer",
        "swipeGestureRecognizer": "UISwipeGestureRecognizer", "tableViewSection": "section",
        "collectionView": "UICollectionView", "collectionViewCell": "UICollectionViewCell",
        "collectionViewCellContentView": "UIView", "collectionReusableView": "UICollectionReusableView",
        "collectionViewController": "UICollectionViewController",
        "collectionViewFlowLayout": "UICollectionViewFlowLayout", "collectionViewLayout": "UICollectionViewLayout",
        "constraint": "NSLayoutConstraint", "placeholder": "placeholder",
        "customObject": "NSObject", "customView": "UIView", "mtkView": "MetalKit.MTKView",
    ]

    private mutating func scene(_ element: XMLElement) -> PropertyList {
        var objects = element.list("objects")
        var result = PropertyListDictionary()
        if let index = objects.firstIndex(where: { $0["sceneMemberID"] == "viewController" }) {
            let controller = objects.remove(at: index)
            result["controller"] = object(controller)
            if let name = controller["storyboardIdentifier"] { result["identifier"] = .string(name) }
        }
        result["objects"] = .array(objects.compactMap { object($0) })
        return .dictionary(result)
    }

    /// Compiles an object with all that it contains; returns nil for an element that only a layout or an editor needs.
    private mutating func object(_ element: XMLElement) -> PropertyList? {
        // In older files the content of a collection's cell has no identifier, and nothing refers to it.
        let isContent = element["key"] == "contentView"
        guard !Self.ignored.contains(element.name), let identifier = element["id"] ?? (isContent ? "" : nil) else {
            return nil
        }
        var result: PropertyListDictionary = ["id": .string(identifier), "class": .string(className(of: element))]
        if let custom = element["customClass"] {
            // If the file says that the module is the target's, the program determines the module.
            let module = element["customModule"].flatMap {
                $0.isEmpty || element["customModuleProvider"] == "target" ? nil : $0
            }
            result["custom"] = .string(module.map { "\($0).\(custom)" } ?? custom)
        }
        if let role = element["key"] { result["role"] = .string(role) }
        let values = InterfaceValues.read(element)
        if !values.isEmpty { result["values"] = .dictionary(values) }
        var members = PropertyListDictionary()
        var lists = PropertyListDictionary()
        for child in element.children {
            switch child.name {
            case "subviews", "items", "prototypes", "sections", "cells", "leftBarButtonItems", "rightBarButtonItems",
                "gestureRecognizers":
                if child.name == "sections" {
                    tell(
                        "static cells are not simulated: the compiler ignores them", at: child,
                        "The table asks its data source for rows instead")
                }
                let found = child.children.compactMap { object($0) }
                if !found.isEmpty { lists[child.name] = .array(found) }
            case "constraints":
                let found = child.children.filter(isNamed).compactMap { object($0) }
                if !found.isEmpty { lists[child.name] = .array(found) }
            case "connections": addConnections(child, to: &result)
            case "userDefinedRuntimeAttributes":
                let found = child.children.compactMap { InterfaceValues.attribute($0) }
                if !found.isEmpty { result["attributes"] = .array(found) }
            default:
                guard let key = child["key"], child["id"] != nil || key == "contentView", let member = object(child)
                else {
                    continue
                }
                members[key] = member
            }
        }
        if !members.isEmpty { result["members"] = .dictionary(members) }
        if !lists.isEmpty { result["lists"] = .dictionary(lists) }
        return .dictionary(result)
    }

    /// Whether a constraint exists at run time, and the author's code can access it.
    private func isNamed(_ constraint: XMLElement) -> Bool {
        guard constraint.name == "constraint", constraint["placeholder"] != "YES" else { return false }
        return constraint["identifier"] != nil || constraint["id"].map(destinations.contains) == true
    }

    private mutating func className(of element: XMLElement) -> String {
        if let known = Self.classes[element.name] { return known }
        let isController = element.name.hasSuffix("Controller")
        tell(
            "<\(element.name)> is not simulated: it becomes a plain \(isController ? "UIViewController" : "view")",
            at: element,
            "No action, if the code does not use it")
        return isController ? "UIViewController" : "UIView"
    }

    /// Adds a finding. Each message is reported once.
    private mutating func tell(_ message: String, at element: XMLElement, _ remedy: String) {
        guard told.insert(message).inserted else { return }
        findings.append(ProjectFinding(.interfaceUnsupported, file, line: element.line, message, remedy: remedy))
    }

    // MARK: Connections

    private func addConnections(_ element: XMLElement, to result: inout PropertyListDictionary) {
        var outlets: [PropertyList] = []
        var actions: [PropertyList] = []
        var segues: [PropertyList] = []
        for child in element.children {
            guard let destination = child["destination"] else { continue }
            switch child.name {
            case "outlet", "outletCollection":
                guard let property = child["property"] else { continue }
                outlets.append([
                    "property": .string(property), "destination": .string(destination),
                    "isCollection": .boolean(child.name == "outletCollection"),
                ])
            case "action":
                guard let selector = child["selector"] else { continue }
                actions.append([
                    "selector": .string(selector), "destination": .string(destination),
                    "event": .string(child["eventType"] ?? ""),
                ])
            case "segue":
                var segue: PropertyListDictionary = [
                    "destination": .string(destination), "kind": .string(child["kind"] ?? "show"),
                ]
                for (key, attribute) in [
                    ("identifier", "identifier"), ("relationship", "relationship"), ("custom", "customClass"),
                    ("unwind", "unwindAction"),
                ] {
                    if let value = child[attribute] { segue[key] = .string(value) }
                }
                segues.append(.dictionary(segue))
            default: continue
            }
        }
        if !outlets.isEmpty { result["outlets"] = .array(outlets) }
        if !actions.isEmpty { result["actions"] = .array(actions) }
        if !segues.isEmpty { result["segues"] = .array(segues) }
    }
}
