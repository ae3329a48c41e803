// Sameness: values compared as a codec must keep them, and counted as a budget counts them.

import PropertyListCoding

/// Equal, and not-a-number is equal to itself.
func isSame(_ left: PropertyList, _ right: PropertyList) -> Bool {
    switch (left, right) {
    case (.real(let left), .real(let right)), (.date(let left), .date(let right)):
        return left == right || left.isNaN && right.isNaN
    case (.array(let left), .array(let right)): return left.count == right.count && zip(left, right).allSatisfy(isSame)
    case (.dictionary(let left), .dictionary(let right)):
        return left.count == right.count
            && left.allSatisfy { key, value in right[key].map { isSame(value, $0) } ?? false }
    default: return left == right
    }
}

/// What a walk over a value meets.
struct Extent {
    private(set) var nodes = 0
    private(set) var octets = 0
    private(set) var depth = 0

    init(of value: PropertyList) { visit(value, depth: 0) }

    private mutating func visit(_ value: PropertyList, depth: Int) {
        nodes += 1
        switch value {
        case .string(let text): octets += text.utf8.count
        case .data(let bytes): octets += bytes.count
        case .array(let items):
            self.depth = max(self.depth, depth + 1)
            for item in items { visit(item, depth: depth + 1) }
        case .dictionary(let entries):
            self.depth = max(self.depth, depth + 1)
            for (key, value) in entries {
                nodes += 1
                octets += key.utf8.count
                visit(value, depth: depth + 1)
            }
        default: break
        }
    }
}
