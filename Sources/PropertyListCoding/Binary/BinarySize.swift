// BinarySize: what a value will take in the binary form, at most, so that the writer allocates once.

struct BinarySize {
    /// Objects that are not containers. Equal ones become one later, so this and the sums over it are upper bounds.
    private(set) var leaves = 0
    private(set) var containers = 0
    private(set) var references = 0
    private var content = 0

    init(_ value: PropertyList) throws(PropertyListError) { try add(value, depth: 1) }

    /// Marker and the longest form of a count behind it.
    private static let longestHead = 10

    var objects: Int { leaves + containers }

    var bytes: Int {
        let body =
            BinaryMarker.headerCount + content + containers * Self.longestHead + references * Self.width(UInt64(objects - 1))
        return body + objects * Self.width(UInt64(body)) + BinaryMarker.trailerCount
    }

    /// The smallest number of bytes, a power of two, that holds a number.
    static func width(_ greatest: UInt64) -> Int {
        switch greatest {
        case 0...0xFF: 1
        case 0...0xFFFF: 2
        case 0...0xFFFF_FFFF: 4
        default: 8
        }
    }

    private mutating func add(_ string: String) {
        leaves += 1
        content += Self.longestHead + (string.utf8Span.isKnownASCII ? 1 : 2) * string.utf8.count
    }

    private mutating func add(_ value: PropertyList, depth: Int) throws(PropertyListError) {
        switch value {
        case .string(let string): add(string)
        case .data(let bytes):
            leaves += 1
            content += Self.longestHead + bytes.count
        case .boolean, .integer, .real, .date:
            leaves += 1
            content += 9
        case .array(let items): try add(items, depth: depth)
        case .dictionary(let entries):
            let keys = entries.keys
            for key in keys { add(key) }
            references += keys.count
            try add(entries.values, depth: depth)
        }
    }

    private mutating func add(_ items: [PropertyList], depth: Int) throws(PropertyListError) {
        let limit = PropertyListLimits.greatestDepth
        guard depth <= limit else { throw .tooDeep(limit: limit, at: .value) }
        containers += 1
        references += items.count
        for item in items { try add(item, depth: depth + 1) }
    }
}
