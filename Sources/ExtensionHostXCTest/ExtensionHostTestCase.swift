// ExtensionHostTestCase: a private daemon for each test method of XCTest.

public import ExtensionHostTesting
import LinuxSystem
public import XCTest

/// The base class of test cases: each method has its own daemon in `daemon`, which is stopped afterwards.
///
/// When the method fails, the timeline is written to standard error. A daemon that has left processes or files behind,
/// or has logged an impossible event, fails the method, too.
open class ExtensionHostTestCase: XCTestCase {
    /// The folders of `.app` bundles, or such bundles; a subclass overrides it. The default is none.
    open var applications: [String] { [] }

    /// A path in the package under test, such as `#filePath`, whose apps are bundled from what `swift test` has built.
    ///
    /// A subclass overrides it. The default is none.
    open var package: String? { nil }

    /// The clock that moves the daemon's timers; a subclass overrides it. The default is the system's.
    open var clock: TestDaemon.ClockKind { .real }

    /// More options of `exthostd`; a subclass overrides it. The default is none.
    open var arguments: [String] { [] }

    /// The daemon of the current method, from `setUp` to `tearDown`.
    public private(set) var daemon: TestDaemon!

    /// Starts the daemon. A subclass calls it first.
    open override func setUp() async throws {
        try await super.setUp()
        var applications = applications
        if let package { applications += try await TestDaemon.bundle(package: package) }
        daemon = try await TestDaemon.start(applications: applications, clock: clock, arguments: arguments)
    }

    /// Stops the daemon and checks what it left. A subclass calls it last.
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
    open override func recordFailure(
        withDescription description: String, inFile file: String, atLine line: Int, expected: Bool
    ) {
        let place = expected ? nil : UnexpectedOutcome.place(inDescription: description)
        super.recordFailure(
            withDescription: description, inFile: place?.file ?? file, atLine: place?.line ?? line, expected: expected)
    }
}
