// VisualFormat: the format language of constraints, read as Apple's guide describes it.

import Foundation

/// An invalid format: the place of the error, and the reason.
struct VisualFormatError: Error, CustomStringConvertible {
    let format: String
    let offset: Int
    let reason: String

    var description: String {
        "Unable to parse constraint format: \(reason)\n\(format)\n\(String(repeating: " ", count: offset))^"
    }
}

/// A reader of one format, which makes a constraint of each piece: a size, a distance or an alignment.
@MainActor struct VisualFormat {
    private let format: [Character]
    private let options: NSLayoutConstraint.FormatOptions
    private let metrics: [String: Any]
    private let views: [String: Any]
    private var place = 0
    private var isVertical = false
    private var constraints: [NSLayoutConstraint] = []

    /// A relation to a number or to a view.
    private struct Term {
        var relation = NSLayoutConstraint.Relation.equal
        var constant: CGFloat = 0
        var item: Any?
        var priority = UILayoutPriority.required
    }

    static func constraints(
        _ format: String, _ options: NSLayoutConstraint.FormatOptions, _ metrics: [String: Any]?, _ views: [String: Any]
    ) throws(VisualFormatError) -> [NSLayoutConstraint] {
        var reader = VisualFormat(format: Array(format), options: options, metrics: metrics ?? [:], views: views)
        try reader.read()
        return reader.constraints
    }

    private init(
        format: [Character], options: NSLayoutConstraint.FormatOptions, metrics: [String: Any], views: [String: Any]
    ) {
        (self.format, self.options, self.metrics, self.views) = (format, options, metrics, views)
    }

    private func failure(_ reason: String) -> VisualFormatError {
        VisualFormatError(format: String(format), offset: place, reason: reason)
    }

    private mutating func take(_ character: Character) -> Bool {
        guard place < format.count, format[place] == character else { return false }
        place += 1
        return true
    }

    private mutating func expect(_ character: Character) throws(VisualFormatError) {
        guard take(character) else { throw failure("expected “\(character)” here") }
    }

    private mutating func read() throws(VisualFormatError) {
        if take("V") {
            isVertical = true
            try expect(":")
        } else if take("H") {
            try expect(":")
        }
        var former: UIView?
        var space: [Term] = []
        let begins = take("|")
        if begins, place < format.count { space = try readSpace(toSuperview: true) }
        var isFirst = true
        while place < format.count, format[place] == "[" {
            let view = try readView()
            if let former {
                relate(view, near, former, far, space)
                align(former, view)
            } else if begins {
                try relate(view, near, superview(of: view), near, space)
            }
            (former, isFirst) = (view, false)
            if place == format.count { return }
            space = try readSpace(toSuperview: false)
            if take("|") {
                guard place == format.count else { throw failure("nothing comes after the superview") }
                let terms = space.map { $0.constant == .infinity ? Term(constant: 20) : $0 }
                return try relate(superview(of: view), far, view, far, terms)
            }
        }
        throw failure(isFirst ? "expected a view here" : "expected a view or the superview here")
    }

    private func superview(of view: UIView) throws(VisualFormatError) -> UIView {
        guard let superview = view.superview else {
            throw failure("a format with “|” needs a view that has a superview")
        }
        return superview
    }

    private var near: NSLayoutConstraint.Attribute {
        isVertical ? .top : options.isDisjoint(with: [.directionLeftToRight, .directionRightToLeft]) ? .leading : .left
    }
    private var far: NSLayoutConstraint.Attribute {
        isVertical
            ? .bottom : options.isDisjoint(with: [.directionLeftToRight, .directionRightToLeft]) ? .trailing : .right
    }

    /// Reads a space. The system's size stays infinite until the neighbours are known: 8 points between views, 20 to
    /// the superview.
    private mutating func readSpace(toSuperview: Bool) throws(VisualFormatError) -> [Term] {
        guard take("-") else { return [Term()] }
        guard place < format.count else { throw failure("expected a distance, a view or the superview here") }
        if format[place] == "[" || format[place] == "|" { return [Term(constant: toSuperview ? 20 : .infinity)] }
        let terms = format[place] == "(" ? try readTerms() : [try readTerm()]
        try expect("-")
        return terms
    }

    private mutating func readView() throws(VisualFormatError) -> UIView {
        try expect("[")
        let name = readName()
        guard let view = views[name] as? UIView else { throw failure("\(name) is not a key in the views dictionary") }
        if place < format.count, format[place] == "(" {
            for term in try readTerms() {
                let size = isVertical ? NSLayoutConstraint.Attribute.height : .width
                add(view, size, term, term.item, term.item == nil ? .notAnAttribute : size)
            }
        }
        try expect("]")
        return view
    }

    private mutating func readTerms() throws(VisualFormatError) -> [Term] {
        try expect("(")
        var terms = [try readTerm()]
        while take(",") { terms.append(try readTerm()) }
        try expect(")")
        return terms
    }

    private mutating func readTerm() throws(VisualFormatError) -> Term {
        var term = Term()
        let begin = place
        if take("=") || take("<") || take(">") {
            try expect("=")
            term.relation =
                format[begin] == "=" ? .equal : format[begin] == "<" ? .lessThanOrEqual : .greaterThanOrEqual
        }
        let name = readName(and: "-+.")
        if let number = Double(name) ?? Self.number(metrics[name]) {
            term.constant = number
        } else if let view = views[name] {
            term.item = view
        } else {
            throw failure("\(name.isEmpty ? "nothing" : name) is no number, metric or view")
        }
        guard take("@") else { return term }
        let priority = readName(and: ".")
        guard let value = Double(priority) ?? Self.number(metrics[priority]) else {
            throw failure("\(priority) is no priority")
        }
        term.priority = UILayoutPriority(Float(value))
        return term
    }

    private static func number(_ value: Any?) -> Double? {
        switch value {
        case let value as Double: value
        case let value as CGFloat: Double(value)
        case let value as Int: Double(value)
        case let value as Float: Double(value)
        case let value as NSNumber: value.doubleValue
        case let value as UILayoutPriority: Double(value.rawValue)
        default: nil
        }
    }

    /// Reads a name, or a number with its sign and point.
    private mutating func readName(and others: String = "") -> String {
        let begin = place
        while place < format.count {
            let character = format[place]
            let isSign = "+-".contains(character)
            guard
                character.isLetter || character.isNumber || character == "_"
                    || (others.contains(character) && (!isSign || place == begin))
            else { break }
            place += 1
        }
        return String(format[begin..<place])
    }

    private mutating func relate(
        _ first: UIView, _ attribute: NSLayoutConstraint.Attribute, _ second: UIView,
        _ other: NSLayoutConstraint.Attribute,
        _ terms: [Term]
    ) {
        for var term in terms {
            if term.constant == .infinity { term.constant = 8 }
            add(first, attribute, term, second, other)
        }
    }

    private mutating func add(
        _ first: UIView, _ attribute: NSLayoutConstraint.Attribute, _ term: Term, _ second: Any?,
        _ other: NSLayoutConstraint.Attribute
    ) {
        let constraint = NSLayoutConstraint(
            item: first, attribute: attribute, relatedBy: term.relation, toItem: second, attribute: other,
            multiplier: 1,
            constant: term.constant)
        constraint.priority = term.priority
        constraints.append(constraint)
    }

    private static let alignments: [(NSLayoutConstraint.FormatOptions, NSLayoutConstraint.Attribute)] = [
        (.alignAllLeft, .left), (.alignAllRight, .right), (.alignAllTop, .top), (.alignAllBottom, .bottom),
        (.alignAllLeading, .leading), (.alignAllTrailing, .trailing), (.alignAllCenterX, .centerX),
        (.alignAllCenterY, .centerY), (.alignAllLastBaseline, .lastBaseline), (.alignAllFirstBaseline, .firstBaseline),
    ]

    private mutating func align(_ former: UIView, _ view: UIView) {
        for (option, attribute) in Self.alignments where options.contains(option) {
            add(former, attribute, Term(), view, attribute)
        }
    }
}

extension NSLayoutConstraint {
    /// Returns one constraint for each size, distance and alignment of a format.
    ///
    /// An invalid format ends the process, as on Apple's systems, with the place in the format.
    public class func constraints(
        withVisualFormat format: String, options: FormatOptions = [], metrics: [String: Any]? = nil,
        views: [String: Any]
    ) -> [NSLayoutConstraint] {
        do {
            return try VisualFormat.constraints(format, options, metrics, views)
        } catch {
            fatalError("\(error)")
        }
    }
}
