// UNNotificationTrigger: the times at which a program's own notifications are due. Nothing waits for them.

public import Foundation

/// A notification that is due after a time.
open class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    public let timeInterval: TimeInterval
    private let isRepeated: Bool

    /// - Parameters:
    ///   - timeInterval: more than 0 seconds, and at least 60 if it repeats. Another value ends the process, as on Apple's
    ///     systems.
    ///   - repeats: whether it is due again and again.
    public init(timeInterval: TimeInterval, repeats: Bool) {
        precondition(timeInterval > 0, "time interval must be greater than 0")
        precondition(!repeats || timeInterval >= 60, "time interval must be at least 60 if repeating")
        (self.timeInterval, isRepeated) = (timeInterval, repeats)
    }

    open override var repeats: Bool { isRepeated }

    /// The time that is one interval from now.
    open func nextTriggerDate() -> Date? { Date(timeIntervalSinceNow: timeInterval) }
}

/// A notification that is due at a date.
open class UNCalendarNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    public let dateComponents: DateComponents
    private let isRepeated: Bool

    public init(dateMatching dateComponents: DateComponents, repeats: Bool) {
        (self.dateComponents, isRepeated) = (dateComponents, repeats)
    }

    open override var repeats: Bool { isRepeated }

    /// The next time that matches the components.
    open func nextTriggerDate() -> Date? {
        let calendar = dateComponents.calendar ?? .current
        return calendar.nextDate(after: Date(), matching: dateComponents, matchingPolicy: .nextTime)
    }
}
