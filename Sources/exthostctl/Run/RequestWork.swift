// RequestWork: the work of an ordinary `run`: one request, and the acts on its view.

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Scenarios

/// One request from its begin to its outcome.
struct RequestWork: Sendable {
    let items: [OfferedItem]
    /// The acts on the view, in this order.
    let acts: [SheetAct]
    /// Whether the activation rule is ignored.
    let force: Bool
    /// Whether a person uses the extension's view, by lines of standard input.
    let isInteractive: Bool
    /// The calls; nil: the host makes none.
    let calls: CallLines?
    /// The page whose script runs; nil: none.
    let page: PageRun?
    let console: RunConsole

    /// The time that an act waits for its element: as long as a load may take.
    private static let actPatience = Duration.seconds(10)

    /// Begins the request, and waits for its outcome.
    ///
    /// - Throws: the errors of `HostApplication.begin`; `CommandError` for a line of calls that makes no sense.
    func run(_ identifier: String, _ host: HostApplication) async throws {
        let handlers = calls?.handlers ?? PointHandlers()
        let request: ExtensionRequest
        if let page {
            request = try await page.begin(identifier, host, items: items, force: force, handling: handlers)
        } else {
            let items = try await host.items(items, for: identifier)
            request = try host.start(identifier, items: items, force: force, handling: handlers)
        }
        calls?.start(request)
        if isInteractive { TerminalSheet(request: request, console: console).start() } else { act(on: request) }
        try await request.delivered()
        _ = await request.outcome
        await page?.finish()
        try await calls?.finish()
    }

    /// Performs the acts of the command line. A failed act ends the request, because the next acts depend on it.
    private func act(on request: ExtensionRequest) {
        guard !acts.isEmpty else { return }
        Task { [acts, console] in
            for act in acts {
                do {
                    try await request.use(act.action, patience: Self.actPatience)
                } catch {
                    console.line("exthostctl: “\(printable(act.written))” failed: \(printable("\(error)"))")
                    return try await request.cancel()
                }
            }
        }
    }
}
