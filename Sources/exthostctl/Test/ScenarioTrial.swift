// ScenarioTrial: one test of a scenario, run line by line until one fails.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Scenarios

struct ScenarioTrial {
    let test: ScenarioTest
    let scenario: Scenario
    /// The file as it was named, for people.
    let file: String
    /// The absolute folder that the scenario's paths are relative to.
    let folder: String
    private var stage: TrialStage
    /// The number of the event that the last line `wait` found.
    private var waited = 0

    /// Runs the test with a daemon of its own. It never throws: an error becomes the result.
    static func run(
        _ test: ScenarioTest, of scenario: Scenario, _ subject: TestSubject, file: String, folder: String
    ) async -> TestResult {
        let start = ContinuousClock.now
        var verdict: TestResult.Verdict
        do {
            let stage = try await TrialStage.open(subject, clock: scenario.clock, options: scenario.daemonOptions)
            var trial = ScenarioTrial(test: test, scenario: scenario, file: file, folder: folder, stage: stage)
            verdict = await trial.verdict()
            if let error = await trial.stage.close(), case .passed = verdict {
                verdict = .failed(Self.failure(of: error, place: "\(file):\(test.line)"))
            }
        } catch is CancellationError {
            verdict = .skipped("Ctrl-C")
        } catch {
            verdict = .failed(Self.failure(of: error, place: "\(file):\(test.line)"))
        }
        if Task.isCancelled, case .failed = verdict { verdict = .skipped("Ctrl-C") }
        return TestResult(
            name: test.name, group: file, line: test.line, seconds: (ContinuousClock.now - start) / .seconds(1),
            verdict: verdict)
    }

    private init(test: ScenarioTest, scenario: Scenario, file: String, folder: String, stage: TrialStage) {
        self.test = test
        self.scenario = scenario
        self.file = file
        self.folder = folder
        self.stage = stage
    }

    private mutating func verdict() async -> TestResult.Verdict {
        var current: ScenarioStep?
        do {
            for step in test.steps {
                current = step
                try Task.checkCancellation()
                try await perform(step)
            }
            current = nil
            try await stage.settle()
            try await checkNothingElseWentWrong()
            return .passed
        } catch is CancellationError {
            return .skipped("Ctrl-C")
        } catch {
            var failure = (error as? TestFailure) ?? Self.failure(of: error, place: nil)
            failure.place = failure.place ?? "\(file):\(current?.line ?? test.line)"
            if failure.step.isEmpty { failure.step = current?.text ?? "test \"\(test.name)\"" }
            failure.timeline = await stage.timeline()
            failure.output = stage.printed.lastLines(50)
            return .failed(failure)
        }
    }

    /// Returns the failure for an error that a line's own action threw.
    private static func failure(of error: any Error, place: String?) -> TestFailure {
        guard let error = error as? ExtensionHostError else {
            return TestFailure(place: place, expected: "the line to succeed", found: "\(error)")
        }
        return TestFailure(
            place: place, expected: "the line to succeed", found: error.message, why: error.cause, remedy: error.remedy)
    }

    // MARK: Lines

    private mutating func perform(_ step: ScenarioStep) async throws {
        switch step.act {
        case .begin(let request): try await begin(request)
        case .host(let state, let name):
            let name = name ?? stage.begun.last?.host ?? ScenarioRequest.usualHost
            try await stage.host(name).setState(state)
        case .advance(let duration):
            // Current activity finishes before the clock advances.
            try await stage.settle()
            try await stage.daemon.clock.advance(by: duration)
        case .cancel(let name):
            let request = try begun(name).request
            do {
                try await request.cancel()
            } catch let error as ExtensionHostError where error.code == .noSuchRequest {
                let outcome = try await bounded(by: scenario.limit) { await request.outcome }
                throw TestFailure(
                    expected: "a request to cancel",
                    found: "it has ended: \(outcome.map(Self.summary) ?? "its outcome has not arrived")",
                    remedy: "Cancel it before its extension answers, or expect that outcome")
            }
        case .disconnect(let name): stage.disconnect(name ?? stage.begun.last?.host ?? ScenarioRequest.usualHost)
        case .kill(let name, let signal): try await kill(try begun(name).request, signal)
        case .fault(let order): try await stage.daemon.control.add(order)
        case .view(let act, let name):
            let (request, limit) = (try begun(name).request, scenario.limit)
            try await request.use(act.action, patience: limit)
        case .wait(let pattern, let limit):
            try await wait(for: pattern, within: limit ?? scenario.limit, isAsked: limit != nil)
        case .point(let step): try await take(step)
        case .answer(let answer): try await stage.transfers.add(answer, in: folder)
        case .deliver(let session, let side):
            // The session is made by work that may be under way.
            try await stage.settle()
            try await stage.transfers.deliver(session, to: side)
        case .expect(let expectation, let name):
            try await check(expectation, name)
        }
    }

    /// Lets a host half do a step. An update, a push and the end of an edit go on when the extension has been asked.
    private mutating func take(_ step: PointStep) async throws {
        let points = try await stage.pointStage()
        let sequence = try await stage.daemon.events().last?.sequence ?? 0
        let pending = try points.start(step, in: folder)
        switch step {
        case .update, .push, .finish, .load, .reindex, .files, .tunnel, .flow, .notification, .proxy, .sms,
            .reload, .lookup, .importFile, .thumbnail, .preview, .intent,
            .broadcast, .report, .conversation:
            if try await stage.takes(pending, after: sequence, within: scenario.limit) { return }
        case .open, .close, .toggle, .edit, .discard, .revert, .keyboard, .page, .pick, .action, .credential,
            .credentialConfiguration, .search, .audio, .setup:
            if try await stage.due(within: scenario.limit, { try await pending.value }) != nil { return }
        }
        throw TestFailure(
            expected: "the step to be done", found: "it is not, after \(Self.summary(scenario.limit))",
            why: "the extension does not answer, or an earlier step of it is open",
            remedy: "Answer on every path; a time limit expires only with a line advance")
    }

    private mutating func begin(_ wanted: ScenarioRequest) async throws {
        var payload = Payload()
        for part in wanted.parts { try payload.add(part.part.located(in: folder)) }
        let request = try await stage.begin(
            payload.offered, name: wanted.name, host: wanted.host, timeout: wanted.timeout, force: wanted.force)
        guard wanted.waitsForDelivery else { return }
        guard try await stage.delivers(request, within: scenario.limit) else {
            throw TestFailure(
                expected: "the extension to have the request",
                found: "it does not, after \(Self.summary(scenario.limit))",
                why: "the process has not sent hello",
                remedy: "Call NSExtensionMain() first; write start instead of begin to test exactly that")
        }
    }

    private func begun(_ name: String?) throws -> TrialStage.Begun {
        guard let begun = stage.request(name) else {
            throw TestFailure(expected: "a request", found: "none has begun", remedy: "Write a line begin above it")
        }
        return begun
    }

    private func kill(_ request: ExtensionRequest, _ signal: Int32) async throws {
        guard let pid = request.processIdentifier, try await stage.signal(signal, to: pid) else {
            throw TestFailure(
                expected: "a process to send the signal to", found: "none has the request",
                remedy: "Kill it while it runs: before its idle time expires")
        }
    }

    private mutating func wait(for pattern: EventPattern, within limit: Duration, isAsked: Bool) async throws {
        let first = waited
        let found = try await stage.find(within: limit, isAsked: isAsked) { records in
            records.first { $0.sequence > first && pattern.matches($0) }?.sequence
        }
        guard let found else {
            throw TestFailure(
                expected: "\(pattern)",
                found: scenario.clock == .virtual ? "no such event" : "no such event within \(Self.summary(limit))",
                remedy: scenario.clock == .virtual
                    ? "advance makes timers fire; otherwise wait longer: wait EVENT within DURATION"
                    : "Wait longer: wait EVENT within DURATION")
        }
        waited = found
    }

    private func check(_ expectation: ScenarioExpectation, _ name: String?) async throws {
        let trial = ExpectationTrial(
            stage: stage, begun: stage.request(name), limit: scenario.limit, isVirtual: scenario.clock == .virtual)
        try await trial.check(expectation)
    }

    // MARK: What no line asks about

    /// Fails the test for misuse of a context, or an unintended end of a process, that no line of the test mentions.
    private func checkNothingElseWentWrong() async throws {
        let records = try await stage.daemon.events()
        let ends = UnexpectedEnd.all(in: records)
        guard let record = ends.first(where: { !UnexpectedEnd.isExpected($0, by: test, in: records) }) else { return }
        let why = await stage.lastDeath()
        throw TestFailure(
            place: "\(file):\(test.line)", step: "test \"\(test.name)\"", expected: "no other fault",
            found: UnexpectedEnd.summary(record), why: record.cause == nil ? nil : why?.message,
            remedy: UnexpectedEnd.remedy(record) ?? why?.remedy)
    }

    // MARK: Words

    static func summary(_ outcome: RequestOutcome) -> String {
        outcome.kind.rawValue == outcome.cause.rawValue
            ? outcome.kind.rawValue : "\(outcome.kind.rawValue) (\(outcome.cause.rawValue))"
    }

    static func summary(_ duration: Duration) -> String { written(seconds: duration / .seconds(1)) }
}
