// KeyFilter: a first answer to “is this key among those?” by their lengths; most keys that are asked for are not there.

/// Says no for certain, or perhaps. Two texts of ASCII are equal only if they are as long; of others, texts of different lengths may be
/// equal by Unicode's rules (K and the sign for kelvin), so they are never ruled out.
package struct KeyFilter: Sendable {
    @usableFromInline var lengths: UInt64 = 0

    package init() {}

    package init(of dictionary: PropertyListDictionary) {
        dictionary.withEntries { keys, _ in
            for key in keys { insert(key) }
        }
    }

    package mutating func insert(_ key: String) { lengths |= Self.bit(of: key) ?? .max }

    /// The same of a key that is known to be all ASCII, such as one in the program's own text.
    @inlinable
    package func mayHold(ascii key: String) -> Bool { lengths & 1 << UInt64(key.utf8.count & 63) != 0 }

    /// Whether a key may be among those that were inserted.
    package func mayHold(_ key: String) -> Bool { lengths & (Self.bit(of: key) ?? .max) != 0 }

    /// nil for a text that is not all ASCII.
    private static func bit(of key: String) -> UInt64? {
        key.withBytes { $0.isASCII ? 1 << UInt64($0.count & 63) : nil }
    }
}
