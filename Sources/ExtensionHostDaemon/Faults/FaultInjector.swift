// FaultInjector: lets ordered faults happen to processes, their connections and the daemon itself.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem

/// The plan, and how each fault is done. An engine has one only once a fault was ordered, so that all others pay one look at nil.
///
/// What kills the program also stops the daemon's ears for it: what it was just about to say depends on luck, and the same order is to
/// have the same consequences each time. So the moments of a request's life are told before the packet goes out that makes them.
@HostActor
final class FaultInjector {
    private unowned let engine: Engine
    private var plan = FaultPlan()
    /// Ends of slowness that are still to come.
    private var delays: [Int: Deadline] = [:]
    private var lastDelay = 0

    init(engine: Engine) { self.engine = engine }

    var records: [FaultRecord] { plan.records }

    func add(_ order: FaultOrder) throws(ExtensionHostError) { try plan.add(order) }

    func clear() {
        plan.clear()
        for scarcity in [Scarcity.descriptors, .memory, .disk] { scarcity.clear() }
    }

    /// A process has come to a point of its life.
    func reached(_ point: FaultPoint, _ process: ExtensionProcess) {
        for strike in plan.strikes(at: point, of: process.bundle.identifier) {
            note(strike, process)
            if strike.kind.needsProcess { befall(process, strike) } else { befall(strike) }
        }
    }

    /// The daemon has, on behalf of an extension or on its own.
    func reached(_ point: FaultPoint, of identifier: String? = nil) {
        for strike in plan.strikes(at: point, of: identifier) where !strike.kind.needsProcess {
            engine.log.append(.faultInjected, extensionIdentifier: identifier, detail: strike.words)
            befall(strike)
        }
    }

    private func note(_ strike: FaultPlan.Strike, _ process: ExtensionProcess) {
        engine.log.append(
            .faultInjected, extensionIdentifier: process.bundle.identifier, pid: process.pid, detail: strike.words)
    }

    private func befall(_ process: ExtensionProcess, _ strike: FaultPlan.Strike) {
        let peer = process.peer
        switch strike.kind {
        case .kill, .crash, .stop:
            // A stopped one is heard again once it goes on.
            process.hindrance.strike(isMute: true)
            process.isStruckDown = strike.kind != .stop
            process.signalProgram(strike.kind == .kill ? SIGKILL : strike.kind == .crash ? SIGSEGV : SIGSTOP)
        case .slow: slow(process, strike)
        case .cut: peer?.cut()
        case .exit:
            process.hindrance.strike(isMute: true)
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
                // It finds the fault at once, and what its other threads may still say then is luck.
                guard strike.kind != .reorder else { return }
                process.hindrance.strike(isMute: false)
                process.isStruckDown = true
                return
            }
            peer?.disturbNextReceived(disturbance)
        }
    }

    private func slow(_ process: ExtensionProcess, _ strike: FaultPlan.Strike) {
        let isSent = strike.sent
        process.hindrance.beginDelay(sent: isSent)
        lastDelay += 1
        let number = lastDelay
        delays[number] = engine.clock.schedule(after: .seconds(strike.delay)) { [weak self, weak process] in
            self?.delays[number] = nil
            process?.hindrance.endDelay(sent: isSent)
        }
    }

    /// What others do to it: when what is being done for it is done, but before the packet that makes the moment.
    private func inTurn(_ body: @escaping @HostActor () -> Void) {
        if let turns = engine.turns { turns.send(body) } else { EventLoop.shared.atEndOfIteration(body) }
    }

    private func lose(_ host: HostSession?) {
        guard let host else { return }
        if let session = engine.sessions.values.first(where: { $0.serves(host.peer) }) {
            session.end()
        } else {
            host.peer.close(.closed)
        }
    }

    private func remove(_ bundle: ExtensionBundle) {
        // Another thread does it; no time passes meanwhile.
        let done = engine.turns?.beginWork()
        engine.discovery?.remove(bundle.path) { _ in Task { @HostActor in done?() } }
    }

    private func befall(_ strike: FaultPlan.Strike) {
        switch strike.kind {
        case .fullDisk: Scarcity.disk.order()
        case .noMemory: Scarcity.memory.order()
        case .noDescriptors: Scarcity.descriptors.order()
        case .busGone: engine.leaveBus?()
        default: break
        }
    }
}

extension FaultInjector: EffectObserver {
    func willPerform(_ effect: LifecycleModel.Effect) {
        switch effect {
        case .request(let request, .deliver):
            guard let process = engine.requests[request]?.process, process.peer != nil else { return }
            reached(.delivered, process)
            if process.requests.values.contains(where: { $0.isOpen && $0.hasBeenDelivered }) { reached(.two, process) }
        case .request(let request, .acknowledgeExtension):
            guard let request = engine.requests[request], request.hasWork, let process = request.process else { return }
            reached(.handler, process)
        case .process(let number, .sendTerminate): reached(.terminating, number)
        case .process(let number, .sendExpired): reached(.expired, number)
        case .settled(let number, .ready), .settled(let number, .prewarmed): reached(.ready, number)
        case .settled(let number, .idle): reached(.idle, number)
        case .settled(let number, .suspended): reached(.suspended, number)
        default: break
        }
    }

    private func reached(_ point: FaultPoint, _ process: Int) {
        if let process = engine.supervisor.processes[process] { reached(point, process) }
    }
}

extension FaultPlan.Strike {
    /// As the log shows it.
    fileprivate var words: String { "\(kind.rawValue) at \(point.rawValue)" + (sent ? ", of what is sent to it" : "") }
}
