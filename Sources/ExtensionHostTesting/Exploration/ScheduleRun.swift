// ScheduleRun: one schedule, played to a new process in a private daemon.

import ExtensionHost
import ExtensionProtocol
import Foundation

/// The run of a schedule with its own daemon: it has no file, container or process of another run.
final class ScheduleRun {
    /// A function that chooses the next step from these; nil for the automatic one.
    typealias Chooser = (_ place: Int, _ choices: [ExplorationStep]) -> ExplorationStep?

    struct Result: Sendable {
        var trace = Trace()
        var log: [EventRecord] = []
        var answers: [Answer] = []
        var timeline = ""
        /// The name of the first call that was not answered within its time limit.
        var hung: String?
        /// The reason why the first request never reached the extension; nil if it did.
        var refusal: ExtensionHostError?
    }

    private struct Begun {
        let request: ExtensionRequest
        var isDisturbed = false
        /// The calls that the host has made, by their numbers.
        var calls: [Int: MadeCall] = [:]
    }

    /// The time that exceeds a completion handler's limit, and then that of one that was told to stop.
    private static let expiry = Duration.seconds(7)
    /// The time limit of a request, which is the one of a call, too.
    private static let limit = Duration.seconds(30)
    /// The time limit of a request in which calls have theirs.
    private static let longLimit = Duration.seconds(3600)
    /// The time that exceeds the limit of a call and its grace.
    private static let callLimit = Duration.seconds(40)
    /// The delay of the extension's messages; no limit of its own expires in that time.
    private static let delay = Duration.seconds(1)
    /// The most steps; after them an extension that always loads more is ended.
    private static let mostSteps = 48

    private static let ends = Set(
        [EventName.requestCompleted, .requestCancelled, .requestInterrupted, .requestTimedOut, .requestRefused].map(
            \.rawValue))

    private let daemon: TestDaemon
    private let host: FakeHost
    private let held: HeldLoads
    private let identifier: String
    private let subject: ExplorationSubject
    private var begun: [Begun] = []
    /// The indices in `begun` of the request that `answer` means by default, and of the second request.
    private var (first, second): (Int, Int?) = (0, nil)
    private var hasKilled = false
    private var state = HostStateName.active
    private var (hasHeld, isHolding) = (false, false)
    private var events: [EventRecord] = []
    private var result = Result()

    /// Plays until no step follows, and ends the daemon.
    static func play(_ subject: ExplorationSubject, _ choose: Chooser) async throws -> Result {
        let daemon = try await TestDaemon.start(
            applications: subject.applications, clock: .virtual,
            arguments: ["--timer", "load=24h", "--timer", "unresponsive=24h"] + subject.arguments)
        let result: Result
        do {
            let held = HeldLoads()
            let host = try await daemon.host("explorer", holding: held)
            let identifier =
                if let path = subject.path { try await host.application.register(path: path) } else {
                    subject.identifier
                }
            let run = ScheduleRun(daemon, host, held, identifier, subject)
            result = try await run.play(choose)
        } catch {
            try? await daemon.stop()
            throw error
        }
        // An effect of the extension on the daemon is the finding, not the daemon's fault.
        try? await daemon.stop()
        return result
    }

    private init(
        _ daemon: TestDaemon, _ host: FakeHost, _ held: HeldLoads, _ identifier: String, _ subject: ExplorationSubject
    ) {
        (self.daemon, self.host, self.held) = (daemon, host, held)
        (self.identifier, self.subject) = (identifier, subject)
    }

    private func play(_ choose: Chooser) async throws -> Result {
        try await begin()
        while result.trace.steps.count < Self.mostSteps {
            let choices = try await choices()
            result.trace.choices.append(choices)
            result.trace.logs.append(NormalForm(events, isExact: false))
            let following = choices.first { $0.isAutomatic && isDue($0) }
            guard let step = choose(result.trace.steps.count, choices) ?? following, choices.contains(step) else {
                break
            }
            result.trace.steps.append(step)
            try await take(step)
        }
        try await finish()
        return result
    }

    // MARK: Steps

    private func begin() async throws {
        begun.append(
            Begun(
                request: try host.application.start(
                    identifier, items: subject.items, timeout: requestLimit, force: true, handling: subject.handlers)))
        try await settle()
    }

    private func settle() async throws { events = try await daemon.settle(host) }

    private func take(_ step: ExplorationStep) async throws {
        switch step {
        case .answer(let number, let ofSecond):
            let request = begun[ofSecond ? second ?? first : first].request.identifier
            if let load = held.waiting.first(where: { $0.request == request && $0.provider == number }) {
                held.answer(load)
            }
        case .call(let number, let ofSecond):
            let index = ofSecond ? second ?? first : first
            begun[index].calls[number] = MadeCall(subject.calls[number - 1], of: begun[index].request)
        case .cancelCall(let number, let ofSecond): begun[ofSecond ? second ?? first : first].calls[number]?.cancel()
        case .cancel:
            begun[first].isDisturbed = true
            try? await begun[first].request.cancel()
        case .hold:
            (hasHeld, isHolding) = (true, true)
            for point in [FaultPoint.loadAnswered, .delivered, .call] {
                try await daemon.faults.add(.slow, at: point, delay: Self.delay)
            }
        case .release: try await release()
        case .background: try await move(to: .background)
        case .inactive: try await move(to: .inactive)
        case .foreground: try await move(to: .active)
        case .limit:
            for entry in begun { for call in entry.calls.values where !call.isAnswered { call.disturb() } }
            if subject.calls.isEmpty {
                for index in begun.indices where isOpen(begun[index]) { begun[index].isDisturbed = true }
            }
            try await daemon.clock.advance(by: Self.limit)
        case .expiry: try await daemon.clock.advance(by: Self.expiry)
        case .second:
            second = begun.count
            try await begin()
        case .kill:
            hasKilled = true
            for index in begun.indices where isOpen(begun[index]) { begun[index].isDisturbed = true }
            if let pid = running { _ = try await daemon.control.kill(.pid(pid)) }
            (first, second) = (begun.count, nil)
            try await begin()
        }
        try await settle()
    }

    private func move(to state: HostStateName) async throws {
        self.state = state
        try await host.setState(state)
    }

    private func release() async throws {
        isHolding = false
        try await daemon.faults.clear()
        try await daemon.clock.advance(by: Self.delay)
    }

    /// Returns the possible steps; the waiting loads come first, the oldest first.
    private func choices() async throws -> [ExplorationStep] {
        var choices: [ExplorationStep] = []
        for load in held.waiting {
            if load.request == begun[first].request.identifier {
                choices.append(.answer(load.provider))
            } else if let second, load.request == begun[second].request.identifier {
                choices.append(.answer(load.provider, ofSecond: true))
            }
        }
        choices += calls(of: first, isSecond: false) + (second.map { calls(of: $0, isSecond: true) } ?? [])
        if isHolding { choices.append(.release) }
        let isRunning = running != nil
        if isRunning, !hasHeld, !held.waiting.isEmpty || second == nil { choices.append(.hold) }
        if isOpen(begun[first]) { choices.append(.cancel) }
        if isRunning {
            if state != .background { choices.append(.background) }
            if state == .active { choices.append(.inactive) } else { choices.append(.foreground) }
        }
        if second == nil, isRunning { choices.append(.second) }
        if !hasKilled, isRunning { choices.append(.kill) }
        if begun.contains(where: isOpen) {
            choices.append(.limit)
        } else if try await worksOn {
            choices.append(.expiry)
        }
        return choices
    }

    /// Returns the calls that the host can make, in their usual order, and then those that it can cancel.
    private func calls(of index: Int, isSecond: Bool) -> [ExplorationStep] {
        guard isDelivered(begun[index]), isOpen(begun[index]) else { return [] }
        let made = begun[index].calls
        let possible = subject.calls.indices.filter {
            made[$0 + 1] == nil && subject.calls[$0].after.allSatisfy { made[$0] != nil }
        }
        let open = made.filter { !$0.value.isAnswered }.keys.sorted()
        return possible.map { .call($0 + 1, ofSecond: isSecond) }
            + open.map { .cancelCall($0, ofSecond: isSecond) }
    }

    /// Whether a possible step follows by itself. The call that ends a session waits for the others.
    private func isDue(_ step: ExplorationStep) -> Bool {
        guard case .call(let number, let ofSecond) = step, subject.calls[number - 1].isLast else { return true }
        let made = begun[ofSecond ? second ?? first : first].calls
        return made.count == subject.calls.count - 1 && made.values.allSatisfy(\.isAnswered)
    }

    private var requestLimit: Duration { subject.calls.isEmpty ? Self.limit : Self.longLimit }

    private func isDelivered(_ begun: Begun) -> Bool {
        events.contains {
            $0.event == EventName.requestDelivered.rawValue && $0.request == begun.request.identifier
        }
    }

    /// The pid of the process, if one runs.
    private var running: Int? {
        var pid: Int?
        for event in events where event.extensionIdentifier == identifier {
            if event.event == EventName.processSpawned.rawValue { pid = event.pid }
            if event.event == EventName.processExited.rawValue { pid = nil }
        }
        return pid
    }

    private var worksOn: Bool {
        get async throws { try await daemon.control.processes().contains { $0.state == "busy" } }
    }

    private func isOpen(_ begun: Begun) -> Bool {
        !events.contains { $0.request == begun.request.identifier && Self.ends.contains($0.event) }
    }

    // MARK: The end

    private func finish() async throws {
        if isHolding {
            try await release()
            try await settle()
        }
        // The time of a suspended process stands still, and its open requests would never end.
        if state != .active {
            try await move(to: .active)
            try await settle()
        }
        try await finishCalls()
        // A request whose loads are all answered, and that is still open, never ends by itself.
        if begun.contains(where: { isOpen($0) }) {
            try await daemon.clock.advance(by: requestLimit)
            try await settle()
        }
        try await daemon.clock.advance(by: Self.expiry)
        try await settle()
        for entry in begun {
            let outcome = await entry.request.outcome
            result.answers.append(
                Answer(
                    request: entry.request.identifier, cause: outcome.cause, value: outcome.summary,
                    isDisturbed: entry.isDisturbed)
            )
        }
        result.hung = begun.lazy.flatMap { $0.calls.sorted { $0.key < $1.key } }.first { $0.value.hasHung }?.value.name
        if !isDelivered(begun[0]) { result.refusal = await begun[0].request.explanation }
        result.log = events
        result.timeline = try await daemon.timeline()
    }

    /// Lets the time of open calls run out, and makes those that end the sessions.
    private func finishCalls() async throws {
        if begun.contains(where: { isOpen($0) && $0.calls.values.contains { !$0.isAnswered } }) {
            try await daemon.clock.advance(by: Self.callLimit)
            try await settle()
        }
        for index in begun.indices where isOpen(begun[index]) && isDelivered(begun[index]) {
            for (place, call) in subject.calls.enumerated() where call.isLast && begun[index].calls[place + 1] == nil {
                begun[index].calls[place + 1] = MadeCall(call, of: begun[index].request)
            }
        }
        if !subject.calls.isEmpty { try await settle() }
    }
}

extension RequestOutcome {
    /// The host's result as text; equal results have equal text.
    fileprivate var summary: String {
        switch self {
        case .completed(let items): items.map(\.summary).joined(separator: "; ")
        case .cancelled(_, let error as NSError): "\(error.domain) \(error.code)"
        default: ""
        }
    }
}

extension NSExtensionItem {
    fileprivate var summary: String {
        var parts = [attributedTitle?.string, attributedContentText?.string].compactMap(\.self)
        parts += (userInfo ?? [:]).map { "\($0.key): \($0.value)" }.sorted()
        parts += (attachments ?? []).map { $0.registeredTypeIdentifiers.joined(separator: "+") }
        return parts.joined(separator: ", ")
    }
}
