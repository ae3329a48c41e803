// UIStoryboard: controllers with their views, as an author drew them; the segues between them; and nibs.

import ExtensionFoundation
public import Foundation

/// A storyboard of a bundle that `exthostctl bundle` made. A missing storyboard ends the process, as on Apple's
/// systems.
@MainActor @preconcurrency open class UIStoryboard: NSObject {
    let archive: InterfaceArchive
    private let name: String
    private let bundle: Bundle

    /// - Parameters:
    ///  - name: the name of the file, without its extension.
    ///  - bundle: the bundle that holds it; nil for the main bundle.
    public init(name: String, bundle: Bundle?) {
        guard let found = UIStoryboard.archive(name, bundle ?? .main) else {
            fatalError(
                "Could not find a storyboard named '\(name)' in bundle \((bundle ?? .main).bundlePath): "
                    + "exthostctl bundle compiles the storyboards of a target")
        }
        archive = found
        self.name = name
        self.bundle = bundle ?? .main
        super.init()
    }

    static func archive(_ name: String, _ bundle: Bundle) -> InterfaceArchive? {
        InterfaceArchive(name, ending: InterfaceArchive.storyboardEnding, bundle: bundle)
    }

    /// Makes the controller that the arrow points at; nil if there is none.
    open func instantiateInitialViewController() -> UIViewController? {
        archive.initial.flatMap { archive.scene($0) }.flatMap { instantiate($0) }
    }

    /// Makes the controller of a name. A name that no scene has ends the process, as on Apple's systems.
    open func instantiateViewController(withIdentifier identifier: String) -> UIViewController {
        guard let scene = archive.scenes.first(where: { $0.identifier == identifier }), let made = instantiate(scene)
        else {
            fatalError("Storyboard (\(name)) doesn't contain a view controller with identifier '\(identifier)'")
        }
        return made
    }

    public final func instantiateInitialViewController<Controller: UIViewController>(
        creator: ((NSCoder) -> Controller?)?
    ) -> Controller? {
        archive.initial.flatMap { archive.scene($0) }.flatMap { instantiate($0, creator) } as? Controller
    }

    public final func instantiateViewController<Controller: UIViewController>(
        identifier: String, creator: ((NSCoder) -> Controller?)? = nil
    ) -> Controller {
        let scene = archive.scenes.first { $0.identifier == identifier }
        guard let made = scene.flatMap({ instantiate($0, creator) }) as? Controller else {
            fatalError("Storyboard (\(name)) doesn't contain a \(Controller.self) with identifier '\(identifier)'")
        }
        return made
    }

    /// Makes the controller of a scene. Its view is loaded on demand.
    func instantiate(_ scene: InterfaceArchive.Scene, _ creator: ((NSCoder) -> UIViewController?)? = nil)
        -> UIViewController?
    {
        let type: AnyClass = InterfaceBuilder.foundClass(scene.controller, module: archive.module)
        let made = creator?(InterfaceCoder()) ?? InterfaceBuilder.instance(type) as? UIViewController
        guard let made else { return nil }
        made.drawing = ControllerDrawing(storyboard: self, scene: scene)
        var builder = InterfaceBuilder(module: archive.module, controller: made)
        builder.fill(made, scene.controller)
        made.drawing?.objects = scene.objects.compactMap { builder.make($0) }
        made.drawing?.builder = builder
        // A stack gets its controllers before its first view is loaded.
        if let stack = made as? UINavigationController,
            let root = scene.controller.segues.first(where: { $0.relationship == "rootViewController" }),
            let controller = archive.scene(root.destination).flatMap({ instantiate($0) })
        {
            stack.setViewControllers([controller], animated: false)
        }
        builder.setAttributes(scene.controller, of: made)
        made.awakeFromNib()
        return made
    }
}

/// The part of a storyboard or a nib that describes a controller.
@MainActor struct ControllerDrawing {
    let storyboard: UIStoryboard?
    let scene: InterfaceArchive.Scene
    /// The objects at the top of the scene. They live as long as the controller.
    var objects: [NSObject] = []
    /// The builder with the objects that were made with the controller, which wait for its view.
    var builder: InterfaceBuilder?

    init(storyboard: UIStoryboard?, scene: InterfaceArchive.Scene) {
        self.storyboard = storyboard
        self.scene = scene
    }
}

/// A stand-in for the class that an extension without `NSExtensionPrincipalClass` would name: `NSExtensionMain` finds
/// it by its name.
///
/// The object is the first controller of the storyboard that `NSExtensionMainStoryboard` names.
final class StoryboardPrincipal: UIViewController, MadeByStoryboard {
    static func makeInitial(_ storyboard: String) -> any NSObject & InterfacePrincipal {
        guard let made = UIStoryboard(name: storyboard, bundle: nil).instantiateInitialViewController() else {
            fatalError("the storyboard \(storyboard) has no initial view controller: choose one in Xcode")
        }
        return made
    }
}

/// A segue. A subclass may override `perform()`; by default it shows the destination as the segue's kind says.
@MainActor @preconcurrency open class UIStoryboardSegue: NSObject {
    public let identifier: String?
    public let source: UIViewController
    public let destination: UIViewController
    var kind = ""
    private var handler: (() -> Void)?

    public init(identifier: String?, source: UIViewController, destination: UIViewController) {
        self.identifier = identifier
        self.source = source
        self.destination = destination
        super.init()
    }

    public convenience init(
        identifier: String?, source: UIViewController, destination: UIViewController,
        performHandler: @escaping () -> Void
    ) {
        self.init(identifier: identifier, source: source, destination: destination)
        handler = performHandler
    }

    open func perform() {
        if let handler { return handler() }
        switch kind {
        case "show", "push", "showDetail":
            if let stack = source.navigationController {
                stack.pushViewController(destination, animated: true)
            } else {
                source.present(destination, animated: true)
            }
        case "unwind":
            if let stack = destination.navigationController,
                stack.viewControllers.contains(where: { $0 === destination })
            {
                stack.setViewControllers(
                    Array(stack.viewControllers.prefix { $0 !== destination }) + [destination], animated: true)
            }
            if destination.presentedViewController != nil { destination.dismiss(animated: true) }
        default: source.present(destination, animated: true)
        }
    }
}

/// The initializer by which an author's segue class is made, as `_InitializerSlot`. It is not for use.
open class _SegueInitializerSlot: UIStoryboardSegue {
    public required override init(identifier: String?, source: UIViewController, destination: UIViewController) {
        super.init(identifier: identifier, source: source, destination: destination)
    }
}

/// A nib of a bundle that `exthostctl bundle` made.
@MainActor @preconcurrency open class UINib: NSObject {
    private let archive: InterfaceArchive?
    private let name: String

    /// - Parameters:
    ///  - name: the name of the file, without its extension.
    ///  - bundle: the bundle that holds it; nil for the main bundle.
    public init(nibName name: String, bundle: Bundle?) {
        archive = InterfaceArchive(name, ending: InterfaceArchive.nibEnding, bundle: bundle ?? .main)
        self.name = name
        super.init()
    }

    init(_ archive: InterfaceArchive) {
        self.archive = archive
        name = ""
        super.init()
    }

    /// Makes the objects and connects the owner's outlets; returns those at the top. A missing nib ends the process, as
    /// on Apple's systems.
    @discardableResult open func instantiate(withOwner owner: Any?, options: [AnyHashable: Any]? = nil) -> [Any] {
        guard archive != nil else {
            fatalError("Could not load NIB in bundle: '\(Bundle.main.bundlePath)' with name '\(name)'")
        }
        return connect(to: owner as? NSObject)
    }

    /// Returns the first cell of the nib, for a table.
    func cell(_ identifier: String) -> UITableViewCell? {
        let cell = instantiate(withOwner: nil).lazy.compactMap { $0 as? UITableViewCell }.first
        cell?.reuseIdentifier = identifier
        return cell
    }

    @discardableResult func connect(to owner: NSObject?) -> [Any] {
        guard let archive else { return [] }
        var builder = InterfaceBuilder(module: archive.module, controller: owner as? UIViewController)
        for object in archive.objects where object.text("placeholderIdentifier") == "IBFilesOwner" {
            if let owner { builder.know(owner, as: object.identifier) }
        }
        let made: [NSObject] = archive.objects.compactMap { builder.make($0) }
        builder.connect()
        return made
    }
}

extension Bundle {
    /// Returns the top-level objects of a nib; nil if there is none of that name.
    @MainActor @discardableResult public func loadNibNamed(
        _ name: String, owner: Any?, options: [AnyHashable: Any]? = nil
    ) -> [Any]? {
        InterfaceArchive(name, ending: InterfaceArchive.nibEnding, bundle: self).map {
            UINib($0).instantiate(withOwner: owner, options: options)
        }
    }
}
