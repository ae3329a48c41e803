// ExtensionHostError+NSError: the bridge from the project's error to Foundation's.

public import ExtensionWire
public import Foundation

/// The message, cause and remedy as Foundation's description, failure reason and recovery suggestion.
extension ExtensionHostError: CustomNSError, LocalizedError {
    public static var errorDomain: String { domain }
    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[NSLocalizedFailureReasonErrorKey] = cause
        info[NSLocalizedRecoverySuggestionErrorKey] = remedy
        return info
    }

    public var errorDescription: String? { message }
    public var failureReason: String? { cause }
    public var recoverySuggestion: String? { remedy }
}
