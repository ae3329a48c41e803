// KeyEvent: a key of a physical keyboard, as IBus reports it, and its meaning.

import PointHosts

/// A press or a release of a key.
struct KeyEvent: Sendable, Hashable {
    /// The X11 symbol of the key, with its modifiers applied.
    let symbol: UInt32
    /// The number of the key on its keyboard.
    let code: UInt32
    let state: UInt32

    /// Control, Alt, Super, Hyper and Meta, by which a program gets orders; and keys that an engine has forwarded.
    private static let orders: UInt32 = 1 << 2 | 1 << 3 | 1 << 6 | 1 << 25 | 1 << 26 | 1 << 27 | 1 << 28

    /// The number that press and release have in common.
    var number: UInt32 { code != 0 ? code : symbol }

    var isRelease: Bool { state & 1 << 30 != 0 }

    /// The meaning of the press; nil if it is the program's.
    var meaning: KeyboardHost.PhysicalKey? {
        guard !isRelease, state & Self.orders == 0 else { return nil }
        switch symbol {
        case 0xff08: return .delete
        case 0xff0d, 0xff8d: return .character("\n")
        default: return KeySymbols.character(symbol).map(KeyboardHost.PhysicalKey.character)
        }
    }

    /// Whether the key only changes the meaning of others.
    var isModifier: Bool { (0xffe1...0xffee).contains(symbol) || (0xfe01...0xfe13).contains(symbol) }
}
