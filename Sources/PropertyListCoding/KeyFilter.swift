// KeyFilter: a filter by length that rules out most keys that a set does not contain.

/// A set filter that answers no for certain, or perhaps.
///
/// Two texts of ASCII are equal only if they are as long. Other texts of different lengths may be equal by Unicode's
/// rules (K and the sign for kelvin), so they are never ruled out.
package struct KeyFilter: Sendable {
    @usableFromInline var lengths: UInt64 = 0

    package init() {}

    package init(of dictionary: PropertyListDictionary) {
        dictionary.withEntries { keys, _ in
            for key in keys { insert(key) }
        }
    }

    package mutating func insert(_ key: String) { lengths |= Self.bit(of: key) ?? .max }

    /// Whether a key may be among those that were inserted; the key must be all ASCII, such as one in the program's own
    /// text.
    @inlinable
    package func mayHold(ascii key: String) -> Bool { lengths & 1 << UInt64(key.utf8.count & 63) != 0 }

    /// Whether a key may be among those that were inserted.
    package func mayHold(_ key: String) -> Bool { lengths & (Self.bit(of: key) ?? .max) != 0 }

    /// Returns the bit of a text; nil if it is not all ASCII.
    private static func bit(of key: String) -> UInt64? {
        key.withBytes { $0.isASCII ? 1 << UInt64($0.count & 63) : nil }
    }
}
