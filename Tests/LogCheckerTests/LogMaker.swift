// LogMaker: logs that can be, made at random from stories of single requests, told at once.

import ExtensionProtocol

struct LogMaker {
    private var generator: SeededGenerator
    private var lastPid = 100
    private var lastRequest = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// One event before it has its place in a log.
    typealias Step = EventRecord

    private func step(
        _ event: EventName, _ request: RequestIdentifier? = nil, _ host: String? = nil, pid: Int? = nil,
        of name: String? = nil,
        from: HostStateName? = nil, to: HostStateName? = nil, cause: Cause? = nil, detail: String? = nil
    ) -> Step {
        EventRecord(
            sequence: 0, time: 0, event: event, request: request, extensionIdentifier: name, host: host, pid: pid,
            from: from?.rawValue,
            to: to?.rawValue, cause: cause, detail: detail)
    }

    /// A whole log, from the start of the daemon to its end in order: every story is in it at least once.
    mutating func log() -> [EventRecord] {
        let hosts = ["notes", "mail"]
        var stories: [[Step]] = []
        for kind in Story.allCases + [.completed] {
            stories.append(story(kind, hosts.randomElement(using: &generator) ?? "notes"))
        }
        var all = [step(.daemonStarted, pid: 1)] + hosts.map { step(.hostConnected, nil, $0, pid: 50) }
        while let index = stories.indices.filter({ !stories[$0].isEmpty }).randomElement(using: &generator) {
            all.append(stories[index].removeFirst())
        }
        all += [step(.daemonStopping, pid: 1)] + hosts.map { step(.hostDisconnected, nil, $0, pid: 50) }
        return Self.numbered(all)
    }

    static func numbered(_ steps: [Step]) -> [EventRecord] {
        steps.enumerated().map { index, step in
            var record = step
            (record.sequence, record.time) = (index + 1, 1_000_000 + index * 10)
            return record
        }
    }

    enum Story: CaseIterable {
        case completed, expired, cancelledByExtension, cancelledByHost, crashed, launchTimeout, requestTimeout, refused,
            memoryLimit
        case suspended, debugged, notLaunched
    }

    // swift-format-ignore
    private mutating func story(_ story: Story, _ host: String) -> [Step] {
        lastPid += 1
        lastRequest += 1
        let (pid, name) = (lastPid, "org.example.\(story)")
        let digits = "000000000000" + String(lastRequest)
        let request = RequestIdentifier("4F2A91C3-0000-4000-8000-" + digits.suffix(12))
        let begun = [step(.requestCreated, request, host, of: name), step(.processSpawned, pid: pid, of: name)]
        let delivered = begun + [
            step(.processOutput, pid: pid, of: name, detail: "stdout 4 bytes"), step(.processReady, pid: pid, of: name),
            step(.requestDelivered, request, host, pid: pid, of: name),
        ]
        let loaded = [
            step(.itemLoadStarted, request, host, pid: pid, of: name), step(.itemLoadFinished, request, host, pid: pid, of: name),
        ]
        func call(_ event: EventName, _ detail: String) -> Step { step(event, request, host, pid: pid, of: name, detail: detail) }
        let called = [
            call(.callStarted, "a.ask 1 by the host"), call(.callStarted, "a.tell 1 by the extension"),
            call(.callFinished, "a.ask 1: 20 bytes"), call(.callStarted, "a.ask 2 by the host"),
            call(.callFinished, "a.tell 1: failed: No luck"),
        ]
        let lastCalled = call(.callFinished, "a.ask 2: failed: the request has ended")
        func end(_ event: EventName, _ cause: Cause) -> Step { step(event, request, host, pid: pid, of: name, cause: cause) }
        func exited(_ cause: Cause) -> Step { step(.processExited, pid: pid, of: name, cause: cause) }
        func killed(_ cause: Cause) -> [Step] {
            [step(.processSignalled, pid: pid, of: name, cause: cause, detail: "SIGKILL"), exited(cause)]
        }
        let dismissed = step(.requestDismissed, request, host, pid: pid, of: name)
        switch story {
        case .completed:
            return delivered + loaded + called + loaded + [end(.requestCompleted, .completed), lastCalled, dismissed]
                + [step(.processSignalled, pid: pid, of: name, detail: "SIGTERM"), exited(.idle)]
        case .expired:
            return delivered + [end(.requestCompleted, .completed), step(.requestExpiring, request, pid: pid, of: name)] + killed(.expired)
        case .cancelledByExtension: return delivered + [end(.requestCancelled, .cancelledByExtension), dismissed, exited(.completed)]
        case .cancelledByHost: return delivered + [end(.requestCancelled, .cancelledByHost), exited(.idle)]
        case .crashed:
            return delivered + loaded + called + [end(.requestInterrupted, .crashed), lastCalled, exited(.crashed), step(.breakerOpened, of: name, cause: .crashed)]
        case .launchTimeout: return begun + [end(.requestTimedOut, .launchTimeout)] + killed(.launchTimeout)
        case .requestTimeout: return delivered + [end(.requestTimedOut, .requestTimeout)] + killed(.requestTimeout)
        case .refused: return [begun[0], step(.requestRefused, request, host, of: name, cause: .quota)]
        case .memoryLimit:
            return delivered + [step(.limitReached, request, host, pid: pid, of: name, cause: .memoryLimit)]
                + [end(.requestInterrupted, .memoryLimit)] + killed(.memoryLimit)
        case .suspended:
            // With a host of its own, whom no other story moves.
            let own = "host of \(pid)"
            func moved(_ from: HostStateName, _ to: HostStateName) -> Step { step(.hostStateChanged, nil, own, from: from, to: to) }
            let theirs = delivered.map { step in
                var step = step
                if step.host != nil { step.host = own }
                return step
            }
            return [step(.hostConnected, nil, own, pid: 60)] + theirs
                + [moved(.active, .inactive), moved(.inactive, .background), step(.processSuspended, pid: pid, of: name)]
                + [step(.connectionLost, nil, own, pid: 60), step(.connectionResumed, nil, own, pid: 60)]
                + [moved(.background, .inactive), step(.processResumed, pid: pid, of: name), moved(.inactive, .active)]
                + [step(.requestCompleted, request, own, pid: pid, of: name, cause: .completed), exited(.completed)]
                + [step(.hostDisconnected, nil, own, pid: 60)]
        case .debugged:
            return begun + [
                step(.processReady, pid: pid, of: name), step(.requestHeld, request, host, pid: pid, of: name),
                step(.requestDelivered, request, host, pid: pid, of: name), step(.contextFault, request, pid: pid, of: name),
                end(.requestInterrupted, .terminatedByOperator),
            ] + killed(.terminatedByOperator)
        case .notLaunched:
            return [begun[0], step(.processExited, request, of: name, cause: .launchFailed)]
                + [step(.requestInterrupted, request, host, of: name, cause: .launchFailed)]
        }
    }
}

/// SplitMix64, so that a seed names a log on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
