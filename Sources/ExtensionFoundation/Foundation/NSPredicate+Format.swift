// NSPredicate+Format: conditions that are written as texts, as Apple's Foundation reads them.

public import Foundation

extension NSPredicate {
    /// Makes a condition of a format, such as `name CONTAINS[cd] %@ AND age >= %d`.
    ///
    /// Comparisons, `BETWEEN`, `IN`, `LIKE`, `MATCHES`, `ANY`, `ALL`, `NONE` and their compounds are read. Functions,
    /// arithmetic, variables and subqueries are not: like a wrong format they end the process with a line that names it.
    /// So do comparisons of values that have none, such as `LIKE` of a number. The key paths of a condition lead through
    /// dictionaries and the properties that the source step knows.
    public convenience init(format: String, _ arguments: Any...) {
        self.init(format: format, argumentArray: arguments)
    }

    /// Makes a condition of a format, with its arguments in an array.
    public convenience init(format: String, argumentArray arguments: [Any]?) {
        var reader = PredicateReader(format, arguments ?? [])
        let condition = reader.read()
        self.init { object, _ in condition(object) }
    }
}

/// The reader of a format: a recursive descent over its words.
private struct PredicateReader {
    typealias Condition = (Any?) -> Bool
    typealias Value = (Any?) -> Any?

    private enum Word { case name(String), text(String), symbol(String), end }

    private let format: String
    private var words: [Word] = []
    private var arguments: ArraySlice<Any>
    private var place = 0
    /// How many compounds and lists are open.
    private var depth = 0

    init(_ format: String, _ arguments: [Any]) {
        (self.format, self.arguments) = (format, arguments[...])
        let pattern =
            #"\s*(?:("(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+')|([\p{L}_@#$][\w.@#]*|\d[\w.]*)"#
            + #"|(%(?:l{0,2}[diuxX]|[@Kfgs]))|(==|!=|<>|<=|=<|>=|=>|&&|\|\||\[[cdnl]+\]|\S))"#
        let text = format as NSString
        // The pattern is constant, and matches any character.
        let matches = (try? NSRegularExpression(pattern: pattern))?.matches(
            in: format, range: NSRange(location: 0, length: text.length))
        for match in matches ?? [] {
            func group(_ index: Int) -> String? {
                let range = match.range(at: index)
                return range.location == NSNotFound ? nil : text.substring(with: range)
            }
            if let quoted = group(1) {
                words.append(.text(String(quoted.dropFirst().dropLast()).replacing(#/\\(.)/#) { $0.output.1 }))
            } else if let name = group(2) {
                words.append(.name(name))
            } else if let symbol = group(3) ?? group(4) {
                words.append(.symbol(symbol))
            }
        }
    }

    private var word: Word { place < words.count ? words[place] : .end }

    private func fail() -> Never {
        fatalError("NSPredicate: unable to parse the format string “\(format.prefix(200))”")
    }

    /// Opens a compound or a list. Each takes a part of the thread's stack.
    private mutating func open() {
        depth += 1
        if depth > 500 { fail() }
    }

    /// Passes one of these words, in any case, and returns it in capitals.
    private mutating func pass(_ expected: String...) -> String? {
        let text: String
        switch word {
        case .name(let name): text = name.uppercased()
        case .symbol(let symbol): text = symbol
        case .text, .end: return nil
        }
        guard expected.contains(text) else { return nil }
        place += 1
        return text
    }

    mutating func read() -> Condition {
        let condition = either()
        guard case .end = word else { fail() }
        return condition
    }

    // MARK: Compounds

    private mutating func either() -> Condition {
        var all = [both()]
        while pass("OR", "||") != nil { all.append(both()) }
        return { [all] object in all.contains { $0(object) } }
    }

    private mutating func both() -> Condition {
        var all = [negation()]
        while pass("AND", "&&") != nil { all.append(negation()) }
        return { [all] object in all.allSatisfy { $0(object) } }
    }

    private mutating func negation() -> Condition {
        open()
        defer { depth -= 1 }
        if pass("NOT", "!") != nil {
            let condition = negation()
            return { !condition($0) }
        }
        if pass("TRUEPREDICATE") != nil { return { _ in true } }
        if pass("FALSEPREDICATE") != nil { return { _ in false } }
        guard pass("(") != nil else { return comparison() }
        let condition = either()
        guard pass(")") != nil else { fail() }
        return condition
    }

    // MARK: Comparisons

    private mutating func comparison() -> Condition {
        let modifier = pass("ANY", "SOME", "ALL", "NONE")
        let left = value()
        let names = ["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "IN", "BETWEEN"]
        var sign = pass("==", "=", "!=", "<>", "<=", "=<", ">=", "=>", "<", ">")
        if sign == nil, case .name(let name) = word, names.contains(name.uppercased()) {
            sign = name.uppercased()
            place += 1
        }
        guard let sign else { fail() }
        var options: String.CompareOptions = []
        if case .symbol(let marks) = word, marks.hasPrefix("[") {
            if marks.contains("c") { options.insert(.caseInsensitive) }
            if marks.contains("d") { options.insert(.diacriticInsensitive) }
            place += 1
        }
        let right = value()
        let compare: (Any?, Any?) -> Bool = { PredicateComparison.holds($0, sign, $1, options) }
        guard let modifier else { return { compare(left($0), right($0)) } }
        return { object in
            let other = right(object)
            let elements = PredicateComparison.elements(left(object), for: modifier)
            switch modifier {
            case "ALL": return elements.allSatisfy { compare($0, other) }
            case "NONE": return !elements.contains { compare($0, other) }
            default: return elements.contains { compare($0, other) }
            }
        }
    }

    private mutating func value() -> Value {
        open()
        defer { (place, depth) = (place + 1, depth - 1) }
        switch word {
        case .text(let text): return { _ in text }
        case .symbol("{"):
            var values: [Value] = []
            place += 1
            while pass("}") == nil {
                values.append(value())
                if pass(",") == nil, case .symbol("}") = word {} else if case .end = word { fail() }
            }
            place -= 1
            return { [values] object in values.map { $0(object) as Any } }
        case .symbol(let sign) where sign.hasPrefix("%"):
            guard let argument = arguments.popFirst() else { fail() }
            return sign == "%K" ? path("\(argument)") : { _ in PredicateComparison.plain(argument) }
        case .symbol("-"):
            place += 1
            guard case .name(let name) = word, name.first?.isNumber == true, let number = Double(name) else { fail() }
            return { _ in -number }
        case .name(let name):
            if name.first?.isNumber == true {
                if let number = Int(name) { return { _ in number } }
                guard let number = Double(name) else { fail() }
                return { _ in number }
            }
            switch name.uppercased() {
            case "NIL", "NULL": return { _ in nil }
            case "TRUE", "YES": return { _ in true }
            case "FALSE", "NO": return { _ in false }
            default: return path(name)
            }
        case .symbol, .end: fail()
        }
    }

    private func path(_ text: String) -> Value {
        // Apple's escape of a key that is a word of formats, too.
        var keys = text.split(separator: ".").map { String($0.first == "#" ? $0.dropFirst() : $0) }
        // Variables, and operators of collections.
        guard keys.allSatisfy({ $0 == "@count" || !$0.hasPrefix("@") && !$0.hasPrefix("$") }) else { fail() }
        if keys.first?.uppercased() == "SELF" { keys.removeFirst() }
        return { object in keys.reduce(object) { PredicateComparison.value($0, $1) } }
    }
}

/// The comparison of two values.
private enum PredicateComparison {
    static func elements(_ value: Any?) -> [Any]? {
        switch value {
        case let array as [Any]: array
        case let set as NSSet: set.allObjects
        case let set as NSOrderedSet: set.array
        case let entries as [AnyHashable: Any]: Array(entries.values)
        case let set as Set<AnyHashable>: set.map(\.base)
        default: nil
        }
    }

    /// Returns the elements of a collection, none of nil. Another value ends the process, as an exception does.
    static func elements(_ value: Any?, for sign: String) -> [Any] {
        if let elements = elements(value) { return elements }
        guard value == nil || value is NSNull else { unfit(sign, value) }
        return []
    }

    private static func unfit(_ sign: String, _ value: Any?) -> Never {
        fatalError("NSPredicate: \(sign) cannot use “\(String(describing: value ?? "nil").prefix(200))”")
    }

    /// Returns the value in an optional, which an array of any values may have as an element.
    static func plain(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first.flatMap { plain($0.value) } : value
    }

    /// Returns the value under a key; of the elements of a collection, the values of each.
    static func value(_ object: Any?, _ key: String) -> Any? {
        if let entries = object as? [AnyHashable: Any] { return entries[key] }
        if let elements = elements(object) {
            return key == "@count" ? elements.count : elements.compactMap { value($0, key) }
        }
        if let text = object as? String, key == "length" { return text.utf16.count }
        return (object as? NSObject)?.value(forKey: key)
    }

    static func holds(_ left: Any?, _ sign: String, _ right: Any?, _ options: String.CompareOptions) -> Bool {
        switch sign {
        case "==", "=": return order(left, right, options) == .orderedSame
        case "!=", "<>": return order(left, right, options) != .orderedSame
        case "<": return order(left, right, options) == .orderedAscending
        case ">": return order(left, right, options) == .orderedDescending
        case "<=", "=<": return [.orderedAscending, .orderedSame].contains(order(left, right, options))
        case ">=", "=>": return [.orderedDescending, .orderedSame].contains(order(left, right, options))
        case "IN":
            if right is String { return holds(right, "CONTAINS", left, options) }
            return elements(right, for: sign).contains { holds(left, "==", $0, options) }
        case "BETWEEN":
            let bounds = elements(right, for: sign)
            guard bounds.count == 2 else { unfit(sign, right) }
            return holds(left, ">=", bounds[0], options) && holds(left, "<=", bounds[1], options)
        case "CONTAINS" where !(left is String): return holds(right, "IN", left, options)
        default: break
        }
        guard let text = left as? String, let other = right as? String else {
            for value in [left, right] where !(value == nil || value is NSNull || value is String) {
                unfit(sign, value)
            }
            return false
        }
        switch sign {
        case "CONTAINS": return text.range(of: other, options: options) != nil
        case "BEGINSWITH": return text.range(of: other, options: options.union(.anchored)) != nil
        case "ENDSWITH": return text.range(of: other, options: options.union([.anchored, .backwards])) != nil
        case "LIKE": return isLike(text, other, options)
        default: return matches(text, other, options)
        }
    }

    /// Compares with `*` and `?`: where the rest differs, the last `*` takes one more character.
    private static func isLike(_ text: String, _ pattern: String, _ options: String.CompareOptions) -> Bool {
        let (text, pattern) = (
            Array(text.folding(options: options, locale: nil)), Array(pattern.folding(options: options, locale: nil))
        )
        var (place, next) = (0, 0)
        var star: (place: Int, next: Int)?
        while place < text.count {
            if next < pattern.count, pattern[next] == "*" {
                next += 1
                star = (place, next)
            } else if next < pattern.count, pattern[next] == "?" || pattern[next] == text[place] {
                (place, next) = (place + 1, next + 1)
            } else if let last = star {
                star = (last.place + 1, last.next)
                (place, next) = (last.place + 1, last.next)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == "*" }
    }

    private static func matches(_ text: String, _ pattern: String, _ options: String.CompareOptions) -> Bool {
        let plain = options.intersection(.diacriticInsensitive)
        let flags: NSRegularExpression.Options = options.contains(.caseInsensitive) ? .caseInsensitive : []
        let (folded, form) = (text.folding(options: plain, locale: nil), pattern.folding(options: plain, locale: nil))
        guard let expression = try? NSRegularExpression(pattern: "\\A(?:\(form))\\z", options: flags) else {
            fatalError("NSPredicate: “\(pattern)” is no regular expression")
        }
        return expression.firstMatch(in: folded, range: NSRange(location: 0, length: folded.utf16.count)) != nil
    }

    /// Returns the order of two values; nil if they have none and are not equal.
    private static func order(_ left: Any?, _ right: Any?, _ options: String.CompareOptions) -> ComparisonResult? {
        switch (left, right) {
        case (nil, nil): .orderedSame
        case (is NSNull, nil), (nil, is NSNull): .orderedSame
        case let (left as String, right as String): left.compare(right, options: options)
        case let (left as NSNumber, right as NSNumber): left.compare(right)
        case let (left as Date, right as Date): left.compare(right)
        case let (left as [Any], right as [Any]):
            left.count == right.count && zip(left, right).allSatisfy { order($0, $1, options) == .orderedSame }
                ? .orderedSame : nil
        case let (left as AnyHashable, right as AnyHashable): left == right ? .orderedSame : nil
        default: nil
        }
    }
}
