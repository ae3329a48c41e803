// ExtensionDiscovery: the list of usable extensions, now and after each change (spec 2.1, 2.4).

import ExtensionConnection
public import ExtensionItems
import ExtensionProtocol
import Locks

extension HostApplication {
    /// Returns the usable extensions, now and after every change of the registry: an app that came or went, an
    /// election.
    ///
    /// The first list comes at once. A slow reader gets the latest list and misses those between. The sequence ends
    /// when its reader stops, and throws when the host is disconnected. A restart of the daemon is a change like any
    /// other. After a stop of the service the sequence continues when the host makes a request.
    ///
    /// - Parameter items: only those that accept these; nil for all.
    public func discover(accepting items: [NSExtensionItem]? = nil) -> AsyncThrowingStream<[FoundExtension], any Error>
    {
        discover(offered: items.map { $0.map { OfferedItem($0) } })
    }

    /// Returns the usable extensions likewise, for items of which some extensions get more than others.
    public func discover(offered items: [OfferedItem]?) -> AsyncThrowingStream<[FoundExtension], any Error> {
        let types = items.map { OfferedTypes($0) }
        return follow(
            changes: { $0.event == EventName.registryChanged.rawValue },
            read: { try await Self.extensions(accepting: types, $0) })
    }

    /// Returns what `read` reads, now and after each event of the log that `changes` it.
    func follow<Value: Sendable>(
        changes: @escaping @Sendable (EventRecord) -> Bool, read: @escaping @Sendable (Channel) async throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let discovery = ExtensionDiscovery(
            channel: channel, address: address, patience: patience, changes: changes, read: read,
            continuation: continuation)
        let discoveries = discoveries
        let number = discoveries.add(Task.detached { await discovery.run() }) { continuation.finish(throwing: $0) }
        continuation.onTermination = { _ in discoveries.remove(number) }
        return stream
    }

    /// Returns the usable extensions that accept such items.
    static func extensions(accepting types: OfferedTypes?, _ channel: Channel) async throws -> [FoundExtension] {
        let control = DaemonControl(channel: channel)
        guard let types else {
            return try await control.extensions().filter {
                $0.isWinner && $0.election != .ignore && $0.problems.isEmpty
            }
            .map(FoundExtension.init)
        }
        let offers = try await control.match(types).filter(\.shown)
        guard !offers.isEmpty else { return [] }
        let records = try await control.extensions(allCopies: true)
        let byPath = Dictionary(records.map { ($0.path, $0) }) { first, _ in first }
        // An extension that was removed between the two requests is omitted.
        return offers.compactMap { offer in byPath[offer.path].map(FoundExtension.init) }
    }
}

/// One reader of a part of the daemon's state, which follows the log.
struct ExtensionDiscovery<Value: Sendable>: Sendable {
    let channel: Channel
    let address: DaemonAddress
    let patience: Duration
    let changes: @Sendable (EventRecord) -> Bool
    let read: @Sendable (Channel) async throws -> Value
    let continuation: AsyncThrowingStream<Value, any Error>.Continuation

    /// The limit of consecutive failed connections that brought no list.
    private let failuresLimit = 3

    init(
        channel: Channel, address: DaemonAddress, patience: Duration,
        changes: @escaping @Sendable (EventRecord) -> Bool, read: @escaping @Sendable (Channel) async throws -> Value,
        continuation: AsyncThrowingStream<Value, any Error>.Continuation
    ) {
        (self.channel, self.address, self.patience) = (channel, address, patience)
        (self.changes, self.read, self.continuation) = (changes, read, continuation)
    }

    func run() async {
        do {
            var failures = 0
            while !Task.isCancelled {
                do {
                    try await follow { failures = 0 }
                } catch {
                    failures += 1
                    guard failures < failuresLimit else { throw error }
                    try await awaitConnection()
                }
            }
        } catch {
            continuation.finish(throwing: error)
        }
    }

    /// Waits for the host's own connection, which knows whether the daemon is there.
    ///
    /// A request that was open when the connection was lost fails once the next daemon is there, and is repeated. If
    /// the connection is gone for good, the request fails at once. This does not start a stopped daemon for a list.
    private func awaitConnection() async throws {
        await awake()
        do {
            _ = try await channel.ask(Fence(), wakes: false)
        } catch {
            await awake()
            _ = try await channel.ask(Fence(), wakes: false)
        }
    }

    private func awake() async { await withCheckedContinuation { waiting in channel.whenAwake { waiting.resume() } } }

    /// Follows the registry on a separate connection: the host's may be used for another watch, and a list must not
    /// wait behind the log.
    private func follow(_ told: () -> Void) async throws {
        let watcher = try await DaemonControl.connect(name: "discovery", to: address, patience: patience)
        let events = watcher.watch(since: nil, follow: true)
        // The watch starts before the list is made, so that no change is missed.
        try await watcher.fence()
        try await tell()
        told()
        for try await batch in events where batch.oldest != nil || batch.events.contains(where: changes) {
            try await tell()
        }
        if !Task.isCancelled { throw ExtensionHostError(.connectionLost, "the watch ended") }
    }

    private func tell() async throws {
        continuation.yield(try await read(channel))
    }
}

/// The discoveries of one host, which end with it.
final class DiscoveryBook: Sendable {
    private struct Entry {
        let task: Task<Void, Never>
        let end: @Sendable (any Error) -> Void
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    func add(
        _ task: Task<Void, Never>, end: @escaping @Sendable (any Error) -> Void
    ) -> Int {
        state.withLock { state in
            state.last += 1
            state.entries[state.last] = Entry(task: task, end: end)
            return state.last
        }
    }

    func remove(_ number: Int) {
        state.withLock { $0.entries.removeValue(forKey: number) }?.task.cancel()
    }

    /// Ends all discoveries, outside of the lock: ending a stream removes its entry.
    func end() {
        let entries = state.withLock { state in
            defer { state.entries = [:] }
            return state.entries.values.map { $0 }
        }
        for entry in entries {
            entry.task.cancel()
            entry.end(ExtensionHostError(.connectionLost, "the host was disconnected"))
        }
    }
}
