// exthost-fuse: the command line of the program that mounts the files of a file provider extension.

import ArgumentParser
import ExtensionHost
import ExtensionProtocol
import Foundation
import Glibc
import LinuxDescriptors
import MountedFiles
import PointHosts

@main
struct ExtensionHostFUSECommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exthost-fuse",
        abstract: "Mount the files of a file provider extension as a folder.",
        discussion: """
            EXAMPLES
              exthost-fuse org.example.cloud.files ~/Cloud
              exthost-fuse org.example.cloud.files ~/Cloud --read-only --limit 5
              fusermount3 -u ~/Cloud

            The program stays in the foreground until the folder is unmounted, or a
            SIGTERM or SIGINT comes. It then delivers all changes. A second signal
            ends it at once. systemd is notified when the folder can be used
            (Type=notify).

            EXIT STATUS
              0    the folder was unmounted, and the provider has all changes
              64   the command line is wrong
              66   the mount point does not exist, or is no folder
              69   /dev/fuse, libfuse3, the daemon or the extension is missing, or has gone
              73   the kernel does not mount the folder
              74   the provider did not accept some changes, which stay in the store
            """,
        version: "0.1.0")

    @Argument(help: ArgumentHelp("The identifier of the extension.", valueName: "extension"))
    var identifier: String

    @Argument(help: ArgumentHelp("A folder. What is in it is hidden meanwhile.", valueName: "mountpoint"))
    var mountpoint: String

    @Option(help: ArgumentHelp("The identifier of the provider's domain, if it has domains.", valueName: "id"))
    var domain: String?

    @Option(
        help: ArgumentHelp(
            "Let an operation fail if the provider has not answered within this time, 1 to 3600.",
            valueName: "seconds"))
    var limit = 30

    @Flag(name: .customLong("read-only"), help: "Let programs only read.")
    var isReadOnly = false

    @Option(
        help: ArgumentHelp(
            "Where the copies of files are. Default: exthost/files below XDG_STATE_HOME, else ~/.local/state.",
            valueName: "folder"),
        completion: .directory)
    var store: String?

    @Option(help: ArgumentHelp("Connect to the daemon at this socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Connect to this user's daemon, whatever EXTHOST_SOCKET says; or to the system's daemon.")
    var scope: Scope?

    enum Scope: String, EnumerableFlag {
        case user, system
    }

    func validate() throws {
        if socket != nil, scope != nil { throw ValidationError("--socket names the daemon: omit --user and --system.") }
        guard (1...3_600).contains(limit) else { throw ValidationError("--limit takes 1 to 3600 seconds.") }
    }

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let status = await FUSEProgram(self).run()
        guard status == 0 else { throw ExitCode(status) }
    }

    /// The folder of copies.
    var storeFolder: String {
        if let store { return store }
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (state ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state") + "/exthost/files"
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
