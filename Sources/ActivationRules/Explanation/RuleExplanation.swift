// RuleExplanation: the reason why a rule matches or not, clause by clause, and the one change that would reverse it.

/// The explanation of a result, in the order of the rule. Sizes are bounded; texts of items are type identifiers only.
public struct RuleExplanation: Sendable, Hashable {
    public struct Clause: Sendable, Hashable {
        /// The condition, in one line.
        public let clause: String
        public let result: Bool
        /// The values that were found.
        public let detail: String
        /// The nesting level. The conditions inside this one follow it, one level deeper.
        public let level: Int
    }

    public let matches: Bool
    public let form: ActivationRule.Form
    public internal(set) var clauses: [Clause] = []
    /// The change of one attachment or one count that would make it match.
    ///
    /// It is nil if the rule matches, or if no single change is enough.
    public internal(set) var nearMiss: String?

    /// The maximum number of clauses; further ones are omitted.
    static let greatestCount = 300

    mutating func add(_ clause: String, _ result: Bool, _ detail: String, level: Int = 0) {
        guard clauses.count < Self.greatestCount else { return }
        clauses.append(Clause(clause: clause, result: result, detail: detail, level: level))
    }

    /// The explanation for people: a line for each clause, with `✓` or `✗` before it.
    public var text: String {
        var text = matches ? "matches\n" : "does not match\n"
        for clause in clauses {
            text += String(repeating: "  ", count: clause.level + 1) + (clause.result ? "✓ " : "✗ ") + clause.clause
            text += clause.detail.isEmpty ? "\n" : "  – \(clause.detail)\n"
        }
        if clauses.count >= Self.greatestCount { text += "  … and more\n" }
        if let nearMiss { text += "It would match \(nearMiss)\n" }
        return text
    }
}

extension ActivationRule {
    /// Explains why the extension is offered for these items, or not. It is slower than `matches`, and throws the same
    /// errors.
    public func explain(_ subject: RuleSubject, work: Int = PredicateBounds.work) throws(RuleError) -> RuleExplanation {
        guard case .predicate(let predicate) = body else { return try explanation(subject, work: work) }
        return try DeepStack.run(predicate.written) {
            Result { () throws(RuleError) in try explanation(subject, work: work) }
        }.get()
    }

    private func explanation(_ subject: RuleSubject, work: Int) throws(RuleError) -> RuleExplanation {
        let matches = try matches(subject, work: work)
        var explanation = RuleExplanation(matches: matches, form: form)
        switch body {
        case .dictionary(let read): read.rule.explain(subject, in: &explanation)
        case .predicate(let predicate): try predicate.explain(subject, work: work, in: &explanation)
        }
        if !matches { explanation.nearMiss = NearMiss.of(self, subject, work: work) }
        return explanation
    }
}

/// The attachments with numbers for people, and with their types.
struct AttachmentNames {
    /// The types of each attachment, through all items.
    let types: [[String]]
    /// The item of each attachment, from 0.
    let items: [Int]

    init(_ attachments: [[[String]]]) {
        types = attachments.flatMap { $0 }
        items = attachments.enumerated().flatMap { item, attachments in attachments.map { _ in item } }
    }

    /// Returns a name such as `attachment 2 (public.plain-text)`.
    func name(_ index: Int) -> String { "attachment \(index + 1) (\(Self.list(types[index])))" }

    static func list(_ types: [String]) -> String {
        guard !types.isEmpty else { return "no types" }
        let shown = types.prefix(4).map { shortened($0) }.joined(separator: ", ")
        return types.count > 4 ? shown + ", …" : shown
    }
}
