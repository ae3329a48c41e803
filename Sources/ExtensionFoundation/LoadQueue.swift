// LoadQueue: a queue of the loads beyond those that a request may have open.

import ExtensionWire

/// A queue for each request.
///
/// The daemon refuses too many loads; with the queue an author can request a thousand attachments.
struct LoadQueue: Sendable {
    /// Requests the value; returns false if that failed already and no request was sent.
    typealias Start = @Sendable () -> Bool

    private struct Line: Sendable {
        var open = 0
        var waiting: [(number: Int, start: Start)] = []
        /// The index of the first load that waits; those before it have started.
        var first = 0
    }

    /// The limit of the daemon for a request's open loads (docs/items.md).
    private static let mostOpen = 64
    private var lines: [RequestIdentifier: Line] = [:]

    /// Returns whether the load may start now; otherwise it is queued.
    mutating func enter(_ number: Int, of request: RequestIdentifier, _ start: @escaping Start) -> Bool {
        if lines[request, default: Line()].open < Self.mostOpen {
            lines[request, default: Line()].open += 1
            return true
        }
        lines[request]?.waiting.append((number, start))
        return false
    }

    /// Ends a load; returns the one that takes its place, if any waits.
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

    /// Removes a load from the queue; returns whether it was still queued.
    mutating func leave(_ number: Int, of request: RequestIdentifier) -> Bool {
        guard let line = lines[request],
            let place = line.waiting[line.first...].firstIndex(where: { $0.number == number })
        else {
            return false
        }
        lines[request]?.waiting.remove(at: place)
        return true
    }
}
