// ExtensionRequest: a begun request, in its host's hands.

import ExtensionItems
public import ExtensionProtocol
public import Foundation
import Locks

/// A request that a host began. It ends in exactly one outcome, whatever dies. Safe to use from any thread.
public final class ExtensionRequest: Sendable {
    /// Under which the daemon, its log and the bus know the request.
    public let identifier: RequestIdentifier
    /// The extension's identifier.
    public let extensionIdentifier: String

    /// The attachments' providers, by the numbers that the extension asks for.
    let table: ProviderTable
    /// The loads that are being made.
    let served = ServedLoads()
    /// The process's pid, or nil when the request ended before a process had it.
    let begun = OneShot<Result<Int?, ExtensionHostError>>()
    /// The pid of the process to which a debugger is to be attached; nil once none is waited for.
    let heldProcess = OneShot<Int?>()
    let finished = OneShot<(outcome: RequestOutcome, message: Finished?, why: ExtensionHostError?)>()
    let ended = OneShot<(record: ExitRecord, timings: Timings)?>()
    /// The extension's view, as it was shown last.
    let shown = ShownView()
    let useAction: @Sendable (UseView) async throws -> (Int, ViewElement)?
    /// Says its begin again to another daemon; nil where none would know what to do with it.
    let resaid = Mutex<(@Sendable () -> Void)?>(nil)

    /// The number of the channel's session that it was begun in, once it is.
    let session = Atomic(Int.max)

    func beginAgain() { resaid.withLock { $0 }?() }

    private let cancelAction: @Sendable (RequestIdentifier) async throws -> Void

    init(
        identifier: RequestIdentifier, extensionIdentifier: String, table: ProviderTable,
        cancel: @escaping @Sendable (RequestIdentifier) async throws -> Void,
        use: @escaping @Sendable (UseView) async throws -> (Int, ViewElement)?
    ) {
        self.identifier = identifier
        self.extensionIdentifier = extensionIdentifier
        self.table = table
        cancelAction = cancel
        useAction = use
    }

    /// Waits until the extension has the request, or the request has ended before that. Returns the process's pid; nil
    /// when it ended before a process had it.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`: as `HostApplication.begin`.
    @discardableResult
    public func delivered() async throws -> Int? { try await begun.value.get() }

    /// Waits until the process runs that is to be debugged, where the request was begun so; returns its pid. Nil when the request is
    /// delivered or has ended: nothing is waited for any more.
    public func held() async -> Int? { await heldProcess.value }

    /// How the request ended; waits until it has, also when the waiting task is cancelled. Every caller gets the same.
    public var outcome: RequestOutcome {
        get async { await finished.value.outcome }
    }

    /// Why it ended, in words, when the daemon or the system decided: with a remedy where there is one.
    public var explanation: ExtensionHostError? {
        get async { await finished.value.why }
    }

    /// What the extension was refused by its confinement while the request was open, each once a process; the first 16. Empty where it is not
    /// confined, or the daemon is an older one.
    public var refusals: [RefusalRecord] {
        get async { await finished.value.message?.refusals ?? [] }
    }

    /// The pid of the process that serves, or served, the request; nil as long as none does.
    public var processIdentifier: Int? {
        if let pid = finished.current?.message?.pid { return pid }
        return (try? begun.current?.get()) ?? nil
    }

    /// Where the host stood when the request ended.
    public var hostState: HostStateName? {
        get async { await finished.value.message?.hostState }
    }

    /// Seconds from creation to each step, as known when the request ended.
    public var timings: Timings {
        get async { await finished.value.message?.timings ?? Timings() }
    }

    /// How the process ended: waits until it has; nil when no process served the request, or the connection was lost.
    /// A shared process lives on after the request.
    public var exit: (record: ExitRecord, timings: Timings)? {
        get async { await ended.value }
    }

    /// What is known of the process's end now.
    public var currentExit: (record: ExitRecord, timings: Timings)? {
        ended.current ?? nil
    }

    /// The loads of this request's attachments that are being made now, each by its progress. Units are the load handler's; of
    /// files they are bytes.
    public var servedLoads: [Progress] { served.running }

    /// How many loads of this request's attachments are answered, and how many of this host's load handlers are at work
    /// still.
    public var loadCount: (done: Int, open: Int) {
        let count = served.count
        return (count.done, count.open)
    }

    /// Gives the request up; the outcome is `cancelled(.cancelledByHost)` unless it ended before.
    ///
    /// - Throws: `ExtensionHostError` `noSuchRequest` when it has ended already, `connectionLost`.
    public func cancel() async throws { try await cancelAction(identifier) }
}
