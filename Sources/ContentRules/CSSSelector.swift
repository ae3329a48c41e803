// CSSSelector: whether a text is a selector that WebKit takes.

/// A check of selectors. WebKit skips a rule whose selector is invalid (observed).
///
/// The grammar is that of CSS Selectors level 4. The names of pseudo-classes and pseudo-elements are those of WebKit
/// (from memory); an unknown one makes a selector invalid.
struct CSSSelector {
    private static let greatestDepth = 32

    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var depth = 0
    /// The pseudo-element of the last compound selector.
    private var pseudoElement: String?

    private struct Invalid: Error {}

    /// Whether a text is a valid list of selectors.
    static func isValid(_ text: String) -> Bool {
        var parser = CSSSelector(scalars: Array(text.unicodeScalars))
        do {
            try parser.list(isRelative: false)
            return parser.place == parser.scalars.count
        } catch {
            return false
        }
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    private var current: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }
    private func at(_ offset: Int) -> Unicode.Scalar? { place + offset < scalars.count ? scalars[place + offset] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard current == scalar else { return false }
        place += 1
        return true
    }

    private mutating func require(_ scalar: Unicode.Scalar) throws(Invalid) {
        guard take(scalar) else { throw Invalid() }
    }

    /// Passes over white space and comments. Returns whether there was white space.
    @discardableResult
    private mutating func skipSpace() -> Bool {
        var isSpaced = false
        while let scalar = current {
            if scalar == " " || ("\t"..."\r").contains(scalar) {
                place += 1
                isSpaced = true
            } else if scalar == "/", at(1) == "*" {
                place += 2
                while place < scalars.count, !(current == "*" && at(1) == "/") { place += 1 }
                place = min(place + 2, scalars.count)
            } else {
                break
            }
        }
        return isSpaced
    }

    // MARK: - Selectors

    /// Reads selectors up to the end or a closing bracket.
    private mutating func list(isRelative: Bool) throws(Invalid) {
        repeat {
            skipSpace()
            if isRelative, combinator() { skipSpace() }
            try complex()
            skipSpace()
        } while take(",")
    }

    private mutating func combinator() -> Bool {
        guard let scalar = current, scalar == ">" || scalar == "+" || scalar == "~" else { return false }
        place += 1
        return true
    }

    private mutating func complex() throws(Invalid) {
        try compound()
        while true {
            let isSpaced = skipSpace()
            guard let scalar = current, scalar != ",", scalar != ")" else { return }
            // Nothing is inside or beside a pseudo-element.
            guard pseudoElement == nil else { throw Invalid() }
            if combinator() { skipSpace() } else if !isSpaced { throw Invalid() }
            try compound()
        }
    }

    private mutating func compound() throws(Invalid) {
        let start = place
        try type()
        pseudoElement = nil
        while let scalar = current {
            if let pseudoElement, "#.[:".unicodeScalars.contains(scalar) {
                guard scalar == ":", at(1) != ":", pseudoElement.hasPrefix("-webkit-") else { throw Invalid() }
            }
            switch scalar {
            case "#":
                place += 1
                try identifier()
            case ".":
                place += 1
                try identifier()
            case "[": try attribute()
            case ":": try pseudo()
            default:
                guard place > start else { throw Invalid() }
                return
            }
        }
        guard place > start else { throw Invalid() }
    }

    private mutating func type() throws(Invalid) {
        if current == "|", at(1) != "=" {
            place += 1
            if !take("*") { try identifier() }
            return
        }
        guard current == "*" || isIdentifier() else { return }
        if !take("*") { try identifier() }
        // A prefix needs a declaration, which no rule has. Any namespace is *|.
        if current == "|", at(1) != "=" {
            guard place > 0, scalars[place - 1] == "*" else { throw Invalid() }
            place += 1
            if !take("*") { try identifier() }
        }
    }

    private mutating func attribute() throws(Invalid) {
        place += 1
        skipSpace()
        if take("*") { try require("|") } else if current == "|" { place += 1 }
        try identifier()
        skipSpace()
        // An open bracket is closed by the text's end.
        if take("]") || current == nil { return }
        if let scalar = current, "~|^$*".unicodeScalars.contains(scalar) { place += 1 }
        try require("=")
        skipSpace()
        if current == "\"" || current == "'" { try string() } else { try identifier() }
        skipSpace()
        if isIdentifier() {
            guard let flag = current, "iIsS".unicodeScalars.contains(flag) else { throw Invalid() }
            place += 1
            skipSpace()
        }
        guard take("]") || current == nil else { throw Invalid() }
    }

    private mutating func pseudo() throws(Invalid) {
        place += 1
        let isElement = take(":")
        let name = try identifier().lowercased()
        if isElement || Pseudo.isOldElement(name) {
            // Only WebKit's own elements have classes, such as the parts of scroll bars.
            guard current == "(" || Pseudo.isElement(name) else { throw Invalid() }
            pseudoElement = name
        }
        guard take("(") else {
            guard pseudoElement == name || Pseudo.isClass(name) else { throw Invalid() }
            return
        }
        guard depth < Self.greatestDepth, let argument = Pseudo.argument(of: name, isElement: isElement) else {
            throw Invalid()
        }
        depth += 1
        let outer = pseudoElement
        defer { (depth, pseudoElement) = (depth - 1, outer) }
        switch argument {
        case .selectors: try list(isRelative: false)
        case .relative: try list(isRelative: true)
        case .forgiving: try skipForgiven()
        case .compound:
            skipSpace()
            try compound()
            skipSpace()
        case .position: try position()
        case .names:
            repeat {
                skipSpace()
                if current == "\"" || current == "'" { try string() } else if !take("*") { try identifier() }
                skipSpace()
            } while take(",") || (current != ")" && current != nil)
        }
        guard take(")") || current == nil else { throw Invalid() }
    }

    /// Passes over the argument of `:is` and `:where`, of which an invalid selector only matches nothing.
    private mutating func skipForgiven() throws(Invalid) {
        var open: [Unicode.Scalar] = []
        while let scalar = current {
            switch scalar {
            case "\"", "'":
                try string()
                continue
            case "\\": place += 1
            case "(": open.append(")")
            case "[": open.append("]")
            case "{": open.append("}")
            case ")", "]", "}":
                if open.isEmpty, scalar == ")" { return }
                guard open.popLast() == scalar else { throw Invalid() }
            default: break
            }
            place = min(place + 1, scalars.count)
        }
    }

    /// Reads `odd`, `even` or `An+B`, and `of` with selectors.
    private mutating func position() throws(Invalid) {
        skipSpace()
        let start = place
        while let scalar = current, scalar != ")" {
            if scalar == " " {
                guard isInsideFormula() else { break }
                skipSpace()
            } else {
                place += 1
            }
        }
        let formula = String(String.UnicodeScalarView(scalars[start..<place])).lowercased().filter { !$0.isWhitespace }
        guard Self.isPosition(formula) else { throw Invalid() }
        skipSpace()
        if take("o") || take("O") {
            guard take("f") || take("F"), skipSpace() else { throw Invalid() }
            try list(isRelative: false)
        }
    }

    /// Whether the spaces that begin here are followed by a sign, or follow one.
    private func isInsideFormula() -> Bool {
        var next = place
        while next < scalars.count, scalars[next] == " " { next += 1 }
        let follows = next < scalars.count && (scalars[next] == "+" || scalars[next] == "-")
        return follows
            || (place > 0 && (scalars[place - 1] == "+" || scalars[place - 1] == "-"))
                && next < scalars.count && ("0"..."9").contains(scalars[next])
    }

    private static func isPosition(_ formula: String) -> Bool {
        if formula == "odd" || formula == "even" { return true }
        func isInteger(_ text: Substring) -> Bool {
            let digits = text.first == "+" || text.first == "-" ? text.dropFirst() : text
            return !digits.isEmpty && digits.allSatisfy { ("0"..."9").contains($0) }
        }
        guard let n = formula.firstIndex(of: "n") else { return isInteger(formula[...]) }
        let (factor, rest) = (formula[..<n], formula[formula.index(after: n)...])
        guard factor.isEmpty || factor == "+" || factor == "-" || isInteger(factor) else { return false }
        return rest.isEmpty || ((rest.first == "+" || rest.first == "-") && isInteger(rest))
    }

    // MARK: - Tokens

    private func isNameScalar(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return isNameStart(scalar) || scalar == "-" || ("0"..."9").contains(scalar)
    }

    private func isNameStart(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return scalar.value >= 0x80 || scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    private func isEscape(_ offset: Int) -> Bool { at(offset) == "\\" && at(offset + 1).map { $0 != "\n" } ?? false }

    private func isIdentifier() -> Bool {
        if current == "-" { return at(1) == "-" || isNameStart(at(1)) || isEscape(1) }
        return isNameStart(current) || isEscape(0)
    }

    @discardableResult
    private mutating func identifier() throws(Invalid) -> String {
        guard isIdentifier() else { throw Invalid() }
        return try name()
    }

    @discardableResult
    private mutating func name() throws(Invalid) -> String {
        let start = place
        while true {
            if isNameScalar(current) { place += 1 } else if isEscape(0) { place += 2 } else { break }
        }
        guard place > start else { throw Invalid() }
        return String(String.UnicodeScalarView(scalars[start..<place]))
    }

    private mutating func string() throws(Invalid) {
        guard let quote = current else { throw Invalid() }
        place += 1
        while let scalar = current {
            place += 1
            if scalar == quote { return }
            if scalar == "\n" { throw Invalid() }
            if scalar == "\\" { place = min(place + 1, scalars.count) }
        }
    }
}

/// The names of pseudo-classes and pseudo-elements.
private enum Pseudo {
    enum Argument { case selectors, relative, forgiving, compound, position, names }

    private static let classes: Set<String> = [
        "active", "active-view-transition", "any-link", "autofill", "buffering", "checked", "corner-present", "current",
        "decrement", "default", "defined", "disabled", "double-button", "empty", "enabled", "end", "first",
        "first-child", "first-of-type", "focus", "focus-visible", "focus-within", "fullscreen", "future",
        "has-attachment", "has-slotted", "horizontal", "host", "hover", "in-range", "increment", "indeterminate",
        "invalid", "last-child", "last-of-type", "left", "link", "modal", "muted", "no-button", "only-child",
        "only-of-type", "open", "optional", "out-of-range", "past", "paused", "picture-in-picture",
        "placeholder-shown", "playing", "popover-open", "read-only", "read-write", "required", "right", "root", "scope",
        "seeking", "single-button", "stalled", "start", "target", "user-invalid", "user-valid", "valid", "vertical",
        "visited", "volume-locked", "window-inactive", "-webkit-any-link", "-webkit-autofill",
        "-webkit-autofill-and-obscured", "-webkit-autofill-strong-password", "-webkit-drag", "-webkit-full-screen",
        "-webkit-full-page-media",
    ]
    private static let oldElements: Set<String> = ["before", "after", "first-line", "first-letter"]
    private static let elements: Set<String> = [
        "after", "backdrop", "before", "cue", "details-content", "file-selector-button", "first-letter", "first-line",
        "grammar-error", "marker", "placeholder", "selection", "spelling-error", "target-text", "view-transition",
    ]

    static func isClass(_ name: String) -> Bool { classes.contains(name) }

    /// Whether a name with one colon is that of an element, as in CSS 2.
    static func isOldElement(_ name: String) -> Bool { oldElements.contains(name) }

    static func isElement(_ name: String) -> Bool {
        elements.contains(name) || (name.hasPrefix("-webkit-") && name.utf8.count > 8)
    }

    static func argument(of name: String, isElement: Bool) -> Argument? {
        if isElement {
            return switch name {
            case "part", "highlight", "view-transition-group", "view-transition-image-pair", "view-transition-new",
                "view-transition-old":
                .names
            case "slotted": .compound
            case "cue": .selectors
            default: nil
            }
        }
        return switch name {
        case "not": .selectors
        case "has": .relative
        case "is", "where", "matches", "-webkit-any": .forgiving
        case "host", "host-context": .compound
        case "nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type": .position
        case "lang", "dir", "state", "active-view-transition-type": .names
        default: nil
        }
    }
}
