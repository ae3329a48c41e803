// Timers: the names, defaults and sources of all time limits.

/// The value of each timer in docs/lifecycle.md, "Timers"; nil if the timer is off.
public struct Timers: Sendable, Hashable {
    /// The names that options, configuration, extension points and bundles use.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        case launch, firstRequest, prewarmed, request, load, call, postComplete, expire, term, idle, suspend,
            unresponsive
    }

    private var values: [Name: Duration]

    /// The defaults (spec 1.2): `request` is off; points without an interface set it.
    public init() {
        values = [
            .launch: .seconds(5), .firstRequest: .seconds(10), .prewarmed: .seconds(300), .load: .seconds(10),
            .call: .seconds(30), .postComplete: .seconds(5), .expire: .seconds(1), .term: .seconds(1),
            .idle: .seconds(3), .suspend: .seconds(5), .unresponsive: .seconds(5),
        ]
    }

    public subscript(name: Name) -> Duration? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Returns these values, overridden by `overrides`.
    public func overridden(by overrides: [Name: Duration]) -> Timers {
        var result = self
        result.values.merge(overrides) { $1 }
        return result
    }
}
