// OutputRing: the last lines of one extension, within a bound of bytes; pure.

import ExtensionProtocol

/// The last lines of one extension, in the order of their numbers, which grow and need not be consecutive.
///
/// Lines that were read together stay together until something reads them, and are dropped together.
struct OutputRing: Sendable {
    struct Entry: Sendable {
        let number: Int
        /// The number of the process among all that the daemon launched.
        let process: Int
        let line: LogLine

        /// The size of the line in a packet, where each line has a cost of its own.
        var cost: Int { line.bytes.count + OutputRing.lineCost }
    }

    private struct Run: Sendable {
        /// The number of its first line.
        let first: Int
        let process: Int
        let lines: LineAssembly.Lines
        /// The fields that all of its lines share; its `bytes` are empty.
        let origin: LogLine

        var last: Int { first + lines.count - 1 }
        /// The bytes of the run and a fixed cost, without which many short runs would fill memory.
        var cost: Int { lines.bytes.count + OutputRing.lineCost }
    }

    static let lineCost = 64

    let limit: Int
    private var runs: [Run] = []
    private var start = 0
    private var size = 0
    /// The number of the last line that was dropped; 0 when none was.
    private(set) var lostThrough = 0

    init(limit: Int) { self.limit = limit }

    /// Appends lines that `process` has written, numbered from `number` + 1 on.
    ///
    /// Lines that are over the limit by themselves stay until the next ones come.
    mutating func append(_ lines: LineAssembly.Lines, from origin: LogLine, of process: Int, after number: Int) {
        let run = Run(first: number + 1, process: process, lines: lines, origin: origin)
        runs.append(run)
        size += run.cost
        while size > limit, runs.count - start > 1 {
            size -= runs[start].cost
            lostThrough = runs[start].last
            start += 1
        }
        // The array moves rarely, so that a run costs the same however many there are.
        if start > 1024, start > runs.count / 2 {
            runs.removeFirst(start)
            start = 0
        }
    }

    /// Returns the lines with numbers above `number`, at most `count` of them.
    func entries(after number: Int, count: Int) -> [Entry] {
        var (low, high) = (start, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].last > number { high = middle } else { low = middle + 1 }
        }
        var found: [Entry] = []
        for run in runs[low...] where found.count < count {
            var next = max(run.first, number + 1)
            run.lines.each(from: next - run.first) { bytes in
                var line = run.origin
                line.bytes = bytes
                found.append(Entry(number: next, process: run.process, line: line))
                next += 1
                return found.count < count
            }
        }
        return found
    }
}
