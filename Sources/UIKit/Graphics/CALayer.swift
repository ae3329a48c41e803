// CALayer: the layers of views, as stored values.

import Dispatch
import ExtensionFoundation
public import Foundation

public struct CACornerMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var layerMinXMinYCorner: CACornerMask { CACornerMask(rawValue: 1) }
    public static var layerMaxXMinYCorner: CACornerMask { CACornerMask(rawValue: 2) }
    public static var layerMinXMaxYCorner: CACornerMask { CACornerMask(rawValue: 4) }
    public static var layerMaxXMaxYCorner: CACornerMask { CACornerMask(rawValue: 8) }
}

public struct CALayerCornerCurve: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var circular: CALayerCornerCurve { CALayerCornerCurve(rawValue: "circular") }
    public static var continuous: CALayerCornerCurve { CALayerCornerCurve(rawValue: "continuous") }
}

/// The layer of a view. A shell: its values are stored, and nothing is drawn.
@MainActor @preconcurrency open class CALayer: NSObject {
    open var name: String?
    open var frame = CGRect.zero
    open var bounds = CGRect.zero
    open var position = CGPoint.zero
    open var anchorPoint = CGPoint(x: 0.5, y: 0.5)
    open var zPosition: CGFloat = 0
    open var isHidden = false
    open var contents: Any?
    open var contentsScale: CGFloat = 1
    open var cornerRadius: CGFloat = 0
    open var cornerCurve = CALayerCornerCurve.circular
    open var maskedCorners: CACornerMask = [
        .layerMinXMinYCorner, .layerMaxXMinYCorner, .layerMinXMaxYCorner, .layerMaxXMaxYCorner,
    ]
    open var borderWidth: CGFloat = 0
    open var borderColor: CGColor?
    open var backgroundColor: CGColor?
    open var masksToBounds = false
    open var mask: CALayer?
    open var opacity: Float = 1
    open var isOpaque = false
    open var shadowOpacity: Float = 0
    open var shadowRadius: CGFloat = 3
    open var shadowOffset = CGSize(width: 0, height: -3)
    open var shadowColor: CGColor?
    open var shadowPath: CGPath?
    open var shouldRasterize = false
    open var rasterizationScale: CGFloat = 1
    open var allowsEdgeAntialiasing = false
    open var transform = CATransform3DIdentity
    open private(set) weak var superlayer: CALayer?
    open private(set) var sublayers: [CALayer]?
    private var animations: [String: CAAnimation] = [:]

    public override init() { super.init() }
    public init(layer: Any) { super.init() }
    public required init?(coder: NSCoder) { super.init() }

    open func addSublayer(_ layer: CALayer) { insertSublayer(layer, at: UInt32(sublayers?.count ?? 0)) }
    open func insertSublayer(_ layer: CALayer, at index: UInt32) {
        layer.removeFromSuperlayer()
        var layers = sublayers ?? []
        layers.insert(layer, at: min(Int(index), layers.count))
        sublayers = layers
        layer.superlayer = self
    }
    open func insertSublayer(_ layer: CALayer, below sibling: CALayer?) {
        insertSublayer(layer, at: UInt32(sublayers?.firstIndex { $0 === sibling } ?? 0))
    }
    open func insertSublayer(_ layer: CALayer, above sibling: CALayer?) {
        insertSublayer(layer, at: UInt32((sublayers?.firstIndex { $0 === sibling } ?? (sublayers?.count ?? 0) - 1) + 1))
    }
    open func removeFromSuperlayer() {
        superlayer?.sublayers?.removeAll { $0 === self }
        superlayer = nil
    }

    open func setNeedsDisplay() {}
    open func setNeedsLayout() {}
    open func layoutIfNeeded() {}
    open func layoutSublayers() {}
    open func draw(in context: CGContext) {}
    open func render(in context: CGContext) {}

    /// Stores the animation until it is removed. Nothing moves: its delegate hears of its end after the present work of
    /// the main queue.
    open func add(_ animation: CAAnimation, forKey key: String?) {
        let key = key ?? "\(animations.count)"
        animations[key] = animation
        guard let delegate = animation.delegate else { return }
        delegate.animationDidStart(animation)
        nonisolated(unsafe) let (ended, told) = (animation, delegate)
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                if ended.isRemovedOnCompletion, self.animations[key] === ended { self.animations[key] = nil }
                told.animationDidStop(ended, finished: true)
            }
        }
        // A fence waits for the description that follows.
        InterfaceChanges.note()
    }
    open func removeAnimation(forKey key: String) { animations[key] = nil }
    open func removeAllAnimations() { animations = [:] }
    open func animation(forKey key: String) -> CAAnimation? { animations[key] }
    open func animationKeys() -> [String]? { animations.isEmpty ? nil : animations.keys.sorted() }
}

public struct CAShapeLayerFillRule: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var nonZero: CAShapeLayerFillRule { CAShapeLayerFillRule(rawValue: "non-zero") }
    public static var evenOdd: CAShapeLayerFillRule { CAShapeLayerFillRule(rawValue: "even-odd") }
}

public struct CAShapeLayerLineCap: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var butt: CAShapeLayerLineCap { CAShapeLayerLineCap(rawValue: "butt") }
    public static var round: CAShapeLayerLineCap { CAShapeLayerLineCap(rawValue: "round") }
    public static var square: CAShapeLayerLineCap { CAShapeLayerLineCap(rawValue: "square") }
}

public struct CAShapeLayerLineJoin: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var miter: CAShapeLayerLineJoin { CAShapeLayerLineJoin(rawValue: "miter") }
    public static var round: CAShapeLayerLineJoin { CAShapeLayerLineJoin(rawValue: "round") }
    public static var bevel: CAShapeLayerLineJoin { CAShapeLayerLineJoin(rawValue: "bevel") }
}

/// A layer of a path. A shell.
@MainActor @preconcurrency open class CAShapeLayer: CALayer {
    open var path: CGPath?
    open var fillColor: CGColor? = UIColor.black.cgColor
    open var fillRule = CAShapeLayerFillRule.nonZero
    open var strokeColor: CGColor?
    open var strokeStart: CGFloat = 0
    open var strokeEnd: CGFloat = 1
    open var lineWidth: CGFloat = 1
    open var lineCap = CAShapeLayerLineCap.butt
    open var lineJoin = CAShapeLayerLineJoin.miter
    open var lineDashPattern: [NSNumber]?
}

/// A layer of colours that run into each other. A shell.
@MainActor @preconcurrency open class CAGradientLayer: CALayer {
    open var colors: [Any]?
    open var locations: [NSNumber]?
    open var startPoint = CGPoint(x: 0.5, y: 0)
    open var endPoint = CGPoint(x: 0.5, y: 1)
}
