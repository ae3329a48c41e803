// ExtensionHostTrait: a private daemon for each test of Swift Testing that wants one.

public import ExtensionHostTesting
import LinuxSystem
import Locks
public import Testing

/// Starts a daemon before each test and ends it afterwards, as `withTestDaemon` does; it is `TestDaemon.current`
/// meanwhile. When the test fails its timeline is attached to it and goes to standard error. A failed `FakeHost.expect`
/// is reported at its own line, with the timeline.
public struct ExtensionHostTrait: TestTrait, SuiteTrait, TestScoping {
    let applications: [String]
    /// A path in the package whose apps are bundled first.
    var package: String?
    let clock: TestDaemon.ClockKind
    let arguments: [String]

    /// Each test of a suite has a daemon of its own.
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let hasFailed = Failure()
        var applications = applications
        if let package { applications += try await TestDaemon.bundle(package: package) }
        let watch = IssueHandlingTrait.compactMapIssues { issue in
            // The description of such an outcome has the timeline.
            if !(issue.error is UnexpectedOutcome) { hasFailed.note() }
            return issue
        }
        try await withTestDaemon(applications: applications, clock: clock, arguments: arguments) { daemon in
            try await TestDaemon.$current.withValue(daemon) {
                try await watch.provideScope(for: test, testCase: testCase) {
                    do {
                        try await function()
                    } catch let error as UnexpectedOutcome {
                        // Thrown on, it would be reported at the test's first line.
                        let site = error.site
                        Issue.record(
                            error,
                            sourceLocation: SourceLocation(
                                fileID: site.fileID, filePath: site.filePath, line: site.line, column: site.column))
                    }
                }
            }
            guard hasFailed.isNoted, let timeline = try? await daemon.timeline() else { return }
            Attachment.record(timeline, named: "timeline.txt")
            StandardStreams.writeError("timeline of \(test.name):\(timeline)\n")
        }
    }
}

extension Trait where Self == ExtensionHostTrait {
    /// A private daemon for each test, as `TestDaemon.current`.
    ///
    /// - Parameters:
    ///   - applications: folders of `.app` bundles, or such bundles.
    ///   - clock: with `.virtual`, timers move by `TestClock.advance(by:)` only.
    ///   - arguments: more options of `exthostd`.
    public static func extensionHost(
        applications: [String], clock: TestDaemon.ClockKind = .real, arguments: [String] = []
    ) -> Self {
        Self(applications: applications, clock: clock, arguments: arguments)
    }

    /// The same with the apps of a package, bundled once a test run from the programs that `swift test` has built.
    ///
    /// - Parameters:
    ///   - package: the package's folder, or a path in it, such as `#filePath`.
    ///   - clock: with `.virtual`, timers move by `TestClock.advance(by:)` only.
    ///   - arguments: more options of `exthostd`.
    public static func extensionHost(
        package: String, clock: TestDaemon.ClockKind = .real, arguments: [String] = []
    ) -> Self {
        Self(applications: [], package: package, clock: clock, arguments: arguments)
    }
}

/// Whether a test has recorded an issue.
private final class Failure: Sendable {
    private let noted = Atomic(false)

    func note() { noted.store(true, ordering: .relaxed) }

    var isNoted: Bool { noted.load(ordering: .relaxed) }
}
