// UIStoryboardSegue: the transition from one controller of a storyboard to another.

public import Foundation

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
