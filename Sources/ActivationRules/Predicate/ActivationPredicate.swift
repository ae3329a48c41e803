// ActivationPredicate: the predicate form of a rule, compiled.

/// A compiled predicate. It is immutable and one reference, so evaluating a thousand rules counts few references.
final class ActivationPredicate: Sendable {
    let text: String
    /// The tree as written.
    let written: PredicateTree
    /// The tree that is evaluated.
    private let compiled: PredicateTree
    /// The predicate as a question about the attachments; nil if it has another form.
    let question: AttachmentQuestion?

    init(_ text: String) throws(RuleError) {
        self.text = text
        let tree = try PredicateParser.parse(text)
        written = tree
        (compiled, question) = DeepStack.run(tree) {
            let compiled = PredicateFusion.fused(tree)
            return (compiled, AttachmentQuestion(compiled))
        }
    }

    func matches(_ subject: RuleSubject, work: Int) throws(RuleError) -> Bool {
        if let question, subject.table.isWhole { return question.holds(of: subject.table) }
        return try DeepStack.run(written) {
            Result { () throws(RuleError) in try Self.evaluate(compiled, from: compiled.root, subject, work: work) }
        }.get()
    }

    /// Whether a clause of a tree holds.
    static func evaluate(
        _ tree: PredicateTree, from root: Int32, _ subject: RuleSubject, work: Int
    ) throws(RuleError) -> Bool {
        try evaluate(tree, from: root, subject, work: work) { $0.holds(root) }
    }

    /// Runs `body` with an evaluator of a tree.
    @inline(__always)
    static func evaluate<Result>(
        _ tree: PredicateTree, from root: Int32, _ subject: RuleSubject, work: Int,
        _ body: (inout PredicateEvaluator) -> Result
    ) throws(RuleError) -> Result {
        var fault: RuleError?
        let result = withUnsafeMutablePointer(to: &fault) { fault in
            tree.withView { view in
                subject.withView { subject in
                    withUnsafeTemporaryAllocation(of: PredicateEvaluator.Value.self, capacity: max(1, view.slotCount)) {
                        slots in
                        slots.initialize(repeating: .nothing)
                        var evaluator = PredicateEvaluator(
                            tree: view, subject: subject, slots: slots, work: work, fault: fault)
                        let result = body(&evaluator)
                        if evaluator.work < 0, fault.pointee == nil {
                            fault.pointee = RuleError(
                                "the evaluation of the predicate needs more than \(work) steps",
                                hint: "Use fewer attachments, or nest fewer SUBQUERYs")
                        }
                        return result
                    }
                }
            }
        }
        if let fault { throw fault }
        return result
    }

    /// Returns the line and column of an offset in the text.
    func position(_ place: Int32) -> (line: Int, column: Int) {
        PredicateLexer.position(of: Int(place), in: text.unicodeScalars)
    }

    /// Whether the predicate names a type that a web page's property list has.
    var asksForWebPage: Bool {
        written.comparisons.contains { comparison in
            guard comparison.comparator == .conformsTo || comparison.comparator == .typeEquals,
                case .text(let type) = written.operands[Int(comparison.right)]
            else { return false }
            return written.texts.text(type).lowercased() == "com.apple.property-list"
        }
    }
}
