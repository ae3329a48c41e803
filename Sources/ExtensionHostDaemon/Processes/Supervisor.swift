// Supervisor: which process serves a request, and the launch of a new one.

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

/// Every running extension and app by its number, and the recent dead.
@HostActor
final class Supervisor {
    unowned let engine: Engine
    private(set) var processes: [Int: ExtensionProcess] = [:]
    /// The same by their extension: each begin asks which of them run.
    private var processesByExtension: [String: [Int: ExtensionProcess]] = [:]
    /// The processes by pid. Each event with a pid is looked up here.
    private var numbersByPid: [Int: Int] = [:]
    /// By the number of the process: where it may leave things.
    private(set) var containers: [Int: ExtensionContainer] = [:]
    /// What a launch has to wait for.
    var removals = PendingRemovals()
    /// For `exits`.
    var register = DeathRegister()
    /// The last that nobody had wished for.
    private(set) var lastDeath: (record: DeathRecord, why: ExtensionHostError?, user: UInt32?)?
    private var launches = 0
    /// By identifier, of those that have failed and answered nothing since.
    private var breakers: [BreakerName: CrashBreaker] = [:]
    /// The bundles of strangers must not fill the memory.
    private static let breakersKept = 1024
    /// Told when the last process has gone.
    var onEmpty: (@HostActor () -> Void)?

    init(engine: Engine) { self.engine = engine }

    /// Gives the request to a process that can take it, or launches one. The choice depends on other requests, so it is
    /// made between steps.
    func serve(_ request: Request) {
        engine.driver.betweenSteps { [weak self] in self?.choose(for: request) }
    }

    private func choose(for request: Request) {
        let running = (processesByExtension[request.bundle.identifier] ?? [:]).values.filter {
            $0.bundle == request.bundle && $0.identity == request.identity && $0.takesRequests
        }
        // The one that has waited for longest, before one that is still launched.
        for process in running.sorted(by: { ($0.isReady ? 0 : 1, $0.number) < ($1.isReady ? 0 : 1, $1.number) }) {
            guard process.isWaiting else {
                engine.figures.served(isWarm: true)
                return process.assign(request)
            }
            if give(process, to: request) { return }
        }
        if removals.concerns(request.bundle.identifier) {
            return removals.wait(request.identifier, for: request.bundle.identifier)
        }
        let means = engine.launchMeans
        guard means.areKnown else {
            return means.whenKnown { [weak self] failure in
                if let failure { return request.fail(.launchFailed, failure) }
                self?.serveLater(request)
            }
        }
        // Not counted against the extension, which can do nothing for it.
        if let missing = means.problem { return request.fail(.launchFailed, missing) }
        if let host = request.host, let excess = Charge.problem(adding: Usage(processes: 1), for: host, engine) {
            return request.refuse(.quota, excess)
        }
        // The first launch that has a limit waits until it is known how limits are enforced here.
        guard engine.limiter.isReady || engine.limiter.limits(of: request.bundle).isEmpty else {
            return engine.limiter.whenReady { [weak self] in self?.serveLater(request) }
        }
        // Last, for it counts as the breaker's one try: who comes here again must not find that taken by itself.
        guard mayLaunch(request.bundle, of: request.identity?.uid) else {
            return request.refuse(.breakerOpen, breakerError(request.bundle, of: request.identity?.uid))
        }
        engine.faults?.reached(.spawning, of: request.bundle.identifier)
        do throws(ExtensionHostError) {
            let process = try launch(request.bundle, as: request.identity, for: request.identifier)
            engine.figures.served(isWarm: false)
            process.charge(to: request.host)
            process.assign(request)
        } catch {
            engine.log.append(
                .processExited, request: request.identifier, extensionIdentifier: request.bundle.identifier, cause: .launchFailed,
                detail: error.description)
            ended(request.bundle, of: request.identity?.uid, .launchFailed, isFailure: true)
            request.fail(.launchFailed, error)
        }
    }

    /// Of one that waits for its first request.
    ///
    /// - Returns: whether the request has been dealt with; false where the process runs a program that has been replaced, and so ends.
    private func give(_ process: ExtensionProcess, to request: Request) -> Bool {
        guard process.program == request.bundle.programStamp else {
            process.outdate()
            return false
        }
        // From now on it is that host's, as one that is launched for it.
        if let host = request.host, let excess = Charge.problem(adding: Usage(processes: 1), for: host, engine) {
            request.refuse(.quota, excess)
            return true
        }
        engine.figures.served(isWarm: true)
        process.charge(to: request.host)
        process.assign(request)
        engine.prewarming.used(request.bundle, by: request.identity)
        return true
    }

    /// Meanwhile the request may have been cancelled, or the daemon told to stop.
    func serveLater(_ request: Request) {
        guard engine.requests[request.identifier] === request, request.awaitsProcess else { return }
        guard !engine.isStopping else { return request.fail(.daemonStopping, .daemonStopping) }
        serve(request)
    }

    /// All are about to be ended.
    func noteSpawns() { for process in inOrder { process.noteSpawn() } }

    func stopAll() {
        for process in inOrder { engine.order { process.stop() } }
        if processes.isEmpty { onEmpty?() }
    }

    /// Ends the processes of bundles that are registered no more, in order: their requests are answered, then they are told to end.
    func withdraw(allBut isRegistered: (ExtensionBundle) -> Bool) {
        for process in inOrder where !isRegistered(process.bundle) { engine.order { process.withdraw() } }
    }

    func killAll() {
        for process in inOrder { process.kill(.daemonStopping, by: "daemon") }
    }

    /// The running process with this pid.
    func process(withPid pid: Int) -> ExtensionProcess? { numbersByPid[pid].flatMap { processes[$0] } }

    /// Replaces the pid of the init by that of the program, which has started.
    func hasBegun(_ process: ExtensionProcess, before: Int) {
        if numbersByPid[before] == process.number { numbersByPid[before] = nil }
        numbersByPid[process.pid] = process.number
    }

    private func add(_ process: ExtensionProcess) {
        processes[process.number] = process
        numbersByPid[process.pid] = process.number
        processesByExtension[process.bundle.identifier, default: [:]][process.number] = process
        process.enterModel()
    }

    /// As they were launched.
    var inOrder: [ExtensionProcess] { processes.values.sorted { $0.number < $1.number } }

    func remember(_ death: DeathCertificate, why: ExtensionHostError?) {
        if !death.record.exit.cause.isWishedFor { lastDeath = (death.alone, why, death.user) }
        register.append(death)
    }

    // MARK: Breakers

    /// Of the system's daemon each user has breakers of its own: nobody keeps an extension from others.
    struct BreakerName: Hashable {
        let identifier: String
        let user: UInt32?
    }

    private func name(_ bundle: ExtensionBundle, _ user: UInt32?) -> BreakerName {
        BreakerName(identifier: bundle.identifier, user: user)
    }

    func mayLaunch(_ bundle: ExtensionBundle, of user: UInt32?) -> Bool {
        breakers[name(bundle, user)]?.mayLaunch(at: engine.clock.now) ?? true
    }

    /// Whether it has failed so often that nothing is launched, or one launch is being tried; asking changes nothing.
    func isBroken(_ bundle: ExtensionBundle, of user: UInt32?) -> Bool {
        breakers[name(bundle, user)].map { $0.state != .closed } ?? false
    }

    func breakerError(_ bundle: ExtensionBundle, of user: UInt32?) -> ExtensionHostError {
        let breaker = breakers[name(bundle, user)]
        let delay = breaker?.delay(at: engine.clock.now) ?? 0
        return ExtensionHostError(
            .breakerOpen,
            "\(bundle.identifier) has failed \(breaker?.failures ?? 0) times in a row and is not launched for a while",
            remedy:
                "Wait \(Int(delay.rounded(.up))) s, or exthostctl reset \(bundle.identifier); exthostctl exits shows the failures"
        )
    }

    /// It has answered a request.
    func answered(_ bundle: ExtensionBundle, of user: UInt32?) {
        guard var breaker = breakers.removeValue(forKey: name(bundle, user)), breaker.close() else { return }
        engine.log.append(.breakerClosed, extensionIdentifier: bundle.identifier, of: user)
    }

    /// One of its processes is no more, or did not come to be.
    func ended(_ bundle: ExtensionBundle, of user: UInt32?, _ cause: Cause, isFailure: Bool) {
        guard let limit = engine.settings.breakerLimit else { return }
        let name = name(bundle, user)
        guard isFailure else {
            breakers[name]?.ended()
            return
        }
        if breakers[name] == nil, breakers.count >= Self.breakersKept { return }
        var breaker = breakers[name] ?? CrashBreaker(limit: limit)
        let hasOpened = breaker.failed(at: engine.clock.now)
        breakers[name] = breaker
        guard hasOpened else { return }
        engine.log.append(
            .breakerOpened, extensionIdentifier: bundle.identifier, cause: cause,
            detail: "\(breaker.failures) failures in a row, next try in \(breaker.delay(at: engine.clock.now)) s", of: user)
    }

    /// An operator's word. False when there was nothing to reset.
    ///
    /// - Parameter user: whose; nil: everybody's.
    func resetBreaker(_ identifier: String, of user: UInt32?) -> Bool {
        let names = breakers.keys.filter { $0.identifier == identifier && (user == nil || $0.user == user) }
        for name in names {
            guard var breaker = breakers.removeValue(forKey: name), breaker.close() else { continue }
            engine.log.append(.breakerClosed, extensionIdentifier: identifier, detail: "reset", of: name.user)
        }
        return !names.isEmpty
    }

    /// Those that keep an extension from being launched, in the order of their names.
    func openBreakers(for reach: Reach) -> [BreakerRecord] {
        let now = engine.clock.now
        return breakers.filter { $0.value.state != .closed && reach.includes($0.key.user) }
            .sorted { ($0.key.identifier, $0.key.user ?? 0) < ($1.key.identifier, $1.key.user ?? 0) }.map {
                BreakerRecord(
                    extensionIdentifier: $0.key.identifier, state: $0.value.name, failures: $0.value.failures,
                    delay: $0.value.delay(at: now))
            }
    }

    // MARK: Launch

    /// - Parameters:
    ///   - arguments: of an app's program.
    ///   - identity: whose rights it gets; nil: the daemon's own user's.
    ///   - request: what it is launched for; nil of an extension that is to wait for its first.
    func launch(
        _ bundle: ExtensionBundle, arguments: [String] = [], as identity: UserIdentity?, for request: RequestIdentifier? = nil
    ) throws(ExtensionHostError) -> ExtensionProcess {
        guard let executable = bundle.executable else {
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) has no executable", remedy: "Build it into \(bundle.path)")
        }
        // Where there is none yet, nothing has written there.
        let containers: FolderIdentity?
        do throws(SystemError) {
            containers = try engine.options.containersFolder.flatMap { (path) throws(SystemError) in try FolderIdentity(path) }
        } catch {
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) could not be launched: the folder of containers cannot be opened",
                remedy: Self.scarcity(error) ?? "Let the daemon's user have \(engine.options.containersFolder ?? "it")",
                cause: "\(error)")
        }
        let opened = try OpenedBundle(bundle, outside: containers)
        let entitlements = engine.consented(opened.entitlements, of: bundle)
        for fault in entitlements.refused {
            engine.options.logger.warning("\(bundle.identifier) does not hold an app group: \(fault)")
        }
        for group in entitlements.shared {
            engine.options.logger.notice("\(bundle.identifier) holds another vendor's app group: \(group)")
        }
        var container: ExtensionContainer?
        var files: ExtensionContainer.Files?
        if let folder = engine.options.containersFolder {
            (container, files) = try ExtensionContainer.make(
                of: bundle, entitlements, in: ContainerFolder(path: folder, of: identity))
        }
        let point = bundle.isApp ? .app : engine.options.points[bundle.point]
        let timers = point.timers.overridden(by: engine.settings.timers).overridden(by: bundle.timers)
        let isPrewarmed = request == nil && !bundle.isApp
        // Before the program is executed: one that is replaced meanwhile is taken for another.
        let program = isPrewarmed ? bundle.programStamp : nil
        var limits: LimitWatch?
        // What the journal and the store know of it, which a launch that fails takes back.
        var kept: Int?
        do {
            let pair = try SocketPair()
            let door = try SocketPair()
            let output = try Pipe()
            let error = try Pipe()
            var attributes = SpawnAttributes(
                executable: executable, arguments: arguments,
                environment: ExtensionEnvironment.make(for: bundle, container, identity),
                workingDirectory: bundle.folder)
            attributes.standardOutput = .descriptor(output.writing.raw)
            attributes.standardError = .descriptor(error.writing.raw)
            attributes.descriptors = [.init(parent: pair.second.raw, child: ExtensionEnvironment.socket)]
            // An app that loses its connection does without.
            if !bundle.isApp { attributes.descriptors.append(.init(parent: door.second.raw, child: ExtensionEnvironment.door)) }
            attributes.limits = [DescriptorLimit.forExtensions]
            let isKept = engine.keeping?.mayKeep(bundle) == true
            attributes.onDaemonExit = isKept ? .keep : .terminate
            attributes.identity = identity
            if let initProgram = engine.options.initProgram {
                attributes.enclosure = engine.launchMeans.treeKill.enclosure(initProgram)
            }
            attributes.confinement = ExtensionConfinement.make(
                for: opened, entitlements, layers: engine.launchMeans.sandbox, container: files, containers, identity)
            limits = try engine.limiter.prepare(bundle, &attributes, for: request, isKept: isKept)
            let near = pair.first
            // All descriptors of the process have their turns together, and its user's processes have theirs.
            let share = TurnShare(within: engine.shares.share(of: identity?.uid ?? engine.owner))
            let peer = try Peer(
                socket: near, buffer: engine.buffer, recorder: engine.recorder, figures: engine.figures, share: share)
            let doorEnd = door.first
            let streams = try ProcessOutput(output: output.reading, error: error.reading, share: share)
            let now = engine.clock.now
            KillPoint.pass()
            let spawned = try spawn(attributes)
            KillPoint.pass()
            let root = spawned.pid
            launches += 1
            if let keeping = engine.keeping, !bundle.isApp {
                let parts = [doorEnd.raw, spawned.report?.raw ?? -1, output.reading.raw, error.reading.raw]
                var record = KeptProcess(
                    number: launches, extensionIdentifier: bundle.identifier, path: bundle.path, root: Int(root),
                    rootStart: Int(clamping: spawned.startTime), started: Int(engine.clock.wallClockNow / 1000),
                    sandbox: (attributes.confinement?.layers ?? .none).description,
                    inodes: isKept ? parts.compactMap { KeptDescriptors.inode(of: $0) } : [])
                (record.identity, record.isPrewarmed) = (identity, isPrewarmed)
                if let limits { (record.limits, record.groups) = (limits.limits, limits.groups) }
                keeping.launched(record, parts + [spawned.pidfd.raw])
                kept = record.number
            }
            peer.label.identify(bundle.isApp ? .app : .extension, bundle.identifier)
            var denials: DenialWatch?
            if attributes.confinement != nil, let report = spawned.report {
                denials = try? DenialWatch(report, pidfd: spawned.pidfd, share: share)
            }
            let process = ExtensionProcess(
                number: launches, bundle: bundle, point: point, timers: timers, process: spawned, peer: peer, output: streams,
                sandbox: attributes.confinement?.layers ?? .none, identity: identity, spawnTime: now, engine: engine,
                isPrewarmed: isPrewarmed)
            process.program = program
            process.limits = limits
            process.adopt(try ExtensionDoor(doorEnd, share: share), denials)
            try process.watch()
            try limits?.begin(process, root: root)
            self.containers[process.number] = container
            add(process)
            engine.turns?.stir(process)
            process.onExit = { [weak self] in self?.gone($0) }
            // It may run already: known to everybody by now, and whose story its start belongs to.
            process.begin(for: request)
            return process
        } catch {
            limits?.end()
            if let kept { engine.keeping?.exited(kept) }
            if let error = error as? ExtensionHostError { throw error }
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) could not be launched",
                remedy: Self.scarcity(error) ?? "Check that \(executable) runs by itself", cause: "\(error)")
        }
    }

    /// What to do where it was not the program's fault; nil where it may be.
    private static func scarcity(_ error: any Error) -> String? {
        var failure = error as? SystemError
        if case .failed(_, let inSpawn)? = error as? SpawnError { failure = inSpawn }
        return switch failure?.code {
        case EMFILE: "Let the daemon have more descriptors (LimitNOFILE= of its unit, ulimit -n), or end some extensions"
        case ENFILE: "The system has no descriptor left (fs.file-max): end what holds many"
        case ENOMEM: "There is no memory left for another process: end something, or let the daemon have more (MemoryMax=)"
        case EAGAIN: "There are as many processes as are allowed (TasksMax= of its unit, ulimit -u): end some, or allow more"
        case ENOSPC, EDQUOT: "Make room on the disk that holds the daemon's state and containers"
        default: nil
        }
    }

    /// Another daemon has launched as many.
    func goOnCounting(from number: Int) { launches = max(launches, number) }

    /// Takes over a process of another daemon. What it has in the store is used up by this, or ends it.
    func adopt(_ kept: KeptProcess, _ descriptors: KeptDescriptors) throws -> ExtensionProcess {
        guard let root = Int32(exactly: kept.root), let sandbox = ConfinementLayers(kept.sandbox),
            let bundle = engine.registry.copies.first(where: {
                $0.bundle.identifier == kept.extensionIdentifier && $0.bundle.path == kept.path && $0.bundle.problems.isEmpty
            })?.bundle
        else {
            throw ExtensionHostError(
                .launchFailed, "\(kept.extensionIdentifier) is not at \(kept.path) any more",
                remedy: "Begin again once it is there")
        }
        let limits = try engine.limiter.adopt(kept)
        let point = engine.options.points[bundle.point]
        let spawned = SpawnedProcess(
            pid: root, pidfd: try descriptors.pidfd.duplicate(), enclosure: .processNamespace, report: descriptors.report,
            startTime: UInt64(clamping: kept.rootStart), isAdopted: true)
        let share = TurnShare(within: engine.shares.share(of: kept.identity?.uid ?? engine.owner))
        let denials = sandbox.isEmpty ? nil : try? DenialWatch(descriptors.report, pidfd: spawned.pidfd, share: share)
        let process = ExtensionProcess(
            number: kept.number, bundle: bundle, point: point,
            timers: point.timers.overridden(by: engine.settings.timers).overridden(by: bundle.timers), process: spawned,
            peer: nil,
            output: try ProcessOutput(output: descriptors.output, error: descriptors.error, share: share), sandbox: sandbox,
            identity: kept.identity, spawnTime: engine.past(since: kept.started).instant, engine: engine, kept: kept)
        process.limits = limits
        process.adopt(try ExtensionDoor(Socket(try descriptors.door.duplicate()), share: share), denials)
        try process.watch()
        try limits?.begin(process, root: root)
        if let folder = engine.options.containersFolder {
            containers[process.number] = try ExtensionContainer.make(
                of: bundle, engine.entitlements(of: bundle), in: ContainerFolder(path: folder, of: kept.identity)
            ).container
        }
        add(process)
        process.onExit = { [weak self] in self?.gone($0) }
        return process
    }

    /// Of another daemon: what has served it tells it of its end.
    func hostIsBack(_ host: HostSession) {
        for process in processes.values { process.isBack(host) }
    }

    private func gone(_ process: ExtensionProcess) {
        containers[process.number] = nil
        processes[process.number] = nil
        if numbersByPid[process.pid] == process.number { numbersByPid[process.pid] = nil }
        let identifier = process.bundle.identifier
        processesByExtension[identifier]?[process.number] = nil
        if processesByExtension[identifier]?.isEmpty == true { processesByExtension[identifier] = nil }
        engine.keeping?.exited(process.number)
        engine.activityChanged()
        if processes.isEmpty { onEmpty?() }
    }
}

extension ExtensionPoint {
    /// In place of a point's: what an app's process has of policies. It may take `term` to end once it is told to: about five seconds, as Apple's
    /// documentation of `applicationWillTerminate(_:)` says.
    fileprivate static let app = {
        var point = ExtensionPoint(identifier: "", hasInterface: true)
        point.hostNotifications = false
        point.timers[.term] = .seconds(5)
        return point
    }()
}
