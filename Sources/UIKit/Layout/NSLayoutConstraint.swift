// NSLayoutConstraint: a relation between two edges or sizes, kept and solved by nobody.

public import Foundation

/// A constraint. A shell: it is kept by the view that would hold it, and nothing is laid out.
@MainActor @preconcurrency open class NSLayoutConstraint: NSObject {
    public enum Attribute: Int, Sendable {
        case notAnAttribute, left, right, top, bottom, leading, trailing, width, height, centerX, centerY, lastBaseline,
            firstBaseline
        case leftMargin, rightMargin, topMargin, bottomMargin, leadingMargin, trailingMargin
        case centerXWithinMargins, centerYWithinMargins

        public static let baseline = Attribute.lastBaseline
    }

    public enum Relation: Int, Sendable { case lessThanOrEqual = -1, equal, greaterThanOrEqual }
    public enum Axis: Int, Sendable { case horizontal, vertical }

    public struct FormatOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let alignAllLeft = FormatOptions(rawValue: 1 << 1)
        public static let alignAllRight = FormatOptions(rawValue: 1 << 2)
        public static let alignAllTop = FormatOptions(rawValue: 1 << 3)
        public static let alignAllBottom = FormatOptions(rawValue: 1 << 4)
        public static let alignAllLeading = FormatOptions(rawValue: 1 << 5)
        public static let alignAllTrailing = FormatOptions(rawValue: 1 << 6)
        public static let alignAllCenterX = FormatOptions(rawValue: 1 << 9)
        public static let alignAllCenterY = FormatOptions(rawValue: 1 << 10)
        public static let alignAllLastBaseline = FormatOptions(rawValue: 1 << 11)
        public static let alignAllFirstBaseline = FormatOptions(rawValue: 1 << 12)
        public static let directionLeadingToTrailing: FormatOptions = []
        public static let directionLeftToRight = FormatOptions(rawValue: 1 << 16)
        public static let directionRightToLeft = FormatOptions(rawValue: 2 << 16)
    }

    /// Nil once the view or guide has gone.
    open private(set) weak var firstItem: AnyObject?
    open private(set) weak var secondItem: AnyObject?
    public let firstAttribute: Attribute
    public let secondAttribute: Attribute
    public let relation: Relation
    public let multiplier: CGFloat
    open var constant: CGFloat
    open var priority = UILayoutPriority.required
    open var shouldBeArchived = false
    open var identifier: String?
    /// The view whose `constraints` it is among.
    weak var holder: UIView?

    public init(
        item: Any, attribute: Attribute, relatedBy relation: Relation, toItem: Any?,
        attribute secondAttribute: Attribute,
        multiplier: CGFloat, constant: CGFloat
    ) {
        firstItem = item as AnyObject
        secondItem = toItem as AnyObject?
        firstAttribute = attribute
        self.secondAttribute = secondAttribute
        self.relation = relation
        self.multiplier = multiplier
        self.constant = constant
    }

    open var firstAnchor: NSLayoutAnchor<AnyObject> { NSLayoutAnchor(firstItem, firstAttribute) }
    open var secondAnchor: NSLayoutAnchor<AnyObject>? {
        secondItem == nil ? nil : NSLayoutAnchor(secondItem, secondAttribute)
    }

    /// Whether a view holds it. Set to true, the nearest view that holds both items does; where there is none, a line
    /// of the log says so (Apple's
    /// systems end the process).
    open var isActive: Bool {
        get { holder != nil }
        set {
            guard newValue != isActive else { return }
            guard newValue else { return holder.map { $0.removeConstraint(self) } ?? () }
            guard let view = nearestView else {
                return NSLog("%@", "Unable to activate constraint: its items have no common ancestor: \(self)")
            }
            view.addConstraint(self)
        }
    }

    open class func activate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = true }
    }

    open class func deactivate(_ constraints: [NSLayoutConstraint]) {
        for constraint in constraints { constraint.isActive = false }
    }

    static func view(of item: AnyObject?) -> UIView? { item as? UIView ?? (item as? UILayoutGuide)?.owningView }

    private var nearestView: UIView? {
        guard let first = Self.view(of: firstItem) else { return nil }
        guard secondItem != nil else { return first }
        guard let second = Self.view(of: secondItem) else { return nil }
        var view: UIView? = first
        while let next = view, !second.isDescendant(of: next) { view = next.superview }
        return view
    }

    open override nonisolated var description: String {
        MainActor.assumeIsolated {
            let sign = relation == .equal ? "==" : relation == .lessThanOrEqual ? "<=" : ">="
            let first = "\(firstItem.map { "\(type(of: $0))" } ?? "gone").\(firstAttribute)"
            let second = secondItem.map { "\(type(of: $0)).\(secondAttribute)*\(multiplier) + " } ?? ""
            return "<NSLayoutConstraint \(first) \(sign) \(second)\(constant)>"
        }
    }
}

/// How much a constraint counts, from 0 to 1000.
public struct UILayoutPriority: RawRepresentable, Hashable, Sendable {
    public var rawValue: Float
    public init(rawValue: Float) { self.rawValue = rawValue }
    public init(_ rawValue: Float) { self.rawValue = rawValue }
    public static let required = UILayoutPriority(1000)
    public static let defaultHigh = UILayoutPriority(750)
    public static let defaultLow = UILayoutPriority(250)
    public static let fittingSizeLevel = UILayoutPriority(50)
}
