// FaultStage: brings an extension to a point of its life, lets a fault befall it, and tells what became of everything.

import CallVocabulary
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import Testing

/// One daemon, and runs at one point, one after the other. On a virtual clock, so that time passes only where the
/// matrix says so.
final class FaultStage {
    /// An extension that has reached its point.
    private struct Place {
        let pid: pid_t
        let requests: [RequestIdentifier]
        /// Of the daemon's clock, in microseconds.
        let time: Int
    }

    /// `load` would run out for the healthy request, too, which holds one for as long as a run takes. No main queue is
    /// asked.
    static func arguments(_ bundles: TestBundles) -> [String] {
        ["--timer", "load=24h", "--timer", "unresponsive=24h", "--extension-points", bundles.path + "/points"]
    }

    private let point: LifePoint
    private let bundles: TestBundles
    private let daemon: TestDaemon
    private let events = Board<EventRecord>()
    private let following: Task<Void, any Error>
    private var hosts: [StageHost] = []
    /// From the news of a fault that nobody has to wait for to that of the end of the process, as a watcher hears of
    /// them.
    private(set) var latencies: [Duration] = []
    /// What the last run's extension and hosts went through.
    private(set) var story: [EventRecord] = []

    private var name: String { "org.exthost.tests.\(point.rawValue)" }

    /// The puppet, for healthy requests, and the extension that goes to `point`.
    static func bundles(for point: LifePoint) throws -> TestBundles {
        let bundles = try TestBundles.withPuppet()
        var script = try TestBundles.source("Tests/Fixtures/Python/stage.py")
        if let python = StageHost.python {
            script = script.replacing("#!/usr/bin/env python3\n", with: "#!\(python) -IS\n")
        }
        let isOfCalls = point == .call || point == .called
        try bundles.add(
            point.rawValue, script: script, point: isOfCalls ? CallTests.point : "com.apple.share-services")
        try FileManager.default.createDirectory(atPath: bundles.path + "/points", withIntermediateDirectories: true)
        try Data(CallTests.pointFile().utf8).write(to: URL(fileURLWithPath: bundles.path + "/points/calls.plist"))
        return bundles
    }

    init(_ point: LifePoint, _ bundles: TestBundles, _ daemon: TestDaemon) async throws {
        (self.point, self.bundles, self.daemon) = (point, bundles, daemon)
        let watcher = try await DaemonControl.connect(name: "matrix", to: daemon.address)
        following = Task { [events] in
            for try await batch in watcher.watch(since: nil, follow: true) {
                for event in batch.events { events.add(event) }
            }
        }
        try await setHosts()
    }

    deinit { following.cancel() }

    /// Those that are there, and new ones for those that have died.
    private func setHosts() async throws {
        for name in (point == .two ? ["first", "second"] : ["first"]) where !hosts.contains(where: { $0.name == name })
        {
            hosts.append(try await .start(name, isSilent: point == .answered, of: daemon))
        }
        hosts.sort { $0.name < $1.name }
    }

    /// One cell, beside a healthy request of another extension.
    ///
    /// - Parameter fromOutside: the fault is done by whoever does it in earnest, once the extension is there, and not
    ///   by the daemon.
    func run(_ fault: Fault, expecting seconds: Int, fromOutside: Bool = false) async throws -> FaultOutcome {
        events.clear()
        for host in hosts { host.board.clear() }
        let healthy = try await HealthyRequest.begin(in: daemon)
        try await daemon.faults.clear()
        if !fromOutside { try await daemon.faults.add(fault.onDemand, at: try #require(point.faultPoint), of: name) }
        let names = Set(hosts.map(\.name))
        let place = try await reach(meeting: !fromOutside)
        let start = ContinuousClock.now
        if fromOutside { try await befall(fault, place) } else { try await follow(fault) }
        try await settle(fault, place, fromOutside)
        if seconds > 0 { try await daemon.clock.advance(by: .seconds(seconds)) }
        let exit = try await events.first("the end of \(place.pid) by \(fault) when \(point)") {
            $0.event == EventName.processExited.rawValue && $0.pid == Int(place.pid)
        }
        if seconds == 0 { latencies.append(ContinuousClock.now - start) }
        let outcome = try await outcome(of: place, exit)
        story = events.entries.filter { $0.extensionIdentifier == name || names.contains($0.host ?? "") }
        try await tidyUp(place, fault)
        let value = try await healthy.finish()
        #expect(value == "https://example.org/healthy", "beside \(fault) when \(point)")
        return outcome
    }

    // MARK: The way to the point

    /// - Parameter isMet: whether the daemon lets a fault happen there, which is then what says that the extension is
    ///   there.
    private func reach(meeting isMet: Bool) async throws -> Place {
        var requests: [RequestIdentifier] = []
        for host in hosts {
            let request = RequestIdentifier()
            requests.append(request)
            try host.tell("begin", "\(request)", name)
            if point == .two { try await host.board.first("a delivery") { $0 == "begun \(request)" } }
        }
        let (host, request) = (hosts[0], requests[0])
        switch point {
        case .launching, .delivered, .handler, .idle, .two: if !isMet { try await said() }
        case .ready:
            let pid = pid_t(try #require(try await said().pid))
            try await host.ask("cancel", "\(request)")
            kill(pid, SIGWINCH)
            if !isMet { try await said(times: 2) }
        case .loadOpen: if !isMet { try await host.board.first("the question") { $0 == "asked \(request)" } }
        case .loadAnswered:
            try await host.board.first("the question") { $0 == "asked \(request)" }
            try host.tell("answer", "\(request)")
            if !isMet { try await said() }
        case .call, .called:
            try await host.board.first("the delivery") { $0 == "begun \(request)" }
            try host.tell("call", "\(request)", Echo.name)
            if !isMet { try await said() }
        case .answered: try await host.board.first("the answer") { $0 == "finished \(request) completed" }
        case .expired:
            try await acknowledged(request)
            try await daemon.clock.advance(by: .seconds(5))
            if !isMet { try await said() }
        case .terminating:
            try await acknowledged(request)
            try await daemon.clock.advance(by: .seconds(3))
            if !isMet { try await said() }
        case .suspended:
            let pid = pid_t(try #require(try await said().pid))
            try await host.ask("state", "background")
            try await daemon.clock.advance(by: .seconds(5))
            try await events.first("the suspension") { $0.event == EventName.processSuspended.rawValue }
            try await eventually { isStopped(pid) || isMet }
        }
        var last: EventRecord?
        if isMet {
            last = try await events.first("the fault") { [name] in
                $0.event == EventName.faultInjected.rawValue && $0.extensionIdentifier == name
            }
        }
        let spawned = try await events.first("the start") { [name] in
            $0.event == EventName.processSpawned.rawValue && $0.extensionIdentifier == name
        }
        return Place(
            pid: pid_t(try #require(spawned.pid)), requests: requests,
            time: try #require((last ?? events.entries.last)?.time))
    }

    /// Waits until the stage has said something.
    @discardableResult
    private func said(times: Int = 1) async throws -> EventRecord {
        let heard = Counter(times)
        return try await events.first("the stage's word") { [name] in
            $0.event == EventName.processOutput.rawValue && $0.extensionIdentifier == name && heard.reached()
        }
    }

    /// The daemon has its host's receipt, and with it the timers run that count from there.
    private func acknowledged(_ request: RequestIdentifier) async throws {
        try await hosts[0].board.first("the answer") { $0 == "finished \(request) completed" }
        if point == .answered { try hosts[0].tell("acknowledge", "\(request)") }
        try await hosts[0].ask("fence")
    }

    private func isStopped(_ pid: pid_t) -> Bool {
        let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.split(separator: " ").first == "T"
    }

    // MARK: The fault

    /// Returns when it has happened; what ends the process at once may still be on its way.
    private func befall(_ fault: Fault, _ place: Place) async throws {
        let host = hosts[0]
        switch fault {
        case .killed, .crashes, .sendsGarbage, .stopped: preconditionFailure("\(fault) is the daemon's to do")
        case .exits: kill(place.pid, SIGHUP)
        case .closesSocket: kill(place.pid, SIGUSR1)
        case .hostDies:
            hosts.removeFirst()
            try host.kill()
            try await events.first("the host's end") { [name = host.name] in
                $0.event == EventName.hostDisconnected.rawValue && $0.host == name
            }
        case .hostCancels: try await host.ask("cancel", "\(place.requests[0])")
        case .operatorKills: _ = try await daemon.control.kill(.pid(Int(place.pid)))
        case .bundleRemoved: _ = try await daemon.control.remove(path: bundle)
        }
    }

    /// What is left of those whom the daemon let it happen to.
    private func follow(_ fault: Fault) async throws {
        guard fault == .hostDies else { return }
        let host = hosts.removeFirst()
        try await events.first("the host's end") { [name = host.name] in
            $0.event == EventName.hostDisconnected.rawValue && $0.host == name
        }
        // It has seen the end of its connection, and may have left by itself.
        try? host.kill()
    }

    private func settle(_ fault: Fault, _ place: Place, _ fromOutside: Bool) async throws {
        let host = hosts.first
        if point == .suspended, fault.needsARunningProcess { try await host?.ask("state", "active") }
        switch fault {
        case .closesSocket where fromOutside:
            try await said(times: point == .ready ? 3 : Self.silent.contains(point) ? 1 : 2)
        case .stopped where point != .suspended: try await eventually { isStopped(place.pid) }
        default: break
        }
    }

    /// Points that an extension reaches without a word of its own.
    private static let silent: Set<LifePoint> = [.loadOpen, .answered]

    private var bundle: String { "\(bundles.path)/Tests.app/PlugIns/\(point.rawValue).appex" }

    // MARK: What became of it

    private func outcome(of place: Place, _ exit: EventRecord) async throws -> FaultOutcome {
        let ends = events.entries.filter { EventName.ends.contains($0.event) }
        var causes: [Cause] = []
        for request in place.requests {
            let own = ends.filter { $0.request == request }
            #expect(own.count == 1, "\(request) has \(own.count) ends")
            let cause = try #require(own.first?.cause)
            causes.append(cause)
            // Its host has heard the same, once.
            guard let host = hosts.first(where: { $0.name == own.first?.host }) else { continue }
            try await host.board.first("the outcome") { $0 == "finished \(request) \(cause.rawValue)" }
            let heard = host.board.entries.filter { $0.hasPrefix("finished \(request)") }
            #expect(heard.count == 1, "\(host.name) heard \(heard)")
            guard point == .call || point == .called else { continue }
            // And its call has ended once: at `called` with the answer.
            let error: ExtensionHostError.Code = cause.outcome == .interrupted ? .interrupted : .contextFinished
            let answer = "called \(request) \(point == .called ? 0 : error.rawValue)"
            try await host.board.first("the call's answer") { $0 == answer }
            #expect(host.board.entries.filter { $0.hasPrefix("called \(request)") } == [answer])
        }
        let death = try #require(try await daemon.control.exits().last)
        #expect(death.pid == Int(place.pid) && death.exit.cause == exit.cause)
        return FaultOutcome(
            causes, try #require(exit.cause), death.decidedBy, after: (exit.time - place.time) / 1_000_000)
    }

    /// Everything as it was before; nothing of the run is left in the daemon.
    private func tidyUp(_ place: Place, _ fault: Fault) async throws {
        if point == .answered, fault != .hostDies { try await acknowledged(place.requests[0]) }
        if point == .suspended, fault != .hostDies { try await hosts[0].ask("state", "active") }
        if fault == .bundleRemoved { _ = try await daemon.control.add(path: bundle) }
        try await setHosts()
        let left = try await daemon.control.requests().map(\.extensionIdentifier)
        #expect(left == [puppet], "left by \(fault) when \(point)")
        let running = try await daemon.control.processes().map(\.extensionIdentifier)
        #expect(running == [puppet], "left by \(fault) when \(point)")
        #expect(isGone(place.pid))
    }
}
