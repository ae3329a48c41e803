// DaemonControl: queries and orders to a daemon, for tools and tests.

import ExtensionConnection
public import ExtensionProtocol
import Locks

/// A connection for queries and orders. Safe to use from any thread; releasing the last reference disconnects.
///
/// Every call throws `ExtensionHostError`: `connectionLost` once the daemon is gone, and the errors that its own
/// comment names.
public final class DaemonControl: Sendable {
    let channel: Channel
    private let ownsChannel: Bool
    private let events = ControlStream<EventBatch>(refusal: occupied("watches the log"))
    private let lines = ControlStream<LogBatch>(refusal: occupied("reads an extension's output"))
    let followed = Mutex<FollowedApp?>(nil)
    let recording = Mutex<RecordingReceiver?>(nil)

    /// Connects as a tool, and waits for the daemon's welcome, at most 10 s. Blocks no thread of the caller's.
    ///
    /// - Parameters:
    ///   - name: for the daemon's log.
    ///   - address: the daemon.
    ///   - patience: the time limit for replacing a lost connection, beyond the first try.
    /// - Throws: `ExtensionHostError`: `noDaemon`, `notPermitted`, `versionMismatch`, `quotaExceeded`.
    public static func connect(
        name: String, to address: DaemonAddress = .standard, patience: Duration = .zero
    ) async throws -> DaemonControl {
        let (channel, _) = try await address.open(
            Hello(role: .control, name: name, sdk: "swift/\(ProtocolVersion.current)"), patience: patience)
        let control = DaemonControl(channel: channel, ownsChannel: true)
        try channel.start(
            onPacket: { [weak control] in control?.receive($0) },
            onClose: { [weak control] error in control?.connectionClosed(error) })
        return control
    }

    init(channel: Channel, ownsChannel: Bool = false) {
        self.channel = channel
        self.ownsChannel = ownsChannel
    }

    /// The error of a question that would wait without end, in the daemon's words.
    private static func occupied(_ act: String) -> ExtensionHostError {
        ExtensionHostError(.invalidArgument, "this connection already \(act)", remedy: "Use another connection")
    }

    deinit {
        if ownsChannel { channel.close() }
    }

    /// Returns the registered extensions, in the order of their identifiers: of each the copy that is used, ignored
    /// ones included.
    ///
    /// - Parameters:
    ///   - criteria: `KEY` or `KEY=VALUE` each, of the bundle's attributes, declaration or `Info.plist`; all must hold.
    ///     The daemon reduces copies after that, so a criterion can reveal another copy.
    ///   - allVersions: one copy of each version.
    ///   - allCopies: every copy, and every disabled bundle, with its `problems`.
    ///   - groups: with `warnings` of app groups that are refused, or shared with another vendor; takes longer.
    /// - Throws: `invalidArgument` for an invalid criterion.
    public func extensions(
        matching criteria: [String] = [], allVersions: Bool = false, allCopies: Bool = false, groups: Bool = false
    ) async throws -> [ExtensionRecord] {
        try await pages {
            ListExtensions(
                offset: $0, criteria: criteria, allVersions: allVersions, allCopies: allCopies, groups: groups)
        }
    }

    /// Returns the daemon's settings, each with its source, and the ignored ones.
    ///
    /// Throws `versionMismatch` for an older daemon.
    public func configuration() async throws -> ConfigurationReport { try await channel.ask(GetConfiguration()) }

    /// Returns the daemon's metrics since its start. Throws `versionMismatch` for an older daemon.
    public func statistics() async throws -> Statistics { try await channel.ask(GetStatistics()) }

    /// Returns all details of one extension, by its identifier or the path of a copy. Throws `noSuchExtension`.
    public func show(_ name: String) async throws -> ExtensionDetail {
        try await channel.ask(ShowExtension(name: name))
    }
    /// Registers an app or an `.appex` by its absolute path until it is removed.
    ///
    /// Returns its extensions, disabled ones included: as many as fit a packet. Throws `noSuchExtension`,
    /// `invalidArgument`, `notPermitted`, `stateUnavailable`.
    public func add(path: String) async throws -> [ExtensionRecord] {
        try await channel.ask(AddBundle(path: path)).entries
    }
    /// Removes an app or an `.appex` from the registry; returns its extensions.
    ///
    /// A bundle in a folder of applications comes back when it changes. Throws `noSuchExtension`, `notPermitted`,
    /// `stateUnavailable`.
    public func remove(path: String) async throws -> [ExtensionRecord] { try await removal(path: path).entries }
    /// Removes it likewise; the answer also names the containers that are deleted, and those that other members of a
    /// group keep.
    public func removal(path: String) async throws -> BundleList { try await channel.ask(RemoveBundle(path: path)) }
    /// Stores the user's election for all copies of an extension; returns them, once it is on the disk.
    ///
    /// Throws `noSuchExtension`, `notPermitted`, `stateUnavailable`: nothing has changed then.
    @discardableResult
    public func elect(_ election: Election, _ identifier: String) async throws -> [ExtensionRecord] {
        try await channel.ask(Elect(extensionIdentifier: identifier, election: election)).entries
    }
    /// Gives an extension a consent of the user, or takes it back; returns its copies, once it is on the disk.
    ///
    /// Throws `noSuchExtension`, `invalidArgument` for a consent that the extension's point does not list,
    /// `notPermitted`, `stateUnavailable`: nothing has changed then.
    @discardableResult
    public func setConsent(_ name: String, _ isGiven: Bool, of identifier: String) async throws -> [ExtensionRecord] {
        try await channel.ask(SetConsent(extensionIdentifier: identifier, name: name, isGiven: isGiven)).entries
    }
    /// Returns whether each usable extension is offered such items, and why; in the order of identifiers.
    public func match(_ types: OfferedTypes) async throws -> [OfferRecord] {
        try await pages { MatchItems(types: types, offset: $0) }
    }
    /// Explains, clause by clause, why one extension is offered such items or not. Throws `noSuchExtension`.
    public func explain(_ identifier: String, _ types: OfferedTypes) async throws -> OfferExplanation {
        try await channel.ask(ExplainOffer(extensionIdentifier: identifier, types: types))
    }
    /// Returns the extension points, in the order of their identifiers, then the invalid files, with their `problems`.
    public func points() async throws -> [PointRecord] { try await pages(ListPoints.init(offset:)) }
    /// Returns the running extensions, in the order of their pids.
    public func processes() async throws -> [ProcessRecord] { try await pages(ListProcesses.init(offset:)) }
    /// Returns the connected hosts, in the order of their names.
    public func hosts() async throws -> [HostRecord] { try await pages(ListHosts.init(offset:)) }
    /// Returns the open requests, oldest first.
    public func requests() async throws -> [RequestRecord] { try await pages(ListRequests.init(offset:)) }
    /// Returns the last ends of extensions that the daemon remembers, oldest first.
    public func exits() async throws -> [DeathRecord] {
        var entries: [DeathRecord] = []
        while true {
            let (page, payload) = try await channel.askForPayload(ListExits(offset: entries.count))
            entries += try Self.withTails(page.entries, payload)
            if page.entries.isEmpty || entries.count >= page.count { return entries }
        }
    }

    /// Adds to each entry its tail of standard error; the payload holds the tails one after the other.
    private static func withTails(_ entries: [DeathRecord], _ payload: Payload) throws -> [DeathRecord] {
        var rest = (try payload.bytes() ?? [])[...]
        return try entries.map { entry in
            guard let count = entry.tail else { return entry }
            guard (0...rest.count).contains(count) else {
                throw ExtensionHostError(
                    .protocolViolation, "a page of exits has fewer bytes of payload than its entries state")
            }
            var entry = entry
            entry.stderrTail = String(decoding: rest.prefix(count), as: UTF8.self)
            entry.tail = nil
            rest = rest.dropFirst(count)
            return entry
        }
    }

    /// Moves a connected host to a state; every announcement on the way has been made when this returns.
    ///
    /// Throws `noSuchHost`, `notPermitted`.
    public func setState(_ state: HostStateName, ofHost host: String) async throws {
        _ = try await channel.ask(SetHostState(host: host, state: state))
    }

    /// Ends a request with cause `cancelledByOperator`. Throws `noSuchRequest`, `notPermitted`.
    public func cancel(_ request: RequestIdentifier) async throws {
        _ = try await channel.ask(Cancel(request: request))
    }

    /// Returns the daemon's status.
    public func status() async throws -> DaemonStatus { try await channel.ask(Status()) }

    /// Ends processes with cause `terminatedByOperator`; returns their pids once they are gone.
    ///
    /// Throws `noSuchExtension` if none runs.
    public func kill(_ target: Kill.Target) async throws -> [Int] { try await channel.ask(Kill(target)).pids }

    /// Lets an extension that has failed repeatedly be launched at once. Throws `noSuchExtension`.
    public func resetBreaker(of identifier: String) async throws {
        _ = try await channel.ask(ResetBreaker(extensionIdentifier: identifier))
    }

    /// Registers a program or an `.appex`, by its absolute path, until this connection ends.
    ///
    /// Returns the identifier under which requests can begin. Throws `noSuchExtension`, `invalidArgument`,
    /// `notPermitted`, `quotaExceeded`.
    public func register(path: String) async throws -> String { try await channel.ask(Register(path: path)).identifier }

    /// Moves the virtual clock of an ephemeral daemon; returns when all timers that became due have been handled.
    ///
    /// Throws `invalidArgument` if the clock is real, and for less than 0 or more than 1,000,000,000 seconds.
    public func advanceClock(by duration: Duration) async throws {
        _ = try await channel.ask(AdvanceClock(delay: duration.inSeconds))
    }

    /// Waits until the daemon has handled everything sent on this connection before.
    public func fence() async throws { _ = try await channel.ask(Fence()) }

    /// Returns the events after `since` (nil: only new ones); with `follow` the stream does not end by itself.
    ///
    /// A watch waits until the one before has ended on the wire, whether or not somebody reads that. One that follows
    /// has no end there, so a watch behind it fails with `invalidArgument`.
    ///
    /// Batches are sent as fast as the stream's buffer takes them, and the buffer has no limit. A reader that follows
    /// must keep up or end the stream. `EventBatch.oldest` tells that the log has dropped events. The stream fails with
    /// the error that ended the connection.
    public func watch(since: Int?, follow: Bool) -> AsyncThrowingStream<EventBatch, any Error> {
        events.open(isEndless: follow, outlastsAnswer: follow) { [channel] in
            try channel.request(Watch(since: since, follow: follow), answer: $0)
        }
    }

    /// Whether this connection watches the log without end, so that it can have no other watch.
    package var followsLog: Bool { events.isOccupied }

    /// Returns the stored output of an extension, or of a request, then, with `follow`, the output that comes.
    ///
    /// A stream waits until the one before has ended. One behind a stream that follows fails with `invalidArgument`.
    ///
    /// - Parameters:
    ///   - name: an extension's identifier, else a request's or four or more of its first characters.
    ///   - follow: whether to continue with new output: of a request until it has ended, of an extension without end.
    public func logs(of name: String, follow: Bool) -> AsyncThrowingStream<LogBatch, any Error> {
        lines.open(isEndless: follow, outlastsAnswer: false) { [channel] in
            try channel.request(ReadLog(name: name, follow: follow), answer: $0)
        }
    }

    private func receive(_ packet: Packet) {
        switch packet.kind {
        case .event:
            // A batch that cannot be read ends the watch, so that no gap is missed.
            switch packet.reading(EventBatch.self) {
            case .success(let batch): events.yield(batch)
            case .failure(let error): events.fail(error)
            }
        case .logLines:
            switch packet.reading(LogBatch.self) {
            case .success(let batch): lines.yield(batch)
            case .failure(let error): lines.fail(error)
            }
        case .recorded:
            if let receiver = recording.withLock({ $0 }), receiver.receive(packet) { return }
            channel.close()
        case .output, .exited:
            if let app = followed.withLock({ $0 }), app.receive(packet) { return }
            channel.close()
        case .fence: try? channel.send(FenceReply(), replyTo: packet.serial)
        default: channel.close()
        }
    }

    private func connectionClosed(_ error: any Error) {
        events.close(error)
        lines.close(error)
        followed.withLock { $0 }?.ended.set(.failure(error))
        recording.withLock { $0.take() }?.onEnd(error)
    }

    func pages<Question: RequestMessage, Entry: ListEntry>(_ question: (Int) -> Question) async throws -> [Entry]
    where Question.Response == Page<Entry> {
        var entries: [Entry] = []
        while true {
            let page = try await channel.ask(question(entries.count))
            entries += page.entries
            if page.entries.isEmpty || entries.count >= page.count { return entries }
        }
    }
}
