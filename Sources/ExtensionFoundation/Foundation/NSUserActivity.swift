// NSUserActivity: what a person does, kept as values.

public import Foundation

/// An activity. Kept and given back: nothing is handed over to other devices, indexed or restored here.
open class NSUserActivity: NSObject, @unchecked Sendable {  // like Apple's, used on one thread at a time
    /// The kind of activity.
    public let activityType: String
    /// For people.
    open var title: String?
    /// The data that another app needs to continue the activity.
    open var userInfo: [AnyHashable: Any]?
    /// Which of its entries are needed.
    open var requiredUserInfoKeys: Set<String>?
    /// The page that shows the same.
    open var webpageURL: URL?
    /// Where the page was found.
    open var referrerURL: URL?
    /// When it is no longer of use.
    open var expirationDate: Date = .distantFuture
    /// Words to find it by.
    open var keywords: Set<String> = []
    /// Whether the delegate is to be asked, which it never is.
    open var needsSave = false
    /// Has no effect.
    open var isEligibleForHandoff = true
    /// Has no effect.
    open var isEligibleForSearch = false
    /// Has no effect.
    open var isEligibleForPublicIndexing = false
    /// Has no effect.
    open var isEligibleForPrediction = false
    /// By which it would be deleted.
    open var persistentIdentifier: String?
    /// Not kept alive, and never asked.
    open weak var delegate: (any NSUserActivityDelegate)?

    /// An activity of a kind.
    public init(activityType: String) { self.activityType = activityType }

    /// Adds entries to `userInfo`, or replaces them.
    open func addUserInfoEntries(from other: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(other) { $1 }
    }

    /// Does nothing.
    open func becomeCurrent() {}
    /// Does nothing.
    open func resignCurrent() {}
    /// Does nothing.
    open func invalidate() {}
}

/// What a browser hands to an app.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

/// Who fills in an activity before it is saved. Never asked here.
public protocol NSUserActivityDelegate: AnyObject {}
