// VersionSkewTests: clients and extensions of another version: work together, or are refused readably.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

@Suite(.serialized) struct VersionSkewTests {
    @Test(
        arguments: [("1.0 1.5", "1.1"), ("0.9 1.0", "1.0"), ("1.0 1.0", "1.0"), ("1.1 1.1", "1.1"), ("0.1 3.7", "1.1")],
        ["host", "control"])
    func aClientOfAnotherMinorVersionWorks(versions: (range: String, settled: String), role: String) async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let verdict = try await HostilePeer.run(as: role, "skewed", ranging: versions.range, against: daemon)
            #expect(verdict.code == 0)
            #expect(verdict.message == versions.settled)
        }
    }

    @Test(arguments: ["2.0 3.0", "0.1 0.9", "1.2 1.5"], ["host", "control"])
    func aClientWithNoCommonVersionIsToldBothRanges(range: String, role: String) async throws {
        try await withTestDaemon(applications: []) { daemon in
            let verdict = try await HostilePeer.run(as: role, "skewed", ranging: range, against: daemon)
            #expect(verdict.code == ExtensionHostError.Code.versionMismatch.rawValue)
            #expect(verdict.message.contains("1.0 to \(ProtocolVersion.current)"))
            #expect(verdict.message.contains(range.replacing(" ", with: " to ")))
        }
    }

    /// The Python foundation, with another hello.
    @Test(arguments: [
        ("1.0", "1.5", nil), ("0.9", "1.0", nil), ("2.0", "3.0", Cause.protocolViolation), ("0.1", "0.9", .protocolViolation),
    ])
    func anExtensionOfAnotherVersionServesOrSaysWhyNot(minimum: String, maximum: String, cause: Cause?) async throws {
        let bundles = try TestBundles()
        let foundation = try TestBundles.source("Sources/Samples/Python/exthost.py")
        let skewed = foundation.replacing(
            #""minimum": "1.0", "maximum": "1.0""#, with: #""minimum": "\#(minimum)", "maximum": "\#(maximum)""#)
        try #require(skewed != foundation)
        try bundles.add(
            "skewed", script: try TestBundles.source("Sources/Samples/Python/Python.py"), beside: ["exthost.py": skewed])
        try await withTestDaemon(applications: [bundles.path], arguments: ["--timer", "launch=30s"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.skewed", items: [.url("https://example.org")])
            let outcome = await request.outcome
            guard let cause else {
                return #expect(try items(of: outcome).first?.userInfo?["shared"] as? String == "https://example.org")
            }
            #expect(outcome.cause == cause)
            let why = try #require(await request.explanation)
            #expect(why.code == .versionMismatch)
            #expect(why.message.contains("\(minimum) to \(maximum)"))
            #expect(why.remedy != nil)
        }
    }
}
