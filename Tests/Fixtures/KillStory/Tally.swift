// Tally: how requests ended.

import ExtensionHost

/// Counts by name, and those that ended as nobody should see it.
struct Tally: Sendable, Encodable {
    /// How many were begun; each has an outcome.
    var begun = 0
    /// By the name of the cause.
    var outcomes: [String: Int] = [:]
    /// The identifiers of those that completed and of which the extension has a note.
    var noted: [String] = []
    /// Those that ended as nobody should see it.
    var wrong: [String] = []
    /// Those that a process had of whose end their host did not hear.
    var unended: [String] = []

    var isAsItShouldBe: Bool { wrong.isEmpty && unended.isEmpty && begun == outcomes.values.reduce(0, +) }

    /// A daemon that was killed may have lost it, by name. What was completed has what was loaded.
    mutating func take(_ request: ExtensionRequest, _ outcome: RequestOutcome, of act: Act) {
        outcomes["\(outcome.cause)", default: 0] += 1
        if outcome.cause != act.cause, outcome.cause != .daemonRestarted {
            wrong.append("\(request.identifier): \(outcome)")
        }
        guard case .completed(let items) = outcome, act == .noteAndLoad else { return }
        noted.append("\(request.identifier)")
        let value = items.first?.userInfo?["value"] as? String
        if value != Act.loaded { wrong.append("\(request.identifier): it has loaded \(value ?? "nothing")") }
    }

    mutating func add(_ other: Tally) {
        begun += other.begun
        outcomes.merge(other.outcomes) { $0 + $1 }
        noted += other.noted
        wrong += other.wrong
        unended += other.unended
    }
}
