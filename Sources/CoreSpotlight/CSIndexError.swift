// CSIndexError: the errors of the index. The numbers are Apple's (header).

import ExtensionWire
public import Foundation
import PointMessages

/// The domain of the index's errors.
public let CSIndexErrorDomain = SpotlightService.errorDomain

/// An error of the index.
public struct CSIndexError: Error, Sendable, CustomNSError, LocalizedError {
    public enum Code: Int, Sendable {
        case unknownError = -1
        /// No host keeps an index.
        case indexUnavailableError = -1000
        /// An item that no index can have.
        case invalidItemError = -1001
        /// A client state of more than 250 bytes, or a batch that is not open.
        case invalidClientStateError = -1002
        /// The connection to the index is lost.
        case remoteConnectionError = -1003
        /// A bound of the index.
        case quotaExceeded = -1004
        /// Programs of this kind have no index.
        case indexingUnsupported = -1005

        static var invalidItem: Code { .invalidItemError }
    }

    public static var errorDomain: String { CSIndexErrorDomain }
    public let code: Code
    public var errorCode: Int { code.rawValue }
    /// The reason, in words.
    public let errorDescription: String?

    init(_ code: Code, _ why: String) { (self.code, errorDescription) = (code, why) }

    /// The error of the index that a call has failed with.
    init(_ error: any Error) {
        if let error = error as? CSIndexError {
            self = error
            return
        }
        let code: Code
        switch error {
        case let error as ExtensionHostError:
            switch error.code {
            case .serviceUnavailable, .noDaemon: code = .indexUnavailableError
            case .connectionLost, .timedOut: code = .remoteConnectionError
            case .quotaExceeded, .payloadTooLarge: code = .quotaExceeded
            case .notPermitted: code = .indexingUnsupported
            default: code = .unknownError
            }
        case let error as NSError where error.domain == CSIndexErrorDomain:
            code = Code(rawValue: error.code) ?? .unknownError
        default: code = .unknownError
        }
        self.init(code, error.reason)
    }
}

extension Error {
    /// The reason of an error with which a call has failed, in words.
    var reason: String { (self as? ExtensionHostError)?.message ?? (self as NSError).localizedDescription }
}
