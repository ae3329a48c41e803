// StatisticsMessages: the daemon's figures: counters, gauges and histograms, each family with what it counts.

/// What has been counted since the daemon started?
public struct GetStatistics: RequestMessage {
    public typealias Response = Statistics
    public static let kind = MessageKind.getStatistics
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// All figures, as they were at one moment.
public struct Statistics: Message, Hashable {
    public static let kind = MessageKind.statistics
    /// When the daemon started, and when this was answered, in microseconds since 1970.
    public var started: Int
    public var time: Int
    public var metrics: [MetricFamily]

    public init(started: Int, time: Int, metrics: [MetricFamily]) {
        (self.started, self.time, self.metrics) = (started, time, metrics)
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

/// Figures of one name, which differ by their labels.
public struct MetricFamily: Sendable, Hashable, WireStructure {
    public enum Kind: String, Sendable, Hashable, CaseIterable, WireValue {
        /// Only grows, from 0 at the daemon's start.
        case counter
        case gauge
        case histogram
    }

    /// As OpenMetrics spells names, without the `_total` of a counter's samples: `exthost_requests`.
    public var name: String
    public var kind: Kind
    /// `seconds` or `bytes`, which then ends the name; nil of what is counted in pieces.
    public var unit: String?
    /// What it counts, in a sentence.
    public var help: String
    /// Upper bounds of a histogram's buckets in its unit, ascending; the last bucket has none.
    public var bounds: [Double]
    public var samples: [MetricSample]

    public init(
        name: String, kind: Kind, unit: String? = nil, help: String, bounds: [Double] = [], samples: [MetricSample]
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
        fields.set(.bounds, bounds.isEmpty ? nil : bounds)
        fields.set(.samples, samples)
    }
}

/// One figure.
public struct MetricSample: Sendable, Hashable, WireStructure {
    /// Name and value by turns.
    public var labels: [String]
    /// A counter's or gauge's value; of a histogram how many were measured.
    public var value: Int
    /// Of a histogram: how many lie in each bucket, the one without a bound last; not added up.
    public var buckets: [Int]
    /// Of a histogram: all that was measured together, in its unit.
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
        fields.set(.labels, labels.isEmpty ? nil : labels)
        fields.set(.value, value)
        fields.set(.buckets, buckets.isEmpty ? nil : buckets)
        fields.set(.sum, sum)
    }
}
