// ScheduleSearch: the choice of the next schedule; pure, table-tested.

import ExtensionProtocol

/// The result of a schedule that was run: the possible steps after each of its steps.
struct Trace: Sendable {
    /// The steps taken: those of the schedule, then the automatic ones.
    var steps: [ExplorationStep] = []
    /// The possible steps before each of them, and at the end.
    ///
    /// The first is the automatic one, if `steps` has one there.
    var choices: [[ExplorationStep]] = []
    /// The normal form of the log before each of them.
    var logs: [NormalForm] = []
}

/// A search by the number of interferences.
///
/// A schedule without interference answers one load after the other. An interference is a step in place of the
/// automatic one. Schedules with fewer interferences come first, of those the shorter ones (delay-bounded search: Emmi,
/// Qadeer, Rakamarić, POPL 2011). If the same log has occurred before, nothing new can follow: that place is not tried
/// again.
struct ScheduleSearch {
    private struct Candidate: Hashable {
        let steps: [ExplorationStep]
        let interferences: Int
        /// A random number that decides between equals.
        let lot: UInt64
    }

    private struct Place: Hashable {
        let log: NormalForm
        let step: ExplorationStep
    }

    private var candidates: [Candidate]
    private var seen: Set<Place> = []
    private var random: SeededGenerator
    private var current: Candidate?
    private let mostSteps: Int

    init(seed: Int, mostSteps: Int = 6) {
        random = SeededGenerator(seed: seed)
        candidates = [Candidate(steps: [], interferences: 0, lot: 0)]
        self.mostSteps = mostSteps
    }

    /// Returns the next schedule; nil when there is none left.
    mutating func next() -> Schedule? {
        let best = candidates.indices.min { Self.isBefore(candidates[$0], candidates[$1]) }
        guard let best else { return nil }
        let candidate = candidates.remove(at: best)
        current = candidate
        return Schedule(candidate.steps)
    }

    /// Adds the result of the last schedule from `next`.
    mutating func learn(_ trace: Trace) {
        guard let current else { return }
        for place in current.steps.count..<max(current.steps.count, trace.choices.count) where place < mostSteps {
            let following = place < trace.steps.count ? trace.steps[place] : nil
            for step in trace.choices[place] where step != following {
                guard seen.insert(Place(log: trace.logs[place], step: step)).inserted else { continue }
                candidates.append(
                    Candidate(
                        steps: Array(trace.steps[..<place]) + [step], interferences: current.interferences + 1,
                        lot: random.next()
                    ))
            }
        }
    }

    private static func isBefore(_ left: Candidate, _ right: Candidate) -> Bool {
        (left.interferences, left.steps.count, left.lot) < (right.interferences, right.steps.count, right.lot)
    }
}
