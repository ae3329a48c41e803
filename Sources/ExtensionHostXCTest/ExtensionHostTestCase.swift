// ExtensionHostTestCase: a private daemon for each test method of XCTest.

public import ExtensionHostTesting
import LinuxSystem
public import XCTest

/// The base of test cases: each method has a daemon of its own in `daemon`, which is gone afterwards. When the method fails the timeline goes to
/// standard error; a daemon that has left something behind, or logged what cannot be, fails it, too.
open class ExtensionHostTestCase: XCTestCase {
    /// Folders of `.app` bundles, or such bundles; to be overridden. None here.
    open var applications: [String] { [] }

    /// Whose time moves the daemon's timers; to be overridden. The system's here.
    open var clock: TestDaemon.ClockKind { .real }

    /// More options of `exthostd`; to be overridden. None here.
    open var arguments: [String] { [] }

    /// From `setUp` to `tearDown`.
    public private(set) var daemon: TestDaemon!

    /// A subclass calls it first.
    open override func setUp() async throws {
        try await super.setUp()
        daemon = try await TestDaemon.start(applications: applications, clock: clock, arguments: arguments)
    }

    /// A subclass calls it last.
    open override func tearDown() async throws {
        if let daemon {
            if testRun?.hasSucceeded == false, let timeline = try? await daemon.timeline() {
                StandardStreams.writeError("timeline of \(name):\(timeline)\n")
            }
            self.daemon = nil
            try await daemon.stop()
        }
        try await super.tearDown()
    }
}
