// DictionaryRuleReader: the lenient reader of a rule's dictionary, which warns wherever it had to be lenient.

internal import PropertyListCoding

struct DictionaryRuleReader {
    private let entries: PropertyListDictionary
    private(set) var rule: DictionaryRule
    private(set) var warnings: [RuleWarning] = []

    init(_ entries: PropertyListDictionary, fileMeaning: FileMeaning) {
        self.entries = entries
        rule = DictionaryRule(fileMeaning: fileMeaning)
        for (attachmentClass, _, key) in ActivationKey.classes(fileMeaning) where attachmentClass != .text {
            rule[attachmentClass] = count(key) ?? 0
        }
        // Text has no maximum count.
        rule[.text] = flag(ActivationKey.text) ? Int.max : 0
        rule.minimum = count(ActivationKey.minimum) ?? 1
        rule.maximum = count(ActivationKey.maximum)
        rule.isStrict = flag(ActivationKey.strict)
        readVersion()
        judge()
    }

    private mutating func readVersion() {
        guard entries[ActivationKey.version] != nil, let version = count(ActivationKey.version) else { return }
        if version == 1 || version == 2 {
            rule.version = version
        } else {
            warnings.append(
                RuleWarning(
                    .invalidVersion, "there is no dictionary version \(version); version 1 applies",
                    remedy: "Write 1 (every attachment must be supported) or 2 (one is enough)", severity: .error,
                    key: ActivationKey.version))
        }
    }

    /// Reads a count leniently, as shipped property lists require.
    ///
    /// A text or a truth value counts as the number that it stands for. Anything else and a negative number count as 0.
    private mutating func count(_ key: String) -> Int? {
        guard let value = entries[key] else { return nil }
        let number: Int?
        switch value {
        case .integer(let value): number = Int(value)
        case .boolean(let value):
            number = value ? 1 : 0
            lenient(key, "a truth value", number)
        case .real(let value):
            number = Int(exactly: value)
            if number != nil { lenient(key, "a real number", number) }
        case .string(let text):
            number = Int(text.drop { $0 == " " })
            if number != nil { lenient(key, "a text", number) }
        default: number = nil
        }
        if let number, number >= 0 { return number }
        warnings.append(
            RuleWarning(
                .invalidCount,
                number.map { "\(key) is negative (\($0)) and counts as 0" }
                    ?? "\(key) is not an integer and counts as 0",
                remedy: "Write a number, such as <integer>1</integer>", severity: .error, key: key))
        return 0
    }

    private mutating func lenient(_ key: String, _ kind: String, _ number: Int?) {
        warnings.append(
            RuleWarning(
                .lenientNumber, "\(key) is \(kind), read as \(number.map(String.init) ?? "0")",
                remedy: "Write <integer>\(number ?? 0)</integer>", key: key))
    }

    private mutating func flag(_ key: String) -> Bool {
        let value: Bool?
        switch entries[key] {
        case nil: return false
        case .boolean(let flag)?: return flag
        case .integer(let number)?: value = number > 0
        case .real(let number)?: value = number > 0
        case .string(let text)?:
            switch text.lowercased() {
            case "true", "yes": value = true
            case "false", "no": value = false
            default: value = Int(text).map { $0 > 0 }
            }
        default: value = nil
        }
        if let value {
            warnings.append(
                RuleWarning(
                    .lenientNumber, "\(key) is not a truth value, read as \(value)", remedy: "Write <\(value)/>",
                    key: key))
        } else {
            warnings.append(
                RuleWarning(
                    .invalidCount, "\(key) is not a truth value and counts as false",
                    remedy: "Write <true/> or <false/>",
                    severity: .error, key: key))
        }
        return value ?? false
    }

    /// Adds warnings for values that are readable but cannot be meant.
    private mutating func judge() {
        for key in entries.keys where !ActivationKey.all.contains(key) {
            let near = ActivationKey.all.filter { isOneStepApart($0.lowercased(), key.lowercased()) }.first
            warnings.append(
                RuleWarning(
                    .unknownActivationKey, "a rule has no key “\(shortened(key))”; it is ignored",
                    remedy: near.map { "Write \($0)" }
                        ?? "Remove it, or check its name: docs/activation-rules.md has all ten",
                    severity: .error, key: key))
        }
        if rule.supported.isEmpty {
            warnings.append(
                RuleWarning(
                    .nothingSupported,
                    "the rule supports no kind of attachment, so the daemon never offers the extension",
                    remedy: "Give at least one NSExtensionActivationSupports… key a count above 0", severity: .error))
        }
        if rule.isStrict, rule.version == 1 {
            warnings.append(
                RuleWarning(
                    .strictWithoutVersion2, "strict matching has no effect in version 1, which is already strict",
                    remedy: "Remove the key, or set \(ActivationKey.version) to 2", key: ActivationKey.strict))
        }
        if let maximum = rule.maximum, maximum < rule.minimum,
            rule.supported.isSubset(of: [.image, .movie, .otherFile, .anyFile])
        {
            warnings.append(
                RuleWarning(
                    .contradictoryCounts,
                    "the rule requires at least \(rule.minimum) attachments and allows at most \(maximum)",
                    remedy: "Raise \(ActivationKey.maximum)", severity: .error, key: ActivationKey.maximum))
        }
    }
}

/// Whether the texts differ by one letter added, removed or replaced, or by two letters exchanged.
func isOneStepApart(_ left: String, _ right: String) -> Bool {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    guard abs(left.count - right.count) <= 1, left != right else { return false }
    var start = 0
    while start < min(left.count, right.count), left[start] == right[start] { start += 1 }
    var end = 0
    while end < min(left.count, right.count) - start, left[left.count - 1 - end] == right[right.count - 1 - end] {
        end += 1
    }
    let leftRest = left[start..<(left.count - end)]
    let rightRest = right[start..<(right.count - end)]
    if max(leftRest.count, rightRest.count) <= 1 { return true }
    return leftRest.count == 2 && rightRest.count == 2 && leftRest.reversed().elementsEqual(rightRest)
}

/// Returns a foreign text for a message: bounded, in one line.
func shortened(_ text: String, to limit: Int = 60) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
        guard count < limit else { return result + "…" }
        result.unicodeScalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        count += 1
    }
    return result
}
