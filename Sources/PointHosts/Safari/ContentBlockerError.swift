// ContentBlockerError: the errors of a content blocker's reload, in Apple's domains.

public import ContentRules
internal import Foundation

/// The errors of `ContentBlockerHost.reload(_:for:)`. They are objects of `NSError` with Apple's domains and numbers.
public enum ContentBlockerError {
    /// The domain of faults of the extension (header).
    public static let domain = "SFErrorDomain"
    /// The domain of faults of the list (observed).
    public static let compilerDomain = "WKErrorDomain"

    /// The codes of `domain` (header).
    public enum Code: Int, Sendable {
        /// There is no such content blocker, or it is in another app.
        case noExtensionFound = 1
        /// The extension returned no attachment of type `public.json` that can be loaded.
        case noAttachmentFound = 2
        /// The extension was cancelled, ended, or did not answer in time.
        case loadingInterrupted = 3
    }

    /// The code of `compilerDomain` for a list that does not compile: `WKErrorContentRuleListStoreCompileFailed`.
    public static let compileFailed = 6

    static func error(_ code: Code, _ reason: String, underlying: (any Error)? = nil) -> NSError {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: reason]
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying as NSError }
        return NSError(domain: domain, code: code.rawValue, userInfo: userInfo)
    }

    static func error(_ refusal: RuleListError) -> NSError {
        NSError(
            domain: compilerDomain, code: compileFailed,
            userInfo: [
                NSHelpAnchorErrorKey: "Rule list compilation failed: \(refusal.first.kind.sentence)",
                NSLocalizedDescriptionKey: refusal.description, NSUnderlyingErrorKey: refusal,
            ])
    }
}

extension Error {
    /// The faults of a list that does not compile; nil for another error.
    public var ruleListFaults: [RuleFault]? {
        ((self as NSError).userInfo[NSUnderlyingErrorKey] as? RuleListError)?.faults
    }
}
