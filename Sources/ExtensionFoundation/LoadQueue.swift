// LoadQueue: loads beyond those that a request may have open, which wait for their turn.

import ExtensionWire

/// A line for each request. The daemon refuses what is too much; an author who asks for a thousand attachments gets them all.
struct LoadQueue: Sendable {
    /// Asks for the value; false when that failed already, and nothing is on the way.
    typealias Start = @Sendable () -> Bool

    private struct Line: Sendable {
        var open = 0
        var waiting: [(number: Int, start: Start)] = []
        /// Those before it have started.
        var first = 0
    }

    /// What the daemon lets a request have open (docs/items.md).
    private static let mostOpen = 64
    private var lines: [RequestIdentifier: Line] = [:]

    /// True when the load may start now, else it is in the line.
    mutating func enter(_ number: Int, of request: RequestIdentifier, _ start: @escaping Start) -> Bool {
        if lines[request, default: Line()].open < Self.mostOpen {
            lines[request, default: Line()].open += 1
            return true
        }
        lines[request]?.waiting.append((number, start))
        return false
    }

    /// A load has ended: the one that has its place now, if any waits.
    mutating func next(of request: RequestIdentifier) -> Start? {
        guard var line = lines[request] else { return nil }
        guard line.first < line.waiting.count else {
            line.open -= 1
            line.waiting = []
            line.first = 0
            lines[request] = line.open > 0 ? line : nil
            return nil
        }
        let start = line.waiting[line.first].start
        line.first += 1
        if line.first > 64, line.first * 2 > line.waiting.count {
            line.waiting.removeFirst(line.first)
            line.first = 0
        }
        lines[request] = line
        return start
    }

    /// True when the load was in the line still, and is not any more.
    mutating func leave(_ number: Int, of request: RequestIdentifier) -> Bool {
        guard let line = lines[request], let place = line.waiting[line.first...].firstIndex(where: { $0.number == number }) else {
            return false
        }
        lines[request]?.waiting.remove(at: place)
        return true
    }
}
