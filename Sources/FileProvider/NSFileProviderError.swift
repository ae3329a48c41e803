// NSFileProviderError: the errors of providers. The numbers are Apple's (header).

public import Foundation
import PointMessages

/// The domain of a provider's errors.
public let NSFileProviderErrorDomain = FileService.errorDomain
/// The key of the item in whose place another cannot be.
public let NSFileProviderErrorCollidingItemKey = "NSFileProviderErrorCollidingItem"
/// The key of the item that an error is about.
public let NSFileProviderErrorItemKey = "NSFileProviderErrorItem"
/// The key of the identifier that no item has.
public let NSFileProviderErrorNonExistentItemIdentifierKey = "NSFileProviderErrorNonExistentItemIdentifier"

/// An error of a provider.
public struct NSFileProviderError: Error, CustomNSError, Hashable, @unchecked Sendable {
    // Unchecked: the values are set once, and nobody changes them.

    /// The cause.
    public enum Code: Int, Sendable {
        case notAuthenticated = -1000
        case filenameCollision = -1001
        /// An anchor or a page that the provider does not know any more. The host enumerates anew.
        case syncAnchorExpired = -1002
        case insufficientQuota = -1003
        case serverUnreachable = -1004
        case noSuchItem = -1005
        case deletionRejected = -1006
        case directoryNotEmpty = -1007
        case providerNotFound = -2001
        case providerTranslocated = -2002
        case olderExtensionVersionRunning = -2003
        case newerExtensionVersionFound = -2004
        case cannotSynchronize = -2005
        case nonEvictableChildren = -2006
        case unsyncedEdits = -2007
        case nonEvictable = -2008
        case versionNoLongerAvailable = -2009
        case excludedFromSync = -2010
        case domainDisabled = -2011
        case providerDomainTemporarilyUnavailable = -2012
        case providerDomainNotFound = -2013
        case applicationExtensionNotFound = -2014

        /// The other name of `syncAnchorExpired`.
        public static var pageExpired: Code { .syncAnchorExpired }
    }

    public static var errorDomain: String { NSFileProviderErrorDomain }
    /// The cause.
    public let code: Code
    public var errorCode: Int { code.rawValue }
    public let errorUserInfo: [String: Any]

    /// Makes an error of a cause.
    public init(_ code: Code, userInfo: [String: Any] = [:]) { (self.code, errorUserInfo) = (code, userInfo) }

    public static func == (left: NSFileProviderError, right: NSFileProviderError) -> Bool { left.code == right.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    public static var notAuthenticated: Code { .notAuthenticated }
    public static var filenameCollision: Code { .filenameCollision }
    public static var syncAnchorExpired: Code { .syncAnchorExpired }
    public static var pageExpired: Code { .syncAnchorExpired }
    public static var insufficientQuota: Code { .insufficientQuota }
    public static var serverUnreachable: Code { .serverUnreachable }
    public static var noSuchItem: Code { .noSuchItem }
    public static var directoryNotEmpty: Code { .directoryNotEmpty }
    public static var cannotSynchronize: Code { .cannotSynchronize }
    public static var versionNoLongerAvailable: Code { .versionNoLongerAvailable }
}

/// The match of an error with a cause, as in `catch NSFileProviderError.noSuchItem`.
public func ~= (code: NSFileProviderError.Code, error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSFileProviderErrorDomain && error.code == code.rawValue
}

extension NSError {
    /// Returns the error of an item that is not there.
    public class func fileProviderErrorForNonExistentItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier
    ) -> any Error {
        NSFileProviderError(
            .noSuchItem, userInfo: [NSFileProviderErrorNonExistentItemIdentifierKey: itemIdentifier.rawValue])
    }

    /// Returns the error of a name that another item has.
    public class func fileProviderErrorForCollision(with existingItem: any NSFileProviderItem) -> any Error {
        NSFileProviderError(
            .filenameCollision,
            userInfo: [NSFileProviderErrorCollidingItemKey: existingItem.itemIdentifier.rawValue])
    }

    /// Returns the error of an item that the provider does not delete.
    public class func fileProviderErrorForRejectedDeletion(of updatedVersion: any NSFileProviderItem) -> any Error {
        NSFileProviderError(
            .deletionRejected, userInfo: [NSFileProviderErrorItemKey: updatedVersion.itemIdentifier.rawValue])
    }
}
