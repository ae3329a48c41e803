// Request: one request in the daemon: its parties, items, answer and effects.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem

/// A request from begin to close.
///
/// The session of its host makes it; the model decides what happens to it.
@HostActor
final class Request: Numbered {
    let identifier: RequestIdentifier
    let bundle: ExtensionBundle
    let hostName: String
    /// The user who owns the request.
    let user: UInt32
    /// The user whose rights its extension has; nil: the daemon's own user.
    let identity: UserIdentity?
    let timeout: Duration?
    let began: Int
    /// The number of the request among all of this daemon.
    nonisolated let number: Int
    weak var host: Host?
    private(set) weak var process: ExtensionProcess?
    private(set) var timings = Timings()

    private var isHeld = false
    /// The deadline of the next check for a debugger, or of the wait for items after a restart.
    var holding: Deadline?
    private static let tracerLook = Duration.milliseconds(50)
    private static let beginsLimit = 16

    let context: DaemonContext
    private let start: UInt64
    /// The time of the end, on the daemon's clock; 0 before the end, and once the host has acknowledged it.
    private var finish: UInt64 = 0
    /// The items, until the extension has them.
    var contents: (payload: Payload, descriptors: [SharedDescriptor])
    /// The serials of the begins that wait for `begun`.
    private var beginSerials: [UInt32]
    /// The serial of the begin that `finished` answers; 0 if it answers none.
    private var unreportedSerial: UInt32 = 0
    private var timer: PausableDeadline?
    /// The extension's answer, until the host has it.
    private var answer: (payload: Payload, descriptors: [SharedDescriptor]) = (.none, [])
    /// Whether its completion handler runs after the answer.
    private(set) var hasWork = false
    /// Whether the extension waits for no acknowledgement of its answer.
    private var isFinal = false
    private var detail: ExtensionHostError?
    /// The cause of the end; nil before it.
    private(set) var outcome: Cause?
    /// Whether the host has been told of the end.
    private var isTold = false
    /// The refusals of its process while the request was open.
    private var refusals: [RefusalRecord] = []

    init(_ message: Begin, packet: Packet, bundle: ExtensionBundle, number: Int, host: Host, _ context: DaemonContext) {
        identifier = message.request
        self.bundle = bundle
        self.host = host
        hostName = host.name
        (user, identity) = (host.credentials.uid, host.identity)
        timeout = message.timeout.map { .seconds($0) }
        self.context = context
        start = context.clock.now
        self.number = number
        began = Int(context.clock.wallClockNow / 1000)
        contents = (packet.payload, packet.descriptors)
        beginSerials = message.isUnreported ? [] : [packet.serial]
        if message.isUnreported { unreportedSerial = packet.serial }
    }

    /// Tells the model of the request, which must be in the inventory.
    func begin(_ message: Begin, _ packet: Packet) {
        let rule = message.force ? ", whatever the activation rule says" : ""
        tell(.created(detail: Self.summary(message.attachments) + rule))
        let begin = LifecycleModel.Begin(
            number: number, host: hostName, hasInterface: hasInterface, waitsForDebugger: message.waits,
            usage: Self.usage(of: packet))
        post(.begun(identifier, begin))
    }

    /// Makes a request that another daemon gave to a process of this extension.
    init(_ handed: HandedRequest, of host: HandedHost, bundle: ExtensionBundle, _ context: DaemonContext) {
        identifier = handed.request
        self.bundle = bundle
        hostName = handed.host
        (user, identity) = (host.user, host.identity)
        timeout = handed.timeout.map { .seconds($0) }
        self.context = context
        (earlier, start) = context.past(since: handed.began)
        number = handed.number
        began = handed.began
        lastAnswer = handed.lastAnswer
        contents = (.none, [])
        beginSerials = []
        isAdopted = true
    }

    private(set) var isAdopted = false
    /// The time that the request has spent under other daemons.
    private var earlier = Duration.zero
    /// The answer to the last call of the point, in microseconds since 1970.
    private var lastAnswer: Int?
    var waitingForHost: [@HostActor () -> Void] = []
    var waitingForExtension: [@HostActor () -> Void] = []

    /// Returns the record of the request for the next daemon.
    func handed(_ end: Cause? = nil) -> HandedRequest {
        HandedRequest(
            request: identifier, number: number, extensionIdentifier: bundle.identifier, host: hostName,
            process: process?.number,
            began: began,
            timeout: timeout.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 },
            end: end, lastAnswer: lastAnswer)
    }

    /// Returns the types of the attachments. Their contents stay between host and extension.
    private static func summary(_ attachments: [[[String]]]) -> String {
        let types = attachments.map { "[" + $0.map { $0.first ?? "no type" }.joined(separator: ", ") + "]" }
        return "\(attachments.count) item\(attachments.count == 1 ? "" : "s") \(types.joined(separator: " "))"
    }

    var hasBeenDelivered: Bool { timings.delivered != nil }

    var hasInterface: Bool { context.options.points[bundle.point].hasInterface }

    /// The state in the model, which is ahead of the effects of a running step.
    private var state: RequestStateMachine.State {
        context.driver.state(of: identifier) ?? outcome.map { .finished($0) } ?? .created
    }

    /// Whether the host waits for an outcome.
    var isOpen: Bool { state.isOpen }

    /// Whether the model has not chosen a process for the request yet.
    var awaitsProcess: Bool { state == .created }

    /// The name of its state in lists and metrics.
    var stateName: String { state.name }

    // MARK: Inputs

    func post(_ input: LifecycleModel.Input) { context.driver.post(input) }

    /// Tells the observers of an event.
    func tell(_ event: RequestEvent) { context.driver.tell(.request(identifier, event)) }

    func refuse(_ cause: Cause, _ why: ExtensionHostError) {
        detail = why
        post(.refused(identifier, cause))
    }

    /// Fails the request, because no process can serve it.
    func fail(_ cause: Cause, _ why: ExtensionHostError) {
        detail = why
        post(.failed(identifier, cause))
    }

    /// Sets the process that serves the request.
    func belongs(to process: ExtensionProcess) { self.process = process }

    /// Posts an input once a debugger is attached. Until then the request waits.
    func lookForDebugger() {
        holding = nil
        guard isOpen, let process else { return }
        if process.isTraced { return post(.debuggerAttached(identifier)) }
        if !isHeld {
            isHeld = true
            tell(.held)
            host?.peer.send(Held(request: identifier, pid: process.pid))
        }
        // The check polls in real time, because the kernel does not announce a debugger. A virtual clock is not moved
        // without such a check (`DeterministicScheduler`).
        holding = context.realClock.schedule(after: Self.tracerLook) { [weak self] in self?.lookForDebugger() }
    }

    var isAwaitingDebugger: Bool { isHeld && holding?.isPending == true }

    /// Records the reason for which the process of an open request ends.
    func explain(_ why: ExtensionHostError) { if outcome == nil { detail = why } }

    func refused(_ refusal: RefusalRecord) {
        if !isTold, refusals.count < RefusalRecord.shown { refusals.append(refusal) }
    }

    /// Takes the extension's answer.
    ///
    /// - Parameter isFinal: whether the extension waits for no acknowledgement of it.
    func complete(_ packet: Packet, work: Bool, isFinal: Bool) {
        take(.completed(work: work), packet, isFinal: isFinal)
    }

    func cancelByExtension(_ packet: Packet, isFinal: Bool) { take(.cancelled, packet, isFinal: isFinal) }

    func cancel(_ cause: Cause) {
        process?.readRefusals()
        post(.cancelled(identifier, cause))
    }

    func hostAcknowledged() {
        // A repeated acknowledgement has no effect.
        if finish > 0 { tell(.acknowledged(after: context.clock.now - finish)) }
        finish = 0
        post(.acknowledged(identifier))
    }

    func hostGone() {
        post(.hostGone(identifier))
        let bodies = waitingForHost
        waitingForHost = []
        for body in bodies { body() }
    }

    /// Pauses the time limit, because the extension's process is suspended.
    func pauseTimers() { if isOpen { timer?.pause() } }

    func resumeTimers() { timer?.resume() }

    /// Returns the resources that a request takes while its items wait in the daemon for the extension.
    static func usage(of packet: Packet) -> Usage {
        let bytes = if case .inline(let bytes) = packet.payload { bytes.count } else { 0 }
        return Usage(requests: 1, descriptors: packet.descriptors.count + 1, bytes: bytes)
    }

    /// Answers a repeated begin, which does not begin the request again.
    func beginAgain(serial: UInt32) {
        guard timings.delivered == nil else {
            host?.peer.send(Begun(request: identifier, pid: process?.pid), replyTo: serial)
            return
        }
        guard beginSerials.count < Self.beginsLimit else {
            host?.peer.send(
                ErrorReply(
                    ExtensionHostError(
                        .quotaExceeded, "this request was already begun \(Self.beginsLimit) times",
                        remedy: "Begin a request once, and wait for its answer")),
                replyTo: serial)
            return
        }
        beginSerials.append(serial)
    }

    private func take(_ said: LifecycleModel.Answer, _ packet: Packet, isFinal: Bool) {
        process?.readRefusals()
        if context.driver.takesAnswer(identifier) {
            answer = (packet.payload, packet.descriptors)
            hasWork = said == .completed(work: true)
            self.isFinal = isFinal
        }
        post(.answered(identifier, said))
    }

    // MARK: Effects

    func perform(_ effect: RequestStateMachine.Effect) {
        switch effect {
        case .deliver: deliver()
        case .goOn:
            timings.delivered = elapsed
            answerBegin(pid: process?.pid)
            extensionIsBack()
        case .armTimer:
            if lastAnswer != nil { return boundCompletion() }
            guard let limit = timeout ?? process?.timers[.request] else { return }
            arm(.request, max(limit - earlier, .zero)) {
                ExtensionHostError(
                    .timedOut, "the extension did not answer within \(limit)",
                    remedy: "Answer sooner, or give the request more time")
            }
        case .disarmTimer: timer = nil
        case .finish(let cause): finish(cause)
        case .withdraw(let cause): process?.peer?.send(Cancelled(request: identifier, cause: cause))
        // The host takes the view down by itself.
        case .dismiss: break
        case .acknowledgeExtension: if !isFinal { process?.peer?.send(Acknowledge(request: identifier)) }
        case .close: close()
        }
    }

    /// Ends the request if the extension does not answer it in time.
    private func arm(_ name: Timers.Name, _ limit: Duration, late: @escaping () -> ExtensionHostError) {
        timer = process?.deadline(name, after: limit, of: identifier) { [weak self] in
            guard let self else { return }
            process?.readRefusals()
            detail = late()
            post(.requestTimer(identifier, .answer))
        }
    }

    /// Bounds the time in which the extension has to complete, after it has answered the last call of its point.
    func lastCallAnswered() {
        guard isOpen else { return }
        lastAnswer = Int(context.clock.wallClockNow / 1000)
        tell(.lastCallAnswered)
        boundCompletion()
    }

    private func boundCompletion() {
        guard let lastAnswer, let limit = process?.timers[.postComplete] else { return }
        arm(.postComplete, max(limit - context.past(since: lastAnswer).duration, .zero)) {
            ExtensionHostError(
                .timedOut, "the extension answered the last call, and did not complete within \(limit)",
                remedy: "Complete the request after the call that the extension point has under Ends")
        }
    }

    private func deliver() {
        holding = nil
        guard let process, let peer = process.peer else { return }
        process.noteTimings(on: &timings, since: start)
        peer.send(
            Deliver(request: identifier, host: hostName, hostState: host?.state ?? .active),
            payload: contents.payload, descriptors: contents.descriptors)
        contents = (.none, [])
        timings.delivered = elapsed
        tell(.delivered(isWarm: timings.spawn == 0))
        answerBegin(pid: process.pid)
        extensionIsBack()
    }

    private func answerBegin(pid: Int?) {
        for serial in beginSerials { host?.peer.send(Begun(request: identifier, pid: pid), replyTo: serial) }
        beginSerials = []
    }

    private func finish(_ cause: Cause) {
        outcome = cause
        process?.noteTimings(on: &timings, since: start)
        timings.finished = elapsed
        finish = context.clock.now
        guard cause == .completed || cause == .cancelledByExtension else { return tell(cause) }
        // The daemon holds the extension's answer until the host has reconnected.
        guard isAwaitingHost else { return tell(cause) }
        onceHostIsBack { [weak self] in if self?.host != nil { self?.tell(cause) } }
    }

    /// Tells the host of the end once every refusal of the process until now has been reported: at once as a rule.
    private func tell(_ cause: Cause) {
        guard let process else { return send(cause) }
        process.ending.append(self)
        process.afterRefusals { [self, weak process] in
            process?.ending.removeAll { $0 === self }
            send(cause)
        }
    }

    private func send(_ cause: Cause) {
        isTold = true
        answerBegin(pid: nil)
        let isOver =
            isFinal && !context.awaitsAcknowledgements && host.map { $0.peer.version >= .withFinalAnswers } == true
        let message = Finished(
            request: identifier, cause: cause, detail: explanation(of: cause), pid: process?.pid,
            process: process?.number,
            hostState: host?.state ?? .active, created: Int(clamping: start), timings: timings, refusals: refusals,
            isFinal: isOver)
        if isAwaitingHost { context.absentHosts.owe(message) }
        host?.peer.send(message, payload: answer.payload, descriptors: answer.descriptors, replyTo: unreportedSerial)
        answer = (.none, [])
        guard cause == .completed || cause == .cancelledByExtension else { return }
        if isOver {
            process?.tell(.answerSent)
            return post(.acknowledged(identifier))
        }
        // A host that does not acknowledge must not hold the extension for ever.
        timer = process?.deadline(.postComplete, after: process?.timers[.postComplete] ?? .seconds(5), of: identifier) {
            [weak self] in
            guard let self else { return }
            post(.requestTimer(identifier, .acknowledgement))
        }
        process?.tell(.answerSent)
    }

    private func close() {
        (timer, holding) = (nil, nil)
        host?.requests.remove(identifier)
        extensionIsBack()
        process?.requestEnded(self, work: hasWork)
    }

    /// The time since the begin, in nanoseconds.
    var age: UInt64 { context.clock.now - start }

    private var elapsed: Double { Double(age) / 1e9 }

    /// The reason that the host and the log get.
    func explanation(of cause: Cause) -> ExtensionHostError? {
        detail ?? (cause == .daemonRestarted ? .daemonRestarted : nil)
    }

    var record: RequestRecord {
        RequestRecord(
            request: identifier, extensionIdentifier: bundle.identifier, host: hostName, pid: process?.pid,
            state: stateName, began: began)
    }
}

extension ExtensionHostError {
    /// The error for the host of a request that the next daemon could not continue.
    static let daemonRestarted = ExtensionHostError(
        .interrupted, "the daemon ended, and the next one could not resume the request",
        remedy: "Begin again; docs/service.md lists what outlives a daemon")

    /// The error for the host of a request that ends because the daemon stops.
    static let daemonStopping = ExtensionHostError(
        .interrupted, "the daemon is stopping", remedy: "Begin again when a daemon runs")
}
