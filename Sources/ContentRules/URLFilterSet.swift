// URLFilterSet: all patterns of a list, matched at once.

/// The patterns of a list, and an index of texts that a URL must contain.
///
/// Each pattern has one *window*: the text of 1 to 8 characters in it that the fewest other patterns share. The URL is
/// passed over once for each length of windows. Only patterns whose window is in the URL run their steps, and those
/// that have no window.
struct URLFilterSet: Sendable {
    struct Pattern: Sendable {
        let start: Int32
        let count: Int32
        let isAnchored: Bool
        let isCaseSensitive: Bool

        var range: Range<Int> { Int(start)..<Int(start + count) }
    }

    fileprivate(set) var patterns: [Pattern] = []
    fileprivate(set) var steps: [FilterStep] = []
    fileprivate(set) var sets: [ByteSet] = []
    /// The patterns without a window.
    fileprivate(set) var always: [Int32] = []
    fileprivate(set) var tables: [WindowTable] = []
    fileprivate(set) var longest = 0

    /// Returns the numbers of the patterns that match a URL, ascending.
    func matches(_ url: LoadURL, _ matcher: inout URLFilterMatcher) -> [Int32] {
        var candidates = always
        for table in tables { table.find(in: url.lowercase, &candidates, &matcher) }
        if matcher.budget < 0 { return [] }
        candidates.sort()
        var matches: [Int32] = []
        var last: Int32 = -1
        for candidate in candidates where candidate != last {
            last = candidate
            let pattern = patterns[Int(candidate)]
            let text = pattern.isCaseSensitive ? url.bytes : url.lowercase
            if matcher.matches(steps, pattern.range, sets, isAnchored: pattern.isAnchored, text) {
                matches.append(candidate)
            }
        }
        return matches
    }

    /// The memory of the set in bytes.
    var size: Int {
        patterns.count * MemoryLayout<Pattern>.stride + steps.count * MemoryLayout<FilterStep>.stride
            + sets.count * MemoryLayout<ByteSet>.stride + always.count * 4 + tables.reduce(0) { $0 + $1.size }
    }
}

/// The windows of one length, and the patterns of each.
struct WindowTable: Sendable {
    let length: Int
    /// The windows, ascending. Sorted, so that no choice of windows makes the search slow.
    private let windows: [UInt64]
    /// The start of each window's patterns in `members`, and the end of the last.
    private let starts: [Int32]
    let members: [Int32]
    /// A bit for each remainder of a window's hash: most windows of a URL are in no pattern.
    private var bits: [UInt64]
    private let shift: UInt64

    /// - Parameter pairs: windows with their patterns.
    init(length: Int, _ pairs: [(window: UInt64, pattern: Int32)]) {
        let pairs = pairs.sorted { ($0.window, $0.pattern) < ($1.window, $1.pattern) }
        var windows: [UInt64] = []
        var starts: [Int32] = []
        for (index, pair) in pairs.enumerated() where windows.last != pair.window {
            windows.append(pair.window)
            starts.append(Int32(index))
        }
        starts.append(Int32(pairs.count))
        var width: UInt64 = 6
        while 1 << width < windows.count * 16 { width += 1 }
        shift = 64 - width
        bits = Array(repeating: 0, count: 1 << Int(width - 6))
        for window in windows {
            let hash = Self.hash(window) >> shift
            bits[Int(hash >> 6)] |= 1 << (hash & 63)
        }
        (self.length, self.windows, self.starts, members) = (length, windows, starts, pairs.map(\.pattern))
    }

    static func hash(_ window: UInt64) -> UInt64 { window &* 0x9E37_79B9_7F4A_7C15 }

    /// Adds the patterns whose windows are in a text, possibly several times.
    func find(in text: [UInt8], _ found: inout [Int32], _ matcher: inout URLFilterMatcher) {
        let mask: UInt64 = length == 8 ? .max : 1 << UInt64(8 * length) - 1
        var window: UInt64 = 0
        matcher.spend(text.count)
        for (place, byte) in text.enumerated() {
            window = (window << 8 | UInt64(byte)) & mask
            guard place + 1 >= length else { continue }
            let hash = Self.hash(window) >> shift
            guard bits[Int(hash >> 6)] >> (hash & 63) & 1 == 1, let index = index(of: window) else { continue }
            let patterns = members[Int(starts[index])..<Int(starts[index + 1])]
            matcher.spend(patterns.count)
            if matcher.budget < 0 { return }
            found.append(contentsOf: patterns)
        }
    }

    private func index(of window: UInt64) -> Int? {
        var (low, high) = (0, windows.count)
        while low < high {
            let middle = (low + high) / 2
            if windows[middle] < window { low = middle + 1 } else { high = middle }
        }
        return low < windows.count && windows[low] == window ? low : nil
    }

    var size: Int { windows.count * 12 + members.count * 4 + bits.count * 8 }
}

/// Collects the patterns of a list.
struct URLFilterSetBuilder {
    /// A pattern of a list: one of the set, or one that matches each URL.
    enum Member: Hashable { case pattern(Int32), everything }

    private struct Key: Hashable {
        let pattern: String
        let isCaseSensitive: Bool
    }

    private var result = URLFilterSet()
    private var known: [Key: Member] = [:]
    private var setIndices: [ByteSet: Int] = [:]
    /// The runs of all patterns, each followed by 0, and the end of each pattern's.
    private var runs: [UInt8] = []
    private var runEnds: [Int32] = []
    /// The texts of the patterns.
    private(set) var texts: [String] = []

    static let lengths = [8, 6, 4, 3, 2, 1]

    var stepCount: Int { result.steps.count }

    /// Adds a pattern, once. Returns its number and the oddities of a pattern that is new.
    mutating func add(
        _ pattern: String, isCaseSensitive: Bool
    ) throws(URLFilterFault) -> (member: Member, oddities: [String]) {
        let key = Key(pattern: pattern, isCaseSensitive: isCaseSensitive)
        if let member = known[key] { return (member, []) }
        let filter = try URLFilterParser.parse(pattern, isCaseSensitive: isCaseSensitive)
        let member: Member
        if filter.needsCharacter {
            member = .pattern(Int32(result.patterns.count))
            append(filter, pattern, isCaseSensitive)
        } else {
            member = .everything
        }
        known[key] = member
        return (member, filter.oddities)
    }

    private mutating func append(_ filter: URLFilter, _ pattern: String, _ isCaseSensitive: Bool) {
        result.patterns.append(
            URLFilterSet.Pattern(
                start: Int32(result.steps.count), count: Int32(filter.steps.count), isAnchored: filter.isAnchored,
                isCaseSensitive: isCaseSensitive))
        result.longest = max(result.longest, filter.steps.count)
        let indices = filter.sets.map { index(of: $0) }
        for step in filter.steps {
            result.steps.append(step.operation == .set ? FilterStep(.set, indices[step.argument]) : step)
        }
        for run in filter.literals.runs {
            runs += filter.literals.bytes[run]
            runs.append(0)
        }
        runEnds.append(Int32(runs.count))
        texts.append(pattern)
    }

    private mutating func index(of bytes: ByteSet) -> Int {
        if let index = setIndices[bytes] { return index }
        setIndices[bytes] = result.sets.count
        result.sets.append(bytes)
        return result.sets.count - 1
    }

    /// Chooses the windows.
    consuming func finish() -> URLFilterSet {
        // The number of patterns with a window, by bits of its hash: too large a number only makes a worse choice.
        var width: UInt64 = 8
        while width < 20, 1 << width < runs.count { width += 1 }
        var counts: [UInt16] = Array(repeating: 0, count: 1 << Int(width))
        func slot(_ window: UInt64) -> Int { Int(WindowTable.hash(window) >> (64 - width)) }
        forEachWindow { _, window, _ in
            let slot = slot(window)
            if counts[slot] < .max { counts[slot] += 1 }
        }
        var best: [(count: UInt16, window: UInt64, length: Int)?] = Array(repeating: nil, count: result.patterns.count)
        forEachWindow { pattern, window, length in
            let count = counts[slot(window)]
            if let known = best[pattern], known.count <= count { return }
            best[pattern] = (count, window, length)
        }
        var pairs: [Int: [(window: UInt64, pattern: Int32)]] = [:]
        for (pattern, best) in best.enumerated() {
            if let best {
                pairs[best.length, default: []].append((best.window, Int32(pattern)))
            } else {
                result.always.append(Int32(pattern))
            }
        }
        result.tables = Self.lengths.compactMap { length in pairs[length].map { WindowTable(length: length, $0) } }
        return result
    }

    /// Calls a function with each window of the greatest length that each pattern has.
    private func forEachWindow(_ body: (_ pattern: Int, _ window: UInt64, _ length: Int) -> Void) {
        var start = 0
        for (pattern, end) in runEnds.enumerated() {
            let part = start..<Int(end)
            start = Int(end)
            var (longest, run) = (0, 0)
            for place in part {
                run = runs[place] == 0 ? 0 : run + 1
                longest = max(longest, run)
            }
            guard let length = Self.lengths.first(where: { $0 <= longest }) else { continue }
            let mask: UInt64 = length == 8 ? .max : 1 << UInt64(8 * length) - 1
            var window: UInt64 = 0
            run = 0
            for place in part {
                run = runs[place] == 0 ? 0 : run + 1
                window = (window << 8 | UInt64(runs[place])) & mask
                if run >= length { body(pattern, window, length) }
            }
        }
    }
}
