// Supervisor: the launches that the model asks for, and the orders to all processes.

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
        _ context: DaemonContext, _ inventory: Inventory, _ launcher: Launcher, _ gate: LaunchGate,
        _ breakers: CrashBreakers,
        _ prewarming: Prewarming
    ) {
        self.context = context
        self.inventory = inventory
        self.launcher = launcher
        self.gate = gate
        self.breakers = breakers
        self.prewarming = prewarming
    }

    /// Asks the model for a process for the request: the model chooses one, or asks for a launch.
    func serve(_ request: Request) {
        context.driver.betweenSteps { [weak self] in self?.seekProcess(for: request) }
    }

    private func seekProcess(for request: Request) {
        let program = program(of: request)
        endOutdated(of: program, request.bundle)
        context.driver.post(.seeksProcess(request.identifier, program))
    }

    private func program(of request: Request) -> Program { launcher.program(of: request.bundle, as: request.identity) }

    /// Ends each waiting process that the model would choose and whose program file has been replaced.
    private func endOutdated(of program: Program, _ bundle: ExtensionBundle) {
        while let number = context.driver.choice(of: program), let process = inventory.processes[number],
            process.isWaiting,
            process.stamp != bundle.programStamp
        { process.outdate() }
    }

    /// Prepares the launch for a request between steps of the model, because the end of the request may be queued.
    private func prepareLaunch(for request: Request) {
        guard inventory.requests[request.identifier] === request, request.awaitsProcess else { return }
        guard !context.isStopping else { return request.fail(.daemonStopping, .daemonStopping) }
        let isOpen = gate.isOpen(for: request.bundle) { [weak self] failure in
            // The failure does not count against the extension, which cannot change it.
            if let failure { return request.fail(.launchFailed, failure) }
            self?.serveLater(request)
        }
        guard isOpen else { return }
        let program = program(of: request)
        breakers.passTime(of: program.name)
        endOutdated(of: program, request.bundle)
        context.driver.post(.mayLaunch(request.identifier))
        // The launch comes before all queued steps, because the same process may serve other requests.
        if context.driver.isLaunching(request.identifier) { launch(for: request) }
    }

    /// Serves a request that had to wait, unless it was cancelled meanwhile or the daemon stops.
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

    /// Records the spawns of all processes before the daemon ends them.
    func noteSpawns() { for process in inventory.processesInOrder { process.noteSpawn() } }

    func stopAll() {
        for process in inventory.processesInOrder { context.order { process.stop() } }
        if inventory.processes.isEmpty { launcher.onEmpty?() }
    }

    /// Ends the processes of bundles that are no longer registered. First their requests are answered, then the
    /// processes are asked to end.
    func withdraw(allBut isRegistered: (ExtensionBundle) -> Bool) {
        for process in inventory.processesInOrder
        where !process.bundle.isService && !isRegistered(process.bundle) {
            context.order { process.withdraw() }
        }
    }

    /// Ends the apps that are not registered, if their bundles are gone. An app that has only lost its extensions
    /// stays.
    ///
    /// A thread reads the bundles. Without one all these apps end.
    func withdrawGoneApps(allBut isRegistered: (ExtensionBundle) -> Bool) {
        let apps = inventory.processesInOrder.map(\.bundle).filter { $0.isApp && !isRegistered($0) }
        guard !apps.isEmpty else { return }
        let done = context.scheduler?.beginWork()
        let withdraw: @HostActor @Sendable ([ExtensionBundle]) -> Void = { [weak self] gone in
            self?.withdraw { !gone.contains($0) }
            done?()
        }
        do {
            try startThread(named: "apps") {
                let gone = apps.filter { isApplicationGone($0.identifier, at: $0.path) }
                Task { @HostActor in withdraw(gone) }
            }
        } catch {
            withdraw(apps)
        }
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
