// GlobalOptions: the options of every verb: the daemon to use, and the form of the output.

import ArgumentParser
import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol

struct GlobalOptions: ParsableArguments {
    @Flag(help: "Print one JSON document, or JSON lines for a stream.")
    var json = false

    @Option(help: ArgumentHelp("Connect to the daemon at this socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Start a private exthostd for this command; its applications are $EXTHOST_APPLICATIONS.")
    var ephemeral = false

    @Flag(name: .shortAndLong, help: "Print results and errors only.")
    var quiet = false

    @Flag
    var scope: DaemonScope?

    func validate() throws {
        if ephemeral, socket != nil || scope != nil {
            throw ValidationError("--ephemeral starts its own daemon: omit --socket, --user and --system.")
        }
        if socket != nil, scope != nil { throw ValidationError("--socket names the daemon: omit --user and --system.") }
    }

    /// Whether the options name one daemon, so that no other will do.
    var namesDaemon: Bool { socket != nil || scope != nil || ephemeral }

    /// The daemon's address: the named one, else the service of the scope, else that of `$EXTHOST_SOCKET`, else this
    /// user's.
    private var address: DaemonAddress {
        if let socket { return DaemonAddress(path: socket) }
        return scope?.address ?? .standard
    }

    /// Runs `body` with the daemon's address. A private daemon lives until `body` returns.
    ///
    /// - Parameter arguments: options that only a private daemon can have; with some, there is one.
    func withDaemon<Result>(
        _ arguments: [String] = [], _ body: (DaemonAddress) async throws -> Result
    ) async throws -> Result {
        guard ephemeral || !arguments.isEmpty else {
            do {
                return try await body(address)
            } catch let error as ExtensionHostError where error.code == .noDaemon {
                throw ExtensionHostError(.noDaemon, error.message, remedy: startingRemedy, cause: error.cause)
            }
        }
        let daemon = try await TestDaemon.start(DaemonProgram.locate(), applications: [], arguments: arguments)
        let result: Result
        do {
            result = try await PrivateContainers.$groups.withValue(daemon.groupContainers) {
                try await body(daemon.address)
            }
        } catch {
            // The verb's own error takes precedence over an error of the stop.
            try? await daemon.stop()
            throw error
        }
        do {
            try await daemon.stop()
        } catch {
            StandardError.line("exthostctl: \(error)")
        }
        return result
    }

    /// Runs `body` with a control connection to the daemon.
    func withControl<Result>(
        _ arguments: [String] = [], _ body: (DaemonControl) async throws -> Result
    ) async throws -> Result {
        try await withDaemon(arguments) { address in
            try await body(try await DaemonControl.connect(name: "exthostctl", to: address))
        }
    }

    private var startingRemedy: String {
        if scope == .system { return "Start it with exthostd --system, or with systemctl start exthostd" }
        return "Start one with exthostd, name another with --socket or EXTHOST_SOCKET, or use --ephemeral"
    }
}

/// The owner of the service: the user or the system.
enum DaemonScope: String, EnumerableFlag {
    case user, system

    static func help(for value: DaemonScope) -> ArgumentHelp? {
        switch value {
        case .user: "Connect to this user's daemon, whatever EXTHOST_SOCKET says."
        case .system: "Connect to the system's daemon."
        }
    }

    var address: DaemonAddress {
        switch self {
        case .user: .user
        case .system: .system
        }
    }
}

/// Parses a duration of the command line.
func duration(_ text: String) throws -> Duration {
    guard let duration = Duration(written: text) else {
        throw ValidationError("“\(text)” is not a duration. Write 500ms, 3s or 5min; a bare number is seconds.")
    }
    return duration
}
