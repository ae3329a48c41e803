// SKNode: a tree of sprites, as values. Nothing is drawn, and no time passes in it.

public import Foundation
@_exported public import UIKit

public typealias SKColor = UIColor

/// A node of a scene. It keeps its values and its children.
///
/// A copy is a node of the kit's own class with the same values and copies of the children (ours).
@MainActor @preconcurrency open class SKNode: UIResponder, @preconcurrency NSCopying {
    open var name: String?
    open var position = CGPoint.zero
    open var zPosition: CGFloat = 0
    /// The turn in radians, counterclockwise.
    open var zRotation: CGFloat = 0
    open var xScale: CGFloat = 1
    open var yScale: CGFloat = 1
    open var alpha: CGFloat = 1
    open var isHidden = false
    open var isUserInteractionEnabled = false
    open var userData: NSMutableDictionary?
    open private(set) weak var parent: SKNode?
    open private(set) var children: [SKNode] = []
    private var actions: [String: SKAction] = [:]

    public override init() { super.init() }
    /// Returns a node without values: archives are not read.
    public required init?(coder aDecoder: NSCoder) { super.init() }

    /// The scene that the node is in.
    open var scene: SKScene? { self as? SKScene ?? parent?.scene }
    open override var next: UIResponder? { parent }

    /// Adds a node, which must have no parent: as on Apple's systems, the process ends otherwise.
    open func addChild(_ node: SKNode) {
        precondition(node.parent == nil, "the node already has a parent")
        node.parent = self
        children.append(node)
    }
    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }
    open func removeAllChildren() { children.forEach { $0.removeFromParent() } }
    open func setScale(_ scale: CGFloat) { (xScale, yScale) = (scale, scale) }

    /// Returns the first child of a name.
    ///
    /// - Parameter name: the name; after `//`, that of a node anywhere in the tree. Other patterns find nothing (ours).
    open func childNode(withName name: String) -> SKNode? {
        guard name.hasPrefix("//") else { return children.first { $0.name == name } }
        var root = self
        while let parent = root.parent { root = parent }
        return root.descendant(String(name.dropFirst(2)))
    }

    private func descendant(_ name: String) -> SKNode? {
        for child in children {
            if child.name == name { return child }
            if let found = child.descendant(name) { return found }
        }
        return nil
    }

    // MARK: Actions, which are kept and do not run

    private static let unkeyed = UUID().uuidString

    /// Keeps an action, the last one without a key only.
    open func run(_ action: SKAction) { run(action, withKey: Self.unkeyed) }
    open func run(_ action: SKAction, withKey key: String) { actions[key] = action }
    /// Keeps an action. The block is not called, with one line on standard error for the first in a process.
    open func run(_ action: SKAction, completion block: @escaping () -> Void) {
        SpriteReport.blocks
        run(action)
    }
    open func hasActions() -> Bool { !actions.isEmpty }
    open func action(forKey key: String) -> SKAction? { actions[key] }
    open func removeAction(forKey key: String) { actions[key] = nil }
    open func removeAllActions() { actions = [:] }

    // MARK: Copies

    open func copy(with zone: NSZone? = nil) -> Any { copied(to: SKNode()) }

    func copied<Node: SKNode>(to node: Node) -> Node {
        (node.name, node.position, node.zPosition, node.zRotation) = (name, position, zPosition, zRotation)
        (node.xScale, node.yScale, node.alpha, node.isHidden) = (xScale, yScale, alpha, isHidden)
        node.isUserInteractionEnabled = isUserInteractionEnabled
        node.actions = actions
        node.userData = userData?.mutableCopy() as? NSMutableDictionary
        for child in children { (child.copy(with: nil) as? SKNode).map(node.addChild) }
        return node
    }
}

/// A shape with an outline.
@MainActor @preconcurrency open class SKShapeNode: SKNode {
    open var path: CGPath?
    open var lineWidth: CGFloat = 1
    open var strokeColor = SKColor.white
    open var fillColor = SKColor.clear

    /// Makes a rectangle around the origin.
    public convenience init(rectOf size: CGSize, cornerRadius: CGFloat = 0) {
        self.init()
        let rect = CGRect(x: -size.width / 2, y: -size.height / 2, width: size.width, height: size.height)
        path = UIBezierPath(roundedRect: rect, cornerRadius: cornerRadius).cgPath
    }
    /// Makes a circle around the origin.
    public convenience init(circleOfRadius radius: CGFloat) {
        self.init(rectOf: CGSize(width: 2 * radius, height: 2 * radius), cornerRadius: radius)
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let node = copied(to: SKShapeNode())
        (node.path, node.lineWidth, node.strokeColor, node.fillColor) = (path, lineWidth, strokeColor, fillColor)
        return node
    }
}

/// A text.
@MainActor @preconcurrency open class SKLabelNode: SKNode {
    open var text: String?
    open var fontName: String?
    open var fontSize: CGFloat = 32
    open var fontColor: SKColor? = .white

    public convenience init(text: String?) {
        self.init()
        self.text = text
    }
    public convenience init(fontNamed fontName: String?) {
        self.init()
        self.fontName = fontName
    }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let node = copied(to: SKLabelNode())
        (node.text, node.fontName, node.fontSize, node.fontColor) = (text, fontName, fontSize, fontColor)
        return node
    }
}
