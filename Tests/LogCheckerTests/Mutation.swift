// Mutation: changes of a log whose verdict is known by how they are made.

import ExtensionProtocol

/// A log after a change, with the place of the first event that cannot be; nil when all can, `.end` when something is
/// missing there.
struct Mutant {
    enum Verdict: Equatable {
        case legal
        case illegal(at: Int)
        case unfinished
    }

    var log: [EventRecord]
    var verdict: Verdict
}

struct Mutation: Sendable {
    let name: String
    typealias Condition = @Sendable (EventRecord) -> Bool
    /// Nil where the log has nothing to change in this way.
    let apply: @Sendable ([EventRecord], inout SeededGenerator) -> Mutant?

    private static let ends: Set = [
        "request.completed", "request.cancelled", "request.interrupted", "request.timedOut", "request.refused",
    ]

    /// Places of events that satisfy a condition; one of them.
    private static func any(
        _ log: [EventRecord], _ generator: inout SeededGenerator, _ condition: (EventRecord) -> Bool
    ) -> Int? {
        log.indices.filter { condition(log[$0]) }.randomElement(using: &generator)
    }

    /// Takes one away; `next` finds the event that then cannot be, in the log that is left.
    private static func removal(
        _ name: String, _ condition: @escaping Condition, next: @escaping @Sendable (EventRecord, EventRecord) -> Bool
    ) -> Mutation {
        Mutation(name: name) { log, generator in
            guard let index = any(log, &generator, condition) else { return nil }
            var changed = log
            let removed = changed.remove(at: index)
            guard let place = changed[index...].firstIndex(where: { next(removed, $0) }) else { return nil }
            return Mutant(log: LogMaker.numbered(changed), verdict: .illegal(at: place + 1))
        }
    }

    /// Puts one in after an event; it is the one that cannot be.
    private static func insertion(
        _ name: String, after condition: @escaping Condition, _ make: @escaping @Sendable (EventRecord) -> EventRecord
    ) -> Mutation {
        Mutation(name: name) { log, generator in
            guard let index = any(log, &generator, condition) else { return nil }
            var changed = log
            changed.insert(make(log[index]), at: index + 1)
            return Mutant(log: LogMaker.numbered(changed), verdict: .illegal(at: index + 2))
        }
    }

    /// Changes one event, which then cannot be.
    private static func change(
        _ name: String, of condition: @escaping Condition, _ body: @escaping @Sendable (inout EventRecord) -> Void
    ) -> Mutation {
        Mutation(name: name) { log, generator in
            guard let index = any(log, &generator, condition) else { return nil }
            var changed = log
            body(&changed[index])
            return Mutant(log: changed, verdict: .illegal(at: index + 1))
        }
    }

    private static func `is`(_ names: EventName...) -> Condition {
        let names = Set(names.map(\.rawValue))
        return { names.contains($0.event) }
    }

    private static func isProcess(_ event: String) -> Bool { event.hasPrefix("process.") || event == "limit.reached" }

    private static func with(_ event: EventName, _ record: EventRecord, cause: Cause? = nil, detail: String? = nil)
        -> EventRecord
    {
        var copy = record
        (copy.event, copy.cause, copy.detail) = (event.rawValue, cause, detail)
        return copy
    }

    static let illegal: [Mutation] = [
        removal("no spawn", `is`(.processSpawned)) { $1.pid == $0.pid && isProcess($1.event) },
        removal("no begin", `is`(.requestCreated)) { $1.request == $0.request },
        removal("no host", { $0.event == "host.connected" && $0.pid == 50 }) { $1.host == $0.host },
        removal(
            "not delivered",
            { $0.event == "request.delivered" && $0.extensionIdentifier?.hasSuffix("completed") == true }
        ) {
            $1.request == $0.request
        },
        removal("no end", { ends.contains($0.event) && $0.pid != nil && $0.cause != .launchTimeout }) {
            // A dismissal or an expiry without an answer, else the exit of the process.
            ($1.request == $0.request && ["request.dismissed", "request.expiring"].contains($1.event))
                || ($1.pid == $0.pid && $1.event == "process.exited")
        },
        removal("not expiring", `is`(.requestExpiring)) { $1.pid == $0.pid && $1.event == "process.exited" },
        removal("no limit", `is`(.limitReached)) { $1.pid == $0.pid && $1.event == "process.exited" },
        removal("not suspended", `is`(.processSuspended)) { $1.pid == $0.pid && $1.event == "process.resumed" },
        removal("no edge", { $0.event == "host.stateChanged" && $0.to == "inactive" && $0.from == "active" }) {
            $1.host == $0.host && $1.event == "host.stateChanged"
        },
        removal("no loss", `is`(.connectionLost)) { $1.host == $0.host && $1.event == "connection.resumed" },
        insertion("two ends", after: { ends.contains($0.event) }) { $0 },
        insertion("two begins", after: `is`(.requestCreated)) { $0 },
        insertion("two deliveries", after: `is`(.requestDelivered)) { $0 },
        insertion("two spawns", after: `is`(.processSpawned)) { $0 },
        insertion("ready twice", after: `is`(.processReady)) { $0 },
        insertion("two exits", after: { $0.event == "process.exited" && $0.pid != nil }) { $0 },
        insertion("killed twice", after: { $0.detail == "SIGKILL" }) { $0 },
        insertion("terminated twice", after: { $0.detail == "SIGTERM" }) { $0 },
        insertion("dismissed twice", after: `is`(.requestDismissed)) { $0 },
        insertion("output of the dead", after: { $0.event == "process.exited" && $0.pid != nil }) {
            with(.processOutput, $0, detail: "stdout 1 bytes")
        },
        insertion("dismissal of a crash", after: `is`(.requestInterrupted)) { with(.requestDismissed, $0) },
        insertion("expiry before the answer", after: `is`(.requestDelivered)) { with(.requestExpiring, $0) },
        insertion("a load too late", after: { ends.contains($0.event) && $0.pid != nil }) {
            with(.itemLoadStarted, $0)
        },
        removal("no call", `is`(.callStarted)) {
            $1.request == $0.request && $1.event == "call.finished"
                && $1.detail?.hasPrefix("\($0.detail?.prefix(while: { $0 != "b" }).dropLast() ?? ""):") == true
        },
        Mutation(name: "no end of a call") { log, generator in
            guard let index = any(log, &generator, `is`(.callFinished)) else { return nil }
            var changed = log
            changed.remove(at: index)
            return Mutant(log: LogMaker.numbered(changed), verdict: .unfinished)
        },
        insertion("a call that ends twice", after: `is`(.callFinished)) { $0 },
        insertion("a call that begins twice", after: `is`(.callStarted)) { $0 },
        insertion("the end of no call", after: `is`(.requestDelivered)) {
            with(.callFinished, $0, detail: "a.ask 9: 20 bytes")
        },
        insertion("the end of another call", after: `is`(.callStarted)) {
            with(.callFinished, $0, detail: "a.ask 9: 20 bytes")
        },
        insertion("a call too late", after: { ends.contains($0.event) && $0.pid != nil }) {
            with(.callStarted, $0, detail: "a.ask 9 by the host")
        },
        insertion("a call without a name", after: `is`(.requestDelivered)) { with(.callStarted, $0) },
        insertion("an answer to no load", after: `is`(.requestDelivered)) { with(.itemLoadFinished, $0) },
        insertion("suspended by an active host", after: { $0.event == "request.delivered" }) {
            var record = with(.processSuspended, $0)
            (record.request, record.host) = (nil, nil)
            return record
        },
        insertion("resumed and never suspended", after: `is`(.processReady)) { with(.processResumed, $0) },
        insertion("a second start", after: { _ in true }) { _ in
            EventRecord(sequence: 0, time: 0, event: .daemonStarted, pid: 1)
        },
        insertion("a launch at the end", after: `is`(.daemonStopping)) { _ in
            EventRecord(sequence: 0, time: 0, event: .processSpawned, extensionIdentifier: "x", pid: 9999)
        },
        insertion("a breaker that was not open", after: { _ in true }) { _ in
            EventRecord(sequence: 0, time: 0, event: .breakerClosed, extensionIdentifier: "org.example.nobody")
        },
        change("another outcome", of: { ends.contains($0.event) }) {
            $0.cause = $0.event == "request.refused" ? .crashed : .quota
        },
        change("no cause", of: { ends.contains($0.event) || ($0.event == "process.exited" && $0.pid != nil) }) {
            $0.cause = nil
        },
        change("refused after delivery", of: { ends.contains($0.event) && $0.pid != nil && $0.cause != .launchTimeout })
        {
            ($0.event, $0.cause) = ("request.refused", .quota)
        },
        change("another's request", of: { $0.event == "request.dismissed" || $0.event == "item.loadFinished" }) {
            $0.host = "a stranger"
        },
        change("another process", of: { $0.event == "item.loadFinished" }) { $0.pid = 50 },
        change("another extension", of: `is`(.processReady, .processOutput)) {
            $0.extensionIdentifier = "org.example.other"
        },
        change("a leap", of: { $0.event == "host.stateChanged" && $0.from == "active" }) { $0.to = "background" },
        change("from where it is not", of: { $0.event == "host.stateChanged" && $0.to != "active" }) {
            ($0.from, $0.to) = ($0.from == "background" ? "active" : "background", "inactive")
        },
        change("a number twice", of: { $0.sequence > 1 }) { $0.sequence -= 1 },
        Mutation(name: "killed for something else") { log, generator in
            let killed = Set(log.filter { $0.detail == "SIGKILL" }.compactMap(\.pid))
            guard let index = any(log, &generator, { $0.event == "process.exited" && killed.contains($0.pid ?? 0) })
            else {
                return nil
            }
            var changed = log
            changed[index].cause = .crashed
            return Mutant(log: changed, verdict: .illegal(at: index + 1))
        },
        Mutation(name: "a gap") { log, generator in
            guard let index = (1..<log.count).randomElement(using: &generator) else { return nil }
            var changed = log
            for later in index..<log.count { changed[later].sequence += 1 }
            return Mutant(log: changed, verdict: .illegal(at: index + 1))
        },
        Mutation(name: "gone before the answer") { log, generator in
            guard let end = any(log, &generator, { ends.contains($0.event) && $0.pid != nil && $0.cause == .crashed }),
                let exit = log[end...].firstIndex(where: { $0.pid == log[end].pid && $0.event == "process.exited" })
            else { return nil }
            var changed = log
            changed.insert(changed.remove(at: exit), at: end)
            return Mutant(log: LogMaker.numbered(changed), verdict: .illegal(at: end + 1))
        },
        Mutation(name: "a process is left") { log, generator in
            let refused = Set(log.compactMap { $0.event == "process.exited" ? $0.pid : nil })
            guard let index = any(log, &generator, { $0.event == "process.exited" && refused.contains($0.pid ?? 0) })
            else {
                return nil
            }
            var changed = log
            changed.remove(at: index)
            return Mutant(log: LogMaker.numbered(changed), verdict: .unfinished)
        },
        Mutation(name: "a request is left") { log, generator in
            // Of one without a process nothing else tells.
            guard let index = any(log, &generator, { $0.event == "request.refused" }) else { return nil }
            var changed = log
            changed.remove(at: index)
            return Mutant(log: LogMaker.numbered(changed), verdict: .unfinished)
        },
    ]

    static let legal: [Mutation] = [
        Mutation(name: "strangers change places") { log, generator in
            let places = log.indices.dropLast().filter { index in
                let (first, second) = (log[index], log[index + 1])
                return first.host != second.host && first.request != second.request && first.pid != second.pid
                    && !first.event.hasPrefix("daemon.") && !second.event.hasPrefix("daemon.")
                    && first.extensionIdentifier != second.extensionIdentifier
            }
            guard let index = places.randomElement(using: &generator) else { return nil }
            var changed = log
            changed.swapAt(index, index + 1)
            return Mutant(log: LogMaker.numbered(changed), verdict: .legal)
        },
        Mutation(name: "other pids") { log, _ in
            Mutant(
                log: log.map { record in
                    var record = record
                    record.pid = record.pid.map { $0 * 7 + 3 }
                    return record
                }, verdict: .legal)
        },
        Mutation(name: "news of the registry") { log, generator in
            var changed = log
            changed.insert(
                EventRecord(sequence: 0, time: 0, event: .registryChanged, detail: "x"),
                at: Int.random(in: 0...log.count, using: &generator))
            return Mutant(log: LogMaker.numbered(changed), verdict: .legal)
        },
        Mutation(name: "an event of a later version") { log, generator in
            var changed = log
            var later = EventRecord(sequence: 0, time: 0, event: .busLost, pid: 101)
            later.event = "process.reconsidered"
            changed.insert(later, at: Int.random(in: 0...log.count, using: &generator))
            return Mutant(log: LogMaker.numbered(changed), verdict: .legal)
        },
        Mutation(name: "nobody prints") { log, _ in
            Mutant(log: LogMaker.numbered(log.filter { $0.event != "process.output" }), verdict: .legal)
        },
        Mutation(name: "the clock is set back") { log, generator in
            var changed = log
            changed[Int.random(in: 0..<log.count, using: &generator)].time = 5
            return Mutant(log: changed, verdict: .legal)
        },
        Mutation(name: "cut off") { log, generator in
            guard let stop = log.firstIndex(where: { $0.event == "daemon.stopping" }) else { return nil }
            return Mutant(log: Array(log[..<Int.random(in: 0...stop, using: &generator)]), verdict: .legal)
        },
        Mutation(name: "begun later") { log, generator in
            Mutant(log: Array(log[Int.random(in: 1..<log.count, using: &generator)...]), verdict: .legal)
        },
        Mutation(name: "a pid again") { log, generator in
            // The first process that goes before another comes lends it its number.
            guard let exit = log.firstIndex(where: { $0.event == "process.exited" && $0.pid != nil }),
                let spawn = log[exit...].firstIndex(where: { $0.event == "process.spawned" })
            else { return nil }
            let (old, new) = (log[spawn].pid, log[exit].pid)
            return Mutant(
                log: log.map { record in
                    var record = record
                    if record.pid == old { record.pid = new }
                    return record
                }, verdict: .legal)
        },
    ]
}
