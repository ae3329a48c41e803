// UNNotificationServiceExtension: an extension that changes notifications before they are shown.

public import Foundation

/// The principal class of a notification service. Each notification gets an object of its own.
open class UNNotificationServiceExtension: NSObject {
    public override init() {}

    /// Changes a notification (documented). The author calls `contentHandler` once, with the changed content.
    ///
    /// The first call counts; a second one is logged. Without a call within the time, after a death, or with a released
    /// handler, the host shows the original. It runs on the queue of the request.
    open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// The time is over: about 30 s (documented), and 2 s remain (ours). It runs on another thread.
    open func serviceExtensionTimeWillExpire() {}
}
