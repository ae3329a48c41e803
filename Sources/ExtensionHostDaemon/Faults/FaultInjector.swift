// FaultInjector: the injection of ordered faults into processes, their connections and the daemon itself.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// Injects the ordered faults. It observes the model only once a fault was ordered, so that it costs nothing before.
///
/// A fault that kills the program also stops the daemon from reading its connection. The packets that the program was
/// about to send depend on luck, and the same order must have the same consequences each time. The injector therefore
/// acts on a point of a request's life before the daemon sends the packet that makes it.
@HostActor
final class FaultInjector {
    private let context: DaemonContext
    private let inventory: Inventory
    private let catalog: BundleCatalog
    private let sessions: SessionTable
    /// Breaks the connection to the bus, if there is one.
    var leaveBus: (@HostActor () -> Void)?
    private var isWatching = false
    private var plan = FaultPlan()
    /// The pending ends of injected slowness.
    private var delays: [Int: Deadline] = [:]
    private var lastDelay = 0

    init(_ context: DaemonContext, _ inventory: Inventory, _ catalog: BundleCatalog, _ sessions: SessionTable) {
        self.context = context
        self.inventory = inventory
        self.catalog = catalog
        self.sessions = sessions
    }

    var records: [FaultRecord] { plan.records }

    func add(_ order: FaultOrder) throws(ExtensionHostError) {
        try plan.add(order)
        guard !isWatching else { return }
        isWatching = true
        context.awaitsAcknowledgements = true
        // The injector is the first observer, so that its line precedes in the log the line of the consequence.
        context.driver.effectObservers.insert(self, at: 0)
        context.driver.eventObservers.insert(self, at: 0)
    }

    func clear() {
        plan.clear()
        for injection in [FailureInjection.descriptors, .memory, .disk] { injection.clear() }
    }

    /// Injects the faults for a point of its life that a process has reached.
    func reached(_ point: FaultPoint, _ process: ExtensionProcess) {
        for strike in plan.strikes(at: point, of: process.bundle.identifier) {
            note(strike, process)
            if strike.kind.needsProcess { befall(process, strike) } else { befall(strike) }
        }
    }

    /// Injects the faults for a point that the daemon has reached, on behalf of an extension or on its own.
    func reached(_ point: FaultPoint, of identifier: String? = nil) {
        for strike in plan.strikes(at: point, of: identifier) where !strike.kind.needsProcess {
            context.log.append(.faultInjected, extensionIdentifier: identifier, detail: strike.summary)
            befall(strike)
        }
    }

    private func note(_ strike: FaultPlan.Strike, _ process: ExtensionProcess) {
        context.log.append(
            .faultInjected, extensionIdentifier: process.bundle.identifier, pid: process.pid, detail: strike.summary)
    }

    private func befall(_ process: ExtensionProcess, _ strike: FaultPlan.Strike) {
        let peer = process.peer
        switch strike.kind {
        case .kill, .crash, .stop:
            // The daemon reads a stopped process again once it continues.
            process.peerFault.begin(isMute: true)
            process.isStruckDown = strike.kind != .stop
            process.signalProgram(strike.kind == .kill ? SIGKILL : strike.kind == .crash ? SIGSEGV : SIGSTOP)
        case .slow: slow(process, strike)
        case .cut: peer?.cut()
        case .exit:
            process.peerFault.begin(isMute: true)
            process.isStruckDown = true
            process.exitProgram(3)
        case .closeSocket: inTurn { [weak process] in process?.loseSocket() }
        case .hostGone: inTurn { [weak self, weak process] in self?.lose(process?.host) }
        case .hostCancel: inTurn { [weak process] in process?.cancelOldest() }
        case .operatorKill: inTurn { [weak process] in process?.kill(.terminatedByOperator, by: "operator") }
        case .removeBundle: remove(process.bundle)
        default:
            guard let disturbance = strike.disturbance else { return }
            guard !strike.sent else {
                peer?.disturbNextSent(disturbance)
                // The process finds the fault at once; the packets that its other threads may still send are luck.
                guard strike.kind != .reorder else { return }
                process.peerFault.begin(isMute: false)
                process.isStruckDown = true
                return
            }
            peer?.disturbNextReceived(disturbance)
        }
    }

    private func slow(_ process: ExtensionProcess, _ strike: FaultPlan.Strike) {
        let isSent = strike.sent
        process.peerFault.beginDelay(sent: isSent)
        lastDelay += 1
        let number = lastDelay
        delays[number] = context.clock.schedule(after: .seconds(strike.delay)) { [weak self, weak process] in
            self?.delays[number] = nil
            process?.peerFault.endDelay(sent: isSent)
        }
    }

    /// Injects a fault by another party: after the current work for the process, but before the packet that makes the
    /// point.
    private func inTurn(_ body: @escaping @HostActor () -> Void) {
        if let scheduler = context.scheduler { scheduler.send(body) } else { EventLoop.shared.atEndOfIteration(body) }
    }

    private func lose(_ host: Host?) {
        guard let host else { return }
        if let session = sessions.session(of: host.peer) {
            session.end()
        } else {
            host.peer.close(.closed)
        }
    }

    private func remove(_ bundle: ExtensionBundle) {
        // Another thread removes the bundle; no virtual time passes meanwhile.
        let done = context.scheduler?.beginWork()
        catalog.discovery?.remove(bundle.path) { _ in Task { @HostActor in done?() } }
    }

    private func befall(_ strike: FaultPlan.Strike) {
        switch strike.kind {
        case .fullDisk: FailureInjection.disk.order()
        case .noMemory: FailureInjection.memory.order()
        case .noDescriptors: FailureInjection.descriptors.order()
        case .busGone: leaveBus?()
        default: break
        }
    }
}

extension FaultInjector: EffectObserver, EventObserver {
    func willPerform(_ effect: LifecycleModel.Effect) {
        switch effect {
        case .request(let request, .deliver):
            guard let process = inventory.requests[request]?.process, process.peer != nil else { return }
            reached(.delivered, process)
            if process.requests.values.contains(where: { $0.isOpen && $0.hasBeenDelivered }) { reached(.two, process) }
        case .request(let request, .acknowledgeExtension):
            guard let request = inventory.requests[request], request.hasWork, let process = request.process else {
                return
            }
            reached(.handler, process)
        case .process(let number, .sendTerminate): reached(.terminating, number)
        case .process(let number, .sendExpired): reached(.expired, number)
        case .settled(let number, .ready), .settled(let number, .prewarmed): reached(.ready, number)
        case .settled(let number, .idle): reached(.idle, number)
        case .settled(let number, .suspended): reached(.suspended, number)
        default: break
        }
    }

    func happened(_ event: LifecycleEvent) {
        switch event {
        case .spawning(let identifier): reached(.spawning, of: identifier)
        case .process(let process, .started): reached(.launching, process)
        case .process(let process, .answerSent): reached(.answered, process)
        case .process(let process, .asked(let kind)): reached(kind.points?.asked, process)
        case .process(let process, .answered(let kind)): reached(kind.points?.answered, process)
        default: break
        }
    }

    private func reached(_ point: FaultPoint?, _ process: Int) {
        if let point, let process = inventory.processes[process] { reached(point, process) }
    }
}

extension QuestionBroker.Kind {
    /// The points of such a question, if it has any.
    fileprivate var points: (asked: FaultPoint, answered: FaultPoint)? {
        switch self {
        case .load: (.loadOpen, .loadAnswered)
        case .hostCall, .extensionCall: (.call, .called)
        case .view, .act, .hostPart, .extensionPart: nil
        }
    }
}

extension FaultPlan.Strike {
    /// The fault's text in the log.
    fileprivate var summary: String {
        "\(kind.rawValue) at \(point.rawValue)" + (sent ? ", of what is sent to it" : "")
    }
}
