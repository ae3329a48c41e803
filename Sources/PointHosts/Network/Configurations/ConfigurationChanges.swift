// ConfigurationChanges: the changes of configurations by apps, one after the other for each provider.

internal import Foundation
internal import PointMessages

/// Lets one app at a time change the configurations of a provider.
///
/// A change is a list that the app has read and writes back, so two at a time would lose one.
actor ConfigurationChanges {
    /// An app, by its connection.
    typealias Client = AnyObject & Sendable

    /// A change, from its check to the word that it is stored.
    private struct Change {
        let number: Int
        let client: any Client
        let limit: Task<Void, any Error>
        var waiting: [(client: any Client, turn: CheckedContinuation<Int, any Error>)]
    }

    /// The time in which an app stores a change that was checked. Then the next one begins.
    private static let limit = Duration.seconds(10)
    /// The changes of one provider that wait at most.
    private static let mostWaiting = 64

    private var changes: [String: Change] = [:]
    private var last = 0

    /// Waits until nobody else changes the configurations of a provider.
    ///
    /// - Returns: the number of the change.
    /// - Throws: `NSError` of `NEVPNErrorDomain` 5 if too many wait, and another error if the client is gone meanwhile.
    func begin(of provider: String, by client: any Client) async throws -> Int {
        guard let change = changes[provider] else { return start(of: provider, by: client) }
        guard change.waiting.count < Self.mostWaiting else {
            throw ConfigurationService.failed(5, "too many changes of the configurations are under way")
        }
        return try await withCheckedThrowingContinuation { changes[provider]?.waiting.append((client, $0)) }
    }

    /// The number of changes of a provider that wait.
    func waiting(of provider: String) -> Int { changes[provider]?.waiting.count ?? 0 }

    /// A change is over. The next one begins.
    ///
    /// - Parameters:
    ///   - number: the number of the change, which may have ended before; nil: the one that is under way.
    ///   - client: the app that made it. A change of another app stays.
    func end(of provider: String, _ number: Int?, by client: any Client) {
        guard let change = changes[provider], change.client === client else { return }
        end(of: provider, number ?? change.number)
    }

    /// An app is gone, perhaps in the middle of a change.
    func ended(_ client: any Client, _ error: any Error) {
        for provider in changes.keys {
            for waiter in changes[provider]?.waiting ?? [] where waiter.client === client {
                waiter.turn.resume(throwing: error)
            }
            changes[provider]?.waiting.removeAll { $0.client === client }
            if let change = changes[provider], change.client === client { end(of: provider, change.number) }
        }
    }

    private func start(
        of provider: String, by client: any Client,
        _ waiting: [(client: any Client, turn: CheckedContinuation<Int, any Error>)] = []
    ) -> Int {
        last += 1
        let number = last
        // An app may end or stop in the middle.
        let limit = Task { [weak self] in
            try await Task.sleep(for: Self.limit)
            await self?.end(of: provider, number)
        }
        changes[provider] = Change(number: number, client: client, limit: limit, waiting: waiting)
        return number
    }

    private func end(of provider: String, _ number: Int) {
        guard let change = changes[provider], change.number == number else { return }
        change.limit.cancel()
        changes[provider] = nil
        guard let next = change.waiting.first else { return }
        next.turn.resume(returning: start(of: provider, by: next.client, Array(change.waiting.dropFirst())))
    }
}
