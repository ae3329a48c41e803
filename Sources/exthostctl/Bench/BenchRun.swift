// BenchRun: alternating launches and requests of two extensions, with private daemons, for `bench`.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Scenarios

struct BenchRun: Sendable {
    let subject: TestSubject
    /// The extension to compare with.
    let beside: TestSubject?
    let items: [OfferedItem]
    /// The number of processes of each extension; ten times as many requests go to one process.
    let launches: Int
    /// The time limit of an answer or a view.
    let limit: Duration
    let force: Bool

    var requestsOfOne: Int { launches * 10 }
    /// The number of first requests to a process that are not measured: they include one-time work.
    private static let unmeasured = 10

    /// Measures both extensions. An error is a result, too.
    func measure(_ look: Look) async -> Result<Costs, any Error> {
        var yours = MeasuredCost(identifier: look.identifier, point: look.record?.point)
        var others: MeasuredCost?
        do {
            try await measureLaunches(&yours, &others)
            try await measureRequests(&yours, &others)
            return .success(Costs(yours: yours, beside: others))
        } catch {
            return .failure(error)
        }
    }

    struct Costs: Sendable {
        let yours: MeasuredCost
        /// The cost of the other extension. Nil if there is none to compare with.
        let beside: MeasuredCost?
    }

    /// A daemon's record of an extension, and the items that the extension accepts.
    struct Look: Sendable {
        let identifier: String
        /// The record. Nil for an extension without a bundle.
        let record: ExtensionRecord?
        let items: [OfferedItem]
    }

    static func look(_ subject: TestSubject, _ given: [OfferedItem]?) async throws -> Look {
        try await with(try await TrialStage.open(subject, clock: .real)) { stage in
            let control = stage.daemon.control
            let record = try await control.extensions(allVersions: true, allCopies: true)
                .first { $0.identifier == stage.identifier && $0.problems.isEmpty }
            if let given { return Look(identifier: stage.identifier, record: record, items: given) }
            let link = try Payload([.url("https://example.org/")]).offered
            let text = try Payload([.text("hello brave world")]).offered
            let takesLink = try await control.explain(stage.identifier, OfferedTypes(link)).offer.shown
            let takesText = try await control.explain(stage.identifier, OfferedTypes(text)).offer.shown
            return Look(identifier: stage.identifier, record: record, items: !takesLink && takesText ? text : link)
        }
    }

    /// Runs `body` with a stage. The daemon ends even if the work is cancelled or fails.
    private static func with<Result>(
        _ opened: TrialStage, _ body: (inout TrialStage) async throws -> Result
    ) async throws -> Result {
        var stage = opened
        let result: Result
        do {
            result = try await body(&stage)
        } catch {
            await stage.close()
            throw error
        }
        if let error = await stage.close() { throw error }
        return result
    }

    // MARK: Both, in turn

    private func stage(idle: String) async throws -> TrialStage {
        try await TrialStage.open(
            subject, clock: .real,
            options: ["--timer", "idle=\(idle)"] + (beside?.applications ?? []).flatMap { ["--applications", $0] })
    }

    private func contenders(_ stage: inout TrialStage) async throws -> (yours: BenchContender, beside: BenchContender?)
    {
        let host = try await stage.host("bench")
        func contender(_ identifier: String) -> BenchContender {
            BenchContender(
                identifier: identifier, host: host, items: items, limit: limit, force: force)
        }
        guard let beside else { return (contender(stage.identifier), nil) }
        let identifier = try await beside.identifier(at: stage.daemon.control)
        guard identifier != stage.identifier else {
            throw CommandError.usage(
                "a daemon can register only one extension \(identifier)",
                remedy: "Give the extension after --beside another identifier, in a copy of its app")
        }
        return (contender(stage.identifier), contender(identifier))
    }

    /// Measures one process per request, from begin to its end. A process that could serve more requests is ended at
    /// once.
    private func measureLaunches(_ yours: inout MeasuredCost, _ others: inout MeasuredCost?) async throws {
        let before = yours
        (yours, others) = try await Self.with(try await stage(idle: "1ms")) { stage in
            let (one, other) = try await contenders(&stage)
            var yours = before
            // The first launches bring their files into the page cache.
            yours.ending = try await launch(one, nil).ending
            guard let other else {
                for _ in 0..<launches { yours.add(try await launch(one, yours.ending)) }
                return (yours, nil)
            }
            var others = MeasuredCost(identifier: other.identifier, point: nil)
            others.ending = try await launch(other, nil).ending
            for _ in 0..<launches {
                yours.add(try await launch(one, yours.ending))
                others.add(try await launch(other, others.ending))
            }
            return (yours, others)
        }
    }

    private func launch(_ one: BenchContender, _ ending: MeasuredCost.Ending?) async throws -> MeasuredCost.Life {
        let served = try await one.serve(expecting: ending)
        guard let exit = await served.request.exit else {
            throw CommandError.unexpected("the daemon did not report how \(one.identifier) ended")
        }
        return MeasuredCost.Life(
            ending: served.ending, answer: served.answer, timings: exit.timings, peak: exit.record.peakMemory)
    }

    /// Measures requests to one process of each extension, and that process at rest.
    private func measureRequests(_ yours: inout MeasuredCost, _ others: inout MeasuredCost?) async throws {
        let before = (yours, others)
        (yours, others) = try await Self.with(try await stage(idle: "1h")) { stage in
            let (one, other) = try await contenders(&stage)
            var (yours, others) = before
            let isShared = try await servesSeveral(one, yours)
            let isOtherShared = if let other, let others { try await servesSeveral(other, others) } else { false }
            for number in 0..<Self.unmeasured + requestsOfOne {
                let counts = number >= Self.unmeasured
                if isShared { yours.addWarm(try await one.serve(expecting: yours.ending), counts: counts) }
                if isOtherShared, let other, let ending = others?.ending {
                    others?.addWarm(try await other.serve(expecting: ending), counts: counts)
                }
            }
            yours.footprint = try await footprint(one, yours)
            if let other, let cost = others { others?.footprint = try await footprint(other, cost) }
            return (yours, others)
        }
    }

    private func servesSeveral(_ one: BenchContender, _ cost: MeasuredCost) async throws -> Bool {
        let first = try await one.serve(expecting: cost.ending).request
        let second = try await one.serve(expecting: cost.ending).request
        return first.processIdentifier != nil && first.processIdentifier == second.processIdentifier
    }

    private func footprint(_ one: BenchContender, _ cost: MeasuredCost) async throws -> Footprint? {
        guard let pid = cost.processIdentifier else { return try await one.heldFootprint() }
        return Footprint(of: pid)
    }
}
