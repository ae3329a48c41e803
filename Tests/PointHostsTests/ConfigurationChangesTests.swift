// ConfigurationChangesTests: the order of the changes that apps make to configurations.

import Foundation
import PointMessages
import Testing

@testable import PointHosts

@Suite struct ConfigurationChangesTests {
    private final class App: Sendable {}

    /// Begins a change that waits, and returns once it does.
    private func waiting(
        _ changes: ConfigurationChanges, _ app: App, _ count: Int = 1
    ) async throws -> Task<Int, any Error> {
        let task = Task { try await changes.begin(of: "provider", by: app) }
        while await changes.waiting(of: "provider") < count { await Task.yield() }
        return task
    }

    // spec: NX-15
    @Test("NX-15: the late end of a change does not end the next one of the same app") func lateEnd() async throws {
        let (changes, app) = (ConfigurationChanges(), App())
        let first = try await changes.begin(of: "provider", by: app)
        await changes.end(of: "provider", first, by: app)
        let second = try await changes.begin(of: "provider", by: app)
        let third = try await waiting(changes, app)
        await changes.end(of: "provider", first, by: app)
        try #require(await changes.waiting(of: "provider") == 1)
        await changes.end(of: "provider", second, by: app)
        let number = try await third.value
        #expect(Set([first, second, number]).count == 3)
        // An older kit gives no number, and ends what is under way.
        let fourth = try await waiting(changes, app)
        await changes.end(of: "provider", nil, by: app)
        #expect(try await fourth.value != number)
    }

    // spec: NX-15
    @Test("NX-15: an app does not end another app's change, and one that is gone leaves none") func otherApps()
        async throws
    {
        let (changes, app, other) = (ConfigurationChanges(), App(), App())
        let first = try await changes.begin(of: "provider", by: app)
        let second = try await waiting(changes, other)
        await changes.end(of: "provider", first, by: other)
        #expect(await changes.waiting(of: "provider") == 1)
        let third = try await waiting(changes, app, 2)
        await changes.ended(app, CancellationError())
        _ = try await second.value
        await #expect(throws: CancellationError.self) { try await third.value }
        #expect(await changes.waiting(of: "provider") == 0)
    }

    // spec: NX-15
    @Test("NX-15: of one provider at most 64 changes wait") func bound() async throws {
        let (changes, app) = (ConfigurationChanges(), App())
        _ = try await changes.begin(of: "provider", by: app)
        var tasks: [Task<Int, any Error>] = []
        for count in 1...64 { tasks.append(try await waiting(changes, app, count)) }
        await #expect(throws: NSError.self) { try await changes.begin(of: "provider", by: app) }
        _ = try await changes.begin(of: "another", by: app)
        await changes.ended(app, CancellationError())
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test("the states of sessions that have ended are forgotten, and those of others are not") func endedSessions() {
        var states = SessionStates()
        func key(_ number: Int) -> TunnelConfiguration.Key {
            TunnelConfiguration("\(number)", TunnelProtocol(provider: "provider")).key
        }
        _ = states.set(.connected, of: key(0), failure: nil)
        for number in 1...(10 * SessionStates.most) {
            _ = states.set(.connecting, of: key(number), failure: nil)
            _ = states.set(.disconnected, of: key(number), failure: nil)
        }
        #expect(states.count <= SessionStates.most + 1)
        #expect(states["0"].status == TunnelHost.Status.connected.rawValue)
    }
}
