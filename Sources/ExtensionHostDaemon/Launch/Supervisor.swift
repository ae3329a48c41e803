// Supervisor: launches what the model asks for, and gives orders to all processes.

import EventLog
import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

@HostActor
final class Supervisor {
    private let context: DaemonContext
    private let inventory: Inventory
    private let launcher: Launcher
    private let gate: LaunchGate
    private let breakers: CrashBreakers
    private let prewarming: Prewarming

    init(
        _ context: DaemonContext, _ inventory: Inventory, _ launcher: Launcher, _ gate: LaunchGate, _ breakers: CrashBreakers,
        _ prewarming: Prewarming
    ) {
        self.context = context
        self.inventory = inventory
        self.launcher = launcher
        self.gate = gate
        self.breakers = breakers
        self.prewarming = prewarming
    }

    /// Finds a process for the request, which the model chooses or asks for.
    func serve(_ request: Request) {
        context.driver.betweenSteps { [weak self] in self?.seekProcess(for: request) }
    }

    private func seekProcess(for request: Request) {
        let program = program(of: request)
        endOutdated(of: program, request.bundle)
        context.driver.post(.seeksProcess(request.identifier, program))
    }

    private func program(of request: Request) -> Program { launcher.program(of: request.bundle, as: request.identity) }

    /// Ends each process that would be chosen and has waited with a program that is not there any more.
    private func endOutdated(of program: Program, _ bundle: ExtensionBundle) {
        while let number = context.driver.model.choice(of: program), let process = inventory.processes[number], process.isWaiting,
            process.stamp != bundle.programStamp
        { process.outdate() }
    }

    /// Between steps, as an end of the request may be on its way.
    private func prepareLaunch(for request: Request) {
        guard inventory.requests[request.identifier] === request, request.awaitsProcess else { return }
        guard !context.isStopping else { return request.fail(.daemonStopping, .daemonStopping) }
        let isOpen = gate.isOpen(for: request.bundle) { [weak self] failure in
            // Not counted against the extension, which can do nothing for it.
            if let failure { return request.fail(.launchFailed, failure) }
            self?.serveLater(request)
        }
        guard isOpen else { return }
        let program = program(of: request)
        breakers.passTime(of: program.name)
        endOutdated(of: program, request.bundle)
        context.driver.post(.mayLaunch(request.identifier))
        // Before anything that waits behind this: others may be served by the same process.
        if context.driver.model.isLaunching(request.identifier) { launch(for: request) }
    }

    /// Meanwhile the request may have been cancelled, or the daemon told to stop.
    private func serveLater(_ request: Request) {
        guard inventory.requests[request.identifier] === request, request.awaitsProcess else { return }
        guard !context.isStopping else { return request.fail(.daemonStopping, .daemonStopping) }
        serve(request)
    }

    private func launch(for request: Request) {
        context.driver.tell(.spawning(extension: request.bundle.identifier))
        do throws(ExtensionHostError) {
            let process = try launcher.launch(request.bundle, as: request.identity, for: request.identifier)
            context.driver.post(.assigned(request.identifier, to: process.number))
        } catch {
            request.fail(.launchFailed, error)
        }
    }

    private func explain(_ refusal: LifecycleModel.LaunchRefusal, of request: Request) {
        switch refusal {
        case .breakerOpen: request.explain(breakers.error(program(of: request).name))
        case .quota(let level, let words):
            if let host = request.host { request.explain(QuotaProblem.error(level, words, of: host, context)) }
        }
    }

    // MARK: Orders

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

extension Supervisor: LaunchPerformer {
    func perform(_ effect: LifecycleModel.LaunchEffect) {
        switch effect {
        case .needed(let identifier):
            guard let request = inventory.requests[identifier] else { return }
            context.driver.betweenSteps { [weak self] in self?.prepareLaunch(for: request) }
        case .refused(let request, let why): if let request = inventory.requests[request] { explain(why, of: request) }
        case .schedulePrewarming: prewarming.schedule()
        case .prewarm(let program): prewarming.launch(program)
        case .prewarmLimit(let waiting, let ofUser): prewarming.reachedLimit(waiting: waiting, ofUser: ofUser)
        case .breakerOpened(let name, _, let pause, _): breakers.opened(name, for: pause)
        case .breakerClosed(let name, _): breakers.closed(name)
        }
    }
}
