// NSDataDetector: the detection of links in a text.

public import Foundation

/// A detector of links in a text: URLs with a scheme, host names that begin with `www.` or end in a common domain, and
/// mail addresses.
///
/// Foundation on Linux has no detector. Dates, addresses and telephone numbers are not found (ours).
///
/// It is its own class: Foundation's expressions cannot be subclassed here.
open class NSDataDetector: NSObject, @unchecked Sendable {  // constant
    /// The requested types.
    public let checkingTypes: NSTextCheckingTypes
    private let expression: NSRegularExpression?
    /// The type of links, which is deprecated in Foundation on Linux, because that has no detector.
    fileprivate static let link = NSTextCheckingResult.CheckingType(rawValue: 1 << 5)

    /// The patterns of a link, without the punctuation that a sentence puts behind it.
    private static let pattern = [
        #"[a-z][a-z0-9+.-]{0,30}://[^\s<>"“”]+"#,
        #"(?:mailto|tel|sms):[^\s<>"“”]+"#,
        #"[a-z0-9._%+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+"#,
        #"www\.[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?(?:/[^\s<>"“”]*)?"#,
        #"(?<![@.\w-])(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|io|app|dev|co|uk|de|fr|eu|ch|info|me|tv)\b(?::\d+)?(?:/[^\s<>"“”]*)?"#,
    ].joined(separator: "|")

    /// Makes a detector.
    ///
    /// - Parameter types: those of `NSTextCheckingResult.CheckingType`; only links are found.
    /// - Throws: an error of Cocoa's if there is no type in it.
    public init(types: NSTextCheckingTypes) throws {
        guard types != 0 else { throw CocoaError(CocoaError.Code(rawValue: 2048)) }
        checkingTypes = types
        let wantsLinks = types & Self.link.rawValue != 0
        expression = wantsLinks ? try NSRegularExpression(pattern: Self.pattern, options: .caseInsensitive) : nil
    }

    /// Returns the links in a part of a text, in order.
    public func matches(
        in string: String, options: NSRegularExpression.MatchingOptions = [], range: NSRange
    ) -> [NSTextCheckingResult] {
        let text = NSString(string: string)
        return (expression?.matches(in: string, options: options, range: range) ?? []).compactMap {
            DetectedLink(text, $0.range)
        }
    }

    /// Returns the first link in a part of a text.
    public func firstMatch(
        in string: String, options: NSRegularExpression.MatchingOptions = [], range: NSRange
    ) -> NSTextCheckingResult? {
        matches(in: string, options: options, range: range).first
    }

    /// Returns the number of links in a part of a text.
    public func numberOfMatches(
        in string: String, options: NSRegularExpression.MatchingOptions = [], range: NSRange
    ) -> Int {
        matches(in: string, options: options, range: range).count
    }

    /// Calls `block` for each link until the block sets the value at its last argument.
    public func enumerateMatches(
        in string: String, options: NSRegularExpression.MatchingOptions = [], range: NSRange,
        using block: (NSTextCheckingResult?, NSRegularExpression.MatchingFlags, UnsafeMutablePointer<ObjCBool>) -> Void
    ) {
        var isStopped = ObjCBool(false)
        for match in matches(in: string, options: options, range: range) where !isStopped.boolValue {
            block(match, [], &isStopped)
        }
    }
}

/// A set of `NSTextCheckingResult.CheckingType`.
public typealias NSTextCheckingTypes = UInt64

extension NSTextCheckingResult {
    /// The address of a link that a detector found; else nil.
    public var url: URL? { (self as? DetectedLink)?.address }
}

private final class DetectedLink: NSTextCheckingResult {
    let address: URL
    private let place: NSRange

    init?(_ text: NSString, _ range: NSRange) {
        var words = text.substring(with: range)
        while let last = words.last, ".,;:!?'’)]}»".contains(last), !Self.closesBracket(words) { words.removeLast() }
        let isMail = !words.contains("/") && words.contains("@") && !words.contains(":")
        let hasScheme =
            words.contains("://") || ["mailto:", "tel:", "sms:"].contains { words.lowercased().hasPrefix($0) }
        guard let url = URL(string: isMail ? "mailto:" + words : hasScheme ? words : "http://" + words) else {
            return nil
        }
        address = url
        place = NSRange(location: range.location, length: words.utf16.count)
        super.init()
    }

    required init?(coder: NSCoder) { nil }

    /// Whether the bracket at the end of a text was opened in it.
    private static func closesBracket(_ text: String) -> Bool {
        guard let last = text.last, let open = [")": "(", "]": "[", "}": "{"][last] else { return false }
        return text.contains(open)
    }

    override var numberOfRanges: Int { 1 }
    override func range(at index: Int) -> NSRange { place }
    override var resultType: NSTextCheckingResult.CheckingType { NSDataDetector.link }
}
