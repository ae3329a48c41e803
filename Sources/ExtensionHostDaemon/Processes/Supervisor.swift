// Supervisor: which process serves a request, and the launch of a new one.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// Every running extension by its number, and the recent dead.
@HostActor
final class Supervisor {
    /// Deaths kept for `exits`.
    private static let deathsKept = 256

    private unowned let engine: Engine
    private(set) var processes: [Int: ExtensionProcess] = [:]
    private(set) var deaths: [DeathRecord] = []
    /// The last that nobody had wished for.
    private(set) var lastDeath: (record: DeathRecord, why: ExtensionHostError?)?
    private var launches = 0
    /// Told when the last process has gone.
    var onEmpty: (@HostActor () -> Void)?

    init(engine: Engine) { self.engine = engine }

    /// Gives the request to a process that can take it, or launches one.
    func serve(_ request: Request) {
        let running = processes.values.filter { $0.bundle == request.bundle && $0.machine.takesRequests }
        if let process = running.min(by: { $0.number < $1.number }) { return process.assign(request) }
        do throws(ExtensionHostError) {
            let process = try launch(request.bundle)
            process.assign(request)
        } catch {
            engine.log.append(
                .processExited, request: request.identifier, extensionIdentifier: request.bundle.identifier, cause: .launchFailed,
                detail: error.description)
            request.processDied(.launchFailed, error)
        }
    }

    /// Tells every extension that serves this host, and whose point lets it hear of that.
    func announce(_ notification: HostNotification, of host: HostSession, sequence: Int) {
        for process in processes.values where process.point.hostNotifications {
            let concerned = process.requests.values.filter {
                $0.host === host && $0.machine.isOpen && $0.timings.delivered != nil
            }
            if !concerned.isEmpty {
                process.announce(notification, to: concerned.map(\.identifier), sequence: sequence)
            }
        }
    }

    func stopAll() {
        for process in Array(processes.values) { process.stop() }
        if processes.isEmpty { onEmpty?() }
    }

    /// Ends the processes of bundles that are registered no more, in order: their requests are answered, then they are told to end.
    func withdraw(allBut isRegistered: (ExtensionBundle) -> Bool) {
        for process in processes.values.sorted(by: { $0.number < $1.number }) where !isRegistered(process.bundle) {
            process.withdraw()
        }
    }

    func killAll() {
        for process in Array(processes.values) { process.kill(.daemonStopping, by: "daemon") }
    }

    func remember(_ death: DeathRecord, why: ExtensionHostError?) {
        if !death.exit.cause.isWishedFor { lastDeath = (death, why) }
        if deaths.count == Self.deathsKept { deaths.removeFirst() }
        deaths.append(death)
    }

    // MARK: Launch

    private func launch(_ bundle: ExtensionBundle) throws(ExtensionHostError) -> ExtensionProcess {
        guard let executable = bundle.executable else {
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) has no executable", remedy: "Build it into \(bundle.path)")
        }
        try bundle.verifyExecutable()
        let point = engine.options.points[bundle.point]
        let timers = point.timers.overridden(by: engine.options.timers).overridden(by: bundle.timers)
        do {
            let pair = try SocketPair()
            let output = try Pipe()
            let error = try Pipe()
            var attributes = SpawnAttributes(
                executable: executable, environment: ExtensionEnvironment.make(), workingDirectory: bundle.folder)
            attributes.standardOutput = .descriptor(output.writing.raw)
            attributes.standardError = .descriptor(error.writing.raw)
            attributes.descriptors = [.init(parent: pair.second.raw, child: ExtensionEnvironment.socket)]
            attributes.limits = [DescriptorLimit.forExtensions]
            attributes.onDaemonExit = .terminate
            if let initProgram = engine.options.initProgram { attributes.enclosure = engine.treeKill.enclosure(initProgram) }
            let near = pair.first
            let peer = try Peer(socket: near, buffer: engine.buffer)
            let streams = try ProcessOutput(output: output.reading, error: error.reading)
            let now = engine.clock.now
            let spawned = try spawn(attributes)
            launches += 1
            let process = ExtensionProcess(
                number: launches, bundle: bundle, point: point, timers: timers, process: spawned, peer: peer, output: streams,
                spawnTime: now, engine: engine)
            try process.watch()
            processes[process.number] = process
            process.onExit = { [weak self] in self?.gone($0) }
            return process
        } catch {
            throw ExtensionHostError(
                .launchFailed, "\(bundle.identifier) could not be launched", remedy: "Check that \(executable) runs by itself",
                cause: "\(error)")
        }
    }

    private func gone(_ process: ExtensionProcess) {
        processes[process.number] = nil
        engine.activityChanged()
        if processes.isEmpty { onEmpty?() }
    }
}
