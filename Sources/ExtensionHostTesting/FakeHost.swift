// FakeHost: a host application played by a test.

public import ExtensionHost
import ExtensionProtocol
import Foundation

/// A connected host. What it begins ends in exactly one outcome. Safe to use from any thread; letting go of the last
/// reference disconnects.
public final class FakeHost: Sendable {
    /// The connection underneath, for what has no shorter form here.
    public let application: HostApplication

    /// Where its loads wait; nil: they do not.
    let held: HeldLoads?
    private let timeline: @Sendable () async -> String

    init(_ application: HostApplication, holding held: HeldLoads? = nil, timeline: @escaping @Sendable () async -> String) {
        (self.application, self.held, self.timeline) = (application, held, timeline)
    }

    /// The host's unique name.
    public var name: String { application.name }

    /// Begins a request; returns when the extension has it, or when it has ended before. Throws as `HostApplication.begin`.
    public func begin(
        _ identifier: String, items: [NSExtensionItem], timeout: Duration? = nil, force: Bool = false
    ) async throws -> ExtensionRequest {
        try await application.begin(identifier, items: items, timeout: timeout, force: force)
    }

    /// Moves the host to `state`; returns when every announcement on the way has been made.
    public func setState(_ state: HostStateName) async throws { try await application.setState(state) }

    /// Leaves in order, as an application that ends does: its requests are dropped.
    public func disconnect() { application.disconnect() }

    /// Is cut off without a word, as an application that crashes is: one that was connected with `comesBack: false`; another is waited for. A process of its own, to be killed for good, is `exthostctl run` or any program
    /// of a test's that connects to `TestDaemon.address`.
    public func crash() { application.crash() }

    /// An attachment whose value `make` gives each time that an extension asks for it: text, `Data`, a `URL`, a property list. What it throws
    /// is the extension's error. A virtual clock stands still while it runs.
    ///
    /// - Parameters:
    ///   - types: uniform type identifiers.
    ///   - make: gives the value; it is told which type was asked for.
    public func serving(
        _ types: String..., make: @escaping @Sendable (_ type: String) async throws -> any Sendable
    ) -> ServedAttachment {
        ServedAttachment(types, activity: application.activity, make)
    }

    /// Waits until the request has ended, and makes sure how.
    ///
    /// - Parameters:
    ///   - kind: the outcome that is right.
    ///   - cause: the cause that is; any, where it is nil.
    ///   - request: one of this host's.
    ///   - limit: how long to wait, in real time, also where the clock is virtual.
    ///   - fileID: the module and the file where the test fails.
    ///   - filePath: the path of that file.
    ///   - line: the line in it.
    ///   - column: the place in the line.
    /// - Returns: the outcome, for a closer look.
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

    /// Nil when there is none in time.
    private func outcome(of request: ExtensionRequest, within limit: Duration) async -> RequestOutcome? {
        // Not a task group: the wait for an outcome does not end with its task's cancellation.
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

/// Items in one word, so that a test says `items: [.url("https://example.org")]`.
extension NSExtensionItem {
    /// An item with one attachment.
    public static func attachment(_ provider: NSItemProvider) -> NSExtensionItem {
        let item = NSExtensionItem()
        item.attachments = [provider]
        return item
    }

    /// An item that shares a web address. An address that is none becomes an item whose load fails.
    public static func url(_ address: String) -> NSExtensionItem {
        attachment(NSItemProvider(item: URL(string: address) as NSURL?, typeIdentifier: "public.url"))
    }

    /// An item that shares text.
    public static func text(_ text: String) -> NSExtensionItem {
        attachment(NSItemProvider(item: text as NSString, typeIdentifier: "public.plain-text"))
    }
}
