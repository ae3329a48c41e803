// NSUserActivity: what a person does, kept as values.

public import Foundation

/// An activity. Kept and given back: nothing is handed over to other devices, indexed or restored here.
open class NSUserActivity: NSObject, @unchecked Sendable {  // like Apple's, used on one thread at a time
    public let activityType: String
    open var title: String?
    open var userInfo: [AnyHashable: Any]?
    open var requiredUserInfoKeys: Set<String>?
    open var webpageURL: URL?
    open var referrerURL: URL?
    open var expirationDate: Date = .distantFuture
    open var keywords: Set<String> = []
    open var needsSave = false
    open var isEligibleForHandoff = true
    open var isEligibleForSearch = false
    open var isEligibleForPublicIndexing = false
    open var isEligibleForPrediction = false
    open var persistentIdentifier: String?
    open weak var delegate: (any NSUserActivityDelegate)?

    public init(activityType: String) { self.activityType = activityType }

    open func addUserInfoEntries(from other: [AnyHashable: Any]) {
        userInfo = (userInfo ?? [:]).merging(other) { $1 }
    }

    open func becomeCurrent() {}
    open func resignCurrent() {}
    open func invalidate() {}
}

/// What a browser hands to an app.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

/// Who fills in an activity before it is saved. Never asked here.
public protocol NSUserActivityDelegate: AnyObject {}
