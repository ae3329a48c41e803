// Unsupported: the parts of the model that this version does not simulate, each logged once by the process that uses
// it.

internal import Locks

/// A part of the model that a program can use by Apple's names, and that has no effect. docs/not-simulated.md has a row
/// for each.
public enum Unsupported: String, Sendable, Hashable, CaseIterable {
    case fileCoordination = "N-023"
    case visibilityOfTeamAndGroup = "N-027"
    case furtherSuites = "N-043"
    case keyValueObserving = "N-290"

    /// A description of what is not simulated, and what happens instead.
    private var summary: String {
        switch self {
        case .fileCoordination: "file coordination is not simulated: files are read and written without it"
        case .visibilityOfTeamAndGroup:
            "the visibilities team and group are not simulated: every process sees such items"
        case .furtherSuites: "further suites of an app group's defaults are not simulated: their values are not found"
        case .keyValueObserving:
            "changes of a property are not observed: it is neither a settable @objc dynamic one of the sources nor a "
                + "key of an app group's defaults"
        }
    }

    /// The bits of the parts that were already logged.
    private static let told = Atomic<UInt>(0)

    /// Logs the part to standard error, the first time in this process; from any thread.
    public func tell() {
        let bit: UInt = 1 << UInt(Self.allCases.firstIndex(of: self) ?? 0)
        guard Self.told.bitwiseOr(bit, ordering: .relaxed).oldValue & bit == 0 else { return }
        StandardStreams.writeError("exthost: \(summary) (docs/not-simulated.md, \(rawValue))\n")
    }
}
