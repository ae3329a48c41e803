// RuleFault: the reason for which a rule list is refused, and its place in the list.

/// A fault of a rule list.
public struct RuleFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of faults. All but `limit` are those of WebKit's compiler (observed).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case invalidJSON, notAnArray, tooManyRules, invalidRule, empty
        case invalidTrigger, invalidURLFilter, invalidFlags, invalidFlag
        case invalidConditions, domainNotLowercaseASCII, multipleConditions
        case invalidAction, invalidActionType, missingSelector, missingNotification
        case invalidRegularExpression
        /// A limit of this project, which WebKit does not have.
        case limit

        /// The sentence of WebKit's error; ours for `limit`.
        public var sentence: String {
            switch self {
            case .invalidJSON: "Failed to parse the JSON String."
            case .notAnArray: "Invalid input, the top level structure is not an array."
            case .tooManyRules: "Too many rules in JSON array."
            case .invalidRule: "Invalid rule."
            case .empty: "Empty extension."
            case .invalidTrigger: "Invalid trigger object."
            case .invalidURLFilter: "Invalid url-filter object."
            case .invalidFlags: "Invalid trigger flags array."
            case .invalidFlag: "Invalid string in the trigger flags array."
            case .invalidConditions:
                "Invalid list of if-domain, unless-domain, if-top-url, or unless-top-url conditions."
            case .domainNotLowercaseASCII:
                "Domains must be lower case ASCII. Use punycode to encode non-ASCII characters."
            case .multipleConditions:
                "A trigger cannot have more than one condition (if-domain, unless-domain, if-top-url, or unless-top-url)"
            case .invalidAction: "Invalid action object."
            case .invalidActionType: "Invalid action type."
            case .missingSelector: "Invalid css-display-none action type. Requires a selector."
            case .missingNotification: "A notify action must have a string notification"
            case .invalidRegularExpression: "Invalid or unsupported regular expression."
            case .limit: "The list exceeds a limit of the host."
            }
        }
    }

    public let kind: Kind
    /// The number of the rule, from 1; nil for a fault of the whole list.
    public let rule: Int?
    /// The path of the faulty value in the rule, such as `trigger.url-filter`.
    public let key: String?
    /// The line of the value, from 1.
    public let line: Int
    /// The column of the value in characters, from 1.
    public let column: Int
    /// The fault itself, in words.
    public let detail: String
    /// The correction, in words.
    public let remedy: String

    public var description: String {
        var place = "line \(line), column \(column)"
        if let rule { place = "rule \(rule)" + (key.map { ", \($0)" } ?? "") + ", " + place }
        return "\(kind.sentence) (\(place): \(detail). \(remedy))"
    }
}

/// A rule list that is refused as a whole, as WebKit refuses it.
public struct RuleListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, at least one. The first is the one that WebKit reports. At most 20 are listed.
    public let faults: [RuleFault]

    static let greatestCount = 20

    /// The fault that WebKit reports.
    public var first: RuleFault { faults[0] }

    public var description: String { first.description }
}

/// A fault without its place in lines and columns.
struct PlacedFault: Error {
    let kind: RuleFault.Kind
    let place: Int
    let key: String?
    let detail: String
    let remedy: String

    init(_ kind: RuleFault.Kind, at place: Int, key: String? = nil, _ detail: String, remedy: String) {
        (self.kind, self.place, self.key, self.detail, self.remedy) = (kind, place, key, detail, remedy)
    }

    /// Counts the lines and columns up to the fault.
    func located(in bytes: [UInt8], rule: Int?) -> RuleFault {
        var (line, column) = (1, 1)
        for byte in bytes[..<min(place, bytes.count)] {
            if byte == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return RuleFault(
            kind: kind, rule: rule, key: key, line: line, column: column, detail: detail, remedy: remedy)
    }
}

/// Returns the first characters of a text, printable and in quotation marks.
func quoted(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(60) {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            shown += "\\u{" + String(scalar.value, radix: 16) + "}"
        default: shown.unicodeScalars.append(scalar)
        }
    }
    return "“\(shown)\(text.unicodeScalars.count > 60 ? "…" : "")”"
}
