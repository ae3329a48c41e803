// UNNotificationContentExtension: the methods of the view of a notification, under Apple's names.

import ExtensionFoundation
public import Foundation
import PointFrameworkKit
public import UIKit
public import UserNotifications

/// The fate of a notification after a person's choice of a button.
public enum UNNotificationContentExtensionResponseOption: UInt, Sendable {
    /// The view stays.
    case doNotDismiss
    /// The notification goes. The app is not told.
    case dismiss
    /// The notification goes, and the app gets the action.
    case dismissAndForwardAction
}

/// The kinds of the system's button for media.
public enum UNNotificationContentExtensionMediaPlayPauseButtonType: UInt, Sendable {
    case none
    /// The button is always there.
    case `default`
    /// The button disappears while media play.
    case overlay
}

/// The methods of the principal class of a notification's view, a `UIViewController`.
///
/// Each method but the first has a default, as those are optional on Apple's systems. All are called on the main queue.
/// A method that only a subclass of the adopting class writes is not called.
@MainActor @preconcurrency public protocol UNNotificationContentExtension: NSObjectProtocol {
    /// Receives a notification: the first after `viewDidLoad` and before the view appears, and others of the same thread
    /// while the view is open (documented).
    func didReceive(_ notification: UNNotification)

    /// Receives the person's choice of a button.
    ///
    /// `completion` counts once, and has 30 s (`CallLimits`). Without the method the notification goes, and the app gets
    /// the action (documented).
    func didReceive(
        _ response: UNNotificationResponse,
        completionHandler completion: @escaping (UNNotificationContentExtensionResponseOption) -> Void)

    /// The other form of `didReceive(_:completionHandler:)`.
    func didReceive(_ response: UNNotificationResponse) async -> UNNotificationContentExtensionResponseOption

    /// The kind of the system's button for media.
    var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType { get }

    /// The frame of that button, in the coordinates of the view.
    var mediaPlayPauseButtonFrame: CGRect { get }

    /// The color of that button. The host does not show it.
    var mediaPlayPauseButtonTintColor: UIColor { get }

    /// The person has pressed the button to play media.
    func mediaPlay()

    /// The person has pressed the button to pause media.
    func mediaPause()
}

extension UNNotificationContentExtension {
    public func didReceive(
        _ response: UNNotificationResponse,
        completionHandler completion: @escaping (UNNotificationContentExtensionResponseOption) -> Void
    ) {
        PointSession.notWritten()
    }

    public func didReceive(_ response: UNNotificationResponse) async -> UNNotificationContentExtensionResponseOption {
        PointSession.notWritten()
        return .dismissAndForwardAction
    }

    public var mediaPlayPauseButtonType: UNNotificationContentExtensionMediaPlayPauseButtonType { .none }
    public var mediaPlayPauseButtonFrame: CGRect { .zero }
    public var mediaPlayPauseButtonTintColor: UIColor { .white }
    public func mediaPlay() { PointSession.notWritten() }
    public func mediaPause() { PointSession.notWritten() }
}
