// PredicateComparison: the meaning of each operator between two values (spec 3.3, fine points).

extension PredicateEvaluator {
    mutating func test(_ comparison: PredicateTree.Comparison, _ left: Value, _ right: Value) -> Bool {
        switch comparison.comparator {
        case .equal: return isSame(left, right, comparison.options)
        case .notEqual: return !isSame(left, right, comparison.options)
        case .less: return order(left, right, comparison.options).map { $0 < 0 } ?? false
        case .lessOrEqual: return order(left, right, comparison.options).map { $0 <= 0 } ?? false
        case .greater: return order(left, right, comparison.options).map { $0 > 0 } ?? false
        case .greaterOrEqual: return order(left, right, comparison.options).map { $0 >= 0 } ?? false
        case .conformsTo, .typeEquals:
            guard case .text(let left, let leftIsOfRule) = left, case .text(let right, let rightIsOfRule) = right else {
                return false
            }
            work -= 1
            let own = texts(isOfRule: leftIsOfRule)
            let other = texts(isOfRule: rightIsOfRule)
            return comparison.comparator == .conformsTo
                ? own.type(left, conformsTo: right, of: other) : own.type(left, isSameAs: right, of: other)
        case .contains: return contains(left, right, comparison.options, textsToo: true)
        case .isIn: return contains(right, left, comparison.options, textsToo: false)
        case .beginsWith, .endsWith, .like, .matches: return fits(comparison, left, right)
        case .between: return isBetween(left, right, comparison.options)
        }
    }

    // MARK: Sameness

    /// Whether both are nil, or are equal values of one kind. A truth value is a number.
    mutating func isSame(_ left: Value, _ right: Value, _ options: FoldingOptions) -> Bool {
        work -= 1
        if isAtEnd { return false }
        switch (left, right) {
        case (.nothing, .nothing): return true
        case (.number(let left), .number(let right)): return left == right
        case (.number, .real), (.real, .number), (.real, .real): return order(left, right, options) == 0
        case (.text(let left, let leftIsOfRule), .text(let right, let rightIsOfRule)):
            let left = bytes(left, isOfRule: leftIsOfRule)
            let right = bytes(right, isOfRule: rightIsOfRule)
            work -= min(left.count, right.count) / 16
            if options.isEmpty { return left.elementsEqual(right) }
            return compare(left, right, options) == 0
        case (.node(let left), .node(let right)): return isSame(node: left, right, options)
        case (.collection, .collection), (.collection, .node), (.node, .collection):
            guard isCollection(left), isCollection(right) else { return false }
            let elements = (elements(of: left), elements(of: right))
            return elements.0.count == elements.1.count && isSame(elements.0, elements.1, options)
        default: return false
        }
    }

    private mutating func isSame(_ left: [Value], _ right: [Value], _ options: FoldingOptions) -> Bool {
        for (left, right) in zip(left, right) where !isSame(left, right, options) { return false }
        return true
    }

    private mutating func isSame(node left: Int32, _ right: Int32, _ options: FoldingOptions) -> Bool {
        switch (subject.nodes[Int(left)], subject.nodes[Int(right)]) {
        case (.date(let left), .date(let right)): return left == right
        case (.data(let left), .data(let right)):
            work -= subject.blobs[Int(left)].count / 16
            return subject.blobs[Int(left)] == subject.blobs[Int(right)]
        case (.array(let first, let count, _), .array(let other, let otherCount, _)):
            guard count == otherCount else { return false }
            for place in 0..<Int(count)
            where !isSame(
                value(ofNode: subject.children[Int(first) + place]),
                value(ofNode: subject.children[Int(other) + place]), options)
            { return false }
            return true
        case (.dictionary(let first, let count), .dictionary(let other, let otherCount)):
            guard count == otherCount else { return false }
            for pair in 0..<Int(count) {
                let key = subject.children[Int(first) + 2 * pair]
                // Equal texts of one subject have the same number.
                guard
                    let place = (0..<Int(otherCount)).first(where: { subject.children[Int(other) + 2 * $0] == key }),
                    isSame(
                        value(ofNode: subject.children[Int(first) + 2 * pair + 1]),
                        value(ofNode: subject.children[Int(other) + 2 * place + 1]), options)
                else { return false }
                work -= place
            }
            return true
        default: return false
        }
    }

    func isCollection(_ value: Value) -> Bool {
        switch value {
        case .node(let node): if case .array = subject.nodes[Int(node)] { true } else { false }
        case .collection: true
        default: false
        }
    }

    private mutating func elements(of value: Value) -> [Value] {
        var elements: [Value] = []
        _ = hasElement(value) { _, element in
            elements.append(element)
            return false
        }
        return elements
    }

    // MARK: Order

    /// Compares numbers, texts (by their scalars) or dates, as below 0, 0 or above; returns nil for any other pair.
    private mutating func order(_ left: Value, _ right: Value, _ options: FoldingOptions) -> Int? {
        switch (left, right) {
        case (.number(let left), .number(let right)): return left < right ? -1 : left > right ? 1 : 0
        case (.number(let left), .real(let right)): return order(left, right)
        case (.real(let left), .number(let right)): return order(right, left).map(-)
        case (.real(let left), .real(let right)): return order(left, right)
        case (.text(let left, let leftIsOfRule), .text(let right, let rightIsOfRule)):
            return compare(bytes(left, isOfRule: leftIsOfRule), bytes(right, isOfRule: rightIsOfRule), options)
        case (.node(let left), .node(let right)):
            guard case .date(let left) = subject.nodes[Int(left)], case .date(let right) = subject.nodes[Int(right)]
            else {
                return nil
            }
            return order(left, right)
        default: return nil
        }
    }

    private func order(_ left: Double, _ right: Double) -> Int? {
        left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
    }

    /// Compares exactly, even where a Double does not represent every integer.
    private func order(_ left: Int64, _ right: Double) -> Int? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = Int64(right.rounded(.towardZero))
        if left != whole { return left < whole ? -1 : 1 }
        let rest = right - right.rounded(.towardZero)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }

    private mutating func compare(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ options: FoldingOptions
    ) -> Int {
        work -= (left.count + right.count) / 16
        // UTF-8 sorts in the order of its scalars.
        if options.isEmpty {
            return left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
        }
        work -= left.count + right.count
        if isAtEnd { return -1 }
        let left = folded(left, options)
        let right = folded(right, options)
        return left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
    }

    private mutating func isBetween(_ value: Value, _ bounds: Value, _ options: FoldingOptions) -> Bool {
        var place = 0
        var isInside = true
        let isMore = hasElement(bounds) { evaluator, bound in
            place += 1
            if place > 2 { return true }
            let order = place == 1 ? evaluator.order(bound, value, options) : evaluator.order(value, bound, options)
            isInside = isInside && order.map { $0 <= 0 } ?? false
            return false
        }
        return isInside && place == 2 && !isMore
    }

    // MARK: Texts and membership

    private mutating func contains(_ whole: Value, _ part: Value, _ options: FoldingOptions, textsToo: Bool) -> Bool {
        if case .nothing = part { return false }
        switch (whole, part) {
        case (.text(let whole, let wholeIsOfRule), .text(let part, let partIsOfRule)):
            guard textsToo else { return false }
            let whole = bytes(whole, isOfRule: wholeIsOfRule)
            let part = bytes(part, isOfRule: partIsOfRule)
            if options.isEmpty { return hasRun(whole, part) }
            guard spendFolding(whole, part) else { return false }
            return hasRun(folded(whole, options), folded(part, options))
        default: return hasElement(whole) { $0.isSame($1, part, options) }
        }
    }

    /// Whether `whole` contains `part` as a run.
    private mutating func hasRun<Text: RandomAccessCollection>(_ whole: Text, _ part: Text) -> Bool
    where Text.Element: Equatable, Text.Index == Int {
        guard let first = part.first else { return true }
        guard part.count <= whole.count else { return false }
        for start in 0...(whole.count - part.count) {
            work -= 1
            if work < 0 { return false }
            guard whole[whole.startIndex + start] == first else { continue }
            var length = 1
            while length < part.count, whole[whole.startIndex + start + length] == part[part.startIndex + length] {
                length += 1
            }
            work -= length
            if length == part.count { return true }
        }
        return false
    }

    private mutating func spendFolding(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool
    {
        work -= left.count + right.count
        return !isAtEnd
    }

    /// Evaluates `BEGINSWITH`, `ENDSWITH`, `LIKE` and `MATCHES`.
    private mutating func fits(_ comparison: PredicateTree.Comparison, _ left: Value, _ right: Value) -> Bool {
        guard case .text(let left, let leftIsOfRule) = left, case .text(let right, let rightIsOfRule) = right else {
            return false
        }
        let text = bytes(left, isOfRule: leftIsOfRule)
        let pattern = bytes(right, isOfRule: rightIsOfRule)
        let options = comparison.options
        if options.isEmpty, comparison.comparator == .beginsWith || comparison.comparator == .endsWith {
            work -= pattern.count / 16
            return comparison.comparator == .beginsWith
                ? text.starts(with: pattern) : text.reversed().starts(with: pattern.reversed())
        }
        guard spendFolding(text, pattern) else { return false }
        let folded = folded(text, options)
        switch comparison.comparator {
        case .beginsWith: return folded.starts(with: ActivationRules.folded(pattern, options))
        case .endsWith: return folded.reversed().starts(with: ActivationRules.folded(pattern, options).reversed())
        case .like: return fitsWildcards(folded, ActivationRules.folded(pattern, options), work: &work)
        default:
            if comparison.expression >= 0 {
                return tree.expressions[Int(comparison.expression)].matches(folded, work: &work)
            }
            do {
                work -= RegularExpression.greatestSize
                return try RegularExpression(String(decoding: pattern, as: UTF8.self), options: options)
                    .matches(folded, work: &work)
            } catch {
                fail(error)
                return false
            }
        }
    }
}
