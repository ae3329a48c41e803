// OutputRing: the last lines of one extension, within a bound of bytes; pure.

import ExtensionProtocol

/// Keeps lines in the order of their numbers, which grow and need not be consecutive.
struct OutputRing: Sendable {
    struct Entry: Sendable {
        let number: Int
        /// The process among all that the daemon launched.
        let process: Int
        let line: LogLine

        /// Short lines have a cost of their own, else newlines alone would fill memory.
        var cost: Int { line.bytes.count + OutputRing.lineCost }
    }

    static let lineCost = 64

    let limit: Int
    private var entries: [Entry] = []
    private var start = 0
    private var size = 0
    /// The number of the last line that had to go; 0 when none had.
    private(set) var lostThrough = 0

    init(limit: Int) { self.limit = limit }

    /// Appends lines that `process` has written, numbered from `number` + 1 on.
    mutating func append(_ lines: [LogLine], of process: Int, after number: Int) {
        for (index, line) in lines.enumerated() { append(Entry(number: number + 1 + index, process: process, line: line)) }
    }

    /// A line that is over the limit by itself is kept until the next one comes.
    mutating func append(_ entry: Entry) {
        entries.append(entry)
        size += entry.cost
        while size > limit, entries.count - start > 1 {
            size -= entries[start].cost
            lostThrough = entries[start].number
            start += 1
        }
        // Moved rarely, so that a line costs the same however many there are.
        if start > 1024, start > entries.count / 2 {
            entries.removeFirst(start)
            start = 0
        }
    }

    /// Lines with numbers above `number`, at most `count` of them.
    func entries(after number: Int, count: Int) -> ArraySlice<Entry> {
        var (low, high) = (start, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return entries[low...].prefix(count)
    }
}
