// CSSearchQueryError: the errors of queries. The numbers are Apple's (header).

import ExtensionWire
public import Foundation
import PointMessages

/// The domain of the errors of queries.
public let CSSearchQueryErrorDomain = SpotlightService.queryErrorDomain

/// An error of a query.
public struct CSSearchQueryError: Error, Sendable, CustomNSError, LocalizedError {
    public enum Code: Int, Sendable {
        case unknown = -2000
        /// No host keeps an index, or the connection to it is lost.
        case indexUnreachable = -2001
        /// The query cannot be read, or compares too much.
        case invalidQuery = -2002
        case cancelled = -2003
    }

    public static var errorDomain: String { CSSearchQueryErrorDomain }
    public let code: Code
    public var errorCode: Int { code.rawValue }
    /// The reason, in words.
    public let errorDescription: String?

    init(_ code: Code, _ why: String) { (self.code, errorDescription) = (code, why) }

    /// The error of a query that a call has failed with.
    init(_ error: any Error) {
        if error is CancellationError || (error as? CocoaError)?.code == .userCancelled {
            self.init(.cancelled, "the query was cancelled")
            return
        }
        let code: Code
        switch error {
        case let error as ExtensionHostError:
            switch error.code {
            case .serviceUnavailable, .noDaemon, .connectionLost, .timedOut, .notPermitted: code = .indexUnreachable
            default: code = .unknown
            }
        case let error as NSError where error.domain == CSSearchQueryErrorDomain:
            code = Code(rawValue: error.code) ?? .unknown
        default: code = .unknown
        }
        self.init(code, error.reason)
    }
}
