// ExtensionHostTestCase: a private daemon for each test method of XCTest.

public import ExtensionHostTesting
import LinuxSystem
public import XCTest

/// The base of test cases: each method has a daemon of its own in `daemon`, which is gone afterwards. When the method fails the timeline goes to
/// standard error; a daemon that has left something behind, or logged what cannot be, fails it, too.
open class ExtensionHostTestCase: XCTestCase {
    /// Folders of `.app` bundles, or such bundles; to be overridden. None here.
    open var applications: [String] { [] }

    /// A path in the package under test, such as `#filePath`, whose apps are bundled from what `swift test` has built;
    /// to be overridden. None here.
    open var package: String? { nil }

    /// Whose time moves the daemon's timers; to be overridden. The system's here.
    open var clock: TestDaemon.ClockKind { .real }

    /// More options of `exthostd`; to be overridden. None here.
    open var arguments: [String] { [] }

    /// From `setUp` to `tearDown`.
    public private(set) var daemon: TestDaemon!

    /// A subclass calls it first.
    open override func setUp() async throws {
        try await super.setUp()
        var applications = applications
        if let package { applications += try await TestDaemon.bundle(package: package) }
        daemon = try await TestDaemon.start(applications: applications, clock: clock, arguments: arguments)
    }

    /// A subclass calls it last.
    open override func tearDown() async throws {
        if let daemon {
            // A run that has not ended has not succeeded either.
            if let testRun, testRun.totalFailureCount > 0, let timeline = try? await daemon.timeline() {
                StandardStreams.writeError("timeline of \(name):\(timeline)\n")
            }
            self.daemon = nil
            try await daemon.stop()
        }
        try await super.tearDown()
    }

    /// Reports a failed `FakeHost.expect` at its own line. XCTest reports an error that a test throws without a place.
    open override func recordFailure(withDescription description: String, inFile file: String, atLine line: Int, expected: Bool) {
        let place = expected ? nil : UnexpectedOutcome.place(inDescription: description)
        super.recordFailure(
            withDescription: description, inFile: place?.file ?? file, atLine: place?.line ?? line, expected: expected)
    }
}
