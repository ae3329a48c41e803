// SCNView: a scene that a view has and does not draw.

public import Foundation
public import UIKit

/// A scene: a tree of nodes.
open class SCNScene: NSObject {
    public let rootNode = SCNNode()
    public let background = SCNMaterialProperty()

    public override init() {}

    /// Returns nil, with one line on standard error: files of scenes are not read.
    public convenience init?(named name: String) {
        FileHandle.standardError.write(Data("SceneKit: notSimulated: the scene \(name) is not read\n".utf8))
        return nil
    }
}

/// An option of a search by a point. It has no effect.
public struct SCNHitTestOption: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let boundingBoxOnly = SCNHitTestOption(rawValue: "kHitTestBoundingBoxOnly")
}

/// A body at a point of a view. There is none: nothing is drawn.
open class SCNHitTestResult: NSObject {
    public let node: SCNNode
    init(_ node: SCNNode) { self.node = node }
}

/// A view that has a scene and draws nothing.
@MainActor @preconcurrency open class SCNView: UIView {
    open var scene: SCNScene?
    open var pointOfView: SCNNode?
    open var allowsCameraControl = false
    open var showsStatistics = false
    open var autoenablesDefaultLighting = false
    open var isPlaying = false

    /// Returns no body.
    open func hitTest(_ point: CGPoint, options: [SCNHitTestOption: Any]? = nil) -> [SCNHitTestResult] { [] }
}

/// A group of changes, which are made at once: its completion block runs on the main queue.
open class SCNTransaction: NSObject {
    private struct Group: @unchecked Sendable {  // as Apple's: each thread has its own groups
        var duration: CFTimeInterval = 0.25
        var completion: (() -> Void)?
    }

    private static let key = "SCNTransaction"
    private static var groups: [Group] {
        get { Thread.current.threadDictionary[key] as? [Group] ?? [Group()] }
        set { Thread.current.threadDictionary[key] = newValue }
    }

    open class func begin() { groups.append(Group(duration: animationDuration)) }
    /// Ends a group, whose completion block is called after the present work of the main queue.
    open class func commit() {
        guard groups.count > 1, let group = groups.popLast() else { return }
        if group.completion != nil { DispatchQueue.main.async { group.completion?() } }
    }
    /// The duration, which has no effect.
    open class var animationDuration: CFTimeInterval {
        get { groups[groups.count - 1].duration }
        set { groups[groups.count - 1].duration = newValue }
    }
    open class var completionBlock: (() -> Void)? {
        get { groups[groups.count - 1].completion }
        set { groups[groups.count - 1].completion = newValue }
    }
}
