// UIStoryboard: controllers with their views, as an author drew them.

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
