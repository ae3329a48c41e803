// UIMenu: actions under a title.

public import Foundation

/// An action or a menu within a menu.
@MainActor @preconcurrency open class UIMenuElement: NSObject {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var disabled: Attributes { Attributes(rawValue: 1) }
        public static var destructive: Attributes { Attributes(rawValue: 2) }
        public static var hidden: Attributes { Attributes(rawValue: 4) }
    }

    public enum State: Int, Sendable { case off, on, mixed }

    open var title: String
    open var image: UIImage?

    init(_ title: String, _ image: UIImage?) {
        self.title = title
        self.image = image
    }
}

/// A menu. A shell: its view stores it, and no person opens it.
@MainActor @preconcurrency open class UIMenu: UIMenuElement {
    public let children: [UIMenuElement]

    public init(title: String = "", image: UIImage? = nil, children: [UIMenuElement] = []) {
        self.children = children
        super.init(title, image)
    }
}
