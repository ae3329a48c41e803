// NSUserActivity: a user's activity as stored values.

public import Foundation

/// An activity as plain values: it is not handed over to other devices, indexed or restored here.
open class NSUserActivity: NSObject, @unchecked Sendable {  // like Apple's, used on one thread at a time
    /// The kind of activity.
    public let activityType: String
    /// The title, for people.
    open var title: String?
    /// The data that another app needs to continue the activity.
    open var userInfo: [AnyHashable: Any]?
    /// The keys of the entries of `userInfo` that are needed.
    open var requiredUserInfoKeys: Set<String>?
    /// The page that shows the same content.
    open var webpageURL: URL?
    /// The page that led to this one.
    open var referrerURL: URL?
    /// The date after which the activity is no longer of use.
    open var expirationDate: Date = .distantFuture
    /// The keywords for a search.
    open var keywords: Set<String> = []
    /// Whether the delegate should be asked, which never happens here.
    open var needsSave = false
    /// Has no effect.
    open var isEligibleForHandoff = true
    /// Has no effect.
    open var isEligibleForSearch = false
    /// Has no effect.
    open var isEligibleForPublicIndexing = false
    /// Has no effect.
    open var isEligibleForPrediction = false
    /// The phrase that an app proposes to people for a shortcut. No assistant hears it.
    open var suggestedInvocationPhrase: String?
    /// The attributes for a search, which `CoreSpotlight` stores here.
    package var attributes: AnyObject?
    /// The identifier by which the activity would be deleted.
    open var persistentIdentifier: String?
    /// The delegate, a weak reference, which is never asked.
    open weak var delegate: (any NSUserActivityDelegate)?

    /// Makes an activity of this kind.
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

/// The type of an activity that a browser hands to an app.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

/// A delegate that fills in an activity before it is saved. It is never asked here.
public protocol NSUserActivityDelegate: AnyObject {}
