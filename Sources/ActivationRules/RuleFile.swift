// RuleFile: the reading of a rule from a file: a predicate's text, or a property list that is or holds the rule.

public import PropertyListCoding

extension ActivationRule {
    public static let key = "NSExtensionActivationRule"

    /// Reads a rule file: a property list (XML or binary), or the text of a predicate.
    ///
    /// The top of the property list is the rule, as a dictionary or a text. It may also be a dictionary that holds the
    /// rule under `NSExtensionActivationRule`, at the top or nested as in an `Info.plist`. The error of a predicate
    /// inside a property list has its place in the predicate's own text.
    public init(file bytes: [UInt8], fileMeaning: FileMeaning = .neitherImageNorMovie) throws(RuleError) {
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let first = bytes.dropFirst(isMarked ? 3 : 0).first { !" \t\r\n".utf8.contains($0) }
        guard bytes.starts(with: "bplist".utf8) || first == UInt8(ascii: "<") else {
            guard bytes.count <= PredicateBounds.bytes + 3 else {
                throw RuleError(
                    "the predicate has \(bytes.count) bytes; the limit is \(PredicateBounds.bytes)", hint: "Shorten it")
            }
            guard let text = String(validating: bytes.dropFirst(isMarked ? 3 : 0), as: UTF8.self) else {
                throw RuleError("the file is neither a property list nor UTF-8 text", hint: "Write it as UTF-8")
            }
            try self.init(predicate: text)
            return
        }
        let value: PropertyList
        do {
            value = try PropertyList(file: bytes, limits: .file, form: .authored)
        } catch {
            var position = (line: 1, column: 1)
            if case .line(let line, let column) = error.place { position = (line, column) }
            throw RuleError(
                "the property list cannot be read: \(error)", line: position.line, column: position.column,
                hint: "Correct the file, or write the predicate as bare text")
        }
        try self.init(Self.rule(in: value), fileMeaning: fileMeaning)
    }

    /// Returns the rule that a property list is or holds.
    public static func rule(in value: PropertyList) -> PropertyList {
        guard case .dictionary(let entries) = value else { return value }
        if let rule = entries[key] { return rule }
        let attributes = entries["NSExtension"]?.dictionary?["NSExtensionAttributes"]?.dictionary
        return attributes?[key] ?? entries["NSExtensionAttributes"]?.dictionary?[key] ?? value
    }
}
