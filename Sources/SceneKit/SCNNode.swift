// SCNNode: a tree of bodies in space, as values.

public import Foundation
@_exported public import UIKit

/// A place or a direction in space.
public struct SCNVector3: Sendable, Hashable {
    public var x, y, z: Float
    public init() { self.init(x: 0, y: 0, z: 0) }
    public init(x: Float, y: Float, z: Float) { (self.x, self.y, self.z) = (x, y, z) }
    public init(_ x: Float, _ y: Float, _ z: Float) { self.init(x: x, y: y, z: z) }
}

public func SCNVector3Make(_ x: Float, _ y: Float, _ z: Float) -> SCNVector3 { SCNVector3(x: x, y: y, z: z) }

/// A camera. It is kept only.
open class SCNCamera: NSObject {
    open var name: String?
    open var fieldOfView: CGFloat = 60
    open var zNear = 1.0
    open var zFar = 100.0
    public override init() {}
}

/// A light. It is kept only.
open class SCNLight: NSObject {
    /// The kinds of light.
    public struct LightType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let ambient = LightType(rawValue: "ambient")
        public static let omni = LightType(rawValue: "omni")
        public static let directional = LightType(rawValue: "directional")
        public static let spot = LightType(rawValue: "spot")
    }

    open var type = LightType.omni
    open var color: Any = UIColor.white
    open var intensity: CGFloat = 1000
    public override init() {}
}

/// One respect of a surface, such as its colour. It is kept only.
open class SCNMaterialProperty: NSObject {
    open var contents: Any?
    open var intensity: CGFloat = 1
    public override init() {}
    public convenience init(contents: Any) {
        self.init()
        self.contents = contents
    }
}

/// A surface. It is kept only.
open class SCNMaterial: NSObject {
    open var name: String?
    public let diffuse = SCNMaterialProperty(contents: UIColor.white)
    public let ambient = SCNMaterialProperty()
    public let specular = SCNMaterialProperty(contents: UIColor.black)
    public let emission = SCNMaterialProperty(contents: UIColor.black)
    public override init() {}
}

/// A body, of which only the surfaces are known.
open class SCNGeometry: NSObject {
    open var name: String?
    open var materials: [SCNMaterial] = []
    open var firstMaterial: SCNMaterial? {
        get { materials.first }
        set { materials = (newValue.map { [$0] } ?? []) + materials.dropFirst() }
    }
    public override init() {}
}

/// A change of a node, of which only the duration is known. Nothing runs it.
open class SCNAction: NSObject {
    /// The seconds that the action would take.
    open var duration: TimeInterval
    private init(_ duration: TimeInterval) { self.duration = duration }

    open class func rotateBy(x: CGFloat, y: CGFloat, z: CGFloat, duration: TimeInterval) -> SCNAction {
        SCNAction(duration)
    }
    open class func moveBy(x: CGFloat, y: CGFloat, z: CGFloat, duration: TimeInterval) -> SCNAction {
        SCNAction(duration)
    }
    open class func repeatForever(_ action: SCNAction) -> SCNAction { SCNAction(.infinity) }
    open class func sequence(_ actions: [SCNAction]) -> SCNAction { SCNAction(actions.reduce(0) { $0 + $1.duration }) }
}

/// A node of a scene. It keeps its values, its children and its actions, which do not run.
open class SCNNode: NSObject {
    open var name: String?
    open var position = SCNVector3()
    open var eulerAngles = SCNVector3()
    open var scale = SCNVector3(x: 1, y: 1, z: 1)
    open var isHidden = false
    open var opacity: CGFloat = 1
    open var camera: SCNCamera?
    open var light: SCNLight?
    open var geometry: SCNGeometry?
    open private(set) weak var parent: SCNNode?
    open private(set) var childNodes: [SCNNode] = []
    private var actions: [SCNAction] = []

    public override init() {}
    public convenience init(geometry: SCNGeometry?) {
        self.init()
        self.geometry = geometry
    }

    /// Adds a node, which its earlier parent loses.
    open func addChildNode(_ child: SCNNode) {
        child.removeFromParentNode()
        child.parent = self
        childNodes.append(child)
    }
    open func removeFromParentNode() {
        parent?.childNodes.removeAll { $0 === self }
        parent = nil
    }

    /// Returns the first node of a name, below this one.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - recursively: whether children of children count.
    open func childNode(withName name: String, recursively: Bool) -> SCNNode? {
        for child in childNodes {
            if child.name == name { return child }
            if recursively, let found = child.childNode(withName: name, recursively: true) { return found }
        }
        return nil
    }

    /// Keeps an action, the last one only.
    open func runAction(_ action: SCNAction) { actions = [action] }
    open func removeAllActions() { actions = [] }
    open var hasActions: Bool { !actions.isEmpty }
}
