// UIColor: a colour as four numbers.

public import Foundation

/// A colour's components. Safe to use from any thread. Carried only: nothing is drawn.
public final class CGColor: Sendable {
    /// Red, green, blue and alpha, each from 0 to 1.
    public let components: [CGFloat]?
    public var alpha: CGFloat { components?.last ?? 1 }

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { components = [red, green, blue, alpha] }
}

/// A colour. Safe to use from any thread. Carried only: nothing is drawn, and no appearance changes it.
public final class UIColor: NSObject, Sendable {
    public static let black = UIColor(white: 0, alpha: 1)
    public static let darkGray = UIColor(white: 1 / 3, alpha: 1)
    public static let gray = UIColor(white: 0.5, alpha: 1)
    public static let lightGray = UIColor(white: 2 / 3, alpha: 1)
    public static let white = UIColor(white: 1, alpha: 1)
    public static let clear = UIColor(white: 0, alpha: 0)
    public static let red = UIColor(red: 1, green: 0, blue: 0, alpha: 1)
    public static let green = UIColor(red: 0, green: 1, blue: 0, alpha: 1)
    public static let blue = UIColor(red: 0, green: 0, blue: 1, alpha: 1)
    public static let yellow = UIColor(red: 1, green: 1, blue: 0, alpha: 1)
    public static let orange = UIColor(red: 1, green: 0.5, blue: 0, alpha: 1)

    public let cgColor: CGColor

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        cgColor = CGColor(red: red, green: green, blue: blue, alpha: alpha)
    }

    public convenience init(white: CGFloat, alpha: CGFloat) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
        let parts = cgColor.components ?? [0, 0, 0]
        return UIColor(red: parts[0], green: parts[1], blue: parts[2], alpha: alpha)
    }

    public override func isEqual(_ object: Any?) -> Bool { (object as? UIColor)?.cgColor.components == cgColor.components }
    public override var hash: Int { cgColor.components.hashValue }
}
