// ScheduleSearch: which schedule is tried next; pure, table-tested.

import ExtensionProtocol

/// What came of a schedule that was run: what could have been done after each of its steps.
struct Trace: Sendable {
    /// The steps taken: those of the schedule, then those that followed by themselves.
    var steps: [ExplorationStep] = []
    /// What could be done before each of them, and at the end. The first is what follows by itself, if `steps` has one there.
    var choices: [[ExplorationStep]] = []
    /// Of what had happened before each of them.
    var logs: [NormalForm] = []
}

/// A schedule that nobody interferes with answers one load after the other. Each interference, a step in place of the one that would follow,
/// is counted: schedules with fewer come first, of those the shorter ones (delay-bounded search: Emmi, Qadeer, Rakamarić, POPL 2011). Where
/// the same has happened before, nothing new can follow: that is not looked at again.
struct ScheduleSearch {
    private struct Candidate: Hashable {
        let steps: [ExplorationStep]
        let interferences: Int
        /// Decides between equals.
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

    /// nil when there is nothing left.
    mutating func next() -> Schedule? {
        let best = candidates.indices.min { Self.isBefore(candidates[$0], candidates[$1]) }
        guard let best else { return nil }
        let candidate = candidates.remove(at: best)
        current = candidate
        return Schedule(candidate.steps)
    }

    /// What came of the schedule that `next` gave last.
    mutating func learn(_ trace: Trace) {
        guard let current else { return }
        for place in current.steps.count..<max(current.steps.count, trace.choices.count) where place < mostSteps {
            let following = place < trace.steps.count ? trace.steps[place] : nil
            for step in trace.choices[place] where step != following {
                guard seen.insert(Place(log: trace.logs[place], step: step)).inserted else { continue }
                candidates.append(
                    Candidate(
                        steps: Array(trace.steps[..<place]) + [step], interferences: current.interferences + 1, lot: random.next()
                    ))
            }
        }
    }

    private static func isBefore(_ left: Candidate, _ right: Candidate) -> Bool {
        (left.interferences, left.steps.count, left.lot) < (right.interferences, right.steps.count, right.lot)
    }
}
