// RunTransfers: the background transfers that the extension of `run` leaves behind.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import ExtensionProtocol
import TransferMessages

/// The sessions of an extension's app at the end of `run`.
struct RunTransfers {
    let sessions: [TransferSessionRecord]

    private init(_ sessions: [TransferSessionRecord]) { self.sessions = sessions }

    /// Asks the service for the sessions that have work or events.
    ///
    /// A service whose program has ended may have stored events for which nobody is woken, or suspended tasks. The
    /// question launches the program again. Without `waits` it is not asked if this daemon has never launched it.
    ///
    /// - Parameter waits: whether to wait first until nothing is left.
    static func left(
        by identifier: String, at address: DaemonAddress, waits: Bool, _ console: RunConsole
    ) async throws -> RunTransfers {
        if !waits, try await !hasRun(at: address) { return RunTransfers([]) }
        let tool = try await TransferTool(address)
        defer { tool.host.disconnect() }
        if waits {
            console.wait(for: "waiting for background transfers")
            _ = try await tool.connection.call(
                AwaitTransfers(of: identifier), CallPort.Options(limit: .seconds(604_800), isRepeatable: true))
            console.end()
        }
        let sessions = try await tool.connection.call(ListTransferSessions()).sessions
        return RunTransfers(sessions.ofApp(of: identifier).filter { $0.unfinished + $0.events > 0 })
    }

    /// Whether the daemon has launched the service.
    private static func hasRun(at address: DaemonAddress) async throws -> Bool {
        let control = try await DaemonControl.connect(name: "exthostctl", to: address)
        let runs = try await control.processes().contains {
            $0.kind == "service" && $0.extensionIdentifier == transferServiceName
        }
        if runs { return true }
        return try await control.exits().contains { $0.extensionIdentifier == transferServiceName }
    }

    /// The lines below the outcome.
    var text: String {
        sessions.map { session in
            let counts = "\(session.unfinished) open, \(session.events) events"
            return "  background session \(printable(session.identifier)): \(counts)\n"
        }.joined()
    }

    var json: JSON { .array(sessions.map(\.json)) }
}

extension [TransferSessionRecord] {
    /// The sessions of an app.
    ///
    /// - Parameter identifier: the identifier of the app, or of an extension of it. The app's is the longest of those
    ///   with which the extension's may begin.
    func ofApp(of identifier: String) -> [TransferSessionRecord] {
        let apps = map(\.app).filter { identifier == $0 || identifier.hasPrefix($0 + ".") }
        let app = apps.max { $0.utf8.count < $1.utf8.count }
        return filter { $0.app == app }
    }
}
