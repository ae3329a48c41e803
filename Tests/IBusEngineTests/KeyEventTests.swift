// KeyEventTests: the meanings of keys, and the kinds of texts, by IBus's numbers.

import PointMessages
import Testing

@testable import IBusEngine
@testable import PointHosts

@Suite struct KeyEventTests {
    private func meaning(_ symbol: UInt32, _ state: UInt32 = 0) -> KeyboardHost.PhysicalKey? {
        KeyEvent(symbol: symbol, code: 30, state: state).meaning
    }

    @Test(
        arguments: [
            (0x61, "a"), (0x41, "A"), (0x20, " "), (0xe9, "é"), (0xff8d, "\n"), (0xff0d, "\n"), (0xffb7, "7"),
            (0xffab, "+"), (0x1b1, "ą"), (0x6c1, "а"), (0x6e1, "А"), (0x7e1, "α"), (0xce0, "א"), (0x5c7, "ا"),
            (0xda1, "ก"), (0x4b1, "ア"), (0x20ac, "€"), (0xad2, "“"), (0x13bd, "œ"), (0x1000105, "ą"),
            (0x101f600, "😀"),
        ] as [(UInt32, Character)])
    func symbolsOfCharacters(symbol: UInt32, character: Character) {
        #expect(meaning(symbol) == .character(character))
    }

    @Test func keysOfThePrograms() {
        // Tab, Escape, arrows, a function key, a dead key, a modifier, and numbers that are no symbols.
        for symbol: UInt32 in [0xff09, 0xff1b, 0xff51, 0xffbe, 0xfe51, 0xffe1, 0, 0x7f, 0x9f, 0x1100_0000, .max] {
            #expect(meaning(symbol) == nil, "\(symbol)")
        }
        #expect(meaning(0xff08) == .delete)
        // Control, Alt, Super, a forwarded key, and a release.
        for state: UInt32 in [1 << 2, 1 << 3, 1 << 6, 1 << 25, 1 << 26, 1 << 30] {
            #expect(meaning(0x61, state) == nil, "\(state)")
        }
        // Shift, caps lock, num lock, AltGr.
        for state: UInt32 in [1, 1 << 1, 1 << 4, 1 << 7] { #expect(meaning(0x61, state) == .character("a")) }
    }

    @Test func kindsOfTexts() {
        func traits(_ purpose: UInt32, _ hints: UInt32 = 0) -> KeysTraits {
            ContentType(purpose: purpose, hints: hints).traits
        }
        #expect(traits(8).isSecure && traits(9).isSecure && !traits(0).isSecure)
        // A hidden text is a secret, whatever its purpose is.
        for purpose: UInt32 in [0, 2, 6, 10, 99] { #expect(traits(purpose, 1 << 12).isForSystemOnly) }
        #expect(!traits(0, 1 << 11).isSecure)
        #expect(traits(4).isForSystemOnly && !traits(7).isForSystemOnly)
        #expect(traits(5).keyboard == .URL && traits(6).keyboard == .emailAddress && traits(2).keyboard == .numberPad)
        #expect(traits(6).content == "email")
        #expect(traits(0).capitalization == .none && traits(0, 1 << 6).capitalization == .sentences)
        #expect(traits(0, 1 << 5).capitalization == .words && traits(0, 1 << 4).capitalization == .allCharacters)
        #expect(traits(0, 1 << 1).spellChecking == .no && traits(10).correction == .no)
        // A purpose of a newer IBus.
        #expect(traits(99) == traits(0))
    }
}
