// UIApplicationDelegate: the object that an app's life-cycle events go to.

public import ExtensionFoundation
public import Foundation

/// An object that shows an activity which the app continues.
@MainActor @preconcurrency public protocol UIUserActivityRestoring: NSObjectProtocol {
    /// Shows the activity.
    func restoreUserActivityState(_ activity: NSUserActivity)
}

/// The delegate of an app.
///
/// Every method has a body that does nothing, in place of Objective-C's optional ones. Mark the class with `@main`.
@MainActor @preconcurrency public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    /// Opens a URL, after the launch or while the app runs; the app becomes active next.
    ///
    /// After a launch the URL is in its options, too. The method is not called for the URL of a launch if either launch
    /// method returned false. Its result has no effect: the opener learns that the app has the URL.
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool
    /// Says whether the app itself shows its user that it continues an activity of this type. Its result has no effect.
    func application(_ application: UIApplication, willContinueUserActivityWithType userActivityType: String) -> Bool
    /// Continues an activity, after the launch or while the app runs; the app becomes active next.
    ///
    /// A found item of the app's index has the type `CSSearchableItemActionType`. After a launch the activity is in its
    /// options, too. The method is not called for the activity of a launch if either launch method returned false.
    ///
    /// - Parameters:
    ///   - application: the application.
    ///   - userActivity: the activity.
    ///   - restorationHandler: gets the objects that show it, and calls `restoreUserActivityState(_:)` of each.
    /// - Returns: whether the app has dealt with it. It has no effect.
    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool
    /// Makes the background session with this identifier again, which then gets its events (`BackgroundTransfers`).
    ///
    /// The app may have been launched in the background for this. It should call the handler on the main queue, after
    /// `urlSessionDidFinishEvents(forBackgroundURLSession:)`. Without that it is ended 30 s after the wake, unless its
    /// user has opened it. The default implementation calls the handler at once.
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void)
    /// Whether the app allows extensions of a point: custom keyboards. Nothing calls it, since an app hosts no extension
    /// here; `KeyboardHost` asks a function of its own.
    func application(
        _ application: UIApplication,
        shouldAllowExtensionPointIdentifier extensionPointIdentifier: UIApplication.ExtensionPointIdentifier
    ) -> Bool
    func applicationDidBecomeActive(_ application: UIApplication)
    func applicationWillResignActive(_ application: UIApplication)
    func applicationDidEnterBackground(_ application: UIApplication)
    func applicationWillEnterForeground(_ application: UIApplication)
    func applicationWillTerminate(_ application: UIApplication)
}

extension UIApplicationDelegate {
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    public func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any])
        -> Bool
    {
        false
    }
    public func application(
        _ application: UIApplication, willContinueUserActivityWithType userActivityType: String
    ) -> Bool { false }
    public func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool { false }
    public func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) { completionHandler() }
    public func application(
        _ application: UIApplication,
        shouldAllowExtensionPointIdentifier extensionPointIdentifier: UIApplication.ExtensionPointIdentifier
    ) -> Bool { true }
    public func applicationDidBecomeActive(_ application: UIApplication) {}
    public func applicationWillResignActive(_ application: UIApplication) {}
    public func applicationDidEnterBackground(_ application: UIApplication) {}
    public func applicationWillEnterForeground(_ application: UIApplication) {}
    public func applicationWillTerminate(_ application: UIApplication) {}

    /// Launches the app with this delegate and never returns. `@main` calls it.
    public static func main() where Self: NSObject { UIApplication.run(delegate: makeObject(of: Self.self)) }
}
