// BinaryKeyReferences: the places of the references of a key array that several dictionaries share.

/// A small direct-mapped table by the array's address.
///
/// The value being written holds the arrays, so an address stands for the same keys as long as the writer lives.
struct BinaryKeyReferences {
    private struct Entry {
        let address: UInt
        let count: Int
        let first: Int
    }

    private static let slots = 32
    private var entries = InlineArray<32, Entry>(repeating: Entry(address: 0, count: 0, first: 0))

    private static func slot(_ address: UInt) -> Int { Int(truncatingIfNeeded: address >> 5) & (slots - 1) }

    /// Returns the position of the first reference noted for these very keys.
    func first(of keys: UnsafeBufferPointer<String>) -> Int? {
        let address = UInt(bitPattern: keys.baseAddress)
        let entry = entries[Self.slot(address)]
        return entry.address == address && entry.count == keys.count && !keys.isEmpty ? entry.first : nil
    }

    mutating func remember(_ keys: UnsafeBufferPointer<String>, first: Int) {
        let address = UInt(bitPattern: keys.baseAddress)
        entries[Self.slot(address)] = Entry(address: address, count: keys.count, first: first)
    }
}
