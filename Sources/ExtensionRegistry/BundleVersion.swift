// BundleVersion: CFBundleVersion, compared number by number.

/// A version as Apple documents `CFBundleVersion`: integers with dots between them, where omitted ones are zero.
///
/// Any count of numbers of any length is read. Of a part that is not a number, the leading digits count.
public struct BundleVersion: Sendable, Hashable, Comparable {
    /// The digits of each part, without leading zeros and without trailing parts that are zero.
    private let parts: [Substring.UTF8View.SubSequence]
    public let text: String

    public init(_ text: String) {
        self.text = text
        var parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { part in
            part.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.drop { $0 == UInt8(ascii: "0") }
        }
        while parts.last?.isEmpty == true { parts.removeLast() }
        self.parts = parts
    }

    public static func < (left: BundleVersion, right: BundleVersion) -> Bool { order(left, right) < 0 }

    public static func == (left: BundleVersion, right: BundleVersion) -> Bool { order(left, right) == 0 }

    public func hash(into hasher: inout Hasher) {
        for part in parts {
            for digit in part { hasher.combine(digit) }
            hasher.combine(UInt8(ascii: "."))
        }
    }

    /// Whether the text has the documented form.
    public var isWellFormed: Bool {
        let all = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return !text.isEmpty
            && all.allSatisfy { !$0.isEmpty && $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    }

    private static func order(_ left: BundleVersion, _ right: BundleVersion) -> Int {
        for (one, other) in zip(left.parts, right.parts) {
            // Without leading zeros the longer number is the greater one.
            if one.count != other.count { return one.count - other.count }
            if one.lexicographicallyPrecedes(other) { return -1 }
            if other.lexicographicallyPrecedes(one) { return 1 }
        }
        return left.parts.count - right.parts.count
    }
}
