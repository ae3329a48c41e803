// NENetworkErrors: the errors of providers and of their configurations.

import ExtensionWire
public import Foundation
import PointMessages

/// The domain of a tunnel provider's errors.
public let NETunnelProviderErrorDomain = NetworkService.tunnelErrorDomain
/// The domain of the errors of configurations and sessions.
public let NEVPNErrorDomain = NetworkService.vpnErrorDomain

/// An error of a tunnel provider. The names are Apple's (header), the numbers are from memory.
public struct NETunnelProviderError: Error, Sendable, CustomNSError, LocalizedError {
    public enum Code: Int, Sendable {
        case networkSettingsInvalid = 1
        case networkSettingsCanceled = 2
        case networkSettingsFailed = 3
    }

    public static let networkSettingsInvalid = Code.networkSettingsInvalid
    public static let networkSettingsCanceled = Code.networkSettingsCanceled
    public static let networkSettingsFailed = Code.networkSettingsFailed

    public static var errorDomain: String { NETunnelProviderErrorDomain }
    public let code: Code
    public var errorCode: Int { code.rawValue }
    /// The reason in words.
    public let errorDescription: String?

    /// Makes an error without words.
    public init(_ code: Code) { self.init(code, "\(code)") }

    init(_ code: Code, _ why: String) { (self.code, errorDescription) = (code, why) }

    /// The error with which the host has answered.
    init(_ error: any Error) {
        let answered = error as NSError
        if answered.domain == NETunnelProviderErrorDomain, let code = Code(rawValue: answered.code) {
            self.init(code, answered.localizedDescription)
        } else if error is CancellationError || answered.domain == NSCocoaErrorDomain && answered.code == 3072 {
            self.init(.networkSettingsCanceled, "the request has ended")
        } else {
            let code = (error as? ExtensionHostError)?.code
            let isOver = code == .contextFinished || code == .noSuchRequest
            self.init(isOver ? .networkSettingsCanceled : .networkSettingsFailed, error.reason)
        }
    }
}

/// An error of a configuration or a session. The names are Apple's (header), the numbers are from memory.
public struct NEVPNError: Error, Sendable, CustomNSError, LocalizedError {
    public enum Code: Int, Sendable {
        case configurationInvalid = 1
        case configurationDisabled = 2
        case connectionFailed = 3
        case configurationStale = 4
        case configurationReadWriteFailed = 5
        case configurationUnknown = 6
    }

    public static let configurationInvalid = Code.configurationInvalid
    public static let configurationDisabled = Code.configurationDisabled
    public static let connectionFailed = Code.connectionFailed
    public static let configurationStale = Code.configurationStale
    public static let configurationReadWriteFailed = Code.configurationReadWriteFailed
    public static let configurationUnknown = Code.configurationUnknown

    public static var errorDomain: String { NEVPNErrorDomain }
    public let code: Code
    public var errorCode: Int { code.rawValue }
    /// The reason in words.
    public let errorDescription: String?

    /// Makes an error without words.
    public init(_ code: Code) { self.init(code, "\(code)") }

    init(_ code: Code, _ why: String) { (self.code, errorDescription) = (code, why) }

    /// The error with which the host has answered, or the reason why there is no answer.
    init(_ error: any Error, otherwise code: Code) {
        let answered = error as NSError
        if let error = error as? NEVPNError {
            self = error
        } else if answered.domain == NEVPNErrorDomain, let code = Code(rawValue: answered.code) {
            self.init(code, answered.localizedDescription)
        } else {
            self.init(code, error.reason)
        }
    }
}

extension Error {
    /// The reason of an error with which a call has failed, in words.
    var reason: String { (self as? ExtensionHostError)?.message ?? (self as NSError).localizedDescription }

    /// The error as an argument of a call.
    var failure: NetworkFailure {
        let error = self as NSError
        return NetworkFailure(domain: error.domain, code: error.code, reason: reason)
    }
}
