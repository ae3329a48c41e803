// MeasuredCost: the measured cost of one extension.

import ExtensionHost
import ExtensionProtocol

/// Measurements of one quantity, in seconds or bytes.
struct Spread: Sendable {
    /// The values in ascending order.
    private(set) var values: [Double] = []

    mutating func add(_ value: Double?) {
        guard let value else { return }
        values.insert(value, at: values.firstIndex { $0 > value } ?? values.endIndex)
    }

    var least: Double? { values.first }
    var median: Double? { part(0.5) }

    /// Returns the value below which this part of all values lies. Nil if there is none.
    func part(_ part: Double) -> Double? {
        values.isEmpty ? nil : values[min(values.count - 1, Int(Double(values.count) * part))]
    }
}

struct MeasuredCost: Sendable {
    /// The way in which an extension's requests end.
    enum Ending: String, Sendable {
        case completed
        /// The extension cancels the request.
        case cancelled
        /// The extension shows a view, and its host cancels the request then.
        case view
    }

    /// One process with one request.
    struct Life: Sendable {
        let ending: Ending
        /// Seconds from begin to the answer or the view.
        let answer: Double
        let timings: Timings
        /// The peak memory in bytes.
        let peak: Int?
    }

    let identifier: String
    /// The extension point. Nil for an extension that has no bundle, or that no daemon was asked about.
    let point: String?
    var ending = Ending.completed
    /// The time from the start of the process to its hello.
    var launch = Spread()
    /// The time from the request's begin, as its host sees it, to the answer or the first view, in a new process.
    var answer = Spread()
    /// The time from the request's begin to the end of its process.
    var life = Spread()
    /// The time from begin to answer in a running process. Empty if a process serves one request only.
    var warm = Spread()
    /// The process that served the warm requests.
    var processIdentifier: Int?
    /// The footprint. Nil if it could not be read.
    var footprint: Footprint?
    /// The median of the peak memory of all lives, in bytes.
    var peak: Int? { peaks.part(0.5).map(Int.init) }
    private var peaks = Spread()

    init(identifier: String, point: String?) {
        self.identifier = identifier
        self.point = point
    }

    mutating func add(_ life: Life) {
        if let spawn = life.timings.spawn, let ready = life.timings.ready { launch.add(ready - spawn) }
        answer.add(life.answer)
        self.life.add(life.timings.exited)
        peaks.add(life.peak.map(Double.init))
    }

    mutating func addWarm(_ served: BenchContender.Served, counts: Bool) {
        processIdentifier = served.request.processIdentifier
        if counts { warm.add(served.answer) }
    }
}
