// ProcessStateMachine: an extension's process from spawn to exit, and the table of how it ends; pure, table-tested.

package import ExtensionProtocol
package import enum LinuxSystem.ExitStatus

/// The life of one process (architecture, "How a process ends"). The machine does no I/O and knows no time: both come
/// in as events.
package struct ProcessStateMachine: Sendable, Hashable {
    package enum Policy: String, Sendable, Hashable {
        /// A process serves one request and ends with it.
        case onePerRequest
        /// A process serves requests of any host until it has been idle.
        case shared
        /// An app: it serves no request, need not speak the protocol, and ends by itself or by an order.
        case app
        /// A program of a service: it serves no request, and ends when it has nothing to do or by an order.
        case service
    }

    package enum State: Sendable, Hashable {
        case awaitingHello
        /// An app from its start to its end, or a service's program from its hello on.
        case running
        case ready
        /// The process was launched ahead, and waits for its first request.
        case prewarmed
        case busy
        case idle
        /// The process is stopped, because every host of its requests is away; its timers are paused.
        case suspended
        /// The process was told to end, and has time for that.
        case terminating(Cause)
        case killing(Cause)
        case exited(Cause)

        package var name: String {
            switch self {
            case .awaitingHello: "awaitingHello"
            case .running: "running"
            case .ready: "ready"
            case .prewarmed: "prewarmed"
            case .busy: "busy"
            case .idle: "idle"
            case .suspended: "suspended"
            case .terminating: "terminating"
            case .killing: "killing"
            case .exited: "exited"
            }
        }
    }

    package enum Timer: Sendable, Hashable {
        case launch, firstRequest, prewarmed, idle, suspend
        /// Completion work of one request; after a restart, the repetition of its answer.
        case postComplete(RequestIdentifier)
        case expire(RequestIdentifier)
        /// The time after `terminate`, then the time after SIGTERM.
        case terminate, kill
        /// The connection is closed and the process lives on.
        case closed
    }

    package enum Event: Sendable, Hashable {
        case hello
        case assigned(RequestIdentifier)
        /// The extension has answered; its host is still to acknowledge.
        case answered(RequestIdentifier)
        /// A request was answered and closed; `work` says that its completion handler still runs.
        case ended(RequestIdentifier, work: Bool)
        /// A request ended by a time limit: fatal to a process that serves no other.
        case failed(RequestIdentifier, Cause)
        case handlerFinished(RequestIdentifier)
        case timer(Timer)
        /// A limit, a violation or an operator ends everything at once.
        case kill(Cause)
        case daemonStopping
        /// The bundle of the process is registered no more.
        case withdrawn
        /// The process waits for a request that it will not get.
        case outdated
        /// The user of an app leaves it.
        case closed
        /// An app that was woken has not dealt with its events in time.
        case wakeExpired
        /// The program of a service has nothing to do.
        case rested
        case connectionClosed
        /// The process has reconnected over another socket.
        case connectionResumed
        /// The process has reconnected to another daemon, with answers that it repeats and completion handlers that
        /// run.
        case returned(answered: Set<RequestIdentifier>, work: Set<RequestIdentifier>)
        /// Whether every host that has a request open here is in the background.
        case hostsAway(Bool)
        case exited(ExitStatus)
    }

    package enum Effect: Sendable, Hashable {
        case arm(Timer)
        case disarm(Timer)
        case disarmAll
        case sendTerminate(Cause)
        case sendExpired(RequestIdentifier)
        case sendSignal(Int32)
        case killTree
        /// Stop the whole tree, and every timer of the process and its requests.
        case suspend
        /// Resume the tree and the timers.
        case resume
        /// Answer every request that is open here.
        case endRequests(Cause)
        case reaped(Cause)
    }

    package let policy: Policy
    /// Whether the process was launched ahead of any request.
    package let isPrewarmed: Bool
    package private(set) var state: State
    package private(set) var requests: Set<RequestIdentifier> = []
    /// Answered requests that are not acknowledged.
    package private(set) var answered: Set<RequestIdentifier> = []
    /// Answered requests whose completion handler runs.
    package private(set) var work: Set<RequestIdentifier> = []
    /// Answers that a process of the last daemon is to repeat.
    private var unrepeated: Set<RequestIdentifier> = []
    /// Requests whose handler has received the notice that its time is up.
    package private(set) var expired: Set<RequestIdentifier> = []
    /// Whether any handler has received this notice; stays true.
    package private(set) var didExpire = false
    package private(set) var served = 0
    package private(set) var isConnected = true
    package private(set) var hostsAreAway = false
    private var awaitsSuspension = false
    /// Whether it is a process of the last daemon that has not reconnected.
    package private(set) var isReturning = false

    /// - Parameters:
    ///   - isPrewarmed: whether it is launched for no request.
    ///   - isReturning: whether it was ready under another daemon and is to reconnect.
    package init(policy: Policy, isPrewarmed: Bool = false, isReturning: Bool = false) {
        self.policy = policy
        self.isPrewarmed = isPrewarmed
        self.isReturning = isReturning
        isConnected = !isReturning
        state =
            switch policy {
            case .app: .running
            case .service: isReturning ? .running : .awaitingHello
            case .onePerRequest, .shared: isReturning ? .busy : .awaitingHello
            }
    }

    /// Whether another request may be given to this process.
    package var takesRequests: Bool {
        guard isConnected, policy != .service else { return false }
        return switch state {
        case .awaitingHello, .ready, .prewarmed, .busy, .idle, .suspended: policy == .shared || served == 0
        case .running, .terminating, .killing, .exited: false
        }
    }

    /// Whether the process waits for a request that has not come, or is launched to wait.
    package var isWaiting: Bool { isPrewarmed && served == 0 && decided == nil }

    package var isOver: Bool {
        if case .exited = state { true } else { false }
    }

    /// Whether the process may be at work for a host: then its limits are polled.
    package var isServing: Bool {
        switch state {
        case .ready, .prewarmed, .idle, .suspended, .killing, .exited: false
        default: true
        }
    }

    /// The cause that the daemon has decided on, if it has.
    package var decided: Cause? {
        switch state {
        case .terminating(let cause), .killing(let cause), .exited(let cause): cause
        default: nil
        }
    }

    package mutating func handle(_ event: Event) -> [Effect] {
        if case .exited = state { return [] }
        var effects: [Effect] = []
        // The event can only be handled while the process runs.
        if state == .suspended, event.wakes {
            state = .busy
            effects.append(.resume)
        }
        effects += take(event)
        return effects + reconsiderSuspension()
    }

    /// Begins and ends the wait for a suspension together with its reason.
    private mutating func reconsiderSuspension() -> [Effect] {
        let waits = state == .busy && hostsAreAway && !requests.isEmpty && !isReturning
        guard waits != awaitsSuspension else { return [] }
        awaitsSuspension = waits
        if waits { return [.arm(.suspend)] }
        // The suspension itself comes of the timer, and a process that ends has none left.
        return decided == nil && state != .suspended ? [.disarm(.suspend)] : []
    }

    private mutating func take(_ event: Event) -> [Effect] {
        switch event {
        case .hello: return handleHello()
        case .assigned(let request): return handleAssigned(request)
        case .answered(let request):
            if requests.remove(request) != nil { answered.insert(request) }
            return []
        case .ended(let request, let hasWork):
            guard requests.remove(request) ?? answered.remove(request) != nil else { return [] }
            let wasAwaited = unrepeated.remove(request) != nil
            if hasWork, decided == nil {
                work.insert(request)
                return [.arm(.postComplete(request))]
            }
            return (wasAwaited && decided == nil ? [.disarm(.postComplete(request))] : []) + settle()
        case .failed(let request, let cause):
            guard requests.remove(request) != nil else { return [] }
            return requests.isEmpty && decided == nil ? kill(cause) : []
        case .handlerFinished(let request):
            guard work.remove(request) != nil else { return [] }
            let wasExpired = expired.remove(request) != nil
            let disarm: [Effect] = [.disarm(.postComplete(request)), .disarm(.expire(request))]
            guard requests.isEmpty, work.isEmpty, decided == nil, wasExpired else { return disarm + settle() }
            return disarm + terminate(.expiredInTime)
        case .timer(let timer): return handleTimer(timer)
        case .kill(let cause): return kill(cause)
        case .daemonStopping: return handleStop(.daemonStopping)
        case .withdrawn: return handleStop(.terminatedByOperator)
        case .outdated: return isWaiting ? handleStop(.noRequest) : []
        case .closed: return handleStop(.closed)
        case .wakeExpired: return handleStop(.wakeExpired)
        case .rested: return policy == .service && state == .running ? terminate(.idle) : []
        case .connectionClosed:
            isConnected = false
            // An app may go on without a connection: nothing more is opened by it.
            return decided == nil && policy != .app ? [.arm(.closed)] : []
        case .connectionResumed:
            isConnected = true
            return [.disarm(.closed)]
        case .returned(let answers, let handlers): return handleReturn(answers, handlers)
        case .hostsAway(let areAway):
            hostsAreAway = areAway
            return []
        case .exited(let status): return handleExit(status)
        }
    }

    private mutating func handleHello() -> [Effect] {
        // An app need not say hello, and one that is told to end may be about to.
        if policy == .app { return [] }
        guard state == .awaitingHello else { return kill(.protocolViolation) }
        if policy == .service {
            state = .running
            return [.disarm(.launch)]
        }
        if requests.isEmpty {
            // A request may have come and ended before the hello of a process that was launched ahead.
            state = isWaiting ? .prewarmed : .ready
            return [.disarm(.launch), .arm(state == .prewarmed ? .prewarmed : .firstRequest)]
        }
        state = .busy
        return [.disarm(.launch)]
    }

    private mutating func handleReturn(_ answers: Set<RequestIdentifier>, _ handlers: Set<RequestIdentifier>)
        -> [Effect]
    {
        guard isReturning else { return [] }
        (isReturning, isConnected) = (false, true)
        guard decided == nil, policy != .service else { return [] }
        // A process that waited for its first request had none, unless it is just getting one.
        if isWaiting, answers.isEmpty, handlers.isEmpty { return terminate(.noRequest) }
        served = max(served, 1)
        answered.formUnion(answers)
        unrepeated = answers
        work.formUnion(handlers)
        return answers.union(handlers).sorted { $0.description < $1.description }.map { .arm(.postComplete($0)) }
            + settle()
    }

    private mutating func handleAssigned(_ request: RequestIdentifier) -> [Effect] {
        requests.insert(request)
        served += 1
        switch state {
        case .ready:
            state = .busy
            return [.disarm(.firstRequest)]
        case .prewarmed:
            state = .busy
            return [.disarm(.prewarmed)]
        // The request has as long for it as for a launch of its own.
        case .awaitingHello where isPrewarmed: return [.arm(.launch)]
        case .idle:
            state = .busy
            return [.disarm(.idle)]
        default: return []
        }
    }

    /// Decides what follows when a request or a handler has ended.
    private mutating func settle() -> [Effect] {
        guard requests.isEmpty, answered.isEmpty, decided == nil, !isReturning else { return [] }
        if !work.isEmpty {
            // These handlers got the notice while other requests were open: now their time runs.
            return expired.sorted { $0.description < $1.description }.map { .arm(.expire($0)) }
        }
        if state == .awaitingHello { return policy == .onePerRequest ? kill(.completed) : [] }
        if policy == .onePerRequest { return terminate(.completed) }
        state = .idle
        return [.arm(.idle)]
    }

    private mutating func terminate(_ cause: Cause) -> [Effect] {
        state = .terminating(cause)
        // Every program understands SIGTERM.
        if policy == .app { return [.disarmAll, .sendSignal(Self.sigterm), .arm(.kill)] }
        return [.disarmAll, .sendTerminate(cause), .arm(.terminate)]
    }

    private mutating func kill(_ cause: Cause) -> [Effect] {
        let settled = decided ?? cause
        let answers: [Effect] = requests.isEmpty ? [] : [.endRequests(cause)]
        requests = []
        if case .killing = state { return answers }
        state = .killing(settled)
        return answers + [.disarmAll, .killTree]
    }

    private mutating func handleTimer(_ timer: Timer) -> [Effect] {
        switch (timer, state) {
        case (.launch, .awaitingHello): return kill(.launchTimeout)
        case (.firstRequest, .ready), (.prewarmed, .prewarmed): return terminate(.noRequest)
        case (.idle, .idle): return terminate(.idle)
        case (.postComplete(let request), _) where unrepeated.contains(request) && decided == nil:
            unrepeated.remove(request)
            answered.remove(request)
            return settle()
        case (.postComplete(let request), _) where work.contains(request) && decided == nil:
            expired.insert(request)
            didExpire = true
            return [.sendExpired(request)] + (requests.isEmpty ? [.arm(.expire(request))] : [])
        case (.expire(let request), _) where work.contains(request) && requests.isEmpty && decided == nil:
            // A handler still in its own time gets a notice before it is killed (spec 1.2 step 6): the last notice ends
            // the process.
            return work.isSubset(of: expired) ? kill(.expired) : []
        case (.suspend, .busy) where hostsAreAway && !requests.isEmpty:
            state = .suspended
            return [.suspend]
        case (.terminate, .terminating): return [.sendSignal(Self.sigterm), .arm(.kill)]
        case (.kill, .terminating(let cause)): return kill(cause)
        case (.closed, _) where decided == nil: return kill(.protocolViolation)
        default: return []
        }
    }

    private mutating func handleStop(_ cause: Cause) -> [Effect] {
        switch state {
        case .terminating, .killing, .exited: return []
        case .awaitingHello: return kill(cause)
        case .running, .ready, .prewarmed, .busy, .idle, .suspended:
            let answers: [Effect] = requests.isEmpty ? [] : [.endRequests(cause)]
            requests = []
            return answers + terminate(cause)
        }
    }

    private mutating func handleExit(_ status: ExitStatus) -> [Effect] {
        let cause = decided ?? ownEnd(status)
        let answers: [Effect] = requests.isEmpty ? [] : [.endRequests(cause)]
        requests = []
        work = []
        state = .exited(cause)
        return [.disarmAll] + answers + [.reaped(cause)]
    }

    /// Returns the cause of an end that the daemon did not order.
    private func ownEnd(_ status: ExitStatus) -> Cause {
        switch status {
        case .signalled: .crashed
        // A process that cannot reconnect ends with 0 (docs/protocol.md, section 2.2); another status is the
        // extension's own, whichever daemon serves meanwhile.
        case .exited(let code) where isReturning && code != 0: .exitedEarly
        case _ where isReturning: .daemonRestarted
        case .exited where policy == .app: .exited
        case .exited(0) where policy == .service && state == .running: .exited
        case .exited(0) where requests.isEmpty && served > 0: .completed
        case .notStarted: .launchFailed
        case .exited, .unknown: .exitedEarly
        }
    }

    /// The number of SIGTERM, which is the kernel's on every architecture that Swift runs on; this file imports no C
    /// library.
    private static let sigterm: Int32 = 15
}

extension ProcessStateMachine.Event {
    /// Whether a suspended process has to run again for it.
    fileprivate var wakes: Bool {
        switch self {
        case .timer, .kill, .exited, .hostsAway(true): false
        default: true
        }
    }
}
