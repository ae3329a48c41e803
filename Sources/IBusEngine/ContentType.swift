// ContentType: the kind of a program's text, as IBus says it, and as a keyboard sees it.

import PointMessages

/// The purpose and the hints of a text: the numbers of IBus, which are those of GTK.
struct ContentType: Sendable, Hashable {
    var purpose: UInt32 = 0
    var hints: UInt32 = 0

    private enum Purpose: UInt32 {
        case freeForm, alpha, digits, number, phone, url, email, name, password, pin, terminal
    }

    private enum Hint {
        static let spellcheck: UInt32 = 1 << 0
        static let noSpellcheck: UInt32 = 1 << 1
        static let wordCompletion: UInt32 = 1 << 2
        static let uppercaseCharacters: UInt32 = 1 << 4
        static let uppercaseWords: UInt32 = 1 << 5
        static let uppercaseSentences: UInt32 = 1 << 6
        /// The text must not be stored.
        static let isPrivate: UInt32 = 1 << 11
        /// The text is shown as dots. A program may change this without the purpose, as GTK does.
        static let isHidden: UInt32 = 1 << 12
    }

    private func has(_ hint: UInt32) -> Bool { hints & hint != 0 }

    /// The traits of the text. An unknown purpose is that of an ordinary text.
    ///
    /// A person at a physical keyboard writes capitals by hand, so the keyboard has none to add unless a hint says so.
    var traits: KeysTraits {
        var traits = KeysTraits()
        traits.capitalization =
            has(Hint.uppercaseCharacters)
            ? .allCharacters
            : has(Hint.uppercaseWords) ? .words : has(Hint.uppercaseSentences) ? .sentences : .none
        if has(Hint.spellcheck) { traits.spellChecking = .yes }
        if has(Hint.noSpellcheck) { traits.spellChecking = .no }
        if has(Hint.wordCompletion) { traits.correction = .yes }
        if has(Hint.isPrivate) { traits.correction = .no }
        switch Purpose(rawValue: purpose) {
        case .freeForm, .alpha, nil: break
        case .digits: traits.keyboard = .numberPad
        case .number: traits.keyboard = .numbersAndPunctuation
        case .phone: traits.keyboard = .phonePad
        case .url: (traits.keyboard, traits.content) = (.URL, "url")
        case .email: (traits.keyboard, traits.content) = (.emailAddress, "email")
        case .name: traits.content = "name"
        case .password: (traits.isSecure, traits.content) = (true, "password")
        case .pin: (traits.isSecure, traits.keyboard) = (true, .numberPad)
        case .terminal: (traits.correction, traits.spellChecking) = (.no, .no)
        }
        if has(Hint.isHidden) { traits.isSecure = true }
        return traits
    }
}
