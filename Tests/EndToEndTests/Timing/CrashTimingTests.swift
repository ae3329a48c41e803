// CrashTimingTests: how long a host waits for its answer when an extension has crashed.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import Testing

/// Only in the long tests: a thousand launches. The figures are printed and not judged; no timer of the daemon could
/// answer in place of the crash.
@Suite(.serialized, .enabled(if: faultRepetitions > 1)) struct CrashTimingTests {
    private static let count = 1000

    /// From the moment before the signal is sent to the outcome in the host's hands, another process and two of its
    /// threads away.
    @Test func theHostOfACrashedExtensionIsAnsweredInMilliseconds() async throws {
        let bundles = try TestBundles()
        try bundles.addHostile("deaf")
        var microseconds: [Double] = []
        let arguments = ["launch", "request", "firstRequest"].flatMap { ["--timer", "\($0)=1h"] }
        try await withTestDaemon(applications: [bundles.path], arguments: arguments) { daemon in
            let host = try await daemon.host("notes")
            for _ in 0..<Self.count {
                let request = try await host.begin("org.exthost.tests.deaf", items: [.text("x")])
                let pid = pid_t(try #require(request.processIdentifier))
                let clock = ContinuousClock()
                let start = clock.now
                #expect(kill(pid, SIGSEGV) == 0)
                let cause = await request.outcome.cause
                microseconds.append((clock.now - start) / .microseconds(1))
                #expect(cause == .crashed)
            }
        }
        microseconds.sort()
        let (middle, high) = (microseconds[Self.count / 2], microseconds[Self.count * 99 / 100])
        StandardStreams.writeError(
            "from the crash to the host's answer, \(Self.count) times: p50 \(Int(middle)) µs, p99 \(Int(high)) µs, "
                + "most \(Int(microseconds.last ?? 0)) µs\n")
    }
}
