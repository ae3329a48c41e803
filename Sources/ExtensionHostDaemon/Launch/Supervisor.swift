// Supervisor: which process serves a request, and the orders to all processes.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

@HostActor
final class Supervisor {
    private let context: DaemonContext
    private let inventory: Inventory
    private let launcher: Launcher
    private let means: LaunchMeans
    private let limiter: Limiter
    private let breakers: CrashBreakers
    private let removals: ContainerRemovals
    private let prewarming: Prewarming

    init(
        _ context: DaemonContext, _ inventory: Inventory, _ launcher: Launcher, _ means: LaunchMeans, _ limiter: Limiter,
        _ breakers: CrashBreakers, _ removals: ContainerRemovals, _ prewarming: Prewarming
    ) {
        self.context = context
        self.inventory = inventory
        self.launcher = launcher
        self.means = means
        self.limiter = limiter
        self.breakers = breakers
        self.removals = removals
        self.prewarming = prewarming
    }

    /// Gives the request to a process that can take it, or launches one. The choice depends on other requests, so it is
    /// made between steps.
    func serve(_ request: Request) {
        context.driver.betweenSteps { [weak self] in self?.choose(for: request) }
    }

    private func choose(for request: Request) {
        let running = inventory.processes(of: request.bundle.identifier).filter {
            $0.bundle == request.bundle && $0.identity == request.identity && $0.takesRequests
        }
        // The one that has waited for longest, before one that is still launched.
        for process in running.sorted(by: { ($0.isReady ? 0 : 1, $0.number) < ($1.isReady ? 0 : 1, $1.number) }) {
            guard process.isWaiting else {
                return process.assign(request, isWarm: true)
            }
            if give(process, to: request) { return }
        }
        if removals.concerns(request.bundle.identifier) {
            return removals.wait(for: request.bundle.identifier) { [weak self] in self?.serveLater(request) }
        }
        guard means.areKnown else {
            return means.whenKnown { [weak self] failure in
                if let failure { return request.fail(.launchFailed, failure) }
                self?.serveLater(request)
            }
        }
        // Not counted against the extension, which can do nothing for it.
        if let missing = means.problem { return request.fail(.launchFailed, missing) }
        if let host = request.host,
            let excess = QuotaProblem.of(adding: Usage(processes: 1), to: host, context)
        {
            return request.refuse(.quota, excess)
        }
        // The first launch that has a limit waits until it is known how limits are enforced here.
        guard limiter.isReady || limiter.limits(of: request.bundle).isEmpty else {
            return limiter.whenReady { [weak self] in self?.serveLater(request) }
        }
        // Last, for it counts as the breaker's one try: who comes here again must not find that taken by itself.
        guard breakers.mayLaunch(request.bundle, of: request.identity?.uid) else {
            return request.refuse(.breakerOpen, breakers.error(request.bundle, of: request.identity?.uid))
        }
        context.driver.tell(.spawning(extension: request.bundle.identifier))
        do throws(ExtensionHostError) {
            let process = try launcher.launch(request.bundle, as: request.identity, for: request.identifier)
            process.assign(request, isWarm: false)
        } catch {
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
        if let host = request.host,
            let excess = QuotaProblem.of(adding: Usage(processes: 1), to: host, context)
        {
            request.refuse(.quota, excess)
            return true
        }
        process.assign(request, isWarm: true)
        prewarming.used(request.bundle, by: request.identity)
        return true
    }

    /// Meanwhile the request may have been cancelled, or the daemon told to stop.
    func serveLater(_ request: Request) {
        guard inventory.requests[request.identifier] === request, request.awaitsProcess else { return }
        guard !context.isStopping else { return request.fail(.daemonStopping, .daemonStopping) }
        serve(request)
    }

    /// All are about to be ended.
    func noteSpawns() { for process in inventory.processesInOrder { process.noteSpawn() } }

    func stopAll() {
        for process in inventory.processesInOrder { context.order { process.stop() } }
        if inventory.processes.isEmpty { launcher.onEmpty?() }
    }

    /// Ends the processes of bundles that are registered no more, in order: their requests are answered, then they are told to end.
    func withdraw(allBut isRegistered: (ExtensionBundle) -> Bool) {
        for process in inventory.processesInOrder where !isRegistered(process.bundle) { context.order { process.withdraw() } }
    }

    func killAll() {
        for process in inventory.processesInOrder { process.kill(.daemonStopping, by: "daemon") }
    }
}
