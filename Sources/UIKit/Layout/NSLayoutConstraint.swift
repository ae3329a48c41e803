// NSLayoutConstraint: a relation between two edges or sizes, stored and never solved.

public import Foundation

/// A constraint. A shell: the view that would hold it stores it, and nothing is laid out.
@MainActor @preconcurrency open class NSLayoutConstraint: NSObject {
    public enum Attribute: Int, Sendable {
        case notAnAttribute, left, right, top, bottom, leading, trailing, width, height, centerX, centerY, lastBaseline,
            firstBaseline
        case leftMargin, rightMargin, topMargin, bottomMargin, leadingMargin, trailingMargin
        case centerXWithinMargins, centerYWithinMargins

        public static var baseline: Attribute { .lastBaseline }
    }

    public enum Relation: Int, Sendable { case lessThanOrEqual = -1, equal, greaterThanOrEqual }
    public enum Axis: Int, Sendable { case horizontal, vertical }

    public struct FormatOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var alignAllLeft: FormatOptions { FormatOptions(rawValue: 2) }
        public static var alignAllRight: FormatOptions { FormatOptions(rawValue: 4) }
        public static var alignAllTop: FormatOptions { FormatOptions(rawValue: 8) }
        public static var alignAllBottom: FormatOptions { FormatOptions(rawValue: 16) }
        public static var alignAllLeading: FormatOptions { FormatOptions(rawValue: 32) }
        public static var alignAllTrailing: FormatOptions { FormatOptions(rawValue: 64) }
        public static var alignAllCenterX: FormatOptions { FormatOptions(rawValue: 512) }
        public static var alignAllCenterY: FormatOptions { FormatOptions(rawValue: 1024) }
        public static var alignAllLastBaseline: FormatOptions { FormatOptions(rawValue: 2048) }
        public static var alignAllFirstBaseline: FormatOptions { FormatOptions(rawValue: 4096) }
        public static var directionLeadingToTrailing: FormatOptions { [] }
        public static var directionLeftToRight: FormatOptions { FormatOptions(rawValue: 65536) }
        public static var directionRightToLeft: FormatOptions { FormatOptions(rawValue: 131072) }
    }

    /// The first item. Nil once the view or guide has gone.
    open private(set) weak var firstItem: AnyObject?
    open private(set) weak var secondItem: AnyObject?
    open private(set) var firstAttribute: Attribute
    open private(set) var secondAttribute: Attribute
    open private(set) var relation: Relation
    open private(set) var multiplier: CGFloat
    open var constant: CGFloat
    open var priority = UILayoutPriority.required
    open var identifier: String?
    /// The view whose `constraints` contain this one.
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

    /// Makes a constraint of a storyboard, whose items and values are set later.
    public override init() {
        firstAttribute = .notAnAttribute
        secondAttribute = .notAnAttribute
        relation = .equal
        multiplier = 1
        constant = 0
        super.init()
    }

    /// Reports that a storyboard has set the items and outlets of the constraint it made.
    open func awakeFromNib() {}

    final func set(
        firstItem: AnyObject?, _ firstAttribute: Attribute?, secondItem: AnyObject?, _ secondAttribute: Attribute?
    ) {
        (self.firstItem, self.secondItem) = (firstItem, secondItem)
        self.firstAttribute = firstAttribute ?? .notAnAttribute
        self.secondAttribute = secondAttribute ?? .notAnAttribute
    }

    final func setRelation(_ relation: Relation, multiplier: CGFloat) {
        (self.relation, self.multiplier) = (relation, multiplier)
    }

    open var firstAnchor: NSLayoutAnchor<AnyObject> { NSLayoutAnchor(firstItem, firstAttribute) }
    open var secondAnchor: NSLayoutAnchor<AnyObject>? {
        secondItem == nil ? nil : NSLayoutAnchor(secondItem, secondAttribute)
    }

    /// Whether a view holds the constraint.
    ///
    /// Setting it to true adds the constraint to the nearest view that holds both items. If there is none, a line of
    /// the log says so (Apple's systems end the process).
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

extension NSLayoutConstraint.Attribute {
    private static let all = (0...20).compactMap { NSLayoutConstraint.Attribute(rawValue: $0) }

    /// Finds a case by the name that Interface Builder writes.
    init?(named name: String) {
        let name = name == "baseline" ? "lastBaseline" : name
        guard let found = Self.all.first(where: { "\($0)" == name }) else { return nil }
        self = found
    }
}

extension NSLayoutConstraint.Relation {
    private static let all: [NSLayoutConstraint.Relation] = [.lessThanOrEqual, .equal, .greaterThanOrEqual]

    /// Finds a case by the name that Interface Builder writes.
    init?(named name: String) {
        guard let found = Self.all.first(where: { "\($0)" == name }) else { return nil }
        self = found
    }
}

/// The weight of a constraint, from 0 to 1000.
public struct UILayoutPriority: RawRepresentable, Hashable, Sendable {
    public var rawValue: Float
    public init(rawValue: Float) { self.rawValue = rawValue }
    public init(_ rawValue: Float) { self.rawValue = rawValue }
    public static var required: UILayoutPriority { UILayoutPriority(1000) }
    public static var defaultHigh: UILayoutPriority { UILayoutPriority(750) }
    public static var defaultLow: UILayoutPriority { UILayoutPriority(250) }
    public static var fittingSizeLevel: UILayoutPriority { UILayoutPriority(50) }

    public static func + (priority: UILayoutPriority, weight: Float) -> UILayoutPriority {
        UILayoutPriority(priority.rawValue + weight)
    }
    public static func - (priority: UILayoutPriority, weight: Float) -> UILayoutPriority {
        UILayoutPriority(priority.rawValue - weight)
    }
}
