// BenchReport: the costs of two extensions side by side, and the cause of their difference.

import ExtensionHostTesting
import Foundation

struct BenchReport: Sendable {
    /// The numbers of measured launches and requests.
    let launches: Int
    let requests: Int
    /// Whether the other extension is the sample, or one that the user named.
    let isSample: Bool
    let yours: MeasuredCost
    /// The cost of the other extension. Nil if there is no sample.
    let beside: MeasuredCost?

    // MARK: For people

    var text: String {
        let what = "\(launches) launches and \(requests) requests, medians, in turn"
        var text = "\(printable(yours.identifier)): \(what)\n"
        var table = Table("", .number("YOURS"), .number(isSample ? "SAMPLE" : "BESIDE"), .number("RATIO"))
        let answer = yours.ending == .view ? "first view" : "answer"
        row(&table, "launch: start to hello", { $0.launch.median }, written(time:))
        row(&table, "cold: begin to \(answer)", { $0.answer.median }, written(time:))
        row(&table, "cold: begin to gone", { $0.life.median }, written(time:))
        row(&table, "warm: begin to \(answer)", { $0.warm.median }, written(time:))
        row(&table, "idle memory: own (USS)", { $0.footprint.map { Double($0.own) } }, written(size:))
        row(
            &table, "idle memory: with its share (PSS)", { $0.footprint.map { Double($0.proportional) } },
            written(size:))
        row(&table, "idle memory: all pages (RSS)", { $0.footprint.map { Double($0.resident) } }, written(size:))
        row(&table, "peak memory (RSS)", { $0.peak.map(Double.init) }, written(size:))
        row(&table, "libraries loaded", { $0.footprint.map { Double($0.libraries.count) } }) { String(Int($0)) }
        let linked = { (cost: MeasuredCost?) in cost?.footprint?.linking.summary ?? "-" }
        table.add("linked", linked(yours), linked(beside), "")
        text += table.text(emptyNote: "")
        for sentence in remarks { text += printable(sentence) + "\n" }
        return text
    }

    private func row(
        _ table: inout Table, _ name: String, _ value: (MeasuredCost) -> Double?, _ written: (Double) -> String
    ) {
        let (own, other) = (value(yours), beside.flatMap(value))
        let ratio = own.flatMap { own in other.flatMap { $0 > 0 ? String(format: "%.2f", own / $0) : nil } }
        table.add(name, own.map(written) ?? "-", other.map(written) ?? "-", ratio ?? "")
    }

    /// Returns a time such as `0.21 ms`: warm requests take a fraction of a millisecond.
    private func written(time seconds: Double) -> String {
        seconds < 0.01 ? String(format: "%.2f ms", seconds * 1000) : exthostctl.written(seconds: seconds)
    }

    private func written(size bytes: Double) -> String { exthostctl.written(bytes: Int(bytes)) }

    // MARK: What it means

    /// Sentences about the cause of the difference, and about skipped measurements with their reasons.
    var remarks: [String] {
        var remarks: [String] = []
        if let beside { remarks.append(difference(from: beside)) }
        if beside == nil {
            remarks.append(
                "There is no sample to compare with. In a folder of exthost's sources, swift build makes it beside exthostctl; "
                    + "exthostctl new makes an extension for --beside.")
        }
        remarks += [memoryRemark, linkRemark].compactMap(\.self)
        if yours.warm.values.isEmpty {
            remarks.append(
                "There is no warm request: \(yours.point ?? "without a bundle") has a process for each request. Idle memory is that before the request."
            )
        }
        if yours.ending == .view {
            remarks.append("It shows a view: each request was cancelled at its first view, as its host would.")
        } else if yours.ending == .cancelled {
            remarks.append("It cancelled its requests: with a payload that it accepts, it may cost more.")
        }
        if yours.footprint == nil {
            remarks.append(
                "Its memory and its libraries are not readable: that needs the rights of its user, or of root.")
        }
        return remarks
    }

    /// Returns a sentence about the part of a cold request in which the two differ most.
    private func difference(from beside: MeasuredCost) -> String {
        guard let own = yours.life.median, let other = beside.life.median, let ownLaunch = yours.launch.median,
            let otherLaunch = beside.launch.median, let ownAnswer = yours.answer.median,
            let otherAnswer = beside.answer.median
        else { return "One of the two did not end in a comparable way." }
        let name = isSample ? "the sample" : beside.identifier
        let more = own - other
        // A smaller difference is the machine's own variation between runs.
        guard abs(more) > max(0.05 * other, 0.000_2) else { return "A cold request costs the same as with \(name)." }
        let parts = [
            ("launch, before its hello", ownLaunch - otherLaunch),
            ("request, from its hello to its answer", (ownAnswer - ownLaunch) - (otherAnswer - otherLaunch)),
            ("end of its process", (own - ownAnswer) - (other - otherAnswer)),
        ]
        let most = parts.max { more > 0 ? $0.1 < $1.1 : $0.1 > $1.1 } ?? parts[0]
        let direction = more > 0 ? "more" : "less"
        return "A cold request takes \(written(time: abs(more))) \(direction) than with \(name). "
            + "The largest difference is the \(most.0): \(written(time: abs(most.1))) \(direction)."
    }

    /// The share of linking and libraries in the difference.
    private var linkRemark: String? {
        guard let own = yours.footprint else { return nil }
        if let other = beside?.footprint {
            guard own.linking == other.linking else {
                return
                    "The two are linked differently, yours \(own.linking.summary) with \(count(own)), the other \(other.linking.summary) with "
                    + "\(count(other)): much of the launch difference comes from that."
                    + (own.linking == .script
                        ? "" : " exthostctl bundle has the modes, and docs/bundling.md lists the cost of each.")
            }
            let extra = Set(own.libraries).subtracting(other.libraries).sorted()
            if !extra.isEmpty {
                return "It loads libraries that the other does not: \(extra.prefix(6).joined(separator: ", "))"
                    + (extra.count > 6 ? " and \(extra.count - 6) more." : ".")
            }
        }
        guard own.linking == .dynamic else { return nil }
        return
            "Each launch finds and binds \(count(own)): exthostctl bundle, with or without --static, links Swift's libraries into the program."
    }

    /// The additional memory, if it is significant.
    private var memoryRemark: String? {
        guard let own = yours.footprint?.own, let other = beside?.footprint?.own, own > other + max(other / 4, 1 << 20)
        else {
            return nil
        }
        return "When idle, it has \(written(size: Double(own - other))) more of its own."
    }

    private func count(_ footprint: Footprint) -> String {
        footprint.libraries.count == 1 ? "1 library" : "\(footprint.libraries.count) libraries"
    }

    // MARK: For programs

    /// The report as JSON. Times are in seconds, memory in bytes.
    var json: JSON {
        [
            "launches": .integer(launches), "requests": .integer(requests), "yours": Self.json(yours),
            "beside": beside.map(Self.json) ?? .null, "isSample": .boolean(isSample),
            "remarks": .array(remarks.map(JSON.string)),
        ]
    }

    private static func json(_ cost: MeasuredCost) -> JSON {
        [
            "extension": .string(cost.identifier), "ending": .string(cost.ending.rawValue), "launch": json(cost.launch),
            "answer": json(cost.answer), "gone": json(cost.life), "warm": json(cost.warm),
            "memory": cost.footprint.map {
                ["own": .integer($0.own), "proportional": .integer($0.proportional), "resident": .integer($0.resident)]
            } ?? .null,
            "peakMemory": .optional(cost.peak), "linking": .optional(cost.footprint?.linking.rawValue),
            "libraries": .array((cost.footprint?.libraries ?? []).map(JSON.string)),
        ]
    }

    private static func json(_ spread: Spread) -> JSON {
        guard !spread.values.isEmpty else { return .null }
        return [
            "count": .integer(spread.values.count), "least": .optional(spread.least),
            "median": .optional(spread.median),
            "p95": .optional(spread.part(0.95)),
        ]
    }
}
