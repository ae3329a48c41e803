// Unsupported: what the model has and this version leaves out, said once by the process that asks for it.

internal import Locks

/// Parts of the model that a program can ask for by Apple's names, and that nothing happens of. docs/not-simulated.md has a row for each.
public enum Unsupported: String, Sendable, Hashable, CaseIterable {
    case fileCoordination = "N-023"
    case visibilityOfTeamAndGroup = "N-027"
    case furtherSuites = "N-043"

    /// What is not simulated, and what happens instead.
    private var summary: String {
        switch self {
        case .fileCoordination: "file coordination is not simulated: files are read and written without it"
        case .visibilityOfTeamAndGroup: "the visibilities team and group are not simulated: everybody sees what is for them"
        case .furtherSuites: "further suites of an app group's defaults are not simulated: their values are not found"
        }
    }

    /// A bit for each that has been said.
    private static let told = Atomic<UInt>(0)

    /// Says so on standard error, the first time in this process; from any thread.
    public func tell() {
        let bit: UInt = 1 << UInt(Self.allCases.firstIndex(of: self) ?? 0)
        guard Self.told.bitwiseOr(bit, ordering: .relaxed).oldValue & bit == 0 else { return }
        StandardStreams.writeError("exthost: \(summary) (docs/not-simulated.md, \(rawValue))\n")
    }
}
