// PropertyListDictionary: string keys to values, in the order they were written; most have fewer than twenty keys.

/// A dictionary of a property list. Keys are unique; the order of entries is kept for writing and printing, and does not
/// count for equality.
public struct PropertyListDictionary: Sendable {
    public private(set) var keys: [String]
    public private(set) var values: [PropertyList]

    public init(minimumCapacity: Int = 0) {
        keys = []
        values = []
        keys.reserveCapacity(minimumCapacity)
        values.reserveCapacity(minimumCapacity)
    }

    /// Later pairs win over earlier ones of the same key.
    public init(_ pairs: some Sequence<(String, PropertyList)>) {
        self.init()
        for (key, value) in pairs { self[key] = value }
    }

    public var count: Int { keys.count }
    public var isEmpty: Bool { keys.isEmpty }

    public subscript(key: String) -> PropertyList? {
        get { keys.firstIndex(of: key).map { values[$0] } }
        set {
            switch (keys.firstIndex(of: key), newValue) {
            case (let index?, let value?): values[index] = value
            case (let index?, nil):
                keys.remove(at: index)
                values.remove(at: index)
            case (nil, let value?):
                keys.append(key)
                values.append(value)
            case (nil, nil): break
            }
        }
    }

    /// Appends a key the caller knows to be new: what a reader does after its own check for duplicates.
    mutating func append(newKey key: String, _ value: PropertyList) {
        keys.append(key)
        values.append(value)
    }
}

extension PropertyListDictionary: Sequence {
    public func makeIterator() -> Zip2Sequence<[String], [PropertyList]>.Iterator { zip(keys, values).makeIterator() }
}

extension PropertyListDictionary: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, PropertyList)...) { self.init(elements) }
}

extension PropertyListDictionary: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        if left.keys == right.keys { return left.values == right.values }
        let other = Dictionary(uniqueKeysWithValues: zip(right.keys, right.values))
        return left.allSatisfy { other[$0] == $1 }
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
