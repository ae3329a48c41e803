// UITraitCollection: the light or dark appearance and the size classes, which never change here.

public import Foundation

public enum UIUserInterfaceStyle: Int, Sendable { case unspecified, light, dark }
public enum UIUserInterfaceSizeClass: Int, Sendable { case unspecified, compact, regular }
public enum UIUserInterfaceIdiom: Int, Sendable { case unspecified = -1, phone, pad, tv, carPlay, mac = 5, vision }
public enum UIUserInterfaceLayoutDirection: Int, Sendable { case leftToRight, rightToLeft }
public enum UIAccessibilityContrast: Int, Sendable { case unspecified = -1, normal, high }
public enum UIUserInterfaceLevel: Int, Sendable { case unspecified = -1, base, elevated }

/// The size of text that a person prefers. It has no effect.
public struct UIContentSizeCategory: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var unspecified: UIContentSizeCategory {
        UIContentSizeCategory(rawValue: "_UICTContentSizeCategoryUnspecified")
    }
    public static var small: UIContentSizeCategory { UIContentSizeCategory(rawValue: "UICTContentSizeCategoryS") }
    public static var medium: UIContentSizeCategory { UIContentSizeCategory(rawValue: "UICTContentSizeCategoryM") }
    public static var large: UIContentSizeCategory { UIContentSizeCategory(rawValue: "UICTContentSizeCategoryL") }
    public static var extraLarge: UIContentSizeCategory { UIContentSizeCategory(rawValue: "UICTContentSizeCategoryXL") }
    public static var accessibilityMedium: UIContentSizeCategory {
        UIContentSizeCategory(rawValue: "UICTContentSizeCategoryAccessibilityM")
    }
    public static var didChangeNotification: NSNotification.Name {
        NSNotification.Name("UIContentSizeCategoryDidChangeNotification")
    }
    public var isAccessibilityCategory: Bool { rawValue.contains("Accessibility") }
}

/// A set of traits. Safe to use from any thread.
///
/// The traits of every view and of the screen are those of a phone in light appearance, and nothing changes them
/// (ours).
public final class UITraitCollection: NSObject, Sendable {
    public static let current = UITraitCollection(.light, .compact, .regular, .phone)

    public let userInterfaceStyle: UIUserInterfaceStyle
    public let horizontalSizeClass: UIUserInterfaceSizeClass
    public let verticalSizeClass: UIUserInterfaceSizeClass
    public let userInterfaceIdiom: UIUserInterfaceIdiom
    public var displayScale: CGFloat { 2 }
    public var preferredContentSizeCategory: UIContentSizeCategory { .large }
    public var accessibilityContrast: UIAccessibilityContrast { .normal }
    public var userInterfaceLevel: UIUserInterfaceLevel { .base }

    private init(
        _ style: UIUserInterfaceStyle = .unspecified, _ horizontal: UIUserInterfaceSizeClass = .unspecified,
        _ vertical: UIUserInterfaceSizeClass = .unspecified, _ idiom: UIUserInterfaceIdiom = .unspecified
    ) {
        (userInterfaceStyle, horizontalSizeClass, verticalSizeClass) = (style, horizontal, vertical)
        userInterfaceIdiom = idiom
    }

    public override convenience init() { self.init(.unspecified) }
    public convenience init(userInterfaceStyle style: UIUserInterfaceStyle) { self.init(style) }
    public convenience init(userInterfaceIdiom idiom: UIUserInterfaceIdiom) {
        self.init(.unspecified, .unspecified, .unspecified, idiom)
    }
    public convenience init(horizontalSizeClass size: UIUserInterfaceSizeClass) { self.init(.unspecified, size) }
    public convenience init(verticalSizeClass size: UIUserInterfaceSizeClass) {
        self.init(.unspecified, .unspecified, size)
    }

    public func hasDifferentColorAppearance(comparedTo other: UITraitCollection?) -> Bool {
        other?.userInterfaceStyle != userInterfaceStyle
    }
    public func performAsCurrent(_ actions: () -> Void) { actions() }
}

/// An object that has traits.
@MainActor @preconcurrency public protocol UITraitEnvironment: NSObjectProtocol {
    var traitCollection: UITraitCollection { get }
    func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?)
}

extension UIView: UITraitEnvironment {}
extension UIViewController: UITraitEnvironment {}
