// PredicateWarnings: the warnings about conditions that are hardly meant (the traps of spec 3.3).

internal import UniformTypeIdentifiers

struct PredicateWarnings {
    /// The kind of a value, as far as the known object tree tells.
    private enum Kind: Equatable {
        case top, items, item, attachments, attachment, types, type, unknown

        var element: Kind {
            switch self {
            case .items: .item
            case .attachments: .attachment
            case .types: .type
            default: .unknown
            }
        }

        var isCollection: Bool { self == .items || self == .attachments || self == .types }

        /// The only key of this kind, and the kind of its value.
        var key: (name: String, kind: Kind)? {
            switch self {
            case .top: ("extensionItems", .items)
            case .item: ("attachments", .attachments)
            case .attachment: ("registeredTypeIdentifiers", .types)
            default: nil
            }
        }
    }

    private let predicate: ActivationPredicate
    private let tree: PredicateTree
    private let vocabulary: RuleVocabulary
    private var kinds: [Kind]
    private var warnings: [RuleWarning] = []
    /// The first place of each type that is named, by the type in lower case.
    private var types: [String: Int32] = [:]

    static func of(_ predicate: ActivationPredicate, _ vocabulary: RuleVocabulary) -> [RuleWarning] {
        var walk = PredicateWarnings(predicate, vocabulary)
        walk.begin()
        return walk.warnings
    }

    private init(_ predicate: ActivationPredicate, _ vocabulary: RuleVocabulary) {
        self.predicate = predicate
        self.vocabulary = vocabulary
        tree = predicate.written
        kinds = Array(repeating: .unknown, count: tree.variables.count)
    }

    private mutating func warn(
        _ code: RuleWarning.Code, _ message: String, remedy: String, severity: RuleWarning.Severity = .warning,
        at place: Int32
    ) {
        guard warnings.count < 100 else { return }
        warnings.append(RuleWarning(code, message, remedy: remedy, severity: severity, at: predicate.position(place)))
    }

    private mutating func begin() {
        if case .constant(let value) = tree.clauses[Int(tree.root)] {
            if value {
                warn(
                    .truePredicate, "TRUEPREDICATE offers the extension for all items; a store refuses it",
                    remedy: "Name the types that it can accept", at: 0)
            } else {
                warn(
                    .neverMatches, "FALSEPREDICATE never offers the extension",
                    remedy: "Name the types that it can accept",
                    at: 0)
            }
        } else if PredicateTruth(tree: tree).answer(tree.root) == .never {
            warn(
                .neverMatches, "the rule never matches, so the daemon never offers the extension",
                remedy: "Check its counts: two exclude each other, or one is impossible",
                at: tree.clausePlaces[Int(tree.root)])
        }
        clause(tree.root, beside: [])
        if let place = types["public.url"], types["public.file-url"] == nil {
            warn(
                .urlMatchesFiles, "“public.url” also accepts every shared file, because public.file-url conforms to it",
                remedy: "Add AND NOT (ANY ….registeredTypeIdentifiers UTI-CONFORMS-TO \"public.file-url\")", at: place)
        }
    }

    /// Checks a clause. `siblings` are the conditions that hold together with it.
    private mutating func clause(_ number: Int32, beside siblings: ArraySlice<Int32>) {
        switch tree.clauses[Int(number)] {
        case .constant, .types, .every, .some: break
        case .not(let inner): clause(inner, beside: [])
        case .or(let first, let count): for child in tree.numbers(first, count) { clause(child, beside: []) }
        case .and(let first, let count):
            let children = tree.numbers(first, count)
            for child in children { clause(child, beside: children) }
        case .comparison(let comparison): self.comparison(tree.comparisons[Int(comparison)], number, beside: siblings)
        }
    }

    private mutating func comparison(
        _ comparison: PredicateTree.Comparison, _ number: Int32, beside siblings: ArraySlice<Int32>
    ) {
        let left = operand(comparison.left)
        _ = operand(comparison.right)
        switch comparison.comparator {
        case .conformsTo, .typeEquals, .beginsWith, .endsWith, .like, .matches:
            if comparison.modifier == .none, left.isCollection || isMadeCollection(comparison.left) {
                warn(
                    .missingModifier,
                    "the left side of \(comparison.comparator.written) is a collection: this is always false",
                    remedy: "Write ANY (or ALL, NONE) before it", severity: .error, at: tree.clausePlaces[Int(number)])
            }
        default: break
        }
        if comparison.comparator == .conformsTo || comparison.comparator == .typeEquals { type(comparison.right) }
        guard comparison.comparator == .equal else { return }
        if let owner = wholeCount(comparison), !isBounded(owner, in: siblings) {
            warn(
                .emptyItemMatches, "an item without attachments matches, because 0 == 0",
                remedy: "Add AND \(owner.written).@count > 0", at: tree.clausePlaces[Int(number)])
        }
        if case .count(let counted) = tree.operands[Int(comparison.left)],
            case .subquery(let place) = tree.operands[Int(counted)],
            case .integer = tree.operands[Int(comparison.right)],
            kind(tree.subqueries[Int(place)].collection) == .items, countsAll(tree.subqueries[Int(place)].clause)
        {
            warn(
                .countsItemsNotAttachments,
                "this counts items, not attachments: one item with any number of attachments matches",
                remedy:
                    "Also limit the attachments: AND $\(tree.variables[Int(tree.subqueries[Int(place)].slot)]).attachments.@count == 1",
                at: tree.clausePlaces[Int(number)])
        }
    }

    // MARK: Types

    private mutating func type(_ operand: Int32) {
        guard case .text(let number) = tree.operands[Int(operand)] else { return }
        let name = tree.texts.text(number)
        let key = name.lowercased()
        guard types[key] == nil else { return }
        let place = tree.operandPlaces[Int(operand)]
        types[key] = place
        guard key.hasPrefix("public."), UTType(key) == nil else { return }
        let near = CommonTypes.names.first { isOneStepApart($0, key) }
        warn(
            .unknownType, "there is no public type “\(shortened(name))”",
            remedy: near.map { "Is \($0) meant?" }
                ?? "Check its name; a type of your own does not begin with “public.”",
            at: place)
    }

    // MARK: Kinds

    /// Returns the kind of an operand, and warns of impossible parts.
    private mutating func operand(_ number: Int32) -> Kind {
        switch tree.operands[Int(number)] {
        case .nothing, .boolean, .integer, .text: break
        case .list(let first, let count): for element in tree.numbers(first, count) { _ = operand(element) }
        case .count(let inner): _ = operand(inner)
        case .path: return path(number)
        case .subquery(let place):
            let subquery = tree.subqueries[Int(place)]
            let collection = operand(subquery.collection)
            kinds[Int(subquery.slot)] = collection.element
            clause(subquery.clause, beside: [])
            return collection
        }
        return .unknown
    }

    private mutating func path(_ number: Int32) -> Kind {
        guard case .path(let slot, let first, let count) = tree.operands[Int(number)] else { return .unknown }
        let place = tree.operandPlaces[Int(number)]
        let keys = tree.keys(first, count)
        guard vocabulary == .extensionItems else {
            if slot < 0, let key = keys.first, key != "fileproviderItems" {
                warn(
                    .unknownKeyPath, "“\(shortened(key))” is always nil, so the action never appears",
                    remedy: "The only key at the top is fileproviderItems, with a small p", severity: .error, at: place)
            }
            return .unknown
        }
        var kind = slot < 0 ? Kind.top : kinds[Int(slot)]
        for key in keys {
            if kind == .unknown { break }
            guard let known = kind.key, known.name == key else {
                warn(
                    .unknownKeyPath, "“\(shortened(key))” is always nil here",
                    remedy: kind.key.map { "The only key here is \($0.name)" }
                        ?? (kind.isCollection
                            ? "Use SUBQUERY for the elements of a collection" : "A type identifier has no keys"),
                    severity: .error, at: place)
                return .unknown
            }
            kind = known.kind
        }
        return kind
    }

    /// Returns the kind of an operand that was checked before.
    private func kind(_ number: Int32) -> Kind {
        switch tree.operands[Int(number)] {
        case .path(let slot, let first, let count):
            tree.keys(first, count).reduce(slot < 0 ? .top : kinds[Int(slot)]) { kind, key in
                kind.key.flatMap { $0.name == key ? $0.kind : nil } ?? .unknown
            }
        case .subquery(let place): kind(tree.subqueries[Int(place)].collection)
        default: .unknown
        }
    }

    private func isMadeCollection(_ number: Int32) -> Bool {
        switch tree.operands[Int(number)] {
        case .list, .subquery: true
        default: false
        }
    }

    // MARK: Counts

    /// A collection of attachments, with its written form.
    private struct Attachments: Equatable {
        let slot: Int32
        let keys: [String]
        let written: String
    }

    private func attachments(_ number: Int32) -> Attachments? {
        guard case .path(let slot, let first, let count) = tree.operands[Int(number)], kind(number) == .attachments
        else {
            return nil
        }
        return Attachments(
            slot: slot, keys: tree.keys(first, count), written: PredicatePrinter.print(operand: number, of: tree))
    }

    /// Returns the x of `SUBQUERY(x, …).@count == x.@count`, either way round.
    private func wholeCount(_ comparison: PredicateTree.Comparison) -> Attachments? {
        for (part, whole) in [(comparison.left, comparison.right), (comparison.right, comparison.left)] {
            guard case .count(let part) = tree.operands[Int(part)], case .count(let whole) = tree.operands[Int(whole)],
                case .subquery(let number) = tree.operands[Int(part)], let owner = attachments(whole),
                attachments(tree.subqueries[Int(number)].collection) == owner
            else { continue }
            return owner
        }
        return nil
    }

    /// Whether a sibling condition compares the same count with a number.
    private func isBounded(_ owner: Attachments, in siblings: ArraySlice<Int32>) -> Bool {
        siblings.contains { sibling in
            guard case .comparison(let number) = tree.clauses[Int(sibling)] else { return false }
            let comparison = tree.comparisons[Int(number)]
            return [(comparison.left, comparison.right), (comparison.right, comparison.left)].contains { count, bound in
                guard case .count(let counted) = tree.operands[Int(count)], case .integer = tree.operands[Int(bound)]
                else {
                    return false
                }
                return attachments(counted) == owner
            }
        }
    }

    /// Whether a clause tests all attachments of an item without a bound for their number.
    private func countsAll(_ number: Int32) -> Bool {
        switch tree.clauses[Int(number)] {
        case .comparison(let comparison):
            tree.comparisons[Int(comparison)].comparator == .equal
                && wholeCount(tree.comparisons[Int(comparison)]) != nil
        case .and(let first, let count):
            tree.numbers(first, count).contains { child in
                guard case .comparison(let comparison) = tree.clauses[Int(child)],
                    let owner = wholeCount(tree.comparisons[Int(comparison)])
                else { return false }
                return !isBounded(owner, in: tree.numbers(first, count))
            }
        default: false
        }
    }
}
