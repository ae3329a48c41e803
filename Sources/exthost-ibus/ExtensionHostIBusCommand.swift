// exthost-ibus: the command line of the program that serves keyboards to desktop programs, as engines of IBus.

import ArgumentParser
import EventLoop
import ExtensionHost
import ExtensionProtocol
import Glibc
import IBusEngine
import LinuxSystem

@main
struct ExtensionHostIBusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exthost-ibus",
        abstract: "Serve keyboard extensions to desktop programs, as engines of IBus.",
        discussion: """
            EXAMPLES
              exthost-ibus                                serve all keyboards of this user
              exthost-ibus org.exthost.samples.latin      serve this keyboard
              ibus engine exthost-org.exthost.samples.latin

            The keys of the computer become taps on the keys of the keyboard with the same
            titles. The program gets keys without one, keys with Control, Alt or Super, and
            all keys of a password field.
            """,
        version: "0.1.0")

    @Argument(help: "The identifiers of keyboards. Default: all that the daemon offers.")
    var keyboards: [String] = []

    @Option(
        help: ArgumentHelp(
            "The address of IBus's bus. Default: IBUS_ADDRESS, else that of the file which ibus-daemon writes.",
            valueName: "address"))
    var address: String?

    @Option(help: ArgumentHelp("Connect to the daemon at this socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Connect to this user's daemon, whatever EXTHOST_SOCKET says; or to the system's daemon.")
    var scope: Scope?

    @Option(
        name: .customLong("key-limit"),
        help: ArgumentHelp(
            "Give a key to the program if the keyboard has not answered within this time, 10ms to 10s. Default 500ms.",
            valueName: "duration"),
        transform: { text in
            guard let limit = Duration(written: text), (.milliseconds(10) ... .seconds(10)).contains(limit) else {
                throw ValidationError("--key-limit takes a duration from 10ms to 10s.")
            }
            return limit
        })
    var keyLimit = KeyboardEngine.Limits().key

    @Flag(help: "IBus has started this program, by its component file: take the component's name on its bus.")
    var ibus = false

    @Flag(help: "Print the engines as XML, as IBus reads them by its component file, and exit.")
    var xml = false

    enum Scope: String, EnumerableFlag {
        case user, system
    }

    func validate() throws {
        if socket != nil, scope != nil { throw ValidationError("--socket names the daemon: omit --user and --system.") }
        if xml, ibus || address != nil { throw ValidationError("--xml uses no bus: omit --ibus and --address.") }
    }

    func run() throws {
        // A write to a bus that has ended must not end the program.
        signal(SIGPIPE, SIG_IGN)
        try EventLoop.blockSignals([SIGTERM, SIGINT])
        let program = IBusProgram(self)
        let status = try EventLoop.shared.run { program.start() }
        guard status == 0 else { throw ExitCode(status) }
    }

    /// The address of the daemon.
    var daemon: DaemonAddress {
        if let socket { return DaemonAddress(path: socket) }
        return switch scope {
        case .user: .user
        case .system: .system
        case nil: .standard
        }
    }
}
