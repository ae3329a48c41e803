// StatisticsMessages: the daemon's metrics: counters, gauges and histograms.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks for the metrics of the daemon since its start.
///
/// Client → daemon; answered by `statistics`.
public struct GetStatistics: RequestMessage {
    public typealias Response = Statistics
    public static let kind = MessageKind.getStatistics
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// A snapshot of all metrics ([service.md](service.md)).
///
/// Daemon → client.
public struct Statistics: Message, Hashable {
    public static let kind = MessageKind.statistics
    /// The start of the daemon, in microseconds since 1970.
    public var started: Int
    /// The time of the snapshot, in microseconds since 1970.
    public var time: Int
    public var metrics: [MetricFamily]

    public init(started: Int, time: Int, metrics: [MetricFamily]) {
        self.started = started
        self.time = time
        self.metrics = metrics
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        started = try fields.value(.started)
        time = try fields.value(.time)
        metrics = try fields.value(.metrics)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.started, started)
        fields.set(.time, time)
        fields.set(.metrics, metrics)
    }
}

/// The metrics of one name, which differ by their labels.
public struct MetricFamily: Sendable, Hashable, WireStructure {
    /// The name as in OpenMetrics, without the `_total` of a counter's samples: `exthost_requests`.
    public var name: String
    public var kind: MetricFamily.Kind
    /// `seconds` or `bytes`, which is then the suffix of the name. Absent for counts.
    public var unit: String?
    /// The meaning of the metric, in a sentence.
    public var help: String
    /// The upper bounds of a histogram's buckets in its unit, ascending. The last bucket has none.
    public var bounds: [Double]
    public var samples: [MetricSample]

    public init(
        name: String, kind: MetricFamily.Kind, unit: String? = nil, help: String, bounds: [Double] = [],
        samples: [MetricSample]
    ) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.help = help
        self.bounds = bounds
        self.samples = samples
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        name = try fields.value(.name)
        kind = try fields.value(.kind)
        unit = try fields.optional(.unit)
        help = try fields.value(.help)
        bounds = try fields.optional(.bounds) ?? []
        samples = try fields.value(.samples)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.name, name)
        fields.set(.kind, kind)
        fields.set(.unit, unit)
        fields.set(.help, help)
        if !bounds.isEmpty { fields.set(.bounds, bounds) }
        fields.set(.samples, samples)
    }
}

extension MetricFamily {
    public enum Kind: String, Sendable, Hashable, CaseIterable, WireValue {
        /// A value that only grows, from 0 at the daemon's start.
        case counter
        case gauge
        case histogram
    }
}

/// One value of a metric.
public struct MetricSample: Sendable, Hashable, WireStructure {
    /// Names and values, alternating.
    public var labels: [String]
    /// The value of a counter or gauge, or the number of a histogram's observations.
    public var value: Int
    /// The count of each bucket of a histogram, with the unbounded one last. The counts are not cumulative.
    public var buckets: [Int]
    /// The sum of a histogram's observations, in its unit.
    public var sum: Double?

    public init(labels: [String] = [], value: Int, buckets: [Int] = [], sum: Double? = nil) {
        self.labels = labels
        self.value = value
        self.buckets = buckets
        self.sum = sum
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        labels = try fields.optional(.labels) ?? []
        value = try fields.value(.value)
        buckets = try fields.optional(.buckets) ?? []
        sum = try fields.optional(.sum)
    }

    public func encode(into fields: inout FieldWriter) {
        if !labels.isEmpty { fields.set(.labels, labels) }
        fields.set(.value, value)
        if !buckets.isEmpty { fields.set(.buckets, buckets) }
        fields.set(.sum, sum)
    }
}
