// MeasuredCost: what one extension was found to cost.

import ExtensionHost
import ExtensionProtocol

/// Times of the same thing, in seconds.
struct Spread: Sendable {
    /// In order.
    private(set) var values: [Double] = []

    mutating func add(_ value: Double?) {
        guard let value else { return }
        values.insert(value, at: values.firstIndex { $0 > value } ?? values.endIndex)
    }

    var least: Double? { values.first }
    var median: Double? { part(0.5) }

    /// The value below which such a part of all lies; nil where there is none.
    func part(_ part: Double) -> Double? {
        values.isEmpty ? nil : values[min(values.count - 1, Int(Double(values.count) * part))]
    }
}

struct MeasuredCost: Sendable {
    /// How its requests end.
    enum Ending: String, Sendable {
        case completed
        /// By the extension.
        case cancelled
        /// It shows a view, and its host gives it up then.
        case view
    }

    /// One process with one request.
    struct Life: Sendable {
        let ending: Ending
        /// Seconds from begin to the answer or the view.
        let answer: Double
        let timings: Timings
        /// Bytes.
        let peak: Int?
    }

    let identifier: String
    /// Nil for one that has no bundle, or is none's that the daemon was asked about.
    let point: String?
    var ending = Ending.completed
    /// From the start of the process to its hello.
    var launch = Spread()
    /// From the request's begin, as its host sees it, to the answer or the first view, in a new process.
    var answer = Spread()
    /// From the request's begin to the end of its process.
    var life = Spread()
    /// From begin to answer in a process that runs. Empty where a process serves one request only.
    var warm = Spread()
    /// The process that served the warm ones.
    var processIdentifier: Int?
    /// Nil where it could not be seen.
    var footprint: Footprint?
    /// Bytes, the middle of all lives.
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
