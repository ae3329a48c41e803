// OpenMetrics: metrics in the text format of that name, version 1.0.

import ExtensionProtocol

/// A writer of families with their metadata, one sample a line, and `# EOF` at the end (OpenMetrics 1.0, “Text
/// Format”).
///
/// Servers send it as `application/openmetrics-text; version=1.0.0; charset=utf-8`.
enum OpenMetrics {
    static func text(_ statistics: Statistics) -> String {
        var text = ""
        for family in statistics.metrics {
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            if let unit = family.unit { text += "# UNIT \(family.name) \(unit)\n" }
            text += "# HELP \(family.name) \(escaped(family.help))\n"
            for sample in family.samples { append(sample, of: family, to: &text) }
        }
        return text + "# EOF\n"
    }

    private static func append(_ sample: MetricSample, of family: MetricFamily, to text: inout String) {
        switch family.kind {
        case .counter: text += "\(family.name)_total\(labels(sample)) \(sample.value)\n"
        case .gauge: text += "\(family.name)\(labels(sample)) \(sample.value)\n"
        case .histogram:
            var seen = 0
            for (index, count) in sample.buckets.enumerated() {
                // The counts are cumulative, and the last bucket contains everything.
                seen += count
                let bound = index < family.bounds.count ? number(family.bounds[index]) : "+Inf"
                text += "\(family.name)_bucket\(labels(sample, and: ("le", bound))) \(seen)\n"
            }
            text += "\(family.name)_count\(labels(sample)) \(sample.value)\n"
            text += "\(family.name)_sum\(labels(sample)) \(number(sample.sum ?? 0))\n"
        }
    }

    private static func labels(_ sample: MetricSample, and last: (name: String, value: String)? = nil) -> String {
        let all = sample.pairs + (last.map { [$0] } ?? [])
        return all.isEmpty ? "" : "{" + all.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
    }

    /// Returns a number in Swift's shortest form, which is the canonical one for all bounds in use: `0.001`, `1.0`.
    private static func number(_ value: Double) -> String { "\(value)" }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\"", with: "\\\"")
    }
}
