// StatsCommand: the verb that shows the daemon's metrics, for people, programs and monitoring.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct StatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Print the daemon's metrics since its start.",
        discussion: """
            The metrics are requests by outcome and cause, launches, ends of processes, packets and refusals, the
            current counts, and durations. docs/service.md, "Metrics", describes each. With --openmetrics, the command
            prints the text format of monitoring systems.

            EXAMPLES
              exthostctl stats
              exthostctl stats --json
              exthostctl stats --openmetrics > /var/lib/prometheus/node-exporter/exthost.prom
            """)

    @OptionGroup(title: "Global options")
    var global: GlobalOptions

    @Flag(help: "Print OpenMetrics text.")
    var openmetrics = false

    func validate() throws {
        if openmetrics, global.json { throw ValidationError("--json and --openmetrics exclude each other.") }
    }

    func run() async throws {
        let statistics = try await global.withControl { try await $0.statistics() }
        if openmetrics { return try StandardOutput.write(OpenMetrics.text(statistics)) }
        if global.json { return try StandardOutput.write(statistics.json.document) }
        try StandardOutput.write(Self.text(statistics))
    }

    /// Returns one line per metric. A histogram has its count, its mean, and the bounds within which half and nearly
    /// all values lie.
    private static func text(_ statistics: Statistics) -> String {
        var table = Table("FIGURE", "OF", "VALUE")
        for family in statistics.metrics {
            for sample in family.samples {
                table.add(family.shortName, printable(sample.summary), value(of: sample, in: family))
            }
        }
        let uptime = Double(max(0, statistics.time - statistics.started)) / 1e6
        return table.text(emptyNote: "There are no metrics.")
            + "since \(written(time: statistics.started)), \(written(seconds: uptime))\n"
    }

    private static func value(of sample: MetricSample, in family: MetricFamily) -> String {
        guard family.kind == .histogram else {
            return family.unit == "bytes" ? written(bytes: sample.value) : "\(sample.value)"
        }
        guard sample.value > 0 else { return "none" }
        let mean = written(seconds: (sample.sum ?? 0) / Double(sample.value))
        return "\(sample.value), mean \(mean), half \(bound(0.5, sample, family)), 99 % \(bound(0.99, sample, family))"
    }

    /// Returns the upper bound of the bucket in which this part of the values is reached.
    private static func bound(_ part: Double, _ sample: MetricSample, _ family: MetricFamily) -> String {
        var seen = 0
        for (bound, count) in zip(family.bounds, sample.buckets) {
            seen += count
            if Double(seen) >= part * Double(sample.value) { return "≤ \(written(seconds: bound))" }
        }
        return family.bounds.last.map { "> \(written(seconds: $0))" } ?? "unknown"
    }
}

extension MetricFamily {
    /// The name for people, without the prefix and the unit.
    fileprivate var shortName: String {
        var name = name[...]
        if name.hasPrefix("exthost_") { name = name.dropFirst(8) }
        if let unit, name.hasSuffix("_\(unit)") { name = name.dropLast(unit.utf8.count + 1) }
        return String(name.replacing("_", with: " "))
    }
}

extension MetricSample {
    /// The labels as pairs. A last one without a value is ignored.
    var pairs: [(name: String, value: String)] {
        stride(from: 0, to: labels.count - labels.count % 2, by: 2).map { (labels[$0], labels[$0 + 1]) }
    }

    fileprivate var summary: String { pairs.isEmpty ? "-" : pairs.map(\.value).joined(separator: " ") }
}

extension Statistics {
    var json: JSON {
        [
            "started": .time(started), "time": .time(time),
            "metrics": .array(
                metrics.map { family in
                    [
                        "name": .string(family.name), "kind": .string(family.kind.rawValue),
                        "unit": .optional(family.unit),
                        "help": .string(family.help),
                        "samples": .array(family.samples.map { $0.json(in: family) }),
                    ]
                }),
        ]
    }
}

extension MetricSample {
    fileprivate func json(in family: MetricFamily) -> JSON {
        let labels = JSON.object(pairs.map { ($0.name, .string($0.value)) })
        guard family.kind == .histogram else { return ["labels": labels, "value": .integer(value)] }
        let buckets = buckets.enumerated().map { index, count -> JSON in
            ["le": index < family.bounds.count ? .real(family.bounds[index]) : .null, "count": .integer(count)]
        }
        return ["labels": labels, "count": .integer(value), "sum": .optional(sum), "buckets": .array(buckets)]
    }
}
