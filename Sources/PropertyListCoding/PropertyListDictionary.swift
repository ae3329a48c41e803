// PropertyListDictionary: string keys with values, in the order in which they were written; most have fewer than twenty
// keys.

/// A dictionary of a property list. Keys are unique.
///
/// The order of entries is preserved for writing and printing, and does not count for equality.
public struct PropertyListDictionary: Sendable {
    /// The storage: few entries are searched in place; many have an index, in its own box so that the small ones stay
    /// two words.
    private enum Entries: Sendable {
        case few(keys: [String], values: [PropertyList])
        indirect case many(keys: [String], values: [PropertyList], index: [String: Int])
    }

    /// The limit up to which a scan is cheaper than hashing the key.
    static let fewest = 16

    private var entries: Entries

    public init(minimumCapacity: Int = 0) {
        var keys: [String] = []
        var values: [PropertyList] = []
        keys.reserveCapacity(minimumCapacity)
        values.reserveCapacity(minimumCapacity)
        entries = .few(keys: keys, values: values)
    }

    /// Makes a dictionary; later pairs win over earlier ones of the same key.
    public init(_ pairs: some Sequence<(String, PropertyList)>) {
        self.init(minimumCapacity: pairs.underestimatedCount)
        for (key, value) in pairs { self[key] = value }
    }

    /// Makes the dictionary of a reader that has itself checked for duplicates.
    ///
    /// `index` holds each key's position if there are more than `fewest`, and is nil otherwise.
    init(uniqueKeys keys: [String], values: [PropertyList], index: [String: Int]?) {
        entries =
            if let index { .many(keys: keys, values: values, index: index) } else { .few(keys: keys, values: values) }
    }

    public var keys: [String] {
        switch entries {
        case .few(let keys, _), .many(let keys, _, _): keys
        }
    }

    public var values: [PropertyList] {
        switch entries {
        case .few(_, let values), .many(_, let values, _): values
        }
    }

    /// Calls `body` with both arrays in place: a writer's traversal neither copies nor counts references.
    @inline(__always)
    func withEntries<Result, Failure>(
        _ body: (UnsafeBufferPointer<String>, UnsafeBufferPointer<PropertyList>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch entries {
        case .few(let keys, let values), .many(let keys, let values, _):
            try keys.withUnsafeBufferPointer { (keys) throws(Failure) in
                try values.withUnsafeBufferPointer { (values) throws(Failure) in try body(keys, values) }
            }
        }
    }

    public var count: Int { keys.count }
    public var isEmpty: Bool { keys.isEmpty }

    private func position(of key: String) -> Int? {
        switch entries {
        case .few(let keys, _): keys.firstIndex(of: key)
        case .many(_, _, let index): index[key]
        }
    }

    public subscript(key: String) -> PropertyList? {
        get {
            // Each case is separate, so that both arrays of an entry are retained once.
            switch entries {
            case .few(let keys, let values): keys.firstIndex(of: key).map { values[$0] }
            case .many(_, let values, let index): index[key].map { values[$0] }
            }
        }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): mutate { _, values, _ in values[position] = value }
            case (let position?, nil): remove(at: position)
            case (nil, let value?): append(newKey: key, value)
            case (nil, nil): break
            }
        }
    }

    /// Appends a key that the caller knows to be new: it is not searched for.
    public mutating func append(newKey key: String, _ value: PropertyList) {
        mutate { keys, values, index in
            keys.append(key)
            values.append(value)
            if index != nil {
                index?[key] = keys.count - 1
            } else if keys.count > Self.fewest {
                index = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
            }
        }
    }

    private mutating func remove(at position: Int) {
        mutate { keys, values, index in
            let key = keys.remove(at: position)
            values.remove(at: position)
            guard var positions = index else { return }
            index = nil
            positions[key] = nil
            for at in positions.values.indices where positions.values[at] > position { positions.values[at] -= 1 }
            index = positions
        }
    }

    /// Takes the arrays out of the enum during the change, so that they are held once and change in place.
    private mutating func mutate(_ change: (inout [String], inout [PropertyList], inout [String: Int]?) -> Void) {
        var keys: [String]
        var values: [PropertyList]
        var index: [String: Int]?
        switch entries {
        case .few(let k, let v): (keys, values, index) = (k, v, nil)
        case .many(let k, let v, let i): (keys, values, index) = (k, v, i)
        }
        entries = .few(keys: [], values: [])
        change(&keys, &values, &index)
        self = PropertyListDictionary(uniqueKeys: keys, values: values, index: index)
    }
}

extension PropertyListDictionary: Sequence {
    public func makeIterator() -> Zip2Sequence<[String], [PropertyList]>.Iterator { zip(keys, values).makeIterator() }
    public var underestimatedCount: Int { count }
}

extension PropertyListDictionary: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, PropertyList)...) { self.init(elements) }
}

extension PropertyListDictionary: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        if left.keys == right.keys { return left.values == right.values }
        return left.allSatisfy { right[$0] == $1 }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        var sum = 0  // the same for every order of entries
        for (key, value) in self {
            var entry = Hasher()
            entry.combine(key)
            entry.combine(value)
            sum &+= entry.finalize()
        }
        hasher.combine(sum)
    }
}
