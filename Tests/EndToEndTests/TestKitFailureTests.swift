// TestKitFailureTests: what the kit says when a test, or the daemon, goes wrong.

import ExtensionHostTesting
import ExtensionHostTestingSupport
import ExtensionHostXCTest
import ExtensionProtocol
import Foundation
import TestPrograms
import Testing
import XCTest

@Suite struct TestKitFailureTests {
    /// A daemon whose log has `other` in the place of `word`.
    private func forged(_ bundles: TestBundles, _ word: EventName, _ other: EventName) async throws -> TestDaemon {
        let script = bundles.path + "/forger"
        try """
        #!/bin/sh
        exec python3 '\(SampleApplications.root)/Tests/Fixtures/Python/forger.py' \
        '\(SampleApplications.buildFolder)/exthostd' \(word.rawValue) \(other.rawValue) "$@"
        """.write(toFile: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        try waitForWriters(of: script)
        return try await TestDaemon.start(script, applications: [bundles.path], clock: .virtual)
    }

    @Test func aLogThatCannotBeIsTheStopsErrorWithTheEventAndTheTimeline() async throws {
        let bundles = try TestBundles.withPuppet()
        let daemon = try await forged(bundles, .requestCompleted, .requestCancelled)
        let host = try await daemon.host("notes", comesBack: false)
        try await host.expect(.completed, of: host.begin(puppet, items: [order("count")]))
        let error = try #require(await #expect(throws: ExtensionHostError.self) { try await daemon.stop() })
        #expect(error.code == .internalError)
        for part in ["the daemon logged an impossible event: ", "request.cancelled", "with the timeline below"] {
            #expect("\(error)".contains(part), "\(error)")
        }
        #expect(error.cause?.contains("process.spawned") == true)
    }

    /// The same way, and nothing is put in another's place.
    @Test func aLogThatIsPassedOnAsItIsIsNoError() async throws {
        let bundles = try TestBundles.withPuppet()
        let daemon = try await forged(bundles, .requestCompleted, .requestCompleted)
        let host = try await daemon.host("notes", comesBack: false)
        try await host.expect(.completed, of: host.begin(puppet, items: [order("count")]))
        try await daemon.stop()
    }

    /// A test that hangs with its daemon would say nothing.
    @Test func aDaemonThatAnswersNothingIsEndedAndThatIsSaid() async throws {
        let daemon = try await TestDaemon.start(applications: [])
        kill(pid_t(daemon.processIdentifier), SIGSTOP)
        try await eventually { isStopped(pid_t(daemon.processIdentifier)) }
        let error = try #require(
            await #expect(throws: ExtensionHostError.self) { try await daemon.stop(patience: .milliseconds(100)) })
        #expect(error.code == .internalError && "\(error)".contains("did not stop in order"), "\(error)")
    }

    @Test func anEventThatDoesNotComeIsSaidAfterTheBoundWithTheTimeline() async throws {
        try await withTestDaemon(applications: [], clock: .virtual) { daemon in
            let error = await #expect(throws: ExtensionHostError.self) {
                try await daemon.event(within: .milliseconds(50)) { $0.event == EventName.requestCompleted.rawValue }
            }
            let timedOut = try #require(error)
            #expect(timedOut.code == .timedOut && timedOut.message.contains("no such event within 0.05 seconds"))
            #expect(timedOut.cause?.contains("daemon.started") == true)
        }
    }

    /// What the trait says of a failed test goes to standard error, and hangs on the test.
    @Test func theTimelineOfATestThatFailsIsPrinted() async throws {
        let program = try Program.run(
            SampleApplications.buildFolder + "/exthostPackageTests.xctest",
            ["--testing-library", "swift-testing", "--filter", "FailingTraitTests"], socket: "",
            environment: ["EXTHOST_FAILING_TEST": "1"])
        let ending = try await program.ending()
        #expect(ending.status != 0)
        let said = ending.output + ending.errors
        #expect(said.contains("timeline of itFails()") && said.contains("daemon.started"), "\(said)")
        #expect(!said.contains("timeline of itPasses()"), "\(said)")
        let place =
            "Test anUnexpectedOutcome() recorded an issue at TestKitFailureTests.swift:\(FailingTraitTests.expectation):"
        #expect(said.contains(place), "\(said)")
    }

    @Test func xctestReportsTheLineOfAnUnexpectedOutcomeAndTheTimelineOfAFailedTest() async throws {
        let program = try Program.run(
            SampleApplications.buildFolder + "/exthostPackageTests.xctest", ["EndToEndTests.FailingXCTests"],
            socket: "",
            environment: ["EXTHOST_FAILING_TEST": "1"])
        let ending = try await program.ending()
        let said = ending.output + ending.errors
        #expect(said.contains("Executed 2 tests, with 1 failure"), "\(said)")
        let place =
            "TestKitFailureTests.swift:\(FailingXCTests.expectation): error: FailingXCTests.testItFails : threw error"
        #expect(said.contains(place), "\(said)")
        #expect(said.contains("timeline of FailingXCTests.testItFails:"), "\(said)")
        #expect(!said.contains("timeline of FailingXCTests.testItPasses"), "\(said)")
    }
}

/// Run by the test above only, in a process of its own.
final class FailingXCTests: ExtensionHostTestCase {
    static let expectation = #line + 11

    override var applications: [String] { (try? samples()).map { [$0] } ?? [] }

    override func setUp() async throws {
        try XCTSkipIf(getenv("EXTHOST_FAILING_TEST") == nil, "it fails")
        try await super.setUp()
    }

    func testItFails() async throws {
        let host = try await daemon.host("notes")
        try await host.expect(
            .cancelled, of: try await host.begin("org.exthost.samples.share", items: [.url("https://a.b")]))
    }

    func testItPasses() async throws {
        let status = try await daemon.control.status()
        XCTAssertEqual(status.clock, "real")
    }
}

/// Run by the test above only, in a process of its own.
@Suite(
    .enabled(if: getenv("EXTHOST_FAILING_TEST") != nil, "it fails"), .extensionHost(applications: [], clock: .virtual))
struct FailingTraitTests {
    @Test func itFails() async throws {
        let daemon = try #require(TestDaemon.current)
        #expect(try await daemon.control.status().clock == "real")
    }

    @Test func itPasses() async throws {
        let daemon = try #require(TestDaemon.current)
        #expect(try await daemon.control.status().clock == "virtual")
    }

    static let expectation = #line + 7

    @Test(.extensionHost(applications: (try? samples()).map { [$0] } ?? []))
    func anUnexpectedOutcome() async throws {
        let daemon = try #require(TestDaemon.current)
        let host = try await daemon.host("notes")
        let request = try await host.begin("org.exthost.samples.share", items: [.url("https://a.b")])
        try await host.expect(.cancelled, of: request)
    }
}
