// CellTrial: one cell of the matrix, with a daemon of its own.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Scenarios

struct CellTrial: Sendable {
    let subject: TestSubject
    let tried: TrialContent
    let other: TrialContent
    /// The real time for an answer before the virtual clock triggers the time limits.
    let limit: Duration
    /// Whether the extension's rule is ignored.
    let force: Bool

    /// The virtual times of a request, and of the wait for its process to end.
    private static let timeout = Duration.seconds(30)
    private static let afterwards = Duration.seconds(15)
    /// The real time that a process may take to end after it was told to.
    private static let patience = Duration.seconds(10)

    /// Tries a cell. Throws errors that prevent any trial, such as no daemon or no such extension; `CancellationError`.
    func run(_ shape: ContentShape, _ policy: ReusePolicy) async throws -> MatrixCell {
        if let lack = tried.lack(shape) { return MatrixCell(shape, policy, .impossible(lack)) }
        let start = ContinuousClock.now
        var stage = try await TrialStage.open(subject, clock: .virtual)
        let evidence: MatrixCell.Evidence
        do {
            evidence = try await self.evidence(shape, policy, &stage)
        } catch {
            await stage.close()
            throw error
        }
        let (timeline, output) = (await stage.timeline(), stage.printed.lastLines(50))
        if let error = await stage.close() { throw error }
        return MatrixCell(
            shape, policy, evidence, seconds: (ContinuousClock.now - start) / .seconds(1), timeline: timeline,
            output: output)
    }

    private func evidence(
        _ shape: ContentShape, _ policy: ReusePolicy, _ stage: inout TrialStage
    ) async throws -> MatrixCell.Evidence {
        var requests: [TriedRequest] = []
        switch policy {
        case .fresh:
            let request = try await begin(tried, shape, LoadGate(isOpen: true), &stage)
            if let refusal = try await refusal(of: request) { return refusal }
            requests = [try await ending(of: request, .tried, stage)]
        case .warm:
            let first = try await begin(other, shape, LoadGate(isOpen: true), &stage)
            if let refusal = try await refusal(of: first) { return refusal }
            requests = [try await ending(of: first, .other, stage)]
            // After a failed first request, a second one would prove nothing.
            guard requests[0].answer != nil else { break }
            let second = try await begin(tried, shape, LoadGate(isOpen: true), &stage)
            guard second.processIdentifier == first.processIdentifier else {
                let faults = try await faults(stage)
                return faults.isEmpty
                    ? .impossible("its process serves one request only") : .tried(requests, faults: faults)
            }
            requests.append(try await ending(of: second, .tried, stage))
        case .concurrent:
            let gate = LoadGate(isOpen: false)
            defer { gate.open() }
            let first = try await begin(tried, shape, gate, &stage)
            if let refusal = try await refusal(of: first) { return refusal }
            let second = try await begin(other, shape, gate, &stage)
            let isShared = first.processIdentifier == second.processIdentifier
            gate.open()
            if !isShared {
                _ = try await ending(of: first, .tried, stage)
                let faults = try await faults(stage)
                if faults.isEmpty { return .impossible("its process serves one request at a time") }
            }
            requests = [try await ending(of: first, .tried, stage), try await ending(of: second, .other, stage)]
        }
        return .tried(requests, faults: try await faults(stage))
    }

    // MARK: Requests

    /// Begins a request. Returns when the extension has it, or it has ended before.
    private func begin(
        _ content: TrialContent, _ shape: ContentShape, _ gate: LoadGate, _ stage: inout TrialStage
    ) async throws -> ExtensionRequest {
        let request = try await stage.begin([content.item(shape, gate)], timeout: Self.timeout, force: force)
        if try await !stage.delivers(request, within: limit) {
            // The extension never sends hello, so the limit on that ends the request.
            try await stage.daemon.clock.advance(by: Self.timeout)
            _ = try await bounded(by: limit) { try await request.delivered() }
        }
        return request
    }

    /// Returns the evidence if the extension's rule refuses the content, with the reason. A refused request has ended
    /// once it has begun.
    private func refusal(of request: ExtensionRequest) async throws -> MatrixCell.Evidence? {
        guard request.processIdentifier == nil,
            case .refused(.ruleMismatch)? = try await bounded(by: limit, { await request.outcome })
        else { return nil }
        return .notAccepted(await request.explanation?.message ?? "it does not match")
    }

    private func ending(
        of request: ExtensionRequest, _ content: TriedContent, _ stage: TrialStage
    ) async throws -> TriedRequest {
        if let outcome = try await bounded(by: limit, { await request.outcome }) {
            return await TriedRequest(request, content, outcome)
        }
        try await stage.settle()
        try await stage.daemon.clock.advance(by: Self.timeout * 2)
        guard let outcome = try await bounded(by: limit, { await request.outcome }) else {
            return TriedRequest(content: content, outcome: "still open after its time limit", answer: nil)
        }
        return await TriedRequest(request, content, outcome)
    }

    /// Advances the clock for completion work and the end of the process, and returns all faults.
    private func faults(_ stage: TrialStage) async throws -> [CellFault] {
        await stage.fence()
        try await stage.daemon.clock.advance(by: Self.afterwards)
        // By then every process was told to end, or killed; its exit shows how it ended.
        _ = try await stage.find(within: Self.patience) { TrialStage.running(in: $0).isEmpty ? true : nil }
        let why = await stage.lastDeath()
        return UnexpectedEnd.all(in: try await stage.daemon.events()).map { record in
            let isDeath = record.cause != nil
            return CellFault(
                what: UnexpectedEnd.summary(record), why: isDeath ? why?.message : nil,
                remedy: UnexpectedEnd.remedy(record) ?? (isDeath ? why?.remedy : nil))
        }
    }
}

extension TriedRequest {
    fileprivate init(_ request: ExtensionRequest, _ content: TriedContent, _ outcome: RequestOutcome) async {
        let words = ScenarioTrial.summary(outcome)
        switch outcome {
        case .completed(let items): self.init(content: content, outcome: words, answer: await Answer(items))
        case .cancelled(_, let error as NSError):
            self.init(
                content: content, outcome: words, answer: nil,
                why: "\(error.localizedDescription) (\(error.domain) \(error.code))",
                remedy: "Accept this form in the extension, or exclude it in the rule")
        case .interrupted, .timedOut, .refused:
            let explanation = await request.explanation
            self.init(
                content: content, outcome: words, answer: nil, why: explanation?.message,
                remedy: outcome.cause.advice ?? explanation?.remedy)
        }
    }
}
