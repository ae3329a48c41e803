// UNUserNotificationCenter: the requests of a program to show notifications of its own, which nothing here shows.

import ExtensionPointKit
public import Foundation
import Locks

/// The program's access to the system's notifications.
///
/// No such system is here: nothing is scheduled, shown or delivered. `add(_:)` and `requestAuthorization(options:)` fail
/// with `notSimulated`, and the lists of pending and delivered notifications are empty. Categories stay in this process.
/// Handlers run on another thread, as on Apple's systems.
public final class UNUserNotificationCenter: NSObject, Sendable {
    private static let shared = UNUserNotificationCenter()
    private let categories = Mutex(SendableCategories())

    /// A set of categories, whose properties are constant.
    private struct SendableCategories: @unchecked Sendable {
        var all: Set<UNNotificationCategory> = []
    }

    private override init() {}

    /// The center of this process.
    public class func current() -> UNUserNotificationCenter { shared }

    /// Whether the system shows the interfaces of content extensions: it does not.
    public var supportsContentExtensions: Bool { false }

    private static func notSimulated(_ what: String) -> ExtensionHostError {
        ExtensionHostError(.notSimulated, "\(what): there is no system here that shows notifications")
    }

    private static func later(_ work: @escaping () -> Void) {
        nonisolated(unsafe) let work = work  // the author's handler, which Apple's framework calls on a thread, too
        DispatchQueue.global().async { work() }
    }

    // MARK: Authorization

    /// Asks the user for the permission to show notifications.
    ///
    /// - Throws: `notSimulated`, because there is no user to ask.
    @discardableResult
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        throw Self.notSimulated("requestAuthorization")
    }

    /// Asks the user for the permission to show notifications; the answer is false, with the error `notSimulated`.
    public func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping (Bool, (any Error)?) -> Void
    ) {
        Self.later { completionHandler(false, Self.notSimulated("requestAuthorization")) }
    }

    /// The user's settings: nobody was asked, and nothing is supported.
    public func notificationSettings() async -> UNNotificationSettings { UNNotificationSettings() }

    public func getNotificationSettings(completionHandler: @escaping (UNNotificationSettings) -> Void) {
        Self.later { completionHandler(UNNotificationSettings()) }
    }

    // MARK: Categories

    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        self.categories.withLock { $0.all = categories }
    }

    /// The categories that this process has set.
    public func notificationCategories() async -> Set<UNNotificationCategory> { categories.withLock { $0 }.all }

    public func getNotificationCategories(completionHandler: @escaping (Set<UNNotificationCategory>) -> Void) {
        let categories = categories.withLock { $0 }
        Self.later { completionHandler(categories.all) }
    }

    // MARK: Requests

    /// Schedules a notification.
    ///
    /// - Throws: `notSimulated`, because nothing shows notifications.
    public func add(_ request: UNNotificationRequest) async throws { throw Self.notSimulated("add") }

    /// Schedules a notification; the handler receives `notSimulated`.
    public func add(
        _ request: UNNotificationRequest, withCompletionHandler completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        guard let completionHandler else { return }
        Self.later { completionHandler(Self.notSimulated("add")) }
    }

    public func pendingNotificationRequests() async -> [UNNotificationRequest] { [] }

    public func getPendingNotificationRequests(completionHandler: @escaping ([UNNotificationRequest]) -> Void) {
        Self.later { completionHandler([]) }
    }

    /// Does nothing, because no request is pending.
    public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {}

    /// Does nothing, because no request is pending.
    public func removeAllPendingNotificationRequests() {}

    // MARK: Delivered notifications

    public func deliveredNotifications() async -> [UNNotification] { [] }

    public func getDeliveredNotifications(completionHandler: @escaping ([UNNotification]) -> Void) {
        Self.later { completionHandler([]) }
    }

    /// Does nothing, because no notification is delivered.
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}

    /// Does nothing, because no notification is delivered.
    public func removeAllDeliveredNotifications() {}

    /// Sets the number on the app's icon.
    ///
    /// - Throws: `notSimulated`, because there is no icon.
    public func setBadgeCount(_ newBadgeCount: Int) async throws { throw Self.notSimulated("setBadgeCount") }

    /// Sets the number on the app's icon; the handler receives `notSimulated`.
    public func setBadgeCount(
        _ newBadgeCount: Int, withCompletionHandler completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        guard let completionHandler else { return }
        Self.later { completionHandler(Self.notSimulated("setBadgeCount")) }
    }
}
