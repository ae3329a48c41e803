// URLFilterSteps: the compiled form of a pattern, steps that run over a URL all at once.

/// A step of a pattern, in four bytes.
struct FilterStep: Sendable, Hashable {
    enum Operation: UInt32 {
        /// A byte.
        case byte
        /// A byte of a set; the argument is the set's index.
        case set
        case any
        /// The next step, and the one at the argument's distance.
        case split
        /// The step at the argument's distance.
        case jump
        /// The end of the URL.
        case end
        case match
    }

    private var packed: Int32

    init(_ operation: Operation, _ argument: Int = 0) {
        packed = Int32(truncatingIfNeeded: argument) << 3 | Int32(operation.rawValue)
    }

    var operation: Operation { Operation(rawValue: UInt32(packed & 7)) ?? .match }
    var argument: Int { Int(packed >> 3) }
}

/// A set of ASCII characters.
struct ByteSet: Sendable, Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
    }

    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : byte < 128 && high >> UInt64(byte & 63) & 1 == 1
    }

    /// Inverts the set. NUL, which no URL has, is in none.
    mutating func invert() { (low, high) = (~low & ~1, ~high) }

    var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }
    var first: UInt8? {
        if low != 0 { return UInt8(low.trailingZeroBitCount) }
        return high != 0 ? UInt8(64 + high.trailingZeroBitCount) : nil
    }
}

/// The texts that each URL of a match contains: runs of at least one character, in lower case.
struct LiteralRuns: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The ends of the runs in `bytes`.
    private var breaks: [Int] = []

    struct Mark { fileprivate let bytes: Int, breaks: Int }

    var mark: Mark { Mark(bytes: bytes.count, breaks: breaks.count) }

    mutating func append(_ byte: UInt8) { bytes.append(lowercased(byte)) }

    /// Ends the current run.
    mutating func end() { if breaks.last != bytes.count { breaks.append(bytes.count) } }

    /// Forgets what came after a mark, which may be missing in a match.
    mutating func forget(_ mark: Mark) {
        bytes.removeLast(bytes.count - mark.bytes)
        breaks.removeLast(breaks.count - mark.breaks)
        end()
    }

    /// The runs, each a range of `bytes`.
    var runs: [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for end in breaks + [bytes.count] {
            if end > start { runs.append(start..<end) }
            start = end
        }
        return runs
    }
}

@inline(__always) func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
