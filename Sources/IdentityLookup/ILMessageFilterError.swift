// ILMessageFilterError: the errors of a message filter's server.

public import Foundation
import PointMessages

/// The domain of the errors of message filters.
public let ILMessageFilterErrorDomain = MessageFilterFault.domain

/// The reason why the server has not answered. The numbers are from memory.
public struct ILMessageFilterError: Error, CustomNSError, LocalizedError {
    public enum Code: Int, Sendable {
        /// Another failure, such as the end of the request.
        case system = 1
        /// `ILMessageFilterExtensionNetworkURL` is missing, or is no URL with the scheme `https`.
        case invalidNetworkURL = 2
        /// The server does not allow the filter to ask it.
        case networkURLUnauthorized = 3
        /// The server did not answer.
        case networkRequestFailed = 4
        /// The question was sent to the server before.
        case redundantNetworkDeferral = 5
    }

    public static let system = Code.system
    public static let invalidNetworkURL = Code.invalidNetworkURL
    public static let networkURLUnauthorized = Code.networkURLUnauthorized
    public static let networkRequestFailed = Code.networkRequestFailed
    public static let redundantNetworkDeferral = Code.redundantNetworkDeferral

    public static var errorDomain: String { ILMessageFilterErrorDomain }

    public let code: Code
    public var errorCode: Int { code.rawValue }
    /// The description, as the host has written it.
    public let errorDescription: String?

    public init(_ code: Code) { (self.code, errorDescription) = (code, nil) }

    /// Makes the error of a host. An error of another domain is `system`.
    init(crossing error: any Error) {
        let error = error as NSError
        code = (error.domain == ILMessageFilterErrorDomain ? Code(rawValue: error.code) : nil) ?? .system
        errorDescription = error.localizedDescription
    }
}
