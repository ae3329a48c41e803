// Request: one request in the daemon: its machine, its parties, and what its effects do.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// A request from begin to close. Made by its host's session; carries out the effects of its state machine.
@HostActor
final class Request {
    let identifier: RequestIdentifier
    let bundle: ExtensionBundle
    let hostName: String
    /// Whose it is, and whose rights its extension has: nil as the daemon's own.
    let user: UInt32
    let identity: UserIdentity?
    let timeout: Duration?
    let began: Int
    /// Counts all requests of this daemon.
    let number: Int
    private(set) weak var host: HostSession?
    private(set) weak var process: ExtensionProcess?
    private var machine: RequestStateMachine
    private(set) var timings = Timings()

    private let waitsForDebugger: Bool
    private var isHeld = false
    /// Until the next look for a debugger.
    private var holding: Deadline?
    private static let tracerLook = Duration.milliseconds(50)
    private static let beginsLimit = 16

    private let engine: Engine
    private let start: UInt64
    /// When its host was told of the end; 0 before.
    private var finish: UInt64 = 0
    /// The items, until the extension has them.
    private var contents: (payload: Payload, descriptors: [SharedDescriptor])
    /// The begin that waits for `begun`.
    private var beginSerials: [UInt32]
    private var timer: PausableDeadline?
    /// The extension's answer, until the host has it.
    private var answer: (payload: Payload, descriptors: [SharedDescriptor]) = (.none, [])
    private var hasWork = false
    /// nil as long as its host has not come back.
    private var charge: Charge?
    private var detail: ExtensionHostError?
    /// What its process was refused while it was open.
    private var refusals: [RefusalRecord] = []

    init(_ message: Begin, packet: Packet, bundle: ExtensionBundle, host: HostSession, engine: Engine) {
        identifier = message.request
        self.bundle = bundle
        self.host = host
        hostName = host.name
        (user, identity) = (host.credentials.uid, host.identity)
        waitsForDebugger = message.waits
        machine = RequestStateMachine(hasInterface: engine.options.points[bundle.point].hasInterface)
        timeout = message.timeout.map { .seconds($0) }
        self.engine = engine
        start = engine.clock.now
        number = engine.nextRequestNumber()
        began = Int(engine.clock.wallClockNow / 1000)
        contents = (packet.payload, packet.descriptors)
        beginSerials = [packet.serial]
        charge = Charge(to: host, engine.usage)
        charge?.set(Self.usage(of: packet))
        engine.log.append(
            .requestCreated, request: identifier, extensionIdentifier: bundle.identifier, host: hostName,
            detail: Self.summary(message.attachments) + (message.force ? ", whatever the activation rule says" : ""))
    }

    /// One that another daemon has given to a process of this extension.
    init(_ kept: KeptRequest, of host: KeptHost, bundle: ExtensionBundle, engine: Engine) {
        identifier = kept.request
        self.bundle = bundle
        hostName = kept.host
        (user, identity) = (host.user, host.identity)
        waitsForDebugger = false
        machine = RequestStateMachine(hasInterface: engine.options.points[bundle.point].hasInterface)
        timeout = kept.timeout.map { .seconds($0) }
        self.engine = engine
        (earlier, start) = engine.past(since: kept.began)
        number = kept.number
        began = kept.began
        contents = (.none, [])
        beginSerials = []
        isKept = true
    }

    private var isKept = false
    /// What passed under other daemons.
    private var earlier = Duration.zero
    /// It has no items for an extension that was not given any, and its host has them still.
    private var wantsItems = false
    private var hostWaits = true
    private var waitingForHost: [@HostActor () -> Void] = []
    private var waitingForExtension: [@HostActor () -> Void] = []
    private static let actsAhead = 16

    /// What a successor has to know of it.
    private func kept(_ end: Cause? = nil) -> KeptRequest {
        KeptRequest(
            request: identifier, number: number, extensionIdentifier: bundle.identifier, host: hostName, process: process?.number,
            began: began, timeout: timeout.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 },
            end: end)
    }

    // MARK: Under another daemon than before

    /// Whether its host may come back from another daemon.
    var isAwaitingHost: Bool { isKept && host == nil && engine.keeping?.awaits(hostName) == true }

    /// Calls `body` when the host is back, or given up.
    func onceHostIsBack(_ body: @escaping @HostActor () -> Void) { waitingForHost.append(body) }

    /// - Parameter waits: whether the host has no outcome of it yet. One that has, and has been told again, acknowledges all the same.
    func hostIsBack(_ host: HostSession, waits: Bool) {
        self.host = host
        hostWaits = waits
        host.requests[identifier] = self
        charge = Charge(to: host, engine.usage)
        charge?.set(Usage(requests: 1))
        process?.add(self)
        let bodies = waitingForHost
        waitingForHost = []
        for body in bodies { body() }
        if wantsItems, !hostWaits { processDied(.daemonRestarted, .daemonRestarted) }
    }

    /// Whether its extension may come back from another daemon.
    private var isAwaitingExtension: Bool { isKept && machine.state == .launching }

    /// Calls `body` when the extension is back, or given up; false when that is not waited for, or too many wait.
    func onceExtensionIsBack(_ body: @escaping @HostActor () -> Void) -> Bool {
        guard isAwaitingExtension, waitingForExtension.count < Self.actsAhead else { return false }
        waitingForExtension.append(body)
        return true
    }

    private func extensionIsBack() {
        let bodies = waitingForExtension
        waitingForExtension = []
        for body in bodies { body() }
    }

    /// The extension has it.
    func goesOn() {
        guard isAwaitingExtension else { return }
        timings.delivered = elapsed
        answerBegin(pid: process?.pid)
        handle(.goesOn)
        extensionIsBack()
    }

    /// The word of it was lost with the other daemon, and so were its items: the host says them again.
    func isUnknownToExtension() {
        guard isAwaitingExtension else { return }
        wantsItems = true
        if case .none = contents.payload {
            if host != nil, !hostWaits { processDied(.daemonRestarted, .daemonRestarted) }
            return
        }
        deliverAgain()
    }

    /// Its begin, said again to this daemon.
    func hostHasSaidAgain(_ packet: Packet) {
        guard isAwaitingExtension else { return }
        contents = (packet.payload, packet.descriptors)
        charge?.set(Self.usage(of: packet))
        if wantsItems { deliverAgain() }
    }

    private func deliverAgain() {
        wantsItems = false
        handle(.processReady)
        extensionIsBack()
    }

    /// Types only: what is in them stays between host and extension.
    private static func summary(_ attachments: [[[String]]]) -> String {
        let types = attachments.map { "[" + $0.map { $0.first ?? "no type" }.joined(separator: ", ") + "]" }
        return "\(attachments.count) item\(attachments.count == 1 ? "" : "s") \(types.joined(separator: " "))"
    }

    var hasBeenDelivered: Bool { timings.delivered != nil }

    /// Whether the host waits for an outcome.
    var isOpen: Bool { machine.isOpen }

    /// Whether no process has been chosen for it yet.
    var awaitsProcess: Bool { machine.state == .created }

    /// The name of its state in lists and metrics.
    var stateName: String { machine.state.name }

    /// The event for the process after the extension has answered; nil if the request did not accept the answer.
    var answerToProcess: ProcessStateMachine.Event? { machine.answerToProcess(identifier) }

    // MARK: Events

    func refuse(_ cause: Cause, _ why: ExtensionHostError) {
        detail = why
        handle(.refused(cause))
    }

    func launch(in process: ExtensionProcess) {
        self.process = process
        handle(.launched)
    }

    /// Its process has said hello. A request that is to be debugged waits here until a debugger is attached.
    func processReady() {
        guard waitsForDebugger, machine.isOpen, let process, !process.isTraced else {
            holding = nil
            return handle(.processReady)
        }
        if !isHeld {
            isHeld = true
            engine.log.append(
                .requestHeld, request: identifier, extensionIdentifier: bundle.identifier, host: hostName, pid: process.pid,
                detail: "until a debugger is attached")
            host?.peer.send(Held(request: identifier, pid: process.pid))
        }
        // Real time: nobody announces a debugger, so the kernel is asked. A virtual clock is not moved without such a look (`Turns`).
        holding = engine.realClock.schedule(after: Self.tracerLook) { [weak self] in self?.processReady() }
    }

    var isAwaitingDebugger: Bool { holding?.isPending == true }

    func processDied(_ cause: Cause, _ why: ExtensionHostError?) {
        process?.readRefusals()
        if machine.isOpen { detail = why }
        handle(.processDied(cause))
    }

    func refused(_ refusal: RefusalRecord) {
        if refusals.count < RefusalRecord.shown { refusals.append(refusal) }
    }

    func complete(_ message: Complete, _ packet: Packet) { take(.completedByExtension, packet, work: message.work) }

    func cancelByExtension(_ packet: Packet) { take(.cancelledByExtension, packet, work: false) }

    func cancel(_ cause: Cause) { afterRefusals { [self] in handle(.cancelled(cause)) } }

    /// Calls `body`, which ends the request, once everything that its process was refused until now has been reported.
    private func afterRefusals(_ body: @escaping @HostActor () -> Void) {
        guard let process else { return body() }
        process.afterRefusals(body)
    }

    func hostAcknowledged() {
        // A second word of the same is none.
        if finish > 0 { engine.figures.acknowledged(after: engine.clock.now - finish) }
        finish = 0
        handle(.hostAcknowledged)
    }

    func hostGone() {
        handle(.hostGone)
        let bodies = waitingForHost
        waitingForHost = []
        for body in bodies { body() }
    }

    /// Its host's; a host that is gone ends the request in any case.
    var hostState: HostStateName { host?.state.current ?? engine.keeping?.state(ofAbsent: hostName) ?? .active }

    /// Its process is suspended: the extension's time and the loads that it waits for stand still.
    func pauseTimers() {
        guard machine.isOpen else { return }
        timer?.pause()
        engine.questions.pause(of: identifier)
    }

    func resumeTimers() {
        timer?.resume()
        engine.questions.resume(of: identifier)
    }

    /// What a request takes up while its items wait here for the extension.
    static func usage(of packet: Packet) -> Usage {
        let bytes = if case .inline(let bytes) = packet.payload { bytes.count } else { 0 }
        return Usage(requests: 1, descriptors: packet.descriptors.count + 1, bytes: bytes)
    }

    /// A begin said again: it is answered, and does not begin again.
    func beginAgain(serial: UInt32) {
        guard timings.delivered == nil else {
            host?.peer.send(Begun(request: identifier, pid: process?.pid), replyTo: serial)
            return
        }
        guard beginSerials.count < Self.beginsLimit else {
            host?.peer.send(
                ErrorReply(
                    ExtensionHostError(
                        .quotaExceeded, "this request was begun \(Self.beginsLimit) times already",
                        remedy: "Begin a request once, and wait for its answer")),
                replyTo: serial)
            return
        }
        beginSerials.append(serial)
    }

    private func take(_ event: RequestStateMachine.Event, _ packet: Packet, work: Bool) {
        if machine.isOpen {
            answer = (packet.payload, packet.descriptors)
            hasWork = work
        }
        handle(event)
    }

    private func handle(_ event: RequestStateMachine.Event) {
        for effect in machine.handle(event) { perform(effect) }
    }

    // MARK: Effects

    private func perform(_ effect: RequestStateMachine.Effect) {
        switch effect {
        case .deliver: deliver()
        case .armTimer:
            guard let limit = timeout ?? process?.timers[.request] else { return }
            timer = process?.deadline(.request, after: max(limit - earlier, .zero), of: identifier) { [weak self] in
                self?.afterRefusals { [weak self] in self?.timeOut(after: limit) }
            }
        case .disarmTimer: timer = nil
        case .finish(let cause): finish(cause)
        case .withdraw(let cause): process?.peer?.send(Cancelled(request: identifier, cause: cause))
        case .dismiss:
            engine.log.append(
                .requestDismissed, request: identifier, extensionIdentifier: bundle.identifier, host: hostName, pid: process?.pid)
        case .acknowledgeExtension:
            if hasWork, let process { engine.faults?.reached(.handler, process) }
            if case .finished(.completed) = machine.state { engine.keeping?.closed(identifier) }
            if case .finished(.cancelledByExtension) = machine.state { engine.keeping?.closed(identifier) }
            process?.peer?.send(Acknowledge(request: identifier))
        case .close: close()
        }
    }

    private func timeOut(after limit: Duration) {
        // It may have ended meanwhile.
        guard machine.isOpen else { return }
        detail = ExtensionHostError(
            .timedOut, "the extension did not answer within \(limit)",
            remedy: "Let it answer sooner, or give the request more time")
        handle(.timedOut)
    }

    private func deliver() {
        guard let process, let peer = process.peer else { return }
        process.noteTimings(on: &timings, since: start)
        if let faults = engine.faults {
            faults.reached(.delivered, process)
            if process.requests.values.contains(where: { $0.isOpen && $0.hasBeenDelivered }) {
                faults.reached(.two, process)
            }
        }
        engine.keeping?.write(kept())
        peer.send(
            Deliver(request: identifier, host: hostName, hostState: host?.state.current ?? .active),
            payload: contents.payload, descriptors: contents.descriptors)
        contents = (.none, [])
        charge?.set(Usage(requests: 1))
        // Sending can find the process gone, and then the request has ended meanwhile.
        guard machine.state == .delivering else { return }
        timings.delivered = elapsed
        engine.figures.delivered(after: engine.clock.now - start, isWarm: timings.spawn == 0)
        engine.log.append(
            .requestDelivered, request: identifier, extensionIdentifier: bundle.identifier, host: hostName, pid: process.pid)
        answerBegin(pid: process.pid)
        handle(.delivered)
        if process.point.prewarm > 0 { engine.prewarming.used(bundle, by: identity) }
    }

    private func answerBegin(pid: Int?) {
        for serial in beginSerials { host?.peer.send(Begun(request: identifier, pid: pid), replyTo: serial) }
        beginSerials = []
    }

    private func finish(_ cause: Cause) {
        process?.noteTimings(on: &timings, since: start)
        timings.finished = elapsed
        engine.figures.finished(cause, after: engine.clock.now - start)
        finish = engine.clock.now
        let event: EventName =
            switch cause.outcome {
            case .completed: .requestCompleted
            case .cancelled: .requestCancelled
            case .interrupted: .requestInterrupted
            case .timedOut: .requestTimedOut
            case .refused: .requestRefused
            }
        engine.log.append(
            event, request: identifier, extensionIdentifier: bundle.identifier, host: hostName, pid: process?.pid, cause: cause,
            detail: detail?.description)
        guard cause == .completed || cause == .cancelledByExtension else {
            engine.keeping?.write(kept(cause))
            return tell(cause)
        }
        // The extension's word is kept here until there is somebody to hear it.
        guard isAwaitingHost else { return tell(cause) }
        onceHostIsBack { [weak self] in if self?.host != nil { self?.tell(cause) } }
    }

    private func tell(_ cause: Cause) {
        answerBegin(pid: nil)
        let message = Finished(
            request: identifier, cause: cause, detail: detail, pid: process?.pid, process: process?.number,
            hostState: host?.state.current ?? .active, created: Int(clamping: start), timings: timings, refusals: refusals)
        if isAwaitingHost { engine.keeping?.owe(message) }
        host?.peer.send(message, payload: answer.payload, descriptors: answer.descriptors)
        answer = (.none, [])
        // A host that does not acknowledge must not keep the extension for ever.
        guard cause == .completed || cause == .cancelledByExtension else { return }
        timer = process?.deadline(.postComplete, after: process?.timers[.postComplete] ?? .seconds(5), of: identifier) {
            [weak self] in
            self?.handle(.hostSilent)
        }
        if let process { engine.faults?.reached(.answered, process) }
    }

    private func close() {
        (timer, holding) = (nil, nil)
        charge?.release()
        engine.questions.requestEnded(identifier)
        host?.requests[identifier] = nil
        engine.forget(identifier)
        engine.activityChanged()
        extensionIsBack()
        guard case .finished(let cause) = machine.state else { return }
        process?.requestEnded(self, cause: cause, work: hasWork)
    }

    private var elapsed: Double { Double(engine.clock.now - start) / 1e9 }

    var record: RequestRecord {
        RequestRecord(
            request: identifier, extensionIdentifier: bundle.identifier, host: hostName, pid: process?.pid,
            state: machine.state.name,
            began: began)
    }
}

extension ExtensionHostError {
    /// To the host of a request that another daemon could not go on with.
    static let daemonRestarted = ExtensionHostError(
        .interrupted, "the daemon has ended, and the one after it could not go on with the request",
        remedy: "Begin again; docs/service.md says what outlives a daemon")

    /// To the host of a request that the end of the daemon ends.
    static let daemonStopping = ExtensionHostError(
        .interrupted, "the daemon is stopping", remedy: "Begin again when a daemon serves")
}
