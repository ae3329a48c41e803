// ItemProviderError: the errors of loading an item, with the codes of spec 1.6.

public import Foundation

extension NSItemProvider {
    /// The domain of every error that a provider itself makes.
    public class var errorDomain: String { "NSItemProviderErrorDomain" }

    /// The codes of that domain, with Apple's numbers; `docs/errors.md` has a remedy for each.
    public enum ErrorCode: Int, Sendable, CaseIterable {
        /// The load handler failed and gave no error.
        case unknownError = -1
        /// No representation conforms, or its owner is gone.
        case itemUnavailableError = -1000
        /// The load handler answered with a value of another class than expected.
        case unexpectedValueClassError = -1100
        /// The stored value cannot be converted to the requested class.
        case unavailableCoercionError = -1200

        fileprivate var summary: String {
            switch self {
            case .unknownError: "The item could not be loaded."
            case .itemUnavailableError: "The item is not available."
            case .unexpectedValueClassError: "The item is not of the expected kind."
            case .unavailableCoercionError: "The item cannot be converted to the requested kind."
            }
        }
    }
    /// Makes an error of this domain. `reason` is one sentence for the author: what happened, what to do.
    public class func error(_ code: ErrorCode, _ reason: String, underlying: (any Error)? = nil) -> NSError {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: "\(code.summary) \(reason)", NSLocalizedFailureReasonErrorKey: reason,
        ]
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying as NSError }
        return NSError(domain: errorDomain, code: code.rawValue, userInfo: userInfo)
    }
}
