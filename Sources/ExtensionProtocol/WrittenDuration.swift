// Duration's written form: `500ms`, `3s`, `5min`; a bare number is seconds.

extension Duration {
    /// Reads a duration as people write it; nil for anything else, negative ones and those of a billion seconds or more
    /// included.
    public init?(written text: String) {
        let number = text.prefix { $0.isNumber || $0 == "." }
        guard let value = Double(number), value.isFinite else { return nil }
        let unit: Double
        switch text[number.endIndex...] {
        case "", "s", "sec": unit = 1
        case "us": unit = 1e-6
        case "ms": unit = 1e-3
        case "min", "m": unit = 60
        case "h": unit = 3600
        default: return nil
        }
        // The check follows the unit: hours within the limit of seconds would not fit the nanoseconds.
        guard value * unit < 1e9 else { return nil }
        self = .nanoseconds(Int64((value * unit * 1e9).rounded()))
    }
}
