// ExtensionHostDaemon: the composition of the daemon, which builds, starts and stops its parts in order.

import EventLog
public import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Logging

/// The daemon. Everything it owns lives on the loop.
@HostActor
public final class ExtensionHostDaemon {
    /// The time for which the daemon waits for a peer to read its packets, counted from the last time that a peer did.
    ///
    /// The wait begins after the extensions have gone. It is real time: nobody moves the clock of a daemon that ends.
    private static let farewell = Duration.milliseconds(500)
    /// The limit of all these waits together.
    private static let longestFarewell = Duration.seconds(5)

    /// The real time after which the daemon kills everything that is left, regardless of timers and debuggers.
    ///
    /// It is above the bounds of `expire` and `term` while the daemon stops (`ProcessTimers`). An app may take longer
    /// than an extension.
    private static let stopLimit = (extensions: Duration.seconds(3), apps: Duration.seconds(6))

    /// The time limit for a private bus to print its address: real time, because another program starts.
    private static let busLimit = Duration.seconds(5)

    private let engine: Engine
    private let context: DaemonContext
    private let inventory: Inventory
    private let logger: Logger
    /// The limit on the lines that the event log writes.
    private let lines: LineLimit
    private let presence: BusPresence
    private var relay: OutputRelay?
    private var listener: Listener?
    /// The listening socket, until the daemon serves.
    private var socket: Socket?
    /// The callbacks of the start, until the first snapshot of the extensions has arrived.
    private var starting: (ready: @HostActor (String?) -> Void, failed: @HostActor (any Error) -> Void)?
    private var hasFound = false
    private var areMeansAwaited = false
    private var privateBus: PrivateBus?
    private var signals: [SignalSource] = []
    private var farewellDeadline: Deadline?
    private var farewellLimit: Deadline?
    private var stopDeadline: Deadline?
    private var busDeadline: Deadline?
    private var hasFinished = false
    private var isReloading = false
    private var onStopped: (@HostActor () -> Void)?

    public init(options: DaemonOptions) throws {
        logger = options.logger
        engine = try Engine(options: options)
        let (context, inventory) = (engine.context, engine.inventory)
        (self.context, self.inventory) = (context, inventory)
        lines = LineLimit(clock: context.realClock)
        context.log.follow(with: logger, limit: lines, source: { [weak inventory] in inventory?.source(of: $0) }) {
            [weak inventory] record in inventory?.requests(concernedBy: record) ?? []
        }
        if options.logsToJournal { relay = OutputRelay(context.output, clock: context.realClock, logger: logger) }
        presence = BusPresence(engine: engine)
        if options.isSystem {
            context.log.owner = { [weak inventory] record in inventory?.owner(of: record) ?? .nobody }
        }
        engine.faults.leaveBus = { [weak presence] in presence?.leave() }
    }

    /// Searches for extensions, then listens, and connects to the bus.
    ///
    /// The call returns at once: a thread of its own searches for extensions.
    ///
    /// - Parameters:
    ///   - ready: called once hosts can be served, with the address of the bus if it is a private one or was named by
    ///     its address.
    ///   - failed: called with the error that keeps the daemon from serving after this call.
    public func start(
        ready: @escaping @HostActor (_ bus: String?) -> Void, failed: @escaping @HostActor (any Error) -> Void
    ) throws {
        engine.faults.reached(.starting)
        socket =
            switch context.options.listening {
            case .path(let path): try listen(at: path)
            case .inherited(let descriptor): try Self.adopt(descriptor)
            }
        for file in context.options.points.badFiles {
            logger.warning("no extension point: \(file.path): \(file.problem)")
        }
        for problem in context.options.services.problems { logger.warning("no service: \(problem)") }
        for number in [SIGTERM, SIGINT] {
            signals.append(try EventLoop.shared.watch(signal: number) { [weak self] _ in self?.stop() })
        }
        signals.append(try EventLoop.shared.watch(signal: SIGUSR1) { [weak self] _ in self?.leave() })
        signals.append(try EventLoop.shared.watch(signal: SIGHUP) { [weak self] _ in self?.hangUp() })
        starting = (ready, failed)
        // The probes run while the extensions are searched for, which takes about as long. A private daemon without a
        // bus serves without them, and probes at its first launch: the probes would be most of its start. Without
        // exthost-init there is nothing to probe: what is missing is logged before anybody asks for an extension.
        areMeansAwaited =
            context.options.initProgram == nil
            || !(context.options.isEphemeral && context.options.bus == .address(.none))
        if areMeansAwaited {
            engine.launchCapabilities.whenKnown { [weak self] failure in
                if let failure { failed(failure) } else { self?.serveOnceReady() }
            }
        }
        var settings = Discovery.Settings(
            folders: context.options.applications, state: context.options.stateFolder,
            points: context.options.points)
        settings.waitsToWatch = true
        settings.wantsTrust = context.options.isSystem
        settings.containers = context.options.containersFolder
        settings.profile = context.settings.profile
        engine.catalog.discovery = try Discovery(settings) { delivery in
            Task { @HostActor [weak self] in self?.found(delivery) }
        }
    }

    /// Handles a delivery of the discovery.
    ///
    /// The first one lets the daemon serve. The others report changes, and end the processes of bundles that are gone.
    private func found(_ delivery: Discovery.Delivery) {
        guard !context.isStopping else { return }
        engine.adopt(delivery)
        sayProblems(delivery)
        guard starting != nil else {
            guard !delivery.change.isEmpty else { return }
            context.log.append(.registryChanged, detail: delivery.change.description)
            let bundles = engine.catalog.registry.copies.map(\.bundle)
            let paths = Set(bundles.map(\.path) + bundles.compactMap(\.containingApp))
            let isKnown = { (bundle: ExtensionBundle) in bundle.registration != nil || paths.contains(bundle.path) }
            engine.supervisor.withdraw { $0.isApp || isKnown($0) }
            engine.supervisor.withdrawGoneApps(allBut: isKnown)
            return
        }
        hasFound = true
        serveOnceReady()
    }

    private func serveOnceReady() {
        guard !areMeansAwaited || engine.launchCapabilities.areKnown, hasFound, !context.isStopping,
            let (ready, failed) = starting
        else {
            return
        }
        starting = nil
        do {
            try serve(ready)
            engine.catalog.discovery?.watch()
            if !context.options.isSystem,
                let folder = context.options.containersFolder.map({ ContainerFolder(path: $0) }),
                folder.hasRetired
            {
                engine.removals.deleteRetired(in: folder)
            }
        } catch {
            failed(error)
        }
    }

    /// Logs the disabled bundles with their problems: all of them at the start, later the added and changed ones.
    private func sayProblems(_ delivery: Discovery.Delivery) {
        guard starting != nil || !delivery.change.isEmpty else { return }
        let names = starting != nil ? nil : Set(delivery.change.added + delivery.change.changed)
        for copy in engine.catalog.registry.disabled where names?.contains(copy.bundle.identifier) != false {
            logger.warning("disabled: \(copy.bundle.path): \(copy.bundle.problems.joined(separator: "; "))")
        }
    }

    private func serve(_ ready: @escaping @HostActor (_ bus: String?) -> Void) throws {
        let resumesAfterRestart = engine.handover?.resumesAfterRestart == true
        context.log.append(
            .daemonStarted, pid: Int(getpid()), from: resumesAfterRestart ? "kept" : nil,
            detail:
                "version \(context.options.version), \(engine.catalog.registry.winnerCount) extensions can be used, \(engine.catalog.registry.disabled.count) bundles are disabled"
                + (resumesAfterRestart ? ", \(engine.handover?.inheritance ?? "")" : "")
        )
        if let handover = engine.handover {
            Adoption(context, inventory, engine.launcher, engine.limiter, handover).run()
            for process in inventory.processes.values where process.bundle.isService { engine.programs.adopt(process) }
        }
        if !context.options.isSystem { engine.programs.resume(for: nil) }
        guard let socket = socket.take() else { return }
        try listen(socket)
        let ready = { @HostActor [engine] (bus: String?) in
            engine.service?.serves()
            ready(bus)
        }
        switch context.options.bus {
        case .address(let address):
            presence.connect(to: address)
            // An address that the operator named is passed on to the process that started the daemon.
            let isNamed = if case .address(let text) = address, engine.bus != nil { text } else { String?.none }
            ready(isNamed)
        case .privateDaemon(let folder): startPrivateBus(in: folder, ready)
        }
    }

    /// Starts a private bus. If there is none, the daemon logs it and continues to serve.
    private func startPrivateBus(in folder: String, _ ready: @escaping @HostActor (String?) -> Void) {
        let ready = { @HostActor [weak self] (address: String?) in
            guard let self, busDeadline != nil else { return }
            busDeadline = nil
            if let address {
                presence.connect(to: .address(address))
            } else {
                logger.error("the private bus did not start: is dbus-daemon installed?")
            }
            ready(address)
        }
        busDeadline = context.realClock.schedule(after: Self.busLimit) { ready(nil) }
        do {
            privateBus = try PrivateBus(folder: folder, onAddress: ready)
        } catch {
            logger.error("the private bus cannot be started: \(error)")
            ready(nil)
        }
    }

    /// The group whose members may use the system's daemon, as in systemd/system/exthostd.socket.
    private static let usersGroup = "exthost"

    private func listen(at path: String) throws(ExtensionHostError) -> Socket {
        let socket = try Self.listen(at: path)
        guard context.options.isSystem else { return socket }
        if let group = getgrnam(Self.usersGroup) {
            lchown(path, geteuid(), group.pointee.gr_gid)
        } else {
            logger.warning(
                "there is no group \(Self.usersGroup): only root may use the daemon. groupadd --system \(Self.usersGroup)"
            )
        }
        chmod(path, 0o660)
        return socket
    }

    private static func listen(at path: String) throws(ExtensionHostError) -> Socket {
        do {
            return try Socket.listen(at: path)
        } catch {
            let isTaken = error.code == EADDRINUSE
            throw ExtensionHostError(
                .notPermitted, "the daemon cannot listen at \(path)",
                remedy: isTaken
                    ? "Stop the daemon at that socket, or remove the file if it is not a socket"
                    : "Check who may write there",
                cause: "\(error)")
        }
    }

    private static func adopt(_ descriptor: SharedDescriptor) throws(ExtensionHostError) -> Socket {
        do throws(SystemError) {
            return try Socket.adopt(listening: try descriptor.duplicate())
        } catch {
            throw ExtensionHostError(
                .invalidArgument, "the daemon cannot listen at the socket that the service manager has passed",
                remedy: "Write ListenSequentialPacket= with the path of a socket once into the .socket unit",
                cause: "\(error)")
        }
    }

    private func listen(_ socket: consuming Socket) throws {
        let listener = try Listener(socket: socket, engine: engine)
        engine.admit = { [weak listener] (socket: consuming Socket, process, share) in
            listener?.admit(socket, of: process, share)
        }
        self.listener = listener
    }

    /// Handles SIGHUP. A daemon in a terminal stops, because its user has left; other daemons read their configuration
    /// again.
    private func hangUp() {
        if isatty(STDIN_FILENO) == 1 { stop() } else { reload() }
    }

    /// Reads the configuration again, on a thread. The new settings apply to what begins afterwards. One reading runs
    /// at a time.
    private func reload() {
        guard let reread = context.options.rereadConfiguration, !isReloading else { return }
        isReloading = true
        engine.service?.reloads()
        do {
            try startThread(named: "exthost-settings") {
                let next = reread()
                Task { @HostActor [weak self] in self?.adopt(next) }
            }
        } catch {
            logger.error("the configuration is not reloaded: \(error)")
            isReloading = false
            engine.service?.hasReloaded()
        }
    }

    private func adopt(_ next: DaemonConfiguration) {
        isReloading = false
        let configuration = context.configuration.adopting(next)
        context.configuration = configuration
        engine.limiter.settings = configuration.settings
        engine.configureModel()
        engine.catalog.registrations.profile = configuration.settings.profile
        engine.prewarming.outdateAll()
        engine.catalog.discovery?.run(on: configuration.settings.profile)
        LogThreshold.shared.level = configuration.settings.logLevel
        for problem in configuration.problems { logger.warning("\(problem)") }
        context.log.append(
            .configurationReloaded,
            detail: "\(configuration.files.count) files, \(configuration.problems.count) problems")
        engine.service?.hasReloaded()
    }

    /// Handles SIGUSR1: exits, so that another daemon adopts what runs.
    ///
    /// Everything for that is prepared at all times. The effect is that of a kill, except that the log's lines are
    /// written.
    private func leave() {
        // SIGUSR1 is the unit's signal for a restart. What the next daemon cannot adopt ends in order.
        guard engine.handover != nil else { return stop() }
        guard !context.isStopping, !hasFinished else { return }
        hasFinished = true
        lines.tell()
        engine.announcements.finish()
        EventLoop.shared.stop()
    }

    /// Ends every request and every extension in order, then the loop. A second call kills the remaining processes.
    public func stop(then onStopped: (@HostActor () -> Void)? = nil) {
        if let onStopped { self.onStopped = onStopped }
        // The daemon exits already, and the next one owns what runs.
        guard !hasFinished else { return }
        guard !context.isStopping else { return killAll() }
        context.isStopping = true
        engine.service?.stops()
        engine.catalog.discovery = nil
        // Processes that were launched up to now are logged before the stop.
        engine.supervisor.noteSpawns()
        context.log.append(.daemonStopping, pid: Int(getpid()))
        listener?.stop()
        engine.launcher.onEmpty = { [weak self] in self?.sayFarewell() }
        // The end of the daemon is not part of the model's time: a virtual clock that nobody moves must not delay it.
        let hasApps = context.options.clock == .real && inventory.processes.values.contains { $0.bundle.isApp }
        let limit = hasApps ? Self.stopLimit.apps : Self.stopLimit.extensions
        stopDeadline = context.realClock.schedule(after: limit) { [weak self] in self?.killAll() }
        // Requests whose rule is still being evaluated have no process that could answer for them.
        for request in inventory.requestsInOrder where request.awaitsProcess {
            request.fail(.daemonStopping, .daemonStopping)
        }
        engine.supervisor.stopAll()
    }

    private func killAll() {
        context.scheduler?.end()
        engine.supervisor.killAll()
    }

    /// Gives the packets for hosts and tools time to leave, now that the extensions are gone.
    private func sayFarewell() {
        engine.launcher.onEmpty = nil
        context.scheduler?.end()
        guard let listener else { return finish() }
        extendFarewell()
        farewellLimit = context.realClock.schedule(after: Self.longestFarewell) { [weak self] in self?.finish() }
        if case .inherited = context.options.listening { listener.sayGoodbye() }
        // Watchers get their last batch at the end of this iteration.
        EventLoop.shared.atEndOfIteration { [weak self] in
            EventLoop.shared.atEndOfIteration {
                listener.whenDrained(progress: { self?.extendFarewell() }, { self?.finish() })
            }
        }
    }

    /// Extends the wait: a peer that reads gets the rest, even if it reads slowly because the machine is busy.
    private func extendFarewell() {
        guard !hasFinished else { return }
        farewellDeadline = context.realClock.schedule(after: Self.farewell) { [weak self] in self?.finish() }
    }

    private func finish() {
        guard !hasFinished else { return }
        hasFinished = true
        lines.tell()
        farewellDeadline = nil
        farewellLimit = nil
        stopDeadline = nil
        privateBus?.stop()
        engine.limiter.close()
        engine.handover?.end()
        onStopped?()
        EventLoop.shared.stop()
    }
}
