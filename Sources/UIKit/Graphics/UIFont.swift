// UIFont: a font's name and size.

public import Foundation

/// A font. Safe to use from any thread. Carried only: nothing is drawn and no font is looked for.
public final class UIFont: NSObject, Sendable {
    public let fontName: String
    /// In points.
    public let pointSize: CGFloat

    public init?(name: String, size: CGFloat) {
        fontName = name
        pointSize = size
    }

    private init(system name: String, _ size: CGFloat) {
        fontName = name
        pointSize = size
    }

    public class func systemFont(ofSize size: CGFloat) -> UIFont { UIFont(system: "system", size) }
    public class func boldSystemFont(ofSize size: CGFloat) -> UIFont { UIFont(system: "system-bold", size) }
}
