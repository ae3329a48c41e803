// Launcher: the launch of a process for an extension or app, and the adoption of another daemon's process.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Logging

/// Makes processes, adds them to the inventory, and removes them at their end.
@HostActor
final class Launcher {
    private let context: DaemonContext
    private let inventory: Inventory
    private let catalog: BundleCatalog
    private let values: ExtensionValues
    private let means: LaunchCapabilities
    private let limiter: Limiter
    /// The handover to the next daemon; nil where no process outlives the daemon.
    private let handover: DaemonHandover?
    /// The containers of running processes, by the number of the process.
    private(set) var containers: [Int: ExtensionContainer] = [:]
    private var launches = 0
    /// Connects a process with the objects that read its messages. Set before the first launch.
    var connect: (@HostActor (ExtensionProcess) -> Void) = { _ in }
    /// The handler for the end of the last process.
    var onEmpty: (@HostActor () -> Void)?

    init(
        _ context: DaemonContext, _ inventory: Inventory, _ catalog: BundleCatalog, _ values: ExtensionValues,
        _ means: LaunchCapabilities, _ limiter: Limiter, _ handover: DaemonHandover?
    ) {
        self.context = context
        self.inventory = inventory
        self.catalog = catalog
        self.values = values
        self.means = means
        self.limiter = limiter
        self.handover = handover
    }

    /// Launches a process for an extension or app.
    ///
    /// - Parameters:
    ///   - arguments: the arguments of an app's program.
    ///   - identity: the user whose rights it gets; nil: the daemon's own user.
    ///   - request: the request that it is launched for; nil for an app, and for a prewarmed extension.
    func launch(
        _ bundle: ExtensionBundle, arguments: [String] = [], as identity: UserIdentity?,
        for request: RequestIdentifier? = nil
    ) throws(ExtensionHostError) -> ExtensionProcess {
        do throws(ExtensionHostError) {
            return try start(bundle, arguments: arguments, as: identity, for: request)
        } catch {
            context.driver.tell(
                .launchFailed(extension: bundle.identifier, for: request, of: identity?.uid, detail: error.description))
            context.driver.post(.launchFailed(program(of: bundle, as: identity)))
            throw error
        }
    }

    private func start(
        _ bundle: ExtensionBundle, arguments: [String], as identity: UserIdentity?, for request: RequestIdentifier?
    ) throws(ExtensionHostError) -> ExtensionProcess {
        guard let executable = bundle.executable else {
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) has no executable", remedy: "Build it into \(bundle.path)")
        }
        // If the folder does not exist yet, no process has written there.
        let containers: FolderIdentity?
        do throws(SystemError) {
            containers = try context.options.containersFolder.flatMap { (path) throws(SystemError) in
                try FolderIdentity(path)
            }
        } catch {
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) could not be launched: the folder of containers cannot be opened",
                remedy: Self.scarcity(error)
                    ?? "Give the daemon's user access to \(context.options.containersFolder ?? "it")",
                cause: "\(error)")
        }
        let opened = try OpenedBundle(bundle, outside: containers)
        if bundle.isExtension,
            let problem = catalog.entitlementProblem(of: bundle, own: { _ in opened.ownEntitlements })
        {
            throw problem
        }
        let entitlements = catalog.consented(opened.entitlements, of: bundle)
        for fault in entitlements.refused {
            context.logger.warning("\(bundle.identifier) does not have an app group: \(fault)")
        }
        for group in entitlements.shared {
            context.logger.notice("\(bundle.identifier) has another vendor's app group: \(group)")
        }
        var container: ExtensionContainer?
        var files: ExtensionContainer.Files?
        /// The folder of all containers, for a service that uses them.
        var all: ViewFile?
        if let path = context.options.containersFolder {
            let folder = ContainerFolder(path: path, of: identity)
            (container, files) = try ExtensionContainer.make(of: bundle, entitlements, in: folder)
            if bundle.isService, context.options.services[bundle.identifier]?.usesContainers == true {
                all = try ExtensionContainer.all(in: folder)
            }
        }
        let point = self.point(of: bundle)
        let timers = point.timers.overridden(by: context.settings.timers).overridden(by: bundle.timers)
        let isPrewarmed = request == nil && bundle.isExtension
        // The stamp is taken before the program is executed: a program that is replaced meanwhile counts as another.
        let stamp = isPrewarmed ? bundle.programStamp : nil
        var limits: LimitWatch?
        // The number under which the journal and systemd's store have the process. A launch that fails takes it back.
        var handed: Int?
        do {
            let pair = try SocketPair()
            let door = try SocketPair()
            let output = try Pipe()
            let error = try Pipe()
            var attributes = SpawnAttributes(
                executable: executable, arguments: arguments,
                environment: ExtensionEnvironment.make(
                    for: bundle, container, identity, on: context.settings.profile, all: all?.path),
                workingDirectory: bundle.folder)
            attributes.standardOutput = .descriptor(output.writing.raw)
            attributes.standardError = .descriptor(error.writing.raw)
            attributes.descriptors = [.init(parent: pair.second.raw, child: ExtensionEnvironment.socket)]
            // An app does not reconnect.
            if !bundle.isApp {
                attributes.descriptors.append(.init(parent: door.second.raw, child: ExtensionEnvironment.door))
            }
            attributes.limits = [DescriptorLimit.forExtensions]
            let survives = handover?.maySurvive(bundle, heldBy: means.treeKill) == true
            attributes.onDaemonExit = survives ? .keep : .terminate
            attributes.identity = identity
            if let initProgram = context.options.initProgram {
                attributes.enclosure = means.treeKill.enclosure(initProgram)
            }
            attributes.confinement = ExtensionConfinement.make(
                for: opened, entitlements, point.confinement(of: bundle, consents(to: bundle, identity)),
                layers: means.sandbox, container: files, containers, identity)
            if bundle.isService, let service = context.options.services[bundle.identifier] {
                attributes.confinement?.admit(service, all)
            }
            limits = try limiter.prepare(bundle, &attributes, for: request, survives: survives)
            let near = pair.first
            // All descriptors of a process share its turns, and all processes of a user share that user's turns.
            let share = TurnShare(within: context.shares.share(of: identity?.uid ?? context.owner))
            let peer = try Peer(
                socket: near, buffer: context.buffer, recorder: context.recorder, metrics: context.metrics, share: share
            )
            let doorEnd = door.first
            let streams = try ProcessOutput(output: output.reading, error: error.reading, share: share)
            let now = context.clock.now
            KillPoint.pass()
            let spawned = try spawn(attributes)
            KillPoint.pass()
            let root = spawned.pid
            launches += 1
            if let handover, !bundle.isApp {
                let parts = [doorEnd.raw, spawned.report?.raw ?? -1, output.reading.raw, error.reading.raw]
                var record = HandedProcess(
                    number: launches, extensionIdentifier: bundle.identifier, path: bundle.path, root: Int(root),
                    rootStart: Int(clamping: spawned.startTime), started: Int(context.clock.wallClockNow / 1000),
                    sandbox: (attributes.confinement?.layers ?? .none).description,
                    inodes: survives ? parts.compactMap { HandedDescriptors.inode(of: $0) } : [])
                (record.identity, record.isPrewarmed) = (identity, isPrewarmed)
                record.consents = consents(to: bundle, identity)?.sorted() ?? []
                if let limits { (record.limits, record.groups) = (limits.limits, limits.groups) }
                handover.register(record, parts + [spawned.pidfd.raw])
                handed = record.number
            }
            peer.label.identify(bundle.role, bundle.identifier)
            var denials: DenialWatch?
            if attributes.confinement != nil, let report = spawned.report {
                denials = try? DenialWatch(report, pidfd: spawned.pidfd, share: share)
            }
            let process = ExtensionProcess(
                number: launches, program: program(of: bundle, as: identity), bundle: bundle, point: point,
                timers: timers,
                process: spawned, peer: peer, output: streams,
                sandbox: attributes.confinement?.layers ?? .none, identity: identity, spawnTime: now, context: context,
                isPrewarmed: isPrewarmed)
            process.stamp = stamp
            process.entitlements = entitlements
            process.limits = limits
            process.adopt(try ReconnectSocket(doorEnd, share: share), denials)
            connect(process)
            try process.watch()
            try limits?.begin(process, root: root)
            self.containers[process.number] = container
            add(process)
            // The process may run already. By now every part of the daemon knows it, so its start can be recorded for
            // the request.
            process.begin(for: request)
            return process
        } catch {
            limits?.end()
            if let handed { context.driver.tell(.process(handed, .gone)) }
            if let error = error as? ExtensionHostError { throw error }
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) could not be launched",
                remedy: Self.scarcity(error) ?? "Check that \(executable) runs by itself", cause: "\(error)")
        }
    }

    /// The remedy for a failure that is not the program's fault; nil where it may be the program's.
    private static func scarcity(_ error: any Error) -> String? {
        var failure = error as? SystemError
        if case .failed(_, let inSpawn)? = error as? SpawnError { failure = inSpawn }
        return switch failure?.code {
        case EMFILE: "Allow the daemon more descriptors (LimitNOFILE= of its unit, ulimit -n), or end some extensions"
        case ENFILE: "The system has no free descriptor (fs.file-max): stop programs that use many"
        case ENOMEM: "There is no memory for another process: stop some programs, or allow the daemon more (MemoryMax=)"
        case EAGAIN:
            "The limit of processes is reached (TasksMax= of its unit, ulimit -u): stop some, or raise the limit"
        case ENOSPC, EDQUOT: "Free space on the disk of the daemon's state and containers"
        default: nil
        }
    }

    /// Continues the count behind the processes that another daemon has launched.
    func goOnCounting(from number: Int) { launches = max(launches, number) }

    /// Adopts a process of another daemon, with its descriptors from systemd's store.
    ///
    /// If the adoption fails, the release of these descriptors ends the process.
    func adopt(_ handed: HandedProcess, _ descriptors: HandedDescriptors) throws -> ExtensionProcess {
        guard let root = Int32(exactly: handed.root), let sandbox = ConfinementLayers(handed.sandbox),
            let bundle = bundle(of: handed)
        else {
            throw ExtensionHostError(
                .launchFailed, "\(handed.extensionIdentifier) is no longer at \(handed.path)",
                remedy: "Begin again when it is installed there")
        }
        let limits = try limiter.adopt(handed)
        let point = point(of: bundle)
        let spawned = SpawnedProcess(
            pid: root, pidfd: try descriptors.pidfd.duplicate(), enclosure: .processNamespace,
            report: descriptors.report,
            startTime: UInt64(clamping: handed.rootStart), isAdopted: true)
        let share = TurnShare(within: context.shares.share(of: handed.identity?.uid ?? context.owner))
        let denials = sandbox.isEmpty ? nil : try? DenialWatch(descriptors.report, pidfd: spawned.pidfd, share: share)
        let process = ExtensionProcess(
            number: handed.number, program: program(of: bundle, handed), bundle: bundle, point: point,
            timers: point.timers.overridden(by: context.settings.timers).overridden(by: bundle.timers),
            process: spawned,
            peer: nil,
            output: try ProcessOutput(output: descriptors.output, error: descriptors.error, share: share),
            sandbox: sandbox,
            identity: handed.identity, spawnTime: context.past(since: handed.started).instant, context: context,
            handed: handed)
        process.limits = limits
        process.adopt(try ReconnectSocket(Socket(try descriptors.door.duplicate()), share: share), denials)
        connect(process)
        try process.watch()
        try limits?.begin(process, root: root)
        let entitlements = catalog.entitlements(of: bundle)
        process.entitlements = entitlements
        if let folder = context.options.containersFolder {
            containers[process.number] = try ExtensionContainer.make(
                of: bundle, entitlements, in: ContainerFolder(path: folder, of: handed.identity)
            ).container
        }
        add(process)
        return process
    }

    private func point(of bundle: ExtensionBundle) -> ExtensionPoint {
        bundle.isApp ? .app : bundle.isService ? .service : context.options.points[bundle.point]
    }

    /// Returns the bundle of a process of another daemon: an extension, or a service's program.
    private func bundle(of handed: HandedProcess) -> ExtensionBundle? {
        if let service = context.options.services[handed.extensionIdentifier], service.program == handed.path {
            return try? service.bundle()
        }
        return catalog.registry.copies.first {
            $0.bundle.identifier == handed.extensionIdentifier && $0.bundle.path == handed.path
                && $0.bundle.problems.isEmpty
        }?.bundle
    }

    /// Returns the program that a process of this bundle runs under this user.
    func program(of bundle: ExtensionBundle, as identity: UserIdentity?) -> Program {
        inventory.program(
            of: bundle, as: identity, consents(to: bundle, identity),
            prewarmed: context.options.points[bundle.point].prewarm)
    }

    /// Returns the program of a process of another daemon, which runs with the consents of its launch.
    private func program(of bundle: ExtensionBundle, _ handed: HandedProcess) -> Program {
        inventory.program(
            of: bundle, as: handed.identity, handed.consents.isEmpty ? nil : Set(handed.consents),
            prewarmed: context.options.points[bundle.point].prewarm)
    }

    /// Returns the consents of the user to an extension; nil if there are none.
    private func consents(to bundle: ExtensionBundle, _ identity: UserIdentity?) -> Set<String>? {
        values.consents(to: bundle, of: identity?.uid ?? context.owner)
    }

    private func add(_ process: ExtensionProcess) {
        inventory.add(process)
        process.onDeath = { [weak self] in self?.inventory.deaths.append($0.certificate, why: $0.why) }
        process.onExit = { [weak self] in self?.gone($0) }
        process.enterModel()
    }

    private func gone(_ process: ExtensionProcess) {
        containers[process.number] = nil
        inventory.remove(process)
        process.tell(.gone)
        context.activityChanged()
        if inventory.processes.isEmpty { onEmpty?() }
    }
}

extension ExtensionPoint {
    /// Returns the deviations from the usual confinement for one launch.
    fileprivate func confinement(of bundle: ExtensionBundle, _ consents: Set<String>?) -> PointConfinement {
        // The attributes are read only for the few points that differ.
        confinement == PointConfinement() ? confinement : confinement.applied(consents ?? [], bundle.attributes)
    }

    /// The policies of an app's process, in place of a point's.
    ///
    /// An app may take `term` to end once it is asked to: about five seconds, as Apple's documentation of
    /// `applicationWillTerminate(_:)` says.
    fileprivate static let app = {
        var point = ExtensionPoint(identifier: "", hasInterface: true)
        point.hostNotifications = false
        point.timers[.term] = .seconds(5)
        return point
    }()

    /// The policies of a service's program.
    fileprivate static let service = {
        var point = ExtensionPoint(identifier: "", hasInterface: false)
        point.hostNotifications = false
        return point
    }()
}
