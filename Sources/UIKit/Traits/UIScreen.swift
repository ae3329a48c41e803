// UIScreen, UIDevice, UIWindow: the device, screen and window of views, without a display.

public import Foundation
import Glibc

/// The absent screen of 375 by 667 points, the size of a controller's view.
@MainActor @preconcurrency open class UIScreen: NSObject {
    public static let main = UIScreen()

    open var bounds: CGRect { CGRect(x: 0, y: 0, width: 375, height: 667) }
    open var nativeBounds: CGRect { CGRect(x: 0, y: 0, width: 750, height: 1334) }
    open var scale: CGFloat { 2 }
    open var nativeScale: CGFloat { 2 }
    open var brightness: CGFloat = 0.5
    open var maximumFramesPerSecond: Int { 60 }
    open var traitCollection: UITraitCollection { .current }
    open func displayLink(withTarget target: Any, selector: Selector) -> CADisplayLink? {
        CADisplayLink(target: target, selector: selector)
    }
}

/// The orientation of a device. It has no effect.
public enum UIDeviceOrientation: Int, Sendable {
    case unknown, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown

    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}

public enum UIInterfaceOrientation: Int, Sendable {
    case unknown, portrait, portraitUpsideDown, landscapeRight, landscapeLeft

    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
}

public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static var portrait: UIInterfaceOrientationMask { UIInterfaceOrientationMask(rawValue: 2) }
    public static var portraitUpsideDown: UIInterfaceOrientationMask { UIInterfaceOrientationMask(rawValue: 4) }
    public static var landscapeRight: UIInterfaceOrientationMask { UIInterfaceOrientationMask(rawValue: 8) }
    public static var landscapeLeft: UIInterfaceOrientationMask { UIInterfaceOrientationMask(rawValue: 16) }
    public static var landscape: UIInterfaceOrientationMask { [.landscapeLeft, .landscapeRight] }
    public static var all: UIInterfaceOrientationMask { [.portrait, .landscape, .portraitUpsideDown] }
    public static var allButUpsideDown: UIInterfaceOrientationMask { [.portrait, .landscape] }
}

/// The computer, which claims to be a phone with its own system's name and a version of Apple's.
@MainActor @preconcurrency open class UIDevice: NSObject {
    public static let current = UIDevice()
    public nonisolated static var orientationDidChangeNotification: NSNotification.Name {
        NSNotification.Name("UIDeviceOrientationDidChangeNotification")
    }

    open var name: String { ProcessInfo.processInfo.hostName }
    open var model: String { "iPhone" }
    open var localizedModel: String { model }
    open var systemName: String { "Linux" }
    /// The version of the platform profile that the daemon has, else that of the newest profile.
    ///
    /// `ProcessInfo.operatingSystemVersion` is the kernel's.
    open var systemVersion: String { Self.version }
    private nonisolated static let version =
        getenv("EXTHOST_SYSTEM_VERSION").map { String(cString: $0) } ?? newestVersion
    /// The version of the newest profile.
    package nonisolated static let newestVersion = "26.2"
    open var userInterfaceIdiom: UIUserInterfaceIdiom { .phone }
    open var orientation: UIDeviceOrientation { .portrait }
    /// The vendor's identifier: nil, as after a restart, because the vendor's other apps are unknown.
    open var identifierForVendor: UUID? { nil }
    /// Has no effect: nothing sounds.
    open func playInputClick() {}
    open func beginGeneratingDeviceOrientationNotifications() {}
    open func endGeneratingDeviceOrientationNotifications() {}
}

/// The outermost view. An extension's window belongs to its host, and holds the principal controller's view without
/// having it as a subview.
@MainActor @preconcurrency open class UIWindow: UIView {
    open var screen: UIScreen { .main }
    open private(set) var isKeyWindow = false
    private var ownRoot: UIViewController?
    private weak var hosted: UIViewController?

    convenience init(hosting controller: UIViewController) {
        self.init(frame: UIScreen.main.bounds)
        hosted = controller
    }

    open var rootViewController: UIViewController? {
        get { ownRoot ?? hosted }
        set {
            if isKeyWindow { ownRoot?.disappear(false) }
            ownRoot?.join(nil as UIWindow?)
            ownRoot = newValue
            newValue?.join(self)
            if isKeyWindow { newValue?.appear(false) }
        }
    }

    open func makeKey() { isKeyWindow = true }

    /// Shows the window and lets its root controller appear.
    open func makeKeyAndVisible() {
        isHidden = false
        makeKey()
        ownRoot?.appear(false)
    }

    open override var window: UIWindow? { self }
    open override var next: UIResponder? { UIApplication.own }
}
