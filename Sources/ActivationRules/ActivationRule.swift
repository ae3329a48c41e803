// ActivationRule: the value of `NSExtensionActivationRule`, read once, which decides the items an extension is offered
// for.

public import PropertyListCoding

/// A rule in one of its two forms (spec 3.2, 3.3). It is immutable, and any thread may evaluate it.
public struct ActivationRule: Sendable {
    public enum Form: String, Sendable, Hashable { case dictionary, predicate }

    enum Body: Sendable {
        case dictionary(ReadDictionary)
        case predicate(ActivationPredicate)
    }

    /// A dictionary rule as it was read, with its warnings.
    final class ReadDictionary: Sendable {
        let rule: DictionaryRule
        let warnings: [RuleWarning]

        init(_ reader: DictionaryRuleReader) {
            rule = reader.rule
            warnings = reader.warnings
        }
    }

    /// The storage behind one reference, so that evaluating a thousand rules spends no time on reference counts.
    private final class Storage: Sendable {
        // Exactly one of the two is set.
        private let predicate: ActivationPredicate?
        private let dictionary: ReadDictionary?
        /// The predicate's question, stored here so that its evaluation reads no other memory.
        private let question: AttachmentQuestion?
        let body: Body

        init(_ body: Body) {
            self.body = body
            if case .predicate(let own) = body { predicate = own } else { predicate = nil }
            if case .dictionary(let own) = body { dictionary = own } else { dictionary = nil }
            question = predicate?.question
        }

        func matches(_ subject: RuleSubject, work: Int) throws(RuleError) -> Bool {
            if let question, subject.table.isWhole { return question.holds(of: subject.table) }
            if let predicate { return try predicate.matches(subject, work: work) }
            return dictionary?.rule.matches(subject.table) ?? false
        }
    }

    private let storage: Storage

    var body: Body { storage.body }

    /// Reads a rule in an `Info.plist`'s form: a dictionary of `NSExtensionActivation…` keys, or the text of a
    /// predicate.
    ///
    /// Counts of the dictionary form are read leniently; see `warnings`.
    ///
    /// - Parameter fileMeaning: the meaning of the count of files.
    /// - Throws: `RuleError`, with line and column for a predicate that does not parse; also for a value of another
    ///   kind.
    public init(_ value: PropertyList, fileMeaning: FileMeaning = .neitherImageNorMovie) throws(RuleError) {
        switch value {
        case .string(let text):
            storage = Storage(.predicate(try ActivationPredicate(text)))
        case .dictionary(let entries):
            storage = Storage(.dictionary(ReadDictionary(DictionaryRuleReader(entries, fileMeaning: fileMeaning))))
        default:
            throw RuleError(
                "an activation rule must be a dictionary or a text",
                hint: "Write a dictionary of NSExtensionActivation… keys, or a predicate as <string>")
        }
    }

    /// Reads the text of a predicate.
    public init(predicate text: String) throws(RuleError) {
        storage = Storage(.predicate(try ActivationPredicate(text)))
    }

    public var form: Form {
        switch body {
        case .dictionary: .dictionary
        case .predicate: .predicate
        }
    }

    /// The predicate in one line, as it was understood, which reads as the same rule; nil for a dictionary.
    public var predicateText: String? {
        guard case .predicate(let predicate) = body else { return nil }
        return DeepStack.run(predicate.written) { PredicatePrinter.print(predicate.written) }
    }

    /// Whether the extension requests a web page, so that a host adds the property list of its script (spec 3.2).
    public var asksForWebPage: Bool {
        switch body {
        case .dictionary(let read): read.rule[.webPage] > 0
        case .predicate(let predicate): predicate.asksForWebPage
        }
    }

    /// Whether the extension is offered for these items.
    ///
    /// The call takes nanoseconds to microseconds for shipped rules, and allocates nothing for their operators. A
    /// hostile predicate stops after `work` steps with a `RuleError` that says so; it then counts as not matching.
    public func matches(_ subject: RuleSubject, work: Int = PredicateBounds.work) throws(RuleError) -> Bool {
        try storage.matches(subject, work: work)
    }

    /// Returns the warnings for the rule's author, errors first.
    public func warnings(for host: RuleVocabulary = .extensionItems) -> [RuleWarning] {
        let warnings =
            switch body {
            case .dictionary(let read): read.warnings
            case .predicate(let predicate): DeepStack.run(predicate.written) { PredicateWarnings.of(predicate, host) }
            }
        return warnings.filter { $0.severity == .error } + warnings.filter { $0.severity == .warning }
    }
}

/// The object tree that a predicate is written for. Only warnings depend on it.
public enum RuleVocabulary: Sendable, Hashable {
    /// `{extensionItems: [{attachments: [{registeredTypeIdentifiers: […]}]}]}`
    case extensionItems
    /// `{fileproviderItems: […]}`: the rules of a file provider's actions.
    case fileproviderItems
}
