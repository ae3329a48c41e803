// SourceWords: the words and marks of a Swift file, without comments and strings, for finding imports and classes.

/// A word or a mark of a source with its line, from 1.
struct SourceWord: Hashable {
    let text: Substring
    let line: Int
}

enum SourceWords {
    /// Splits a source into words: names, numbers, and `#if` and the like with their sign. Any other character is
    /// separate.
    static func read(_ source: String) -> [SourceWord] {
        var words: [SourceWord] = []
        let text = source.utf8
        var position = text.startIndex
        var line = 1
        func byte(_ offset: Int = 0) -> UInt8? {
            guard let index = text.index(position, offsetBy: offset, limitedBy: text.endIndex), index < text.endIndex
            else {
                return nil
            }
            return text[index]
        }
        func advance(_ count: Int = 1) {
            for _ in 0..<count where position < text.endIndex {
                if text[position] == 0x0A { line += 1 }
                position = text.index(after: position)
            }
        }
        while let first = byte() {
            switch first {
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                while let next = byte(), next != 0x0A { advance() }
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                var depth = 0
                repeat {
                    if byte() == UInt8(ascii: "/"), byte(1) == UInt8(ascii: "*") {
                        depth += 1
                        advance(2)
                    } else if byte() == UInt8(ascii: "*"), byte(1) == UInt8(ascii: "/") {
                        depth -= 1
                        advance(2)
                    } else {
                        advance()
                    }
                } while depth > 0 && byte() != nil
            case UInt8(ascii: "\""): skipString(signs: 0)
            case UInt8(ascii: "#"):
                var signs = 1
                while byte(signs) == UInt8(ascii: "#") { signs += 1 }
                if byte(signs) == UInt8(ascii: "\"") {
                    advance(signs)
                    skipString(signs: signs)
                } else {
                    word(from: position)
                }
            case _ where isNamePart(first): word(from: position)
            case 0x20, 0x09, 0x0A, 0x0D: advance()
            default:
                let start = position
                advance()
                words.append(SourceWord(text: source[start..<position], line: line))
            }
        }
        return words

        func isNamePart(_ byte: UInt8) -> Bool {
            byte == 0x5F || byte >= 0x80 || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
        }
        func word(from start: String.Index) {
            advance()
            while let next = byte(), isNamePart(next) { advance() }
            words.append(SourceWord(text: source[start..<position], line: line))
        }
        /// Skips a string, from its first quote on. Interpolations count as part of it.
        func skipString(signs: Int) {
            let isLong = byte(1) == UInt8(ascii: "\"") && byte(2) == UInt8(ascii: "\"")
            let quotes = isLong ? 3 : 1
            advance(quotes)
            while let next = byte() {
                if next == UInt8(ascii: "\\"), signs == 0 {
                    advance(2)
                } else if (0..<quotes).allSatisfy({ byte($0) == UInt8(ascii: "\"") }),
                    (0..<signs).allSatisfy({ byte(quotes + $0) == UInt8(ascii: "#") })
                {
                    return advance(quotes + signs)
                } else if next == 0x0A, !isLong {
                    return
                } else {
                    advance()
                }
            }
        }
    }
}

/// The modules and classes that a file's words mention.
struct SourceOutline {
    /// A class with the name that `@objc(…)` gives it.
    struct Class: Hashable {
        let name: String
        let objectiveCName: String?
    }

    private(set) var imports: Set<String> = []
    private(set) var classes: [Class] = []
    /// Whether the program begins here: `@main`, `@UIApplicationMain`.
    private(set) var hasMain = false
    /// Whether the file makes a configuration of a background session.
    private(set) var usesBackground = false
    /// The modules that UIKit brings along on Apple's systems, as far as the source mentions their names.
    private(set) var implied: Set<String> = []

    private static let coreImage: Set<Substring> = ["CIImage", "CIFilter", "CIContext", "CIColor", "CIVector"]
    private static let imageIO = [
        "CGImageSource", "kCGImageSource", "CGImageDestination", "kCGImageDestination", "CGImagePropertyOrientation",
    ]

    /// - Parameter holds: whether a condition behind `#if` holds, by its words. Inactive branches are skipped.
    init(_ words: [SourceWord], holds: ([SourceWord]) -> Bool) {
        // The stack has, for each open #if, whether its branch is read, and whether one of its branches was.
        var branches: [(isActive: Bool, isDone: Bool)] = []
        var objectiveCName: String?
        var index = 0
        while index < words.count {
            let word = words[index]
            defer { index += 1 }
            switch word.text {
            case "#if", "#elseif":
                let condition = words[(index + 1)...].prefix { $0.line == word.line }
                if word.text == "#if" { branches.append((false, false)) }
                guard let last = branches.indices.last else { continue }
                let active = !branches[last].isDone && holds(Array(condition))
                branches[last] = (active, branches[last].isDone || active)
                index += condition.count
            case "#else":
                guard let last = branches.indices.last else { continue }
                branches[last] = (!branches[last].isDone, true)
            case "#endif": _ = branches.popLast()
            case _ where branches.contains { !$0.isActive }: continue
            case "import":
                var next = index + 1
                let kinds: Set<Substring> = ["class", "struct", "enum", "protocol", "func", "var", "let", "typealias"]
                if next < words.count, kinds.contains(words[next].text) { next += 1 }
                guard next < words.count, words[next].line == word.line else { continue }
                imports.insert(String(words[next].text))
            case "@":
                guard index + 1 < words.count else { continue }
                if ["main", "UIApplicationMain", "NSApplicationMain"].contains(words[index + 1].text) {
                    hasMain = true
                }
                guard index + 4 < words.count, words[index + 1].text == "objc", words[index + 2].text == "(",
                    words[index + 4].text == ")"
                else { continue }
                objectiveCName = String(words[index + 3].text)
                index += 4
            case "class":
                guard index + 1 < words.count, let first = words[index + 1].text.unicodeScalars.first,
                    first.properties.isAlphabetic || first == "_",
                    !["func", "var", "let", "override", "subscript"].contains(words[index + 1].text)
                else { continue }
                classes.append(Class(name: String(words[index + 1].text), objectiveCName: objectiveCName))
                objectiveCName = nil
            case "func", "var", "let", "struct", "enum", "protocol", "extension", "init": objectiveCName = nil
            case "background" where words[(index + 1)...].starts(with: ["(", "withIdentifier"], by: { $0.text == $1 }),
                _ where word.text.hasPrefix("backgroundSessionConfiguration"):
                usesBackground = true
            // Apple's Foundation brings the keychain along.
            case _
            where word.text.hasPrefix("kSecClass") || word.text.hasPrefix("SecItem")
                || word.text.hasPrefix("SecCode")
                || word.text.hasPrefix("CFStringConvert"):
                imports.insert(KitModules.keychain)
            case _ where Self.coreImage.contains(word.text): implied.insert("CoreImage")
            case _ where Self.imageIO.contains(where: word.text.hasPrefix): implied.insert("ImageIO")
            default: continue
            }
        }
    }
}

/// The conditions of `#if`, as the compiler on Linux evaluates them.
struct CompilationConditions {
    /// The flags that are set with `-D`.
    let flags: Set<String>
    /// Whether there is a module of this name.
    let hasModule: (String) -> Bool
    /// Whether `os(iOS)` holds: the source step replaces it by `os(Linux)` in a file that does not mention Linux.
    var isForDevice = false

    /// Whether a condition holds. Missing operands and unknown operators hold: one import too many is better than one
    /// too few.
    func hold(_ words: [SourceWord]) -> Bool {
        var rest = words[...]
        return disjunction(&rest, depth: 0)
    }

    private func disjunction(_ rest: inout ArraySlice<SourceWord>, depth: Int) -> Bool {
        var result = conjunction(&rest, depth: depth)
        while rest.starts(with: ["|", "|"], by: { $0.text == $1 }) {
            rest = rest.dropFirst(2)
            let other = conjunction(&rest, depth: depth)
            result = result || other
        }
        return result
    }

    private func conjunction(_ rest: inout ArraySlice<SourceWord>, depth: Int) -> Bool {
        var result = operand(&rest, depth: depth)
        while rest.starts(with: ["&", "&"], by: { $0.text == $1 }) {
            rest = rest.dropFirst(2)
            let other = operand(&rest, depth: depth)
            result = result && other
        }
        return result
    }

    private func operand(_ rest: inout ArraySlice<SourceWord>, depth: Int) -> Bool {
        guard depth < 64, let word = rest.popFirst()?.text else { return true }
        if word == "!" { return !operand(&rest, depth: depth + 1) }
        if word == "(" {
            let result = disjunction(&rest, depth: depth + 1)
            if rest.first?.text == ")" { rest = rest.dropFirst() }
            return result
        }
        guard rest.first?.text == "(" else { return word == "true" || flags.contains(String(word)) }
        let arguments = rest.dropFirst().prefix { $0.text != ")" }
        rest = rest.dropFirst(arguments.count + 2)
        let first = arguments.first.map { String($0.text) } ?? ""
        return switch word {
        case "os": first == "Linux" || isForDevice && first == "iOS"
        case "canImport": hasModule(first)
        case "arch": first == "x86_64" || first == "arm64"
        case "swift", "compiler": true
        default: false
        }
    }
}
