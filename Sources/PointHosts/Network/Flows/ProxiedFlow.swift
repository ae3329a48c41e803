// ProxiedFlow: a flow that a proxy has taken, from the program's side.

internal import ExtensionHost
internal import FlowChannels
internal import Locks
public import PointMessages

/// A flow that a proxy has taken, from the program's side. One task at a time may use each direction.
public final class ProxiedFlow: Sendable {
    private struct Passed {
        var inbound = 0
        var outbound = 0
    }

    /// The flow as the proxy knows it.
    public let value: NetworkFlow
    private let channel: FlowChannel
    private let openLimit: Duration
    private let opening: Promise<Result<FlowEndpoint?, FlowFailure>>
    private let failing: Promise<FlowFailure?>
    private let ending: Promise<Void>
    private let closed: @Sendable (ProxiedFlow) -> Void
    private let counts = Mutex(Passed())

    fileprivate init?(
        _ value: NetworkFlow, _ flows: FlowMultiplexer, openLimit: Duration,
        _ closed: @escaping @Sendable (ProxiedFlow) -> Void
    ) {
        let opening = Promise<Result<FlowEndpoint?, FlowFailure>>()
        let failing = Promise<FlowFailure?>()
        let ending = Promise<Void>()
        let events = FlowChannel.Events(
            opened: { opening.set(.success($0)) },
            failed: { failing.set(FlowFailure($0)) },
            ended: {
                failing.set(nil)
                opening.set(.failure(FlowFailure(.refused)))
                ending.set(())
            })
        guard let channel = flows.add(value.number, isDatagrams: value.kind == .datagrams, events) else { return nil }
        (self.value, self.channel, self.openLimit, self.closed) = (value, channel, openLimit, closed)
        (self.opening, self.failing, self.ending) = (opening, failing, ending)
    }

    /// The provider has taken the flow. The end of the flow is told from now on.
    func isTaken() {
        Task { [self] in
            await ending.value
            closed(self)
        }
    }

    /// The bytes of both directions so far.
    public var passed: (inbound: Int, outbound: Int) { counts.withLock { ($0.inbound, $0.outbound) } }

    /// Waits until the provider has opened the flow, at most for the limit of the settings. The end of the task ends the
    /// flow.
    ///
    /// - Returns: the end that the program shall see as its own; nil: any.
    /// - Throws: `FlowFailure` if the flow has ended before.
    @discardableResult
    public func opened() async throws(FlowFailure) -> FlowEndpoint? {
        let limit = Task { [openLimit, channel] in
            try await Task.sleep(for: openLimit)
            channel.abort(.timedOut)
        }
        defer { limit.cancel() }
        return try await cancellable { await opening.value }.get()
    }

    /// Waits until the provider has ended its reading with an error, or both directions have ended.
    ///
    /// - Returns: the error, which is for the program; nil if there is none. The other direction may go on.
    public func failure() async -> FlowFailure? { await failing.value }

    /// Waits until both directions have ended.
    public func ended() async { await ending.value }

    /// Sends the program's bytes. Waits until the provider has read them. The end of the task ends the flow.
    public func write(_ bytes: [UInt8]) async throws(FlowFailure) {
        try await written { [channel] in channel.write(bytes, $0) }
        counts.withLock { $0.outbound += bytes.count }
    }

    /// Sends datagrams of the program, as `write(_:)` does.
    public func send(_ datagrams: [FlowDatagram]) async throws(FlowFailure) {
        try await written { [channel] in channel.write(datagrams, $0) }
        counts.withLock { $0.outbound += datagrams.reduce(0) { $0 + $1.bytes.count } }
    }

    private func written(_ body: @escaping @Sendable (@escaping FlowChannel.Writer) -> Void) async throws(FlowFailure) {
        let error = await cancellable {
            await withCheckedContinuation { continuation in body { continuation.resume(returning: $0) } }
        }
        if let error { throw FlowFailure(error) }
    }

    /// Returns the next bytes for the program; none at the end. The end of the task ends the flow.
    public func read() async throws(FlowFailure) -> [UInt8] {
        let bytes = try await piece()?.bytes ?? []
        counts.withLock { $0.inbound += bytes.count }
        return bytes
    }

    /// Returns the next datagrams for the program, with their senders; none at the end.
    public func receive() async throws(FlowFailure) -> [FlowDatagram] {
        let datagrams = try await piece()?.datagrams ?? []
        counts.withLock { $0.inbound += datagrams.reduce(0) { $0 + $1.bytes.count } }
        return datagrams
    }

    private func piece() async throws(FlowFailure) -> FlowEntry? {
        let input = await cancellable {
            await withCheckedContinuation { continuation in
                channel.read { continuation.resume(returning: $0) }
            }
        }
        switch input {
        case .success(let piece): return piece
        case .failure(let error): throw FlowFailure(error)
        }
    }

    private func cancellable<Value: Sendable>(_ body: () async -> Value) async -> Value {
        await withTaskCancellationHandler {
            await body()
        } onCancel: {
            end()
        }
    }

    /// Ends the program's bytes. The provider reads the end.
    public func finish() { channel.closeWriting(nil) }

    /// Ends both directions, as the end of the program does. What waits is lost.
    public func end() { channel.abort(.peerReset) }
}

/// An error of a flow, by its number in `NEAppProxyErrorDomain`.
public struct FlowFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let code: Int

    init(_ error: FlowError) { code = error.rawValue }
    public var description: String { "the flow has failed: \(FlowError(rawValue: code).map { "\($0)" } ?? "\(code)")" }
}

/// The flows of one request, on the host's side.
final class HostFlows: Sendable {
    let multiplexer: FlowMultiplexer
    private let request: Holder
    private let openLimit: Duration

    private final class Holder: Sendable {
        let request = Mutex<ExtensionRequest?>(nil)
    }

    init(_ settings: ProxyHost.Settings) {
        let holder = Holder()
        (request, openLimit) = (holder, settings.openLimit)
        multiplexer = FlowMultiplexer { [limit = settings.entryLimit] entries, taken in
            guard let request = holder.request.withLock({ $0 }) else { return taken(false) }
            request.send(FlowEntries(entries), limit: limit) { result in
                if case .success = result { return taken(true) }
                taken(false)
                // The next flow starts another provider than one that hangs.
                Task { try? await request.cancel() }
            }
        }
    }

    func adopt(_ request: ExtensionRequest) { self.request.request.withLock { $0 = request } }

    /// Ends the flows and forgets the request, which holds the handlers that hold this object.
    func end() {
        multiplexer.close(.aborted)
        request.request.withLock { $0 = nil }
    }

    /// Cancels the request of these flows.
    func cancel() {
        guard let request = request.request.withLock({ $0 }) else { return }
        Task { try? await request.cancel() }
    }

    /// - Returns: nil if there are too many flows, or the request has ended.
    func add(_ value: NetworkFlow, ended: @escaping @Sendable (ProxiedFlow) -> Void) -> ProxiedFlow? {
        ProxiedFlow(value, multiplexer, openLimit: openLimit, ended)
    }
}
