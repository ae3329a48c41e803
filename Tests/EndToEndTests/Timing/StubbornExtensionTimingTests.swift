// StubbornExtensionTimingTests: extensions that will not go are gone soon after their time is up, and never before.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import Testing

/// See `MemoryKillTimingTests`. Each kill comes at its deadline or later, with everything that it takes; how much later
/// is printed.
@Suite(.serialized, .disabled(if: isSanitized, "a sanitizer's figures are not the program's"))
struct StubbornExtensionTimingTests {
    /// Each kind of stubbornness under each means: 60 together, a thousand in the long tests.
    private static let rounds = isLong ? 100 : 6
    private static let limit = Duration.milliseconds(150)

    /// Of the middle and of the 99th in a hundred, in seconds; judged by the long tests alone. The target, on an idle
    /// machine, is 0.5 ms and 5 ms.
    private static let bounds = (middle: 0.1, high: 1.0)

    @Test(arguments: TreeKillMeans.thorough, ["shrugs", "stands", "spins", "forksOn", "escapes"])
    func theKillComesAtTheDeadlineAndTakesEverythingWithIt(means: String, act: String) async throws {
        let bundles = try TestBundles()
        try bundles.addHostile(act, interpreter: "/usr/bin/python3")
        let options = ["--tree-kill", means, "--timer", "launch=30s"]
        var times: [Double] = []
        var lateness: [Double] = []
        try await withTestDaemon(applications: [bundles.path], arguments: options) { daemon in
            let output = Output()
            let host = try await daemon.host("notes", onOutput: output.add)
            var late = 0
            while times.count < Self.rounds {
                let before = output.text.count
                let request = try await host.begin("org.exthost.tests.\(act)", items: [.text("x")], timeout: Self.limit)
                #expect(await request.outcome.cause == .requestTimeout)
                let exit = try #require(await request.exit)
                #expect(exit.record.cause == .requestTimeout && exit.record.signal == Int(SIGKILL))
                // Not soon: now, as the process counts as ended only with its tree.
                #expect(running(bundles.path).isEmpty)
                let timings = await request.timings
                let (delivered, finished, exited) = (
                    try #require(timings.delivered), try #require(timings.finished), try #require(exit.timings.exited)
                )
                let deadline = delivered + Self.limit / .seconds(1)
                #expect(finished >= deadline && exited >= deadline)
                // One that a slow machine had not let come so far was not stubborn yet.
                guard output.text.count > before else {
                    late += 1
                    try #require(late < Self.rounds * 2, "it is killed before it has begun")
                    continue
                }
                times.append(exited - deadline)
                lateness.append(finished - deadline)
            }
        }
        report("deadline to reaped, \(act), \(means)", times)
        StandardStreams.writeError("of that, until the host was answered and the kill sent: \(Spread(lateness))\n")
    }

    /// SIGTERM first, and what follows it.
    @Test func oneThatIgnoresTheSignalToEndIsKilledWhenItsTimeIsUp() async throws {
        let term = 0.03
        let bundles = try TestBundles()
        try bundles.addHostile("ignoresTerm", interpreter: "/usr/bin/python3")
        let timers = ["idle=5ms", "expire=5ms", "term=30ms"].flatMap { ["--timer", $0] }
        var times: [Double] = []
        try await withTestDaemon(applications: [bundles.path], arguments: timers) { daemon in
            let host = try await daemon.host("notes")
            for _ in 0..<Self.rounds {
                let request = try await host.begin("org.exthost.tests.ignoresTerm", items: [.text("x")])
                #expect(await request.outcome.kind == .completed)
                let exit = try #require(await request.exit?.record)
                #expect(exit.cause == .idle && exit.signal == Int(SIGKILL))
                #expect(running(bundles.path).isEmpty)
                let events = try await daemon.events().filter { $0.pid == request.processIdentifier }
                let told = try #require(events.last { $0.detail == "SIGTERM" })
                let exited = try #require(events.last { $0.event == EventName.processExited.rawValue })
                times.append(Double(exited.time - told.time) / 1e6 - term)
            }
        }
        report("deadline to reaped, ignoresTerm", times)
        // The log's clock is the wall's, and counts microseconds.
        #expect((times.min() ?? 0) >= -0.0001)
    }

    private func report(_ what: String, _ times: [Double]) {
        let borders = [0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, .infinity]
        var rest = times[...]
        var columns: [String] = []
        for border in borders {
            let count = rest.count { $0 < border }
            rest = rest.filter { $0 >= border }[...]
            if count > 0 { columns.append(border == .infinity ? "more: \(count)" : "<\(border * 1000) ms: \(count)") }
        }
        StandardStreams.writeError("\(what): \(Spread(times)); \(columns.joined(separator: ", "))\n")
        if isLong { #expect(Spread(times).p50 < Self.bounds.middle && Spread(times).p99 < Self.bounds.high, "\(what)") }
    }
}
