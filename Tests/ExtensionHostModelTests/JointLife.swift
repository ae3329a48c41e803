// JointLife: a process's machine and those of its requests, with what the engine holds beside them, driven as it drives them.

import ExtensionProtocol
import LinuxSystem
import Testing

@testable import ExtensionHostModel

/// As `ExtensionProcess` and `Request` do it, effect by effect and in their order; what must always hold is checked at each step.
struct JointLife: Hashable {
    /// A request, and what its host and its extension do with it.
    struct Served: Hashable {
        var machine = RequestStateMachine(hasInterface: true)
        var isBegun = false
        /// Assigned to the process and not closed.
        var isInProcess = false
        /// It waits for a debugger once its process is ready.
        var isHeld = false
        /// The extension has it.
        var isSent = false
        var hasWork = false
        var hostIsAway = false
        var hostIsGone = false
        /// `request`, the limit of the extension's answer.
        var limitRuns = false
        /// `postComplete`, the limit of the host's acknowledgement.
        var receiptRuns = false
        var finishes = 0
        var closes = 0
    }

    enum Event: Hashable, Sendable {
        case begin(Int)
        case debuggerAttached(Int)
        case answer(Int, work: Bool)
        case cancelByExtension(Int)
        case cancel(Int)
        case hostGone(Int)
        case hostAcknowledged(Int)
        case hostAway(Int, Bool)
        case limit(Int)
        case receiptLimit(Int)
        /// The connection is closed for good: nothing can be sent any more.
        case connectionEnded
        case process(ProcessStateMachine.Event)
    }

    static let identifiers = [ProcessLife.first, ProcessLife.second]

    private(set) var process: ProcessLife
    private(set) var served: [Served]
    private(set) var peerIsGone = false

    init(_ policy: ProcessStateMachine.Policy, requests: Int, holding: Bool) {
        process = ProcessLife(policy)
        served = Array(repeating: Served(), count: requests)
        if holding { served[0].isHeld = true }
    }

    var isOver: Bool { process.machine.isOver && served.allSatisfy { !$0.isBegun || $0.closes == 1 } }

    // MARK: What may happen

    /// By the daemon's own doing, whatever extension and hosts leave undone: time, and the end of what was killed. A process that
    /// stands still needs the return of its hosts besides, a request that is held its debugger.
    var ownEvents: [Event] {
        var events: [Event] = []
        for (number, request) in served.enumerated() {
            if request.limitRuns, !process.isSuspended { events.append(.limit(number)) }
            if request.receiptRuns { events.append(.receiptLimit(number)) }
            if request.isHeld, request.isInProcess, process.saidHello, request.machine.isOpen {
                events.append(.debuggerAttached(number))
            }
            if process.isSuspended, request.hostIsAway { events.append(.hostAway(number, false)) }
        }
        if process.machine.isOver { return events }
        if process.kills > 0 { return events + [.process(.exited(.signalled(9, coreDumped: false)))] }
        return events + (process.isSuspended ? [] : process.armed.map { .process(.timer($0)) })
    }

    /// By extension, hosts, operator and the daemon's end, in any order.
    var others: [Event] {
        var events: [Event] = []
        for (number, request) in served.enumerated() {
            guard request.isBegun else {
                if process.machine.takesRequests { events.append(.begin(number)) }
                continue
            }
            if request.closes == 0 {
                if request.machine.isOpen { events.append(.cancel(number)) } else { events.append(.hostAcknowledged(number)) }
                if !request.hostIsGone { events += [.hostGone(number), .hostAway(number, !request.hostIsAway)] }
            }
            guard process.saidHello, !process.isClosed, !process.machine.isOver else { continue }
            // A hostile extension answers also what it has not got, and again.
            events += [.answer(number, work: true), .answer(number, work: false), .cancelByExtension(number)]
            events.append(.process(.handlerFinished(Self.identifiers[number])))
        }
        guard !process.machine.isOver else { return events }
        events += [.process(.kill(.memoryLimit)), .process(.daemonStopping), .process(.withdrawn)]
        events += [.process(.exited(.exited(0))), .process(.exited(.signalled(11, coreDumped: false)))]
        if process.isClosed {
            if !peerIsGone { events.append(.process(.connectionResumed)) }
        } else {
            events.append(.connectionEnded)
            if process.saidHello { events.append(.process(.connectionClosed)) } else { events.append(.process(.hello)) }
        }
        return events
    }

    // MARK: Events

    mutating func take(_ event: Event) {
        switch event {
        case .begin(let number):
            served[number].isBegun = true
            served[number].isInProcess = true
            tellProcess(.assigned(Self.identifiers[number]))
            reconsiderHosts()
            tell(number, .launched)
            if process.saidHello { ready(number) }
        case .debuggerAttached(let number):
            served[number].isHeld = false
            ready(number)
        case .answer(let number, let work): answer(number, .completedByExtension, work: work)
        case .cancelByExtension(let number): answer(number, .cancelledByExtension, work: false)
        case .cancel(let number): tell(number, .cancelled(.cancelledByHost))
        case .hostGone(let number):
            served[number].hostIsGone = true
            served[number].hostIsAway = false
            tell(number, .hostGone)
        case .hostAcknowledged(let number): tell(number, .hostAcknowledged)
        case .receiptLimit(let number):
            served[number].receiptRuns = false
            tell(number, .hostSilent)
        case .limit(let number):
            served[number].limitRuns = false
            tell(number, .timedOut)
        case .hostAway(let number, let isAway):
            served[number].hostIsAway = isAway
            reconsiderHosts()
        case .connectionEnded:
            peerIsGone = true
            tellProcess(.connectionClosed)
        case .process(.hello):
            tellProcess(.hello)
            for number in served.indices where served[number].isInProcess { ready(number) }
        case .process(let event): tellProcess(event)
        }
        check(event)
    }

    private mutating func ready(_ number: Int) {
        if served[number].isHeld { return }
        tell(number, .processReady)
    }

    /// `ExtensionProcess.answer`.
    private mutating func answer(_ number: Int, _ event: RequestStateMachine.Event, work: Bool) {
        guard served[number].isInProcess else { return }
        if served[number].machine.isOpen { served[number].hasWork = work }
        tell(number, event)
        if let event = served[number].machine.answerToProcess(Self.identifiers[number]) { tellProcess(event) }
    }

    /// `Request.handle` and `perform`.
    private mutating func tell(_ number: Int, _ event: RequestStateMachine.Event) {
        for effect in served[number].machine.handle(event) {
            let request = served[number]
            switch effect {
            case .deliver:
                require(request.closes == 0 && request.finishes == 0, "delivered after its end", event)
                if peerIsGone || process.machine.isOver { continue }
                served[number].isSent = true
                tell(number, .delivered)
            case .armTimer:
                require(request.closes == 0 && request.finishes == 0, "a limit for an end", event)
                served[number].limitRuns = true
            case .disarmTimer: (served[number].limitRuns, served[number].receiptRuns) = (false, false)
            case .finish(let cause):
                require(request.finishes == 0 && request.closes == 0, "a second terminal message", event)
                served[number].finishes += 1
                served[number].receiptRuns = cause == .completed || cause == .cancelledByExtension
            case .withdraw:
                // To a peer that is gone nothing is sent.
                require(
                    request.finishes == 0 && (request.isSent || peerIsGone), "taken back after the end, or never given", event)
            case .dismiss:
                require(request.finishes == 1 && request.closes == 0, "taken down before the host has the answer", event)
            case .acknowledgeExtension: require(request.finishes == 1, "acknowledged before the host was told", event)
            case .close:
                require(request.closes == 0 && request.finishes == 1, "closed twice, or without a terminal message", event)
                served[number].closes += 1
                (served[number].limitRuns, served[number].receiptRuns) = (false, false)
                close(number)
            }
        }
    }

    /// `ExtensionProcess.requestEnded`.
    private mutating func close(_ number: Int) {
        guard served[number].isInProcess, case .finished(let cause) = served[number].machine.state else { return }
        served[number].isInProcess = false
        tellProcess(.closed(Self.identifiers[number], cause, work: served[number].hasWork))
        reconsiderHosts()
    }

    /// `ExtensionProcess.handle` and `perform`.
    private mutating func tellProcess(_ event: ProcessStateMachine.Event) {
        for effect in process.take(event) {
            guard case .endRequests(let cause) = effect else { continue }
            for number in served.indices where served[number].isInProcess { tell(number, .processDied(cause)) }
        }
    }

    /// `ExtensionProcess.reconsiderHosts`.
    private mutating func reconsiderHosts() {
        let mine = served.filter(\.isInProcess)
        let areAway = !mine.isEmpty && mine.allSatisfy(\.hostIsAway)
        if areAway != process.machine.hostsAreAway, !process.machine.isOver { tellProcess(.hostsAway(areAway)) }
    }

    // MARK: What must hold

    private func check(_ event: Event) {
        var open: Set<RequestIdentifier> = []
        var answered: Set<RequestIdentifier> = []
        for (request, identifier) in zip(served, Self.identifiers) where request.isBegun {
            if request.machine.isOpen { open.insert(identifier) } else if request.closes == 0 { answered.insert(identifier) }
            require(request.machine.isOpen == (request.finishes == 0), "open with a terminal message, or over without", event)
            require(request.isInProcess == (request.closes == 0), "closed and still its process's, or lost by it", event)
            if request.machine.state == .active { require(request.limitRuns, "active without a limit", event) }
        }
        require(process.machine.requests == open, "the process believes others to be open than are", event)
        require(
            process.machine.isOver || process.machine.answered == answered, "the process believes others to be answered", event)
        require(!process.machine.isOver || open.isEmpty, "open, and its process is gone", event)
    }

    private func require(_ holds: Bool, _ words: String, _ event: some Any) {
        if !holds { Issue.record("\(words), by \(event), in \(self)") }
    }
}
