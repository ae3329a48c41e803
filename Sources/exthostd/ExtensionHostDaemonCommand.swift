// exthostd: the daemon's command line.

import ArgumentParser
import EventLoop
import ExtensionHostDaemon
import ExtensionPoints
import ExtensionProtocol
import Glibc
import LinuxSystem
import Logging

@main
struct ExtensionHostDaemonCommand: ParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "exthostd",
        abstract: "Run app extensions, each in its own process, for the hosts that connect.",
        discussion: """
            EXAMPLES
              exthostd                                    serve this user
              exthostd --ephemeral --applications ./Apps  a private daemon, stops when its standard input closes
              exthostd --timer idle=1s --timer request=30s
              exthostd --limit memory=64MiB --limit cpu=30s
            """,
        version: version)

    @Flag(help: "Serve this user (the default), or the system.")
    var scope = Scope.user

    @Flag(
        help:
            "Use a private temporary folder for all data, print one JSON line with the socket, stop when standard input closes."
    )
    var ephemeral = false

    @Flag(
        help:
            "Let extensions and open requests outlive this daemon: under systemd, with FileDescriptorStoreMax= in the unit, the next one resumes them."
    )
    var keep = false

    @Option(name: .long, help: ArgumentHelp("Search this folder for applications; repeatable.", valueName: "dir"))
    var applications: [String] = []

    @Option(
        name: .customLong("extension-points"),
        help: ArgumentHelp(
            "Read extension points from the property lists in this folder; repeatable, the first has precedence.",
            valueName: "dir"))
    var extensionPoints: [String] = []

    @Option(
        help: ArgumentHelp(
            "Read services and their programs from the property lists in this folder; repeatable, the first has precedence.",
            valueName: "dir"))
    var services: [String] = []

    @Option(help: ArgumentHelp("The message bus: session, system, private, none or an address.", valueName: "bus"))
    var bus: String?

    @Option(
        name: .long, help: ArgumentHelp("Set a timer, for example idle=1s; repeatable.", valueName: "name=duration"))
    var timer: [TimerSetting] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Limit every extension, for example memory=64MiB, cpu=30s, tasks=64, descriptors=256, output=64KiB (a second); NAME=off also removes a built-in limit (docs/extension-points.md); repeatable.",
            valueName: "name=value"), transform: LimitSetting.init(written:))
    var limit: [LimitSetting] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Apply the known limits of a platform, for example ios-12; exthostctl show --profile lists them.",
            valueName: "name"),
        transform: { text in
            guard let profile = PlatformProfile.named(text) else {
                let all = PlatformProfile.all.map(\.name).joined(separator: ", ")
                throw ValidationError("There is no profile “\(text)”. There are: \(all).")
            }
            return profile
        })
    var profile: PlatformProfile?

    @Option(
        name: .customLong("limits-by"),
        help: ArgumentHelp(
            "Enforce limits by cgroup2, cgroup1 or poll, or by the next one in this order; default the first that works here.",
            valueName: "means"),
        transform: { text in
            guard let means = LimitBackEnd(rawValue: text) else {
                let all = LimitBackEnd.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no way “\(text)” to enforce limits. There are: \(all).")
            }
            return means
        })
    var limitsBy: LimitBackEnd?

    @Option(
        help:
            "With --ephemeral: the servers of background transfers: network, or scripted for answers that a test sets. Default network, with --clock virtual scripted."
    )
    var transfers: TransferSource?

    @Option(help: "real, or with --ephemeral virtual: only exthostctl clock advance moves the timers.")
    var clock = ClockChoice.real

    @Option(
        help: ArgumentHelp(
            "required: confine extensions by every layer, or launch none. best (default): confine them by the layers that this machine has. none: no confinement. Without exthost-init, only none launches extensions. Also $EXTHOST_SANDBOX, and Sandbox in the configuration.",
            valueName: "demand"),
        transform: { text in
            guard let demand = ConfinementDemand(rawValue: text) else {
                let all = ConfinementDemand.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no sandbox “\(text)”. There are: \(all).")
            }
            return demand
        })
    var sandbox: ConfinementDemand?

    @Option(
        name: .customLong("tree-kill"),
        help: ArgumentHelp(
            "Contain an extension's processes by namespace, cgroup, guardian or session, or by the next one in this order; default the first that works here.",
            valueName: "means"),
        transform: { text in
            guard let means = TreeKill(rawValue: text) else {
                let all = TreeKill.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no tree kill “\(text)”. There are: \(all).")
            }
            return means
        })
    var treeKill: TreeKill?

    @Option(
        help: ArgumentHelp(
            "After this many failures in a row, launch an extension only after a pause; or off. Default 5, with --ephemeral off.",
            valueName: "count"),
        transform: { text in
            if text == "off" { return BreakerLimit(failures: nil) }
            guard let count = Int(text), (1...1000).contains(count) else {
                throw ValidationError("--breaker takes a number from 1 to 1000, or off.")
            }
            return BreakerLimit(failures: count)
        })
    var breaker: BreakerLimit?

    @Flag(
        name: .customLong("end-unresponsive"),
        help: "Kill an extension with a blocked main queue; without this, only report it.")
    var endUnresponsive = false

    @Option(
        name: .customLong("share-group"),
        help: ArgumentHelp(
            "Share this app group among apps of several vendors; repeatable. Also SharedGroups in the configuration.",
            valueName: "group"))
    var shareGroup: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --ephemeral: inject a fault, for example noDescriptors@starting or kill@loadOpen; exthostctl fault list shows all; repeatable.",
            valueName: "fault@point"))
    var fault: [FaultSetting] = []

    @Option(
        help: ArgumentHelp(
            "A property list with settings, instead of those of the vendor, the system and the user; docs/configuration.md lists them.",
            valueName: "file"))
    var config: String?

    @Option(
        name: .customLong("log-level"), help: "trace, debug, info, notice, warning, error or critical.",
        transform: { text in
            guard let level = Logger.Level(rawValue: text) else {
                let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no log level “\(text)”. There are: \(levels).")
            }
            return level
        })
    var logLevel: Logger.Level?

    func validate() throws {
        if clock == .virtual, !ephemeral {
            throw ValidationError("--clock virtual needs --ephemeral: a shared daemon's time is real.")
        }
        guard transfers == nil || ephemeral else {
            throw ValidationError("--transfers needs --ephemeral: others may use a shared daemon.")
        }
        guard fault.isEmpty || ephemeral else {
            throw ValidationError("--fault needs --ephemeral: others may use a shared daemon.")
        }
        for setting in fault {
            guard let problem = setting.order.problem else { continue }
            throw ValidationError(
                "--fault \(setting.order.kind.rawValue)@\(setting.order.point.rawValue): \(problem.message).")
        }
        if ephemeral, keep {
            throw ValidationError("--ephemeral and --keep exclude each other: no process outlives a private daemon.")
        }
        if ephemeral, scope == .system { throw ValidationError("--ephemeral and --system exclude each other.") }
    }

    func run() throws {
        Heap.limit()
        // Signals belong to the loop, so they are blocked before there is a second thread.
        try EventLoop.blockSignals([SIGTERM, SIGINT, SIGHUP, SIGUSR1])
        signal(SIGPIPE, SIG_IGN)
        DescriptorLimit.raise()
        let setup: DaemonSetup
        do {
            setup = try DaemonSetup(self)
        } catch let error as ExtensionHostError {
            StandardStreams.writeError("exthostd: \(error)\n")
            throw ExitCode(error.code.exitStatus)
        }
        let code: Int32
        do {
            code = try EventLoop.shared.run { setup.start() }
        } catch {
            setup.cleanUp(hasListened: false)
            throw error
        }
        setup.cleanUp(hasListened: code == 0)
        LogWriter.shared.flush()
        // Not by an error: the parser would prepare its help, which takes a tenth of the time that a private daemon
        // takes to exit.
        Glibc.exit(code)
    }
}

enum Scope: String, EnumerableFlag { case user, system }

enum TransferSource: String, ExpressibleByArgument, CaseIterable {
    case network, scripted
}

enum ClockChoice: String, ExpressibleByArgument, CaseIterable {
    case real, virtual

    var kind: DaemonOptions.ClockKind { self == .real ? .real : .virtual }
}

/// The value of `--breaker`. The parser takes the absence of an option of the type `Int??` for `off`.
struct BreakerLimit: Sendable {
    /// The failures in a row after which the daemon pauses; nil: off.
    let failures: Int?
}
