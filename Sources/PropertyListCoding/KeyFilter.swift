// KeyFilter: a first answer to “is this key among those?” by their lengths; most keys that are asked for are not there.

/// Says no for certain, or perhaps. Two texts of ASCII are equal only if they are as long; of others, texts of different lengths may be
/// equal by Unicode's rules (K and the sign for kelvin), so they are never ruled out.
package struct KeyFilter: Sendable {
    private var lengths: UInt64 = 0

    package init() {}

    package init(_ keys: some Sequence<String>) {
        for key in keys { insert(key) }
    }

    package mutating func insert(_ key: String) { lengths |= Self.bit(of: key) ?? .max }

    /// Whether a key may be among those that were inserted.
    package func mayHold(_ key: String) -> Bool { lengths & (Self.bit(of: key) ?? .max) != 0 }

    /// nil for a text that is not all ASCII.
    private static func bit(of key: String) -> UInt64? {
        key.withBytes { $0.isASCII ? 1 << UInt64($0.count & 63) : nil }
    }
}
