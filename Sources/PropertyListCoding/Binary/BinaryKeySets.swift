// BinaryKeySets: the keys of dictionaries, read and checked once for all dictionaries with the same references.

internal import Glibc

/// A small table of the last key arrays, which dictionaries with the same references share.
///
/// Dictionaries of one kind have the same keys, and a writer that makes strings unique gives them the same references.
/// The table's hash has another key in each process, so each set has several possible slots. With only one slot each,
/// two colliding sets would evict each other in some processes.
struct BinaryKeySets {
    struct KeySet {
        /// The position of the references in the input, for comparison.
        let content: Int
        let keys: [String]
        /// The positions of the keys, if there are more than a dictionary searches in place.
        let index: [String: Int]?
        /// The number of UTF-8 bytes of all keys.
        let octets: Int
    }

    private static let slots = 32
    /// The number of consecutive slots that a set may go to.
    private static let choices = 8
    /// The only set, while there is one: most packets have one kind of dictionary, and need no table.
    private var first: (set: KeySet, slot: Int)?
    private var sets: [KeySet?] = []

    /// Returns the set with this hash for which `isSame` holds, and its slot.
    ///
    /// If there is none, returns the slot to put it in: the first choice that is free, or the first of all.
    func find(_ hash: UInt64, where isSame: (KeySet) -> Bool) -> (slot: Int, set: KeySet?) {
        let best = Int(truncatingIfNeeded: hash) & (Self.slots - 1)
        guard !sets.isEmpty else {
            guard let first else { return (best, nil) }
            if isSame(first.set) { return (first.slot, first.set) }
            return (best == first.slot ? (best + 1) & (Self.slots - 1) : best, nil)
        }
        for choice in 0..<Self.choices {
            let slot = (best + choice) & (Self.slots - 1)
            guard let set = sets[slot] else { return (slot, nil) }
            if isSame(set) { return (slot, set) }
        }
        return (best, nil)
    }

    mutating func put(_ set: KeySet, in slot: Int) {
        guard let first else { return self.first = (set, slot) }
        if sets.isEmpty {
            sets = Array(repeating: nil, count: Self.slots)
            sets[first.slot] = first.set
        }
        sets[slot] = set
    }
}

extension BinaryReader {
    /// Returns the keys that `count` references at `content` name, all different.
    mutating func keySet(_ count: Int, at content: Int) throws(PropertyListError) -> BinaryKeySets.KeySet {
        let references = UnsafeRawBufferPointer(rebasing: bytes[content..<content + count * trailer.referenceSize])
        let (slot, known) = keySets.find(KeyedHash.process(references)) { known in
            known.keys.count == count && isSame(references, at: known.content)
        }
        if let known {
            try spend(octets: known.octets, at: content)
            return known
        }
        let octetsBefore = octets
        var keys: [String] = []
        keys.reserveCapacity(count)
        for index in 0..<count {
            let place = content + index * trailer.referenceSize
            keys.append(try key(try reference(at: place), at: place))
        }
        let index: [String: Int]?
        if count > PropertyListDictionary.fewest {
            index = try positions(of: keys, at: content)
        } else {
            index = nil
            try checkFew(keys, at: content)
        }
        let set = BinaryKeySets.KeySet(content: content, keys: keys, index: index, octets: octets - octetsBefore)
        keySets.put(set, in: slot)
        return set
    }

    private func isSame(_ references: UnsafeRawBufferPointer, at content: Int) -> Bool {
        guard let left = references.baseAddress, let right = bytes.baseAddress else { return false }
        return memcmp(left, right + content, references.count) == 0
    }

    /// Compares hashes in pairs. Two ASCII strings are equal only if their bytes are.
    ///
    /// Others may be equal to Swift without being the same bytes, and go through a set.
    private func checkFew(_ keys: [String], at content: Int) throws(PropertyListError) {
        guard keys.count > 1 else { return }
        var hashes = InlineArray<16, UInt64>(repeating: 0)
        for (position, key) in keys.enumerated() {
            let hash: UInt64? = key.withBytes { $0.isASCII ? KeyedHash.process($0) : nil }
            guard let hash else {
                _ = try positions(of: keys, at: content)
                return
            }
            hashes[position] = hash
            for earlier in 0..<position where hashes[earlier] == hash && keys[earlier] == key {
                throw .duplicateKey(excerpt(key.utf8), at: .byte(content + position * trailer.referenceSize))
            }
        }
    }

    private func positions(of keys: [String], at content: Int) throws(PropertyListError) -> [String: Int] {
        var positions: [String: Int] = [:]
        positions.reserveCapacity(keys.count)
        for (position, key) in keys.enumerated() {
            if positions.updateValue(position, forKey: key) != nil {
                throw .duplicateKey(excerpt(key.utf8), at: .byte(content + position * trailer.referenceSize))
            }
        }
        return positions
    }
}
