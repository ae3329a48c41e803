// EventLogPageTests: in each state the monitor lets pass the events that docs/event-log.md names, and no other.

import ExtensionProtocol
import Foundation
import Testing

@testable import LogChecker

@Suite struct EventLogPageTests {
    private static let request = RequestIdentifier("4F2A91C3-0000-4000-8000-000000000001")
    private static let other = RequestIdentifier("4F2A91C3-0000-4000-8000-000000000002")

    private static let page: String = {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return (try? String(contentsOf: root.appendingPathComponent("docs/event-log.md"), encoding: .utf8)) ?? ""
    }()

    /// The names of events between grave accents, in order.
    private static func names(in text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap { place, part in
            place % 2 == 1 && EventName(rawValue: String(part)) != nil ? String(part) : nil
        }
    }

    private static func section(_ title: String) -> Substring {
        page.components(separatedBy: "\n## ").first { $0.hasPrefix(title + "\n") }.map { Substring($0) } ?? ""
    }

    /// The events of each state of a section's table.
    private static func table(_ title: String) -> [String: Set<String>] {
        var rows: [String: Set<String>] = [:]
        for line in section(title).split(separator: "\n") where line.hasPrefix("| ") && !line.hasPrefix("| --") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 2, cells[0] != "state" else { continue }
            for state in cells[0].components(separatedBy: ", ") { rows[state] = Set(names(in: cells[1])) }
        }
        if let all = rows.removeValue(forKey: "all others") {
            for state in rows.keys where state != "unknown" && state != "exited" { rows[state]?.formUnion(all) }
        }
        return rows
    }

    // MARK: How a state is reached

    private static func step(
        _ event: EventName, _ request: RequestIdentifier? = nil, host: String? = nil, pid: Int? = nil,
        from: String? = nil,
        to: String? = nil, cause: Cause? = nil, detail: String? = nil
    ) -> EventRecord {
        EventRecord(
            sequence: 0, time: 0, event: event, request: request,
            extensionIdentifier: pid == nil && request == nil ? nil : "e",
            host: host, pid: pid, from: from, to: to, cause: cause, detail: detail)
    }

    private static let start = [step(.daemonStarted)]
    private static let connected = start + [step(.hostConnected, host: "notes")]
    private static let spawned =
        connected + [step(.requestCreated, request, host: "notes"), step(.processSpawned, pid: 7)]
    private static let ready = spawned + [step(.processReady, pid: 7)]
    private static let delivered = ready + [step(.requestDelivered, request, host: "notes", pid: 7)]
    private static let inactive = [step(.hostStateChanged, host: "notes", from: "active", to: "inactive")]
    private static let background =
        inactive + [step(.hostStateChanged, host: "notes", from: "inactive", to: "background")]
    private static let load = [step(.itemLoadStarted, request, host: "notes", pid: 7)]
    private static let crashed = [step(.requestInterrupted, request, host: "notes", pid: 7, cause: .crashed)]

    private static let hosts: [String: [EventRecord]] = [
        "unknown": start, "active": connected, "inactive": connected + inactive, "background": connected + background,
        "cut off": connected + [step(.connectionLost, host: "notes")],
    ]

    private static let requests: [String: [EventRecord]] = [
        "unknown": connected + [step(.processSpawned, pid: 7), step(.processReady, pid: 7)], "created": ready,
        "held (until a debugger is attached)": ready + [step(.requestHeld, request, host: "notes", pid: 7)],
        "delivered": delivered, "delivered (with a load open)": delivered + load,
        "completed": delivered + [step(.requestCompleted, request, host: "notes", pid: 7, cause: .completed)],
        "cancelled by its extension": delivered
            + [step(.requestCancelled, request, host: "notes", pid: 7, cause: .cancelledByExtension)],
        "ended otherwise": delivered + crashed, "ended otherwise (with a load open)": delivered + load + crashed,
    ]

    private static let processes: [String: [EventRecord]] = [
        "unknown": connected, "spawned": spawned, "ready": delivered + background,
        "suspended": delivered + background + [step(.processSuspended, pid: 7)],
        "told to end (SIGTERM)": delivered + background + crashed + [
            step(.processSignalled, pid: 7, detail: "SIGTERM")
        ],
        "killed (SIGKILL)": delivered + background + crashed + [
            step(.processSignalled, pid: 7, cause: .idle, detail: "SIGKILL")
        ],
        "exited": delivered + background + crashed + [step(.processExited, pid: 7, cause: .idle)],
    ]

    /// Every form that an event may have; a state that lets one of them pass lets the event pass.
    private static func forms(of event: EventName, about title: String) -> [EventRecord] {
        let states = ["active", "inactive", "background"]
        return switch (event, title) {
        case (.hostStateChanged, _):
            states.flatMap { from in states.map { step(event, host: "notes", from: from, to: $0) } }
        case (_, "Hosts"): [step(event, host: "notes")]
        case (.requestCompleted, _): [step(event, request, host: "notes", pid: 7, cause: .completed)]
        case (.requestCancelled, _): [step(event, request, host: "notes", cause: .cancelledByHost)]
        case (.requestInterrupted, _): [step(event, request, host: "notes", cause: .crashed)]
        case (.requestTimedOut, _):
            [.launchTimeout, .requestTimeout].map { step(event, request, host: "notes", cause: $0) }
        case (.requestRefused, _): [step(event, request, host: "notes", cause: .quota)]
        case (.requestCreated, _): [step(event, request, host: "notes")]
        case (.callStarted, _): [step(event, request, host: "notes", pid: 7, detail: "a.ask 1 by the host")]
        case (_, "Requests"): [step(event, request, host: "notes", pid: 7)]
        case (.processSignalled, _):
            [
                step(event, pid: 7, cause: .idle, detail: "SIGTERM"),
                step(event, pid: 7, cause: .idle, detail: "SIGKILL"),
            ]
        // Its requests end before it does.
        case (.processExited, _): [step(event, pid: 7, cause: .idle)]
        case (.limitReached, _): [step(event, pid: 7, cause: .memoryLimit)]
        case (.requestDelivered, _): [step(event, other, host: "notes", pid: 7)]
        default: [step(event, pid: 7)]
        }
    }

    private static func isLetPass(_ record: EventRecord, after steps: [EventRecord]) -> Bool {
        var monitor = LogChecker()
        var steps = steps
        // Another request of the same host, for what is delivered; and a process's exit waits for what it serves.
        if record.event == EventName.requestDelivered.rawValue, record.request == other {
            steps.append(step(.requestCreated, other, host: "notes"))
        }
        if record.event == EventName.processExited.rawValue, steps.contains(where: { $0.request == request }),
            !steps.contains(where: { $0.event == EventName.requestInterrupted.rawValue })
        {
            steps += crashed
        }
        let log = LogMaker.numbered(steps + [record])
        for before in log.dropLast() {
            if let violation = monitor.observe(before) { Issue.record("the way there: \(violation)") }
        }
        return log.last.map { monitor.observe($0) == nil } ?? false
    }

    @Test(arguments: ["Hosts", "Requests", "Processes"]) func theTableIsWhatTheMonitorLetsPass(_ title: String) {
        let ways = ["Hosts": Self.hosts, "Requests": Self.requests, "Processes": Self.processes][title] ?? [:]
        let table = Self.table(title)
        #expect(Set(table.keys) == Set(ways.keys), "each state of the page has a way there, and no other")
        let subjects =
            ["Hosts": ["host"], "Requests": ["request", "item"], "Processes": ["process", "app"]][title] ?? []
        let vocabulary = Set(table.values.joined()).union(
            EventName.allCases.map(\.rawValue).filter { name in subjects.contains { name.hasPrefix($0 + ".") } })
        #expect(vocabulary.count >= 5)
        for (state, steps) in ways {
            var passed: Set<String> = []
            for name in vocabulary {
                guard let event = EventName(rawValue: name) else { continue }
                if Self.forms(of: event, about: title).contains(where: { Self.isLetPass($0, after: steps) }) {
                    passed.insert(name)
                }
            }
            #expect(passed == table[state], "\(title), \(state)")
        }
    }

    @Test func thePageSpeaksOfEveryEvent() {
        let told = Set(Self.names(in: Self.page))
        for event in EventName.allCases { #expect(told.contains(event.rawValue), "\(event.rawValue)") }
        let free = Self.names(in: Self.section("Of no machine"))
        #expect(free.count == 11)
        for name in free {
            var monitor = LogChecker()
            for record in LogMaker.numbered([
                EventRecord(sequence: 0, time: 0, event: EventName(rawValue: name) ?? .busLost)
            ]) {
                #expect(monitor.observe(record) == nil, "\(name) at the very beginning")
            }
        }
    }
}
