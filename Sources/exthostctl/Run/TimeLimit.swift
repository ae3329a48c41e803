// TimeLimit: the time limit of a request whose host is `run`.

import ArgumentParser
import ExtensionHost
import ExtensionProtocol
import Glibc
import PropertyListCoding

/// The value of `--timeout`.
enum TimeLimit: Hashable {
    case none
    case after(Duration)

    /// The limit of an unattended request.
    static let unattended = Duration.seconds(60)

    init(written text: String) throws {
        if text == "none" {
            self = .none
            return
        }
        let limit = try duration(text)
        guard limit > .zero else { throw ValidationError("--timeout takes a duration above 0, or none.") }
        self = .after(limit)
    }

    /// Whether a person sits at a terminal, and can press Ctrl-C.
    static var isAttended: Bool { StandardError.isTerminal || isatty(0) == 1 }

    /// Returns the limit of an unattended request without `--timeout` whose extension point sets none: 60 s of the
    /// system's time.
    ///
    /// - Parameter path: the path of an extension that is registered for one command.
    /// - Throws: `ExtensionHostError` of the daemon.
    static func unattended(_ identifier: String, _ path: String?, at address: DaemonAddress) async throws -> Duration? {
        let control = try await DaemonControl.connect(name: "exthostctl", to: address)
        guard try await control.status().clock == "real" else { return nil }
        let points = try await control.points()
        let point = try await ExtensionPointLookup.point(of: identifier, path, at: address)
        guard let found = points.first(where: { $0.identifier == point }) else { return nil }
        return found.timers.contains { $0.name == "request" } ? nil : unattended
    }
}
