// FakeHost: a host application that a test plays.

public import ExtensionHost
import ExtensionProtocol
import Foundation

/// A connected host. Each of its requests ends in exactly one outcome.
///
/// Safe to use from any thread; releasing the last reference disconnects.
public final class FakeHost: Sendable {
    /// The connection underneath, for calls that have no shorter form here.
    public let application: HostApplication

    /// The loads that wait until a test answers them; nil to answer all at once.
    let held: HeldLoads?
    private let timeline: @Sendable () async -> String

    init(
        _ application: HostApplication, holding held: HeldLoads? = nil, timeline: @escaping @Sendable () async -> String
    ) {
        (self.application, self.held, self.timeline) = (application, held, timeline)
    }

    /// The host's unique name.
    public var name: String { application.name }

    /// Begins a request; returns when the extension has it, or when it has ended before.
    ///
    /// Throws as `HostApplication.begin`.
    public func begin(
        _ identifier: String, items: [NSExtensionItem], timeout: Duration? = nil, force: Bool = false,
        handling handlers: PointHandlers = PointHandlers()
    ) async throws -> ExtensionRequest {
        try await application.begin(identifier, items: items, timeout: timeout, force: force, handling: handlers)
    }

    /// Moves the host to `state`; returns when every announcement on the way has been made.
    public func setState(_ state: HostStateName) async throws { try await application.setState(state) }

    /// Disconnects in order, as an application that ends does: its requests are dropped.
    public func disconnect() { application.disconnect() }

    /// Ends the connection without a goodbye, as an application that crashes does.
    ///
    /// Use it for a host that was connected with `comesBack: false`; the daemon waits for any other to reconnect. For a
    /// process that can be killed, use `exthostctl run` or any program of a test's that connects to
    /// `TestDaemon.address`.
    public func crash() { application.crash() }

    /// Returns an attachment whose value `make` gives each time that an extension loads it: text, `Data`, a `URL`, a
    /// property list.
    ///
    /// The extension gets the error that `make` throws. A virtual clock stands still while `make` runs.
    ///
    /// - Parameters:
    ///   - types: uniform type identifiers.
    ///   - make: makes the value for the requested type.
    public func serving(
        _ types: String..., make: @escaping @Sendable (_ type: String) async throws -> any Sendable
    ) -> ServedAttachment {
        ServedAttachment(types, activity: application.activity, make)
    }

    /// Waits until the request has ended, and checks its outcome.
    ///
    /// - Parameters:
    ///   - kind: the expected outcome.
    ///   - cause: the expected cause; nil for any.
    ///   - request: one of this host's.
    ///   - limit: the time limit, in real time, even if the clock is virtual.
    ///   - fileID: the module and the file where the test fails.
    ///   - filePath: the path of that file.
    ///   - line: the line in it.
    ///   - column: the place in the line.
    /// - Returns: the outcome, for further checks.
    /// - Throws: `UnexpectedOutcome`, with the place and the timeline.
    @discardableResult
    public func expect(
        _ kind: OutcomeKind, _ cause: Cause? = nil, of request: ExtensionRequest, within limit: Duration = .seconds(30),
        fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) async throws -> RequestOutcome {
        let outcome = await outcome(of: request, within: limit)
        guard let outcome, outcome.kind == kind, cause == nil || cause == outcome.cause else {
            throw UnexpectedOutcome(
                expected: kind, expectedCause: cause, outcome: outcome,
                explanation: outcome == nil ? nil : await request.explanation,
                timeline: await timeline(), extensionIdentifier: request.extensionIdentifier, limit: limit,
                site: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
        }
        return outcome
    }

    /// Returns the outcome; nil if there is none within the limit.
    private func outcome(of request: ExtensionRequest, within limit: Duration) async -> RequestOutcome? {
        // This is no task group: the wait for an outcome does not end when its task is cancelled.
        let (stream, continuation) = AsyncStream.makeStream(of: RequestOutcome?.self)
        let waiting = Task { continuation.yield(await request.outcome) }
        let bound = Task {
            try await Task.sleep(for: limit)  // the bound of the wait, not the wait
            continuation.yield(nil)
        }
        defer {
            waiting.cancel()
            bound.cancel()
        }
        for await outcome in stream { return outcome }
        return nil
    }
}

/// Short forms of items, so that a test can write `items: [.url("https://example.org")]`.
extension NSExtensionItem {
    /// Makes an item with one attachment.
    public static func attachment(_ provider: NSItemProvider) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.attachments = [provider]
        return item
    }

    /// Makes an item that shares a web address. An invalid address becomes an item whose load fails.
    public static func url(_ address: String) -> NSExtensionItem {
        attachment(NSItemProvider(item: URL(string: address) as NSURL?, typeIdentifier: "public.url"))
    }

    /// Makes an item that shares text.
    public static func text(_ text: String) -> NSExtensionItem {
        attachment(NSItemProvider(item: text as NSString, typeIdentifier: "public.plain-text"))
    }
}
