// ObjectiveCName: the selector that Swift gives a method, as the compiler's AbstractFunctionDecl::getObjCSelector does.

/// Names of Swift's declarations as Objective-C has them.
enum ObjectiveCName {
    /// `show`, `["item"]` → `showWithItem:`. An empty label is `_`.
    static func method(_ base: String, labels: [String]) -> String {
        guard let first = labels.first else { return base }
        var name = base
        if !first.isEmpty {
            if !prepositions.contains(firstWord(first)), !prepositions.contains(lastWord(base)) { name += "With" }
            name += capitalized(first)
        }
        return name + ":" + labels.dropFirst().map { $0 + ":" }.joined()
    }

    /// `label` → `setLabel:`.
    static func setter(_ property: String) -> String { "set" + capitalized(property) + ":" }

    /// Of the compiler's list (PartsOfSpeech.def); a test compares it with the compiler.
    static let prepositions: Set<String> = [
        "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for", "from",
        "given", "in",
        "including", "inside", "into", "matching", "of", "on", "passing", "preceding", "since", "to", "until", "using",
        "via",
        "when", "with", "within",
    ]

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// `toPoint` → `to`.
    private static func firstWord(_ text: String) -> String {
        let rest = text.dropFirst().prefix { !$0.isUppercase && $0 != "_" }
        return (text.prefix(1) + rest).lowercased()
    }

    /// `moveTo` → `to`.
    private static func lastWord(_ text: String) -> String {
        guard let start = text.lastIndex(where: { $0.isUppercase || $0 == "_" }) else { return text }
        return text[start...].drop { $0 == "_" }.lowercased()
    }
}
