// CXCallDirectory: telephone numbers, and the errors of directories.

public import Foundation
import PointMessages

/// A telephone number: the code of its country, and then its digits.
public typealias CXCallDirectoryPhoneNumber = Int64

/// The largest number (header).
public let CXCallDirectoryPhoneNumberMax: CXCallDirectoryPhoneNumber = .max - 1

/// The domain of the errors of directories.
public let CXErrorDomainCallDirectoryManager = CallDirectoryFault.domain

/// The reason why a directory was not loaded. The numbers are Apple's (header).
public struct CXErrorCodeCallDirectoryManagerError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        /// Another failure.
        case unknown = 0
        /// There is no such extension, or it belongs to another app.
        case noExtensionFound = 1
        /// The extension ended before its directory was whole.
        case loadingInterrupted = 2
        /// A number is lower than the one before it.
        case entriesOutOfOrder = 3
        /// A number is there twice.
        case duplicateEntries = 4
        /// There are more entries than the telephone takes.
        case maximumEntriesExceeded = 5
        /// The person has not switched the extension on.
        case extensionDisabled = 6
        /// The directory is being loaded.
        case currentlyLoading = 7
        /// An entry was removed in a load that is not incremental.
        case unexpectedIncrementalRemoval = 8
    }

    public static let unknown = Code.unknown
    public static let noExtensionFound = Code.noExtensionFound
    public static let loadingInterrupted = Code.loadingInterrupted
    public static let entriesOutOfOrder = Code.entriesOutOfOrder
    public static let duplicateEntries = Code.duplicateEntries
    public static let maximumEntriesExceeded = Code.maximumEntriesExceeded
    public static let extensionDisabled = Code.extensionDisabled
    public static let currentlyLoading = Code.currentlyLoading
    public static let unexpectedIncrementalRemoval = Code.unexpectedIncrementalRemoval

    public static var errorDomain: String { CXErrorDomainCallDirectoryManager }

    public let code: Code
    public var errorCode: Int { code.rawValue }
    /// The description, as the host has written it.
    public let errorDescription: String?

    public init(_ code: Code) { self.init(code, nil) }

    init(_ code: Code, _ description: String?) { (self.code, errorDescription) = (code, description) }

    /// Makes the error of a host. An error of another domain stays as it is.
    static func crossing(_ error: any Error) -> any Error {
        let found = error as NSError
        guard found.domain == errorDomain, let code = Code(rawValue: found.code) else { return error }
        return Self(code, found.localizedDescription)
    }
}
