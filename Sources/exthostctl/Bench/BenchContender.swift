// BenchContender: an extension in the comparison, at one daemon, with a request from begin to answer.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Scenarios

struct BenchContender: Sendable {
    let identifier: String
    let host: FakeHost
    let items: [OfferedItem]
    /// The time limit of an answer or a view.
    let limit: Duration
    let force: Bool

    struct Served: Sendable {
        let request: ExtensionRequest
        let ending: MeasuredCost.Ending
        /// Seconds from begin to the answer or the first view, as the host measures them.
        let answer: Double
    }

    /// Begins a request and waits for its end. A request that shows a view is cancelled then, as no person would use
    /// the view.
    ///
    /// - Parameter ending: the end of the previous request, which decides what to wait for first; nil for the first
    ///   request.
    /// - Throws: `ExitCode` of the outcome, which has been reported, if the request was interrupted, timed out or
    ///   refused; `CancellationError`.
    func serve(expecting ending: MeasuredCost.Ending?) async throws -> Served {
        try Task.checkCancellation()
        let items = try await host.application.items(items, for: identifier)
        let start = ContinuousClock.now
        let request = try host.application.start(identifier, items: items, timeout: limit, force: force)
        var answer: Duration?
        if ending == nil || ending == .view, await request.view(where: { _ in true }) != nil {
            answer = ContinuousClock.now - start
            // A request that ends by itself meanwhile is as good.
            try? await request.cancel()
        }
        let outcome = await request.outcome
        let seconds = (answer ?? ContinuousClock.now - start) / .seconds(1)
        switch outcome {
        case .completed: return Served(request: request, ending: answer == nil ? .completed : .view, answer: seconds)
        case .cancelled: return Served(request: request, ending: answer == nil ? .cancelled : .view, answer: seconds)
        case .interrupted, .timedOut, .refused:
            try await tell(outcome, request)
            throw ExitCode(outcome.kind.exitStatus)
        }
    }

    /// Returns the footprint of a process that is held before its request.
    ///
    /// A process that exits with its request cannot be measured at rest in another way.
    func heldFootprint() async throws -> Footprint? {
        try Task.checkCancellation()
        let items = try await host.application.items(items, for: identifier)
        let request = try host.application.start(
            identifier, items: items, timeout: limit, force: force, waitsForDebugger: true)
        let footprint = await request.held().flatMap(Footprint.init(of:))
        try? await request.cancel()
        _ = await request.exit
        return footprint
    }

    private func tell(_ outcome: RequestOutcome, _ request: ExtensionRequest) async throws {
        let explanation = await request.explanation
        let remedy =
            switch outcome.kind {
            case .timedOut:
                "It neither answered nor showed a view within \(written(seconds: limit / .seconds(1))). Raise --limit, or use a payload that it accepts"
            case .refused: "Name a payload that it accepts, or skip its rule with --force"
            default: outcome.cause.advice ?? explanation?.remedy ?? "exthostctl run shows what happened"
            }
        let why = explanation.map { ": \($0.message)" } ?? ""
        StandardError.line(
            "exthostctl: \(printable("a request of \(identifier) was \(outcome.kind.rawValue) (\(outcome.cause.rawValue))\(why). \(remedy)"))"
        )
    }
}
