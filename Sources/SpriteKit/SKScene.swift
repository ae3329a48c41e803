// SKScene: a scene that a view has and does not draw.

public import Foundation
public import UIKit

/// The ways in which a scene fills its view. They have no effect.
public enum SKSceneScaleMode: Int, Sendable { case fill, aspectFill, aspectFit, resizeFill }

/// A scene. `update(_:)` is not called: there are no frames.
@MainActor @preconcurrency open class SKScene: SKNode {
    open var size = CGSize(width: 1, height: 1)
    open var scaleMode = SKSceneScaleMode.fill
    open var backgroundColor = SKColor(red: 0.15, green: 0.15, blue: 0.15, alpha: 1)
    open var anchorPoint = CGPoint.zero
    open fileprivate(set) weak var view: SKView?

    public override init() { super.init() }
    public init(size: CGSize) {
        super.init()
        self.size = size
    }
    /// Returns a scene without values: archives are not read.
    public required init?(coder aDecoder: NSCoder) { super.init(coder: aDecoder) }

    /// Returns nil, with one line on standard error: scenes of Xcode (`*.sks`) are not read.
    public convenience init?(fileNamed filename: String) {
        SpriteReport.write("the scene \(filename) is not read")
        return nil
    }

    /// Reports that the view shows the scene. The default does nothing.
    open func didMove(to view: SKView) {}
    open func willMove(from view: SKView) {}
    /// Does nothing, and is not called: there are no frames.
    open func update(_ currentTime: TimeInterval) {}

    open override func copy(with zone: NSZone? = nil) -> Any {
        let scene = copied(to: SKScene(size: size))
        (scene.scaleMode, scene.backgroundColor, scene.anchorPoint) = (scaleMode, backgroundColor, anchorPoint)
        return scene
    }
}

/// A view that has a scene and draws nothing.
@MainActor @preconcurrency open class SKView: UIView {
    open private(set) var scene: SKScene?
    open var isPaused = false
    open var showsFPS = false
    open var showsNodeCount = false
    open var showsPhysics = false
    open var ignoresSiblingOrder = false
    open var allowsTransparency = false
    open var preferredFramesPerSecond = 60

    /// Makes a scene that of the view, and informs the one before and the new one.
    open func presentScene(_ scene: SKScene?) {
        if let old = self.scene {
            old.willMove(from: self)
            old.view = nil
        }
        self.scene = scene
        scene?.view = self
        scene?.didMove(to: self)
    }
}

extension UITouch {
    /// Returns zero: nothing is touched.
    @MainActor @preconcurrency public func location(in node: SKNode) -> CGPoint { .zero }
}

/// The lines on standard error.
enum SpriteReport {
    /// Written once in a process.
    static let blocks: Void = write("actions do not run, so their blocks are not called")

    static func write(_ words: String) {
        FileHandle.standardError.write(Data("SpriteKit: notSimulated: \(words)\n".utf8))
    }
}

/// A change of a node, of which only the duration is known. Nothing runs it.
@MainActor @preconcurrency open class SKAction: NSObject {
    /// The seconds that the action would take.
    open var duration: TimeInterval

    private init(_ duration: TimeInterval) { self.duration = duration }

    /// Returns nil, with one line on standard error: files of actions are not read.
    public convenience init?(named name: String) {
        SpriteReport.write("the action \(name) is not read")
        return nil
    }

    open class func wait(forDuration sec: TimeInterval) -> SKAction { SKAction(sec) }
    open class func fadeIn(withDuration sec: TimeInterval) -> SKAction { SKAction(sec) }
    open class func fadeOut(withDuration sec: TimeInterval) -> SKAction { SKAction(sec) }
    open class func fadeAlpha(to alpha: CGFloat, duration: TimeInterval) -> SKAction { SKAction(duration) }
    open class func rotate(byAngle radians: CGFloat, duration: TimeInterval) -> SKAction { SKAction(duration) }
    open class func scale(to scale: CGFloat, duration: TimeInterval) -> SKAction { SKAction(duration) }
    open class func move(to location: CGPoint, duration: TimeInterval) -> SKAction { SKAction(duration) }
    open class func moveBy(x: CGFloat, y: CGFloat, duration: TimeInterval) -> SKAction { SKAction(duration) }
    open class func removeFromParent() -> SKAction { SKAction(0) }
    /// Returns an action whose block is not called, with one line on standard error for the first in a process.
    open class func run(_ block: @escaping () -> Void) -> SKAction {
        SpriteReport.blocks
        return SKAction(0)
    }
    open class func sequence(_ actions: [SKAction]) -> SKAction { SKAction(actions.reduce(0) { $0 + $1.duration }) }
    open class func group(_ actions: [SKAction]) -> SKAction { SKAction(actions.map(\.duration).max() ?? 0) }
    open class func `repeat`(_ action: SKAction, count: Int) -> SKAction { SKAction(action.duration * Double(count)) }
    open class func repeatForever(_ action: SKAction) -> SKAction { SKAction(.infinity) }
}
