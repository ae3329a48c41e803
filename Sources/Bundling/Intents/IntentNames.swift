// IntentNames: the names that a definition gives to Swift's declarations.

enum IntentNames {
    /// The maximum number of bytes of a name.
    static let limit = 128

    /// The words that need marks around them where a declaration has them as its name.
    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
        "internal", "let", "operator", "precedencegroup", "private", "protocol", "public", "rethrows", "static",
        "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do",
        "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while",
        "Any", "as", "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type",
        "Protocol",
    ]

    /// The words that no declaration has as its name, not even with marks.
    private static let impossible: Set<String> = ["$", "init", "self", "Self", "Type", "Protocol", "Any"]

    /// Whether a text is a name of a declaration, if need be with marks.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= limit, let first = text.unicodeScalars.first, !impossible.contains(text) else {
            return false
        }
        // The names of the module Intents and of generated code begin with "_", so no name of a definition does.
        return first.properties.isXIDStart
            && text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    /// The types that generated code itself uses, except those that begin with `IN`.
    private static let used: Set<String> = [
        "String", "Int", "Void", "Error", "Sendable", "NSNumber", "NSString", "NSURL", "URL", "DateComponents",
        "NSDateComponents", "NSObjectProtocol", "NSUserActivity",
    ]

    /// Whether a text is a name of a class, a protocol or an enumeration.
    static func isTypeName(_ text: String) -> Bool {
        isValid(text) && !keywords.contains(text) && !used.contains(text) && !systemNames.contains(text)
            && !(text.hasPrefix("IN") && text.hasSuffix("ResolutionResult"))
    }

    /// The classes of the module Intents that generated code uses.
    private static let systemNames: Set<String> = [
        "INIntent", "INIntentResponse", "INObject", "INObjectCollection", "INObjectResolutionResult",
        "INEnumResolutionResult", "INFile", "INPerson", "INSpeakableString", "INCurrencyAmount",
        "INDateComponentsRange",
    ]

    /// Returns a name as a source has it: with marks if it is a keyword.
    static func written(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Returns the name with its first letter as a capital.
    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The members of every intent, response, object and class: no property of a definition has such a name.
    static let members: Set<String> = ["description", "debugDescription", "hash", "superclass"]
    static let intentMembers: Set<String> = [
        "identifier", "intentDescription", "suggestedInvocationPhrase", "shortcutAvailability", "donationMetadata",
    ]
    static let responseMembers: Set<String> = ["code", "userActivity"]
    static let objectMembers: Set<String> = [
        "identifier", "displayString", "pronunciationHint", "alternativeSpeakableMatches", "subtitleString",
        "displayImage", "spokenPhrase", "vocabularyIdentifier",
    ]
}
