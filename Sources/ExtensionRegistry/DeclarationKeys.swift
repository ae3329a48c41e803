// DeclarationKeys: the typed reading of one dictionary of an Info.plist; a wrong type becomes a problem with its
// remedy.

import ExtensionProtocol
import PropertyListCoding

/// The values of a dictionary, by key. A value of the wrong type is reported once and counts as absent.
struct DeclarationKeys {
    /// The maximum size of one text in bytes: names appear in lists.
    static let textLimit = 512
    /// The maximum number of entries in one list.
    private static let listLimit = 1024

    private let dictionary: PropertyListDictionary
    /// The filter for absent keys: of dozens of possible keys, few are present.
    private let filter: KeyFilter
    /// The dictionary's name. `path` is the key path to it from the top, which is empty for the top itself.
    private let place: String
    private let path: String
    var faults: [DeclarationFault] = []

    init(_ dictionary: PropertyListDictionary, under place: String, at path: String = "") {
        self.dictionary = dictionary
        filter = KeyFilter(of: dictionary)
        self.place = place
        self.path = path
    }

    /// - Parameter key: one of Apple's keys, which are all ASCII.
    private func value(_ key: String) -> PropertyList? { filter.mayHold(ascii: key) ? dictionary[key] : nil }

    private mutating func report(_ key: String, _ message: String, remedy: String) {
        faults.append(
            DeclarationFault(path.isEmpty ? key : "\(path).\(key)", "\(key) in \(place) \(message)", remedy: remedy))
    }

    mutating func text(_ key: String, limit: Int = textLimit) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string, !text.isEmpty else {
            return refuse(key, "not a non-empty string", "<string>…</string>")
        }
        guard text.utf8.count <= limit else {
            report(key, "is longer than \(limit) bytes", remedy: "Shorten it")
            return nil
        }
        return text
    }

    /// Reads a Boolean, or 0, 1, and the words YES and NO, which old plists use.
    mutating func flag(_ key: String) -> Bool {
        switch value(key) {
        case nil: return false
        case .boolean(let value): return value
        case .integer(0): return false
        case .integer(1): return true
        case .string(let word) where ["YES", "yes", "true"].contains(word): return true
        case .string(let word) where ["NO", "no", "false"].contains(word): return false
        default: return refuse(key, "no boolean", "<true/> or <false/>") ?? false
        }
    }

    mutating func number(_ key: String) -> Double? {
        switch value(key) {
        case nil: return nil
        case .integer(let value): return Double(value)
        case .real(let value) where value.isFinite: return value
        default: return refuse(key, "no number", "<integer>…</integer> or <real>…</real>")
        }
    }

    mutating func dictionary(_ key: String) -> PropertyListDictionary? {
        guard let value = value(key) else { return nil }
        return value.dictionary ?? refuse(key, "not a dictionary", "<dict>…</dict>")
    }

    mutating func texts(_ key: String) -> [String] {
        guard let value = value(key) else { return [] }
        let list = value.array.flatMap { list -> [String]? in
            guard list.count <= Self.listLimit else { return nil }
            let texts = list.compactMap(\.string)
            return texts.count == list.count && texts.allSatisfy { !$0.isEmpty && $0.utf8.count <= Self.textLimit }
                ? texts : nil
        }
        return list
            ?? refuse(
                key, "no list of at most \(Self.listLimit) non-empty strings", "<array><string>…</string></array>")
            ?? []
    }

    mutating func textOrTexts(_ key: String) -> [String] {
        if value(key)?.string != nil { return text(key).map { [$0] } ?? [] }
        return texts(key)
    }

    mutating func dictionaries(_ key: String) -> [PropertyListDictionary] {
        guard let value = value(key) else { return [] }
        let list = value.array.flatMap { list -> [PropertyListDictionary]? in
            guard list.count <= Self.listLimit else { return nil }
            let entries = list.compactMap(\.dictionary)
            return entries.count == list.count ? entries : nil
        }
        return list
            ?? refuse(key, "no list of at most \(Self.listLimit) dictionaries", "<array><dict>…</dict></array>") ?? []
    }

    /// Reads a predicate or a dictionary, without a look at its contents.
    mutating func rule(_ key: String) -> PropertyList? {
        switch value(key) {
        case nil: return nil
        case .dictionary(let rule): return .dictionary(rule)
        case .string: return text(key, limit: ExtensionDeclaration.ruleLimit).map(PropertyList.string)
        default: return refuse(key, "neither a dictionary nor a predicate", "<dict>…</dict> or <string>…</string>")
        }
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ key: String) -> Choice?
    where Choice.RawValue == String {
        guard let word = text(key) else { return nil }
        return Choice(rawValue: word) ?? refuseWord(word, key, Choice.self)
    }

    mutating func choices<Choice: RawRepresentable & CaseIterable>(_ key: String) -> [Choice]?
    where Choice.RawValue == String {
        guard value(key) != nil else { return nil }
        return texts(key).compactMap { word in Choice(rawValue: word) ?? refuseWord(word, key, Choice.self) }
    }

    private mutating func refuseWord<Choice: RawRepresentable & CaseIterable>(
        _ word: String, _ key: String, _: Choice.Type
    )
        -> Choice?
    where Choice.RawValue == String {
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        report(key, "has no value “\(word.cut(toBytes: 64))”", remedy: "Choose among \(words)")
        return nil
    }

    private mutating func refuse<Value>(_ key: String, _ what: String, _ form: String) -> Value? {
        report(key, "is \(what)", remedy: "Write it as \(form)")
        return nil
    }
}
