// LogCheckerTests: logs that can be are let pass, and of others the event is named that cannot.

import ExtensionProtocol
import Testing

@testable import LogChecker

@Suite struct LogCheckerTests {
    /// The first violation, and what is missing at the end.
    private func verdict(_ log: [EventRecord], timeIsVirtual: Bool = false) -> (
        first: Violation?, unfinished: [Violation]
    ) {
        var monitor = LogChecker(timeIsVirtual: timeIsVirtual)
        var first: Violation?
        for record in log {
            let found = monitor.observe(record)
            first = first ?? found
        }
        return (first, monitor.unfinished())
    }

    @Test func everyStoryIsLetPass() {
        for seed in 0..<50 as Range<UInt64> {
            var maker = LogMaker(seed: seed)
            let (first, unfinished) = verdict(maker.log(), timeIsVirtual: true)
            #expect(first == nil && unfinished.isEmpty, "seed \(seed): \(first.map { "\($0)" } ?? "") \(unfinished)")
        }
    }

    /// What began in another daemon's log is not judged by what this one does not say of it; what follows is.
    @Test func aLogThatGoesOnWithAnotherDaemonsIsTakenAsItComes() {
        let request = RequestIdentifier()
        func event(_ sequence: Int, _ name: EventName, from: String? = nil, cause: Cause? = nil) -> EventRecord {
            var record = EventRecord(sequence: sequence, time: sequence, event: name, pid: 7, from: from, cause: cause)
            if name == .requestCompleted { record.request = request }
            return record
        }
        let log = [
            event(1, .daemonStarted, from: "kept"), event(2, .processAdopted), event(3, .connectionResumed),
            event(4, .requestCompleted, cause: .completed), event(5, .processExited, cause: .idle),
        ]
        #expect(verdict(log).first == nil)
        #expect(verdict(log + [event(6, .requestCompleted, cause: .completed)]).first?.sequence == 6)
        #expect(verdict([event(1, .daemonStarted)] + log.dropFirst()).first != nil)
    }

    /// Whatever was open when it began: a request, a load, a process that is being ended.
    @Test func aLogThatBeginsLaterIsTakenAsItComes() {
        for seed in 0..<20 as Range<UInt64> {
            var maker = LogMaker(seed: seed)
            let log = maker.log()
            for place in log.indices {
                let first = verdict(Array(log[place...]), timeIsVirtual: true).first
                #expect(first == nil, "seed \(seed), from \(place + 1): \(first.map { "\($0)" } ?? "")")
            }
        }
    }

    /// Of 500 changed logs each that cannot be is found at its event, and none that can.
    @Test func everyChangeIsJudgedAsItWasMade() {
        var (made, legal) = (0, 0)
        var counts: [String: Int] = [:]
        var seed: UInt64 = 1000
        while made < 500 {
            for mutation in Mutation.illegal + Mutation.legal {
                seed += 1
                var maker = LogMaker(seed: seed)
                var generator = SeededGenerator(seed: seed &* 31)
                guard let mutant = mutation.apply(maker.log(), &generator) else { continue }
                made += 1
                counts[mutation.name, default: 0] += 1
                let (first, unfinished) = verdict(mutant.log)
                switch mutant.verdict {
                case .legal:
                    legal += 1
                    #expect(
                        first == nil && unfinished.isEmpty,
                        "\(mutation.name), seed \(seed): \(first.map { "\($0)" } ?? "") \(unfinished)")
                case .illegal(let place):
                    let index = mutant.log.firstIndex { $0.sequence == first?.sequence && $0.event == first?.event }
                    let isThere = first.map { violation in
                        mutant.log.indices.contains(place - 1) && mutant.log[place - 1].sequence == violation.sequence
                            && mutant.log[place - 1].event == violation.event
                    }
                    #expect(
                        isThere == true,
                        "\(mutation.name), seed \(seed): at \(index.map { $0 + 1 } ?? 0), not \(place): \(first.map { "\($0)" } ?? "none")"
                    )
                case .unfinished:
                    #expect(
                        first == nil && unfinished.count == 1,
                        "\(mutation.name), seed \(seed): \(first.map { "\($0)" } ?? "") \(unfinished)")
                }
            }
        }
        #expect(counts.count == Mutation.illegal.count + Mutation.legal.count, "each has been tried: \(counts)")
        #expect(legal > 50)
    }

    @Test func virtualTimeNeverGoesBack() {
        var maker = LogMaker(seed: 7)
        var log = maker.log()
        log[9].time -= 100
        #expect(verdict(log, timeIsVirtual: true).first?.sequence == 10)
    }

    @Test func aViolationSaysWhatWasAllowed() {
        let request = RequestIdentifier("4F2A91C3-0000-4000-8000-000000000000")
        let log = LogMaker.numbered([
            EventRecord(sequence: 0, time: 0, event: .hostConnected, host: "notes", pid: 1),
            EventRecord(
                sequence: 0, time: 0, event: .requestCreated, request: request, extensionIdentifier: "e", host: "notes"),
            EventRecord(
                sequence: 0, time: 0, event: .requestCompleted, request: request, extensionIdentifier: "e",
                host: "notes",
                cause: .completed),
        ])
        #expect(
            verdict(log).first?.description
                == "event 3, request.completed: request 4F2A91C3-0000-4000-8000-000000000000 is created; allowed are request.held, "
                + "request.delivered, request.cancelled, request.interrupted, request.timedOut, request.refused")
    }

    /// A process that is launched ahead is nobody's at first, and then one request's.
    @Test func aProcessMayWaitForItsOnlyRequest() {
        let requests = [RequestIdentifier(), RequestIdentifier()]
        func log(deliveries: Int, ends: Bool = false) -> [EventRecord] {
            func event(_ name: EventName, detail: String? = nil, cause: Cause? = nil) -> EventRecord {
                EventRecord(
                    sequence: 0, time: 0, event: name, extensionIdentifier: "e", pid: 7, cause: cause, detail: detail)
            }
            var log = [
                EventRecord(sequence: 0, time: 0, event: .daemonStarted),
                EventRecord(sequence: 0, time: 0, event: .hostConnected, host: "h"),
                event(.processSpawned, detail: "prewarmed"), event(.processReady),
            ]
            for (name, count) in [(EventName.requestCreated, 2), (.requestDelivered, deliveries)] {
                for request in requests.prefix(count) {
                    var step = event(name)
                    (step.request, step.host) = (request, "h")
                    if name == .requestCreated { step.pid = nil }
                    log.append(step)
                }
            }
            if ends { log.append(event(.processExited, cause: .noRequest)) }
            for index in log.indices { log[index].sequence = index + 1 }
            return log
        }
        #expect(verdict(log(deliveries: 0, ends: true)).first == nil && verdict(log(deliveries: 1)).first == nil)
        #expect(verdict(log(deliveries: 2)).first?.sequence == 8)
    }

    /// A line that is missing is told by the numbers, and nothing that follows from it.
    @Test func aLineThatIsMissingIsToldOnce() {
        for seed in 0..<20 as Range<UInt64> {
            var maker = LogMaker(seed: seed)
            var log = maker.log()
            log.remove(at: 1 + Int(seed) * 2)
            var monitor = LogChecker()
            #expect(log.compactMap { monitor.observe($0) }.count == 1, "seed \(seed)")
        }
    }

    /// One fault is told once: what follows is judged by what the event said.
    @Test func afterAViolationTheLogGoesOn() {
        var maker = LogMaker(seed: 3)
        var log = maker.log()
        let index = log.firstIndex { $0.event == "request.delivered" } ?? 0
        log.insert(log[index], at: index)
        log = LogMaker.numbered(log)
        var monitor = LogChecker()
        #expect(log.compactMap { monitor.observe($0) }.count == 1)
    }
}
