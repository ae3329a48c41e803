// Engine: the composition of the daemon's parts.

import EventLoop
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import Logging

/// The parts of the daemon, made and connected, and nothing else.
///
/// A part is given the parts that it uses, which stand before it here. Services, sessions and the bus use all parts, so
/// they have the engine.
@HostActor
final class Engine {
    let context: DaemonContext
    let inventory = Inventory()
    let sessions = SessionTable()
    let catalog: BundleCatalog
    let values: ExtensionValues
    let limiter: Limiter
    let launchCapabilities: LaunchCapabilities
    let breakers: CrashBreakers
    /// The journal for the next daemon; nil where nothing outlives this one.
    let handover: DaemonHandover?
    let launcher: Launcher
    let removals: ContainerRemovals
    let prewarming: Prewarming
    let supervisor: Supervisor
    let questions: QuestionRouter
    let apps: AppLauncher
    let programs: ServiceLauncher
    let announcements: Announcements
    let faults: FaultInjector
    /// The service manager that started the daemon, if one did.
    let service: ServicePresence?
    /// Admits a connection that a process made through its reconnect socket; set once the daemon listens.
    var admit: (@HostActor (consuming Socket, ExtensionProcess, TurnShare) -> Peer?)?
    /// The bus that the daemon is on, in words.
    var bus: String?

    init(options: DaemonOptions) throws {
        context = try DaemonContext(options: options)
        catalog = BundleCatalog(context)
        values = ExtensionValues(context, catalog)
        limiter = Limiter(options: options)
        launchCapabilities = LaunchCapabilities(context, limiter)
        breakers = CrashBreakers(context)
        handover =
            if let journal = options.journal {
                DaemonHandover(journal: journal, store: options.stored, context, inventory)
            } else {
                nil
            }
        launcher = Launcher(context, inventory, catalog, values, launchCapabilities, limiter, handover)
        removals = ContainerRemovals(context, inventory, launcher)
        let gate = LaunchGate(means: launchCapabilities, limiter: limiter, removals: removals)
        prewarming = Prewarming(context, inventory, catalog, launcher, gate)
        supervisor = Supervisor(context, inventory, launcher, gate, breakers, prewarming)
        questions = QuestionRouter(context, inventory)
        apps = AppLauncher(context, catalog, launcher, gate, breakers)
        programs = ServiceLauncher(context, launcher, gate, breakers)
        questions.programs = { [programs] in programs.provider(of: $0, for: $1, isWanted: $2, answer: $3) }
        programs.isOfHost = { [questions] in questions.isOfHost($0, user: $1) }
        announcements = Announcements(context, inventory)
        faults = FaultInjector(context, inventory, catalog, sessions)
        service = ServicePresence(context, inventory)
        context.scheduler?.parties = inventory
        let performer = StepPerformer(context, inventory)
        performer.endQuestion = { [questions] in questions.requestEnded($0, $1) }
        performer.launches = supervisor
        performer.announce = { [announcements] in announcements.announce($0, ofHost: $1) }
        context.driver.performer = performer
        let log = LifecycleLog(context, inventory)
        let effects: [(any EffectObserver)?] = [questions, handover, log]
        let events: [(any EventObserver)?] = [inventory, context.scheduler, handover, log]
        context.driver.effectObservers = effects.compactMap { $0 }
        context.driver.eventObservers = events.compactMap { $0 }
        configureModel()
        launcher.connect = { [unowned self] in connect($0) }
        if let service { context.onActivityChange.append { [weak service] in service?.activityChanged() } }
        for order in options.faults { try faults.add(order) }
    }

    /// Gives the model the settings in force.
    func configureModel() {
        let settings = context.settings
        var configuration = LifecycleModel.Configuration()
        configuration.breakerLimit = settings.breakerLimit
        configuration.quotas = QuotaProblem.limits(settings)
        configuration.prewarmLimit = Prewarming.limit
        if context.options.isSystem { configuration.prewarmLimitOfUser = Prewarming.limitOfUser }
        configuration.suspendsWhenInactive = settings.suspendsWhenInactive
        context.driver.post(.configured(configuration))
    }

    private func connect(_ process: ExtensionProcess) {
        process.session = ExtensionPeer(
            of: process, context, sessions, questions, apps, values, survives: handover != nil)
        process.door?.admit = { [weak self, weak process] (socket: consuming Socket, share) in
            guard let process else { return nil }
            return self?.admit?(socket, process, share)
        }
    }

    /// Resumes the session of a process that another daemon launched, over a connection of its own.
    ///
    /// - Returns: false if the process may not resume.
    func goOn(_ process: ExtensionProcess, over peer: Peer, _ hello: Hello, _ version: ProtocolVersion) -> Bool {
        (process.session as? ExtensionPeer)?.goOn(over: peer, hello, version) == true
    }

    /// Takes over a delivery of the discovery: the catalog adopts it, and the processes launched ahead are
    /// reconsidered.
    func adopt(_ delivery: Discovery.Delivery) {
        catalog.adopt(delivery)
        if let stored = delivery.values { values.adopt(stored) }
        values.forget(Set(delivery.change.removed))
        prewarming.reconsider()
        context.activityChanged()
    }

    /// Returns the first unused form of `name`: itself, else `NAME-2`, `NAME-3` …
    func uniqueHostName(_ name: String) -> String {
        func isTaken(_ name: String) -> Bool { inventory.hosts[name] != nil || context.absentHosts.contains(name) }
        guard isTaken(name) else { return name }
        var number = 2
        while isTaken("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }
}
