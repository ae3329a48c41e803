// DaemonSetup: the way from options and environment to a running daemon, and the cleanup after it.

import EventLoop
import ExtensionHostDaemon
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Logging
import PropertyListCoding

/// The surroundings of the daemon: its socket, its temporary folder, its lease on standard input.
final class DaemonSetup: Sendable {
    private let options: DaemonOptions
    private let folder: TemporaryDirectory?
    private let socketPath: String?
    private let janitor: Janitor?
    @HostActor private var daemon: ExtensionHostDaemon?
    @HostActor private var lease: IOSource?

    init(_ command: ExtensionHostDaemonCommand) throws {
        let settings = try CommandSettings(command)
        let configuration = try settings.first()
        LogThreshold.shared.level = configuration.settings.logLevel
        let logger = Logger(label: "exthostd") { _ in ConsoleLog() }
        for problem in configuration.problems { StandardStreams.writeError("exthostd: \(problem)\n") }
        let listening: DaemonOptions.Listening
        let folder =
            command.ephemeral || command.bus == "private"
            ? try TemporaryDirectory(prefix: "exthostd") : TemporaryDirectory?.none
        var path: String?
        let passed = command.ephemeral ? [] : try ActivationSocket.takeAll()
        if command.ephemeral, let folder {
            path = folder.path + "/host.sock"
            listening = .path(folder.path + "/host.sock")
        } else if let socket = passed.first(where: { !$0.name.hasPrefix(DaemonOptions.storedPrefix) }) {
            listening = .inherited(socket.descriptor)
        } else {
            let place = try RuntimeFolder.socketPath(scope: command.scope, logger: logger)
            path = place
            listening = .path(place)
        }
        self.folder = folder
        socketPath = path
        janitor = Self.janitor(folder, logger)
        let applications =
            command.applications.isEmpty
            ? (command.scope == .system ? SearchPath.system : SearchPath.standard)
            : command.applications.map(SearchPath.absolute)
        var options = DaemonOptions(
            listening: listening, applications: applications, bus: Self.bus(command, folder), logger: logger,
            version: ExtensionHostDaemonCommand.version)
        options.isEphemeral = command.ephemeral
        options.isSystem = command.scope == .system
        options.logsToJournal = Journal.isThere && !command.ephemeral
        options.clock = command.clock.kind
        options.faults = command.fault.map(\.order)
        if !command.ephemeral { options.stateFolder = StateFolder.path(isSystem: command.scope == .system) }
        options.initProgram = InstalledProgram.initProgram
        if command.keep { try Self.prepareHandover(&options, passed, command, logger) }
        options.treeKill = command.treeKill
        options.configuration = configuration
        options.rereadConfiguration = { settings.again() }
        options.containersFolder =
            command.ephemeral
            ? folder.map { $0.path + "/Containers" } : StateFolder.containers(isSystem: command.scope == .system)
        options.points = PointTable(folders: Self.pointFolders(command))
        options.services = ServiceDefinitions(
            folders: command.services.isEmpty
                ? PointFolders.services(isSystem: command.scope == .system, isPrivate: command.ephemeral)
                : command.services,
            installed: InstalledProgram.services(
                isScripted: (command.transfers ?? (command.clock == .virtual ? .scripted : .network)) == .scripted))
        options.limitsBy = command.limitsBy
        // For tests on machines without systemd-coredump.
        if let folder = getenv("EXTHOST_COREDUMPS") { options.coreDumps = String(cString: folder) }
        self.options = options
    }

    /// Sets the options for the handover to the next daemon.
    ///
    /// A passed descriptor that is not adopted here is closed, and its process exits.
    private static func prepareHandover(
        _ options: inout DaemonOptions, _ passed: [ActivationSocket], _ command: ExtensionHostDaemonCommand,
        _ logger: Logger
    ) throws {
        guard DescriptorStore.isThere else {
            return logger.warning(
                "no process outlives this daemon: --keep needs systemd, or another manager with a descriptor store")
        }
        options.journal = try RuntimeFolder.path(scope: command.scope, logger: logger) + "/kept.journal"
        options.serviceManager = RuntimeFolder.serviceManager(scope: command.scope)
        options.stored = StoredDescriptors(
            passed.filter { $0.name.hasPrefix(DaemonOptions.storedPrefix) }.map { ($0.name, $0.descriptor) })
    }

    private static func janitor(_ folder: TemporaryDirectory?, _ logger: Logger) -> Janitor? {
        guard let folder, let initProgram = InstalledProgram.initProgram else { return nil }
        do {
            return try Janitor(.files, [folder.path], initProgram: initProgram)
        } catch {
            logger.warning("\(folder.path) is not deleted if the daemon is killed: \(error)")
            return nil
        }
    }

    /// Returns the folders of extension points.
    ///
    /// An ephemeral daemon shares no settings: it uses only the folders that it is given.
    private static func pointFolders(_ command: ExtensionHostDaemonCommand) -> [String] {
        guard command.extensionPoints.isEmpty else { return command.extensionPoints }
        if let named = PointFolders.named { return named }
        return command.ephemeral ? [] : command.scope == .system ? [PointFolders.system] : PointFolders.user
    }

    private static func bus(_ command: ExtensionHostDaemonCommand, _ folder: TemporaryDirectory?)
        -> DaemonOptions.BusChoice
    {
        if command.bus == "private", let folder { return .privateDaemon(folder: folder.path) }
        return switch command.bus ?? (command.ephemeral ? "none" : command.scope == .system ? "system" : "session") {
        case "session": .address(.session)
        case "system": .address(.system)
        case "none": .address(.none)
        case let address: .address(.address(address))
        }
    }

    /// Starts the daemon, as the first work on the loop.
    @HostActor
    func start() {
        do {
            let daemon = try ExtensionHostDaemon(options: options)
            self.daemon = daemon
            try daemon.start(ready: { [self] bus in announce(bus) }, failed: { [self] in cannotStart($0) })
        } catch {
            cannotStart(error)
        }
    }

    @HostActor
    private func cannotStart(_ error: any Error) {
        StandardStreams.writeError("exthostd: cannot start: \(error)\n")
        EventLoop.shared.stop(exitCode: 70)  // EX_SOFTWARE
    }

    @HostActor
    private func announce(_ bus: String?) {
        guard options.isEphemeral, let socketPath else { return }
        let members: [(String, (inout JSONWriter) -> Void)] = [
            ("socket", { $0.string(socketPath) }), ("bus", { $0.string(orNull: bus) }),
            ("pid", { $0.integer(getpid()) }),
            ("containers", { [path = options.containersFolder] in $0.string(orNull: path) }),
        ]
        var writer = JSONWriter()
        writer.object(members) { $0(&$1) }
        print(writer.text)
        StandardStreams.flushOutput()
        // The lease: the program that started this daemon holds the other end of its standard input.
        lease = try? EventLoop.shared.watch(descriptor: 0, for: .readable) { [weak self] _ in
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = buffer.withUnsafeMutableBytes { read(0, $0.baseAddress, $0.count) }
            // Read only when readable.
            guard count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) else { return }
            self?.lease = nil
            self?.daemon?.stop()
        }
        // A plain file or /dev/null cannot be polled: the daemon stops at once.
        if lease == nil { daemon?.stop() }
    }

    /// Removes the socket and the folder of an ephemeral daemon, after the loop has ended.
    ///
    /// A daemon that never listened leaves the socket alone: it is another daemon's.
    func cleanUp(hasListened: Bool) {
        if hasListened, !options.isEphemeral, let socketPath { try? Socket.remove(at: socketPath) }
        guard let folder else { return }
        do {
            try folder.remove()
        } catch {
            StandardStreams.writeError("exthostd: \(folder.path) could not be removed: \(error)\n")
        }
    }
}
