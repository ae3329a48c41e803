// TestDaemon+Settling: the wait until the daemon, its extensions and hosts are idle.

import ExtensionHost
public import ExtensionProtocol

extension TestDaemon {
    /// Waits until the daemon, its extensions and these hosts are idle.
    ///
    /// Everything that one of them causes in another has happened, too, and every load is answered, except those that
    /// `hosts` delay. Time does not move. A blocked extension is awaited for a second.
    ///
    /// - Returns: the events so far.
    /// - Throws: `ExtensionHostError` `timedOut` after 30 s of real time, `invalidArgument` on a real clock.
    @discardableResult
    public func settle(_ hosts: FakeHost...) async throws -> [EventRecord] { try await settle(hosts) }

    func settle(_ hosts: [FakeHost]) async throws -> [EventRecord] {
        let end = ContinuousClock.now + .seconds(30)
        var last: [EventRecord]?
        while ContinuousClock.now < end {
            for host in hosts { try await host.application.fence() }
            try await clock.advance(by: .zero)
            let events = try await events()
            if let last, last.count == events.count,
                Self.openLoads(in: events) == hosts.reduce(0, { $0 + ($1.held?.waiting.count ?? 0) })
            {
                return events
            }
            last = events
        }
        throw ExtensionHostError(
            .timedOut, "hosts and extensions did not become idle within 30 s",
            remedy: "Read the events in the timeline",
            cause: try await timeline())
    }

    private static func openLoads(in events: [EventRecord]) -> Int {
        events.reduce(0) { count, event in
            switch EventName(rawValue: event.event) {
            case .itemLoadStarted: count + 1
            case .itemLoadFinished: count - 1
            default: count
            }
        }
    }
}
