// ExtensionExplorer: the search for an order of events that breaks an extension, and its shortening.

public import ExtensionHost
import ExtensionProtocol
import Foundation

/// The extension to explore, and its items.
// @unchecked: items belong to the SDK, whose state is behind locks, and nothing changes them.
public struct ExplorationSubject: @unchecked Sendable {
    var applications: [String]
    var identifier: String
    var path: String?
    var items: [NSExtensionItem]
    var arguments: [String] = []
    /// The calls that the host makes of each request, in their usual order.
    public var calls: [ExplorationCall] = []
    /// The handlers of the extension's calls.
    public var handlers = PointHandlers()

    /// - Parameters:
    ///   - identifier: of an extension in `applications`.
    ///   - applications: folders of `.app` bundles, or such bundles.
    ///   - items: the extension's items; each load is answered at the place that a schedule gives.
    public init(_ identifier: String, in applications: [String], items: [NSExtensionItem]) {
        (self.identifier, self.applications, self.items) = (identifier, applications, items)
    }

    /// Explores a program or an `.appex` by its absolute path.
    public init(path: String, items: [NSExtensionItem]) {
        (identifier, applications, self.path, self.items) = ("", [], path, items)
    }
}

/// The result of an exploration.
public struct Exploration: Sendable {
    /// A schedule that breaks the extension.
    public struct Finding: Sendable {
        /// The extension's breakage.
        public let breakage: Breakage
        /// The shortest schedule that breaks it; `Schedule(_:)` of its description is the same.
        public let schedule: Schedule
        /// The events in it, one event a line.
        public let timeline: String
    }

    /// The finding; nil if nothing was found.
    public let finding: Finding?
    /// The number of schedules that were played until a breakage was found, or none was left.
    public let schedules: Int
    /// The number of further schedules that shortened the finding.
    public let shortening: Int
    /// Whether no schedule was left to try.
    public let isExhausted: Bool
    /// The seed that gives the same schedules again.
    public let seed: Int
}

/// An explorer that plays schedules around one extension, each in a private daemon with a virtual clock.
///
/// A schedule has answers of loads, cancellations and states of the host, time limits, another request and a crash.
/// Safe to use from any thread; schedules are played one after the other.
public struct ExtensionExplorer: Sendable {
    /// The way in which the next schedule is chosen.
    public enum Strategy: String, Sendable, CaseIterable {
        /// Schedules with the fewest interferences come first, and none twice.
        case systematic
        /// Any possible step is taken, six times, then the automatic ones.
        case randomWalk
    }

    private static let mostSteps = 6

    private let subject: ExplorationSubject

    /// Explores one extension; nothing runs before `explore`.
    public init(_ subject: ExplorationSubject) { self.subject = subject }

    /// Searches for a schedule that breaks the extension.
    ///
    /// The schedule without interference comes first; its answer is the one that the extension must always give.
    ///
    /// - Parameters:
    ///   - seed: decides between schedules that are equally simple; the same seed tries the same ones.
    ///   - limit: the most schedules to play.
    ///   - strategy: how the next schedule is chosen.
    /// - Throws: `ExtensionHostError` as `TestDaemon.start`, and the reason if the extension is not available, for
    ///   example `noSuchExtension`.
    public func explore(
        seed: Int = 1, schedules limit: Int = 200, by strategy: Strategy = .systematic
    ) async throws -> Exploration {
        var search = ScheduleSearch(seed: seed, mostSteps: Self.mostSteps)
        var random = SeededGenerator(seed: seed)
        var usual: Answer?
        var count = 0
        while count < limit {
            let schedule: Schedule
            switch strategy {
            case .systematic:
                guard let next = search.next() else { return exploration(count, seed, isExhausted: true) }
                schedule = next
            case .randomWalk: schedule = Schedule()
            }
            let isFirst = count == 0
            count += 1
            let result = try await ScheduleRun.play(subject) { place, choices in
                switch strategy {
                case .systematic: return place < schedule.steps.count ? schedule.steps[place] : nil
                case .randomWalk:
                    return isFirst || place >= Self.mostSteps ? nil : choices.randomElement(using: &random)
                }
            }
            if isFirst { usual = result.answers.first }
            // This comes first: a crash at the launch is a finding.
            if let breakage = Breakage(log: result.log, answers: result.answers, usual: usual, hung: result.hung) {
                let found = strategy == .systematic ? schedule : Schedule(result.trace.steps)
                return try await shorten(found, breakage, result, usual, count, seed)
            }
            if isFirst, let refusal = result.refusal { throw refusal }
            search.learn(result.trace)
        }
        return exploration(count, seed, isExhausted: false)
    }

    /// Plays one schedule; returns its breakage, if any.
    ///
    /// Throws as `explore`, and `invalidArgument` if a step is impossible.
    public func play(_ schedule: Schedule) async throws -> Exploration {
        let usual = try await replay(Schedule())
        let result = try await replay(schedule)
        let breakage = Breakage(
            log: result.log, answers: result.answers, usual: usual.answers.first, hung: result.hung)
        if breakage == nil, let refusal = usual.refusal { throw refusal }
        // A breakage before the step counts, except loads that were left unanswered there.
        if !result.trace.steps.starts(with: schedule.steps), breakage == nil || breakage?.kind == .hang {
            let taken = Schedule(Array(zip(result.trace.steps, schedule.steps).prefix { $0 == $1 }.map(\.0)))
            throw ExtensionHostError(
                .invalidArgument, "after “\(taken)”, the next step of “\(schedule)” is impossible",
                remedy: "Give possible steps, as explore prints them")
        }
        return Exploration(
            finding: breakage.map { .init(breakage: $0, schedule: schedule, timeline: result.timeline) }, schedules: 1,
            shortening: 0, isExhausted: false, seed: 0)
    }

    private func exploration(_ count: Int, _ seed: Int, isExhausted: Bool) -> Exploration {
        Exploration(finding: nil, schedules: count, shortening: 0, isExhausted: isExhausted, seed: seed)
    }

    private func replay(_ schedule: Schedule) async throws -> ScheduleRun.Result {
        try await ScheduleRun.play(subject) { place, _ in place < schedule.steps.count ? schedule.steps[place] : nil }
    }

    /// Removes one step after the other for as long as the breakage is the same.
    private func shorten(
        _ found: Schedule, _ breakage: Breakage, _ result: ScheduleRun.Result, _ usual: Answer?, _ count: Int,
        _ seed: Int
    ) async throws -> Exploration {
        var best = Exploration.Finding(breakage: breakage, schedule: found, timeline: result.timeline)
        var tries = 0
        var place = 0
        while place < best.schedule.steps.count {
            var shorter = best.schedule
            shorter.steps.remove(at: place)
            tries += 1
            let result = try await replay(shorter)
            if let again = Breakage(log: result.log, answers: result.answers, usual: usual, hung: result.hung),
                again.kind == breakage.kind,
                result.trace.steps.starts(with: shorter.steps)
            {
                best = .init(breakage: again, schedule: shorter, timeline: result.timeline)
                place = 0
            } else {
                place += 1
            }
        }
        return Exploration(finding: best, schedules: count, shortening: tries, isExhausted: false, seed: seed)
    }
}
