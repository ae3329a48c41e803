// LifecycleModel: the hosts, their requests and the processes that serve them, as one value; pure.

package import ExtensionProtocol

/// All decisions about hosts, requests and processes. Inputs come in, effects come out; the model does no I/O and knows
/// no time.
///
/// A step is one call of `handle`. It changes the model completely before any of its effects is performed. The order of
/// the effects is the order in which they must be performed. An effect that has consequences for the model is followed
/// by an input, never by a call in the middle of a step (`ModelDriver`).
package struct LifecycleModel: Sendable, Hashable {
    /// The answer of an extension at the end of a request.
    package enum Answer: Sendable, Hashable {
        /// `work`: a completion handler still runs after the answer.
        case completed(work: Bool)
        case cancelled
    }

    package enum RequestTimer: Sendable, Hashable {
        /// The time for the extension's answer.
        case answer
        /// The time for the host's acknowledgement.
        case acknowledgement
        /// The time for the host to send the items again, after a restart.
        case items
    }

    package enum Input: Sendable, Hashable {
        // MARK: From hosts and operators
        /// A host has connected, with its user and process.
        case hostConnected(String, HostStateName, user: UInt32, process: Int32)
        case hostMoves(String, to: HostStateName)
        /// The host is gone. An input for each of its requests follows (`hostGone`).
        case hostDisconnected(String)
        /// A host has begun a request. Requests of one process are served in the order of their numbers.
        case begun(RequestIdentifier, Begin)
        /// The request is refused before a process is chosen for it.
        case refused(RequestIdentifier, Cause)
        /// No process can serve the request.
        case failed(RequestIdentifier, Cause)
        case cancelled(RequestIdentifier, Cause)
        case acknowledged(RequestIdentifier)
        case hostGone(RequestIdentifier)

        // MARK: From the launcher
        /// The request may be given to a process of this program.
        case seeksProcess(RequestIdentifier, Program)
        /// The daemon can launch a process for the request, and does so at once if the model then `isLaunching` it.
        ///
        /// The next input of the model is `launched` and `assigned`, or `launchFailed` and `failed`.
        case mayLaunch(RequestIdentifier)
        case launched(Int, Launch)
        /// A launch has produced no process.
        case launchFailed(Program)
        /// A turn to launch a process ahead of requests.
        case prewarm
        /// No process of the program is launched ahead.
        case notPrewarmed(Program)
        /// An app is about to be launched. Its breaker admits that.
        case breakerTried(Program.Name)
        case breakerPauseOver(Program.Name)
        /// An operator resets the breakers of an extension; no user: those of all users.
        case breakersReset(String, user: UInt32?)

        // MARK: From processes
        /// This process serves the request.
        case assigned(RequestIdentifier, to: Int)
        case hello(Int)
        case debuggerAttached(RequestIdentifier)
        case answered(RequestIdentifier, Answer)
        /// Whether an app has still to take what it was opened for.
        case owes(Int, Bool)
        /// An app has taken what it was opened for.
        case opened(Int)
        /// An event that concerns one process and none of its requests directly.
        case process(Int, ProcessStateMachine.Event)
        /// The process has received the moves of its hosts so far.
        case heard(Int)
        case requestTimer(RequestIdentifier, RequestTimer)
        /// The process has exited, and nothing refers to it any more.
        case forgotten(Int)

        // MARK: From the configuration
        case configured(Configuration)

        // MARK: After a restart of the daemon
        /// A host of the last daemon, which may reconnect.
        case hostAwaited(String, HostStateName)
        /// A process of the last daemon. It was ready there.
        case adopted(Int, Launch)
        /// A request of the last daemon, which gave it to this process.
        case requestAdopted(RequestIdentifier, number: Int, host: String, hasInterface: Bool, by: Int)
        /// The host has reconnected. `waits`: it has no outcome of the request yet.
        case hostReturned(RequestIdentifier, waits: Bool)
        /// The host has sent the items again.
        case begunAgain(RequestIdentifier, Usage)
        /// The process has reconnected. It has the requests `known`, and has answered those of `answers`.
        case returned(Int, known: Set<RequestIdentifier>, answers: Set<RequestIdentifier>, work: Set<RequestIdentifier>)
        /// The process repeats an answer that the host got from the last daemon.
        case answeredBefore(RequestIdentifier, by: Int, work: Bool)
    }

    /// A request at its begin.
    package struct Begin: Sendable, Hashable {
        package let number: Int
        package let host: String
        package let hasInterface: Bool
        package let waitsForDebugger: Bool
        /// The usage of the request until its delivery.
        package let usage: Usage

        package init(number: Int, host: String, hasInterface: Bool, waitsForDebugger: Bool, usage: Usage) {
            self.number = number
            self.host = host
            self.hasInterface = hasInterface
            self.waitsForDebugger = waitsForDebugger
            self.usage = usage
        }
    }

    package enum Effect: Sendable, Hashable {
        /// The host has moved along one edge.
        case host(String, HostTransition)
        case request(RequestIdentifier, RequestStateMachine.Effect)
        case process(Int, ProcessStateMachine.Effect)
        case launch(LaunchEffect)
        /// The process takes the request.
        case assigned(RequestIdentifier, to: Int, Assignment)
        /// Look for a debugger until one is attached.
        case awaitDebugger(RequestIdentifier)
        /// Start the time `items`.
        case awaitItems(RequestIdentifier)
        /// Answer the asker: the request has ended.
        case endQuestion(Int, QuestionBroker.Kind)
        /// The last effect of each step that concerns a process. `entered`: the process's new state, if it has one.
        case settled(Int, entered: ProcessStateMachine.State?)
    }

    struct ServedHost: Sendable, Hashable {
        var state: HostState
        /// The payer of its usage; nil for a host that is awaited after a restart.
        var payer: QuotaBook.Payer?
    }

    /// A request, from its begin to its close.
    struct ServedRequest: Sendable, Hashable {
        var machine: RequestStateMachine
        let number: Int
        let host: String
        /// The payer of its usage; nil for an adopted request whose host has not reconnected.
        var payer: QuotaBook.Payer?
        var usage = Usage()
        /// The program that serves the request, once the request seeks a process.
        var program: Program?
        /// Whether a process is launched for it.
        var isLaunching = false
        var process: Int?
        var hasWork = false
        var waitsForDebugger = false
        var isHeld = false
        /// Whether the last daemon gave the request to its process.
        var isAdopted = false
        /// Whether the items of an adopted request are here.
        var hasItems = false
        /// Whether the process of an adopted request has reconnected without it.
        var wantsItems = false
        /// Whether the host of an adopted request waits for the outcome; nil until the host has reconnected.
        var hostWaits: Bool?

        /// Whether the process may reconnect with the request.
        var isReturning: Bool { isAdopted && machine.state == .launching }
    }

    struct ServingProcess: Sendable, Hashable {
        var machine: ProcessStateMachine
        let program: Program
        /// Whether an app has still to take what it was launched for.
        var owesAnswer = false
        /// Whether the process can be given items.
        var isReady: Bool
        /// Requests that are assigned and not closed.
        var requests: [RequestIdentifier] = []
        /// The host of its first request, until the end of the process.
        var payer: QuotaBook.Payer?
    }

    struct Step {
        var effects: [Effect] = []
        /// The process whose machine has taken an event, and its state before.
        var process: Int?
        var before: ProcessStateMachine.State?
    }

    private var hosts: [String: ServedHost] = [:]
    private var lastHost = 0
    var requests: [RequestIdentifier: ServedRequest] = [:]
    var processes: [Int: ServingProcess] = [:]
    /// The processes of each program, by its number.
    var processesByProgram: [Int: [Int]] = [:]
    var configuration = Configuration()
    package private(set) var quotas = QuotaBook()
    package internal(set) var breakers = BreakerBook()
    var prewarming = PrewarmBook()
    /// The questions between the two sides of each request. A question is refused or accepted at once, so it is no
    /// input.
    package var questions = QuestionBroker()

    package init() {}

    /// Returns the state of a host, also of one that is awaited after a restart.
    package func state(ofHost name: String) -> HostStateName? { hosts[name]?.state.current }

    /// Returns the first limit that a host would exceed with more usage.
    package func excess(adding more: Usage, toHost name: String) -> (level: QuotaBook.Level, words: String)? {
        hosts[name]?.payer.flatMap { excess(adding: more, to: $0) }
    }

    func excess(adding more: Usage, to payer: QuotaBook.Payer) -> (level: QuotaBook.Level, words: String)? {
        configuration.quotas.flatMap { quotas.excess(adding: more, to: payer, within: $0) }
    }

    /// Returns the state of a request; nil before its begin and after its close.
    package func state(of request: RequestIdentifier) -> RequestStateMachine.State? { requests[request]?.machine.state }

    /// Whether the request's process may reconnect with it after a restart of the daemon.
    package func isReturning(_ request: RequestIdentifier) -> Bool { requests[request]?.isReturning ?? false }

    /// Whether an answer of the extension ends the request. A hostile extension answers before it has the request, and
    /// twice.
    package func takesAnswer(_ request: RequestIdentifier) -> Bool {
        guard let served = requests[request] else { return false }
        return served.machine.state == .active || served.isReturning
    }

    package subscript(process number: Int) -> ProcessStateMachine? { processes[number]?.machine }

    // MARK: Inputs

    package mutating func handle(_ input: Input) -> [Effect] {
        var step = Step()
        take(input, &step)
        if let number = step.process, let process = processes[number] {
            let state = process.machine.state
            step.effects.append(.settled(number, entered: state == step.before ? nil : state))
        }
        return step.effects
    }

    private mutating func take(_ input: Input, _ step: inout Step) {
        switch input {
        case .hostConnected(let name, let state, let user, let process):
            lastHost += 1
            hosts[name] = ServedHost(
                state: HostState(state), payer: QuotaBook.Payer(user: user, process: process, host: lastHost))
        case .hostMoves(let name, let target):
            for edge in hosts[name]?.state.move(to: target) ?? [] { step.effects.append(.host(name, edge)) }
        case .hostDisconnected(let name): hosts[name] = nil
        case .begun(let request, let begin):
            requests[request] = ServedRequest(
                machine: RequestStateMachine(hasInterface: begin.hasInterface), number: begin.number, host: begin.host,
                payer: hosts[begin.host]?.payer, waitsForDebugger: begin.waitsForDebugger)
            use(begin.usage, for: request)
        case .refused(let request, let cause): tell(request, .refused(cause), &step)
        case .failed(let request, let cause): tell(request, .processDied(cause), &step)
        case .cancelled(let request, let cause): tell(request, .cancelled(cause), &step)
        case .acknowledged(let request): tell(request, .hostAcknowledged, &step)
        case .hostGone(let request): tell(request, .hostGone, &step)
        case .requestTimer(let request, .answer): tell(request, .timedOut, &step)
        case .requestTimer(let request, .acknowledgement): tell(request, .hostSilent, &step)
        case .requestTimer(let request, .items): tell(request, .processDied(.daemonRestarted), &step)
        case .seeksProcess, .mayLaunch, .launched, .launchFailed, .prewarm, .notPrewarmed, .breakerTried,
            .breakerPauseOver,
            .breakersReset, .owes, .opened:
            takeOfLaunches(input, &step)
        case .assigned(let request, let number): assign(request, to: number, &step)
        case .hello(let number):
            tell(number, .hello, &step)
            processes[number]?.isReady = true
            for request in requestsInOrder(of: number) { ready(request, &step) }
            isReady(number, &step)
        case .debuggerAttached(let request):
            requests[request]?.waitsForDebugger = false
            if requests[request]?.isHeld == true { ready(request, &step) }
        case .answered(let request, let answer): take(answer, of: request, &step)
        case .process(let number, let event):
            // A host that has reconnected may not have been announced to the process yet.
            if event == .timer(.suspend) { reconsiderHosts(of: number, &step) }
            tell(number, event, &step)
        case .heard(let number): reconsiderHosts(of: number, &step)
        case .forgotten(let number): forget(number)
        case .configured(let next): configure(next, &step)
        case .hostAwaited, .adopted, .requestAdopted, .hostReturned, .begunAgain, .returned, .answeredBefore:
            takeAfterRestart(input, &step)
        }
    }

    mutating func assign(_ request: RequestIdentifier, to number: Int, _ step: inout Step) {
        guard let process = processes[number], let served = requests[request] else { return }
        let isFirst = process.machine.served == 0
        let isPrewarmed = process.machine.isWaiting
        step.effects.append(
            .assigned(
                request, to: number, isPrewarmed ? .prewarmed : isFirst && served.isLaunching ? .launched : .reused))
        join(request, number)
        if served.isLaunching { endPaymentAhead(for: request) }
        if isFirst { pay(for: number, by: request) }
        tell(number, .assigned(request), &step)
        tell(request, .launched, &step)
        if process.isReady { ready(request, &step) }
        reconsiderHosts(of: number, &step)
        if isPrewarmed { use(process.program, &step) }
    }

    private mutating func join(_ request: RequestIdentifier, _ number: Int) {
        requests.change(request) { $0.process = number }
        processes.change(number) { $0.requests.append(request) }
    }

    /// Reports to a request that its process can be given items.
    ///
    /// A request that waits for a debugger stays until one is attached.
    private mutating func ready(_ request: RequestIdentifier, _ step: inout Step) {
        guard let served = requests[request], served.machine.isOpen, !served.isReturning else { return }
        guard served.waitsForDebugger else { return tell(request, .processReady, &step) }
        if !served.isHeld {
            requests[request]?.isHeld = true
            step.effects.append(.awaitDebugger(request))
        }
    }

    private mutating func take(_ answer: Answer, of request: RequestIdentifier, _ step: inout Step) {
        guard let served = requests[request], takesAnswer(request) else { return }
        if served.isReturning { tell(request, .resumesAfterRestart, &step) }
        switch answer {
        case .completed(let work):
            requests.change(request) { $0.hasWork = work }
            tell(request, .completedByExtension, &step)
        case .cancelled: tell(request, .cancelledByExtension, &step)
        }
        if let process = served.process { tell(process, .answered(request), &step) }
    }

    // MARK: Quotas

    /// Replaces the usage of a request.
    private mutating func use(_ usage: Usage, for request: RequestIdentifier) {
        let change = requests.change(request) { served -> (payer: QuotaBook.Payer, more: Usage)? in
            guard let payer = served.payer else { return nil }
            defer { served.usage = usage }
            return (payer, usage - served.usage)
        }
        if let (payer, more) = change ?? nil { quotas.add(more, to: payer) }
    }

    /// Charges the host of a request for the process that is launched for it, before the process exists: others are
    /// launched meanwhile.
    mutating func payAhead(for request: RequestIdentifier) {
        if let usage = requests[request]?.usage { use(usage + Usage(processes: 1), for: request) }
    }

    private mutating func endPaymentAhead(for request: RequestIdentifier) {
        requests[request]?.isLaunching = false
        if let usage = requests[request]?.usage { use(usage - Usage(processes: 1), for: request) }
    }

    /// Ends the charge for a process that is no more.
    mutating func endPayment(for number: Int) {
        guard let payer = processes[number]?.payer else { return }
        processes[number]?.payer = nil
        quotas.remove(Usage(processes: 1), from: payer)
    }

    /// Charges a process to its first host until it ends, whichever hosts it serves besides.
    ///
    /// A process of another daemon is charged to the host that reconnects first.
    private mutating func pay(for number: Int, by request: RequestIdentifier) {
        guard let process = processes[number], process.payer == nil, let payer = requests[request]?.payer else {
            return
        }
        processes[number]?.payer = payer
        quotas.add(Usage(processes: 1), to: payer)
    }

    // MARK: Hosts that are away

    /// Reports to a process whether every host of its requests is away.
    ///
    /// The call follows each change of the requests, and each move that the process has received.
    private mutating func reconsiderHosts(of number: Int, _ step: inout Step) {
        guard let process = processes[number] else { return }
        let areAway = !process.requests.isEmpty && process.requests.allSatisfy { isAway($0) }
        if areAway != process.machine.hostsAreAway { tell(number, .hostsAway(areAway), &step) }
    }

    private func isAway(_ request: RequestIdentifier) -> Bool {
        guard let name = requests[request]?.host, let state = hosts[name]?.state.current else { return false }
        return configuration.suspendsWhenInactive ? state != .active : state == .background
    }

    // MARK: After a restart of the daemon

    private mutating func takeAfterRestart(_ input: Input, _ step: inout Step) {
        switch input {
        case .hostAwaited(let name, let state): hosts[name] = ServedHost(state: HostState(state))
        case .adopted(let number, let launch): enter(number, launch, isReturning: true)
        case .requestAdopted(let request, let number, let host, let hasInterface, let process):
            guard processes[process] != nil else { return }
            requests[request] = ServedRequest(
                machine: RequestStateMachine(hasInterface: hasInterface), number: number, host: host, isAdopted: true)
            join(request, process)
            tell(process, .assigned(request), &step)
            tell(request, .launched, &step)
        case .hostReturned(let request, let waits):
            guard let served = requests[request] else { return }
            requests[request]?.hostWaits = waits
            requests[request]?.payer = hosts[served.host]?.payer
            use(Usage(requests: 1), for: request)
            if let process = served.process {
                pay(for: process, by: request)
                reconsiderHosts(of: process, &step)
            }
            seekItems(of: request, &step)
        case .begunAgain(let request, let usage):
            guard let served = requests[request], served.isReturning else { return }
            requests[request]?.hasItems = true
            use(usage, for: request)
            if served.wantsItems { deliverAgain(request, &step) }
        case .returned(let number, let known, let answers, let work):
            tell(number, .returned(answered: answers, work: work), &step)
            for request in requestsInOrder(of: number) {
                guard let served = requests[request], served.isReturning else { continue }
                if known.contains(request) {
                    tell(request, .resumesAfterRestart, &step)
                } else if served.hasItems {
                    deliverAgain(request, &step)
                } else {
                    requests[request]?.wantsItems = true
                    seekItems(of: request, &step)
                }
            }
            reconsiderHosts(of: number, &step)
        case .answeredBefore(let request, let number, let work):
            guard processes[number]?.machine.answered.contains(request) == true else { return }
            tell(number, .ended(request, work: work), &step)
        default: return
        }
    }

    /// Asks for the items of a request that its process does not have.
    ///
    /// A host that waits for the request sends the items again; a host that has an outcome does not.
    private mutating func seekItems(of request: RequestIdentifier, _ step: inout Step) {
        guard let served = requests[request], served.isReturning, served.wantsItems, let hostWaits = served.hostWaits
        else {
            return
        }
        if hostWaits {
            step.effects.append(.awaitItems(request))
        } else {
            tell(request, .processDied(.daemonRestarted), &step)
        }
    }

    private mutating func deliverAgain(_ request: RequestIdentifier, _ step: inout Step) {
        requests[request]?.wantsItems = false
        tell(request, .processReady, &step)
    }

    // MARK: What the machines tell each other

    mutating func tell(_ request: RequestIdentifier, _ event: RequestStateMachine.Event, _ step: inout Step) {
        guard let effects = requests.change(request, { $0.machine.handle(event) }) else { return }
        for effect in effects {
            if effect == .close {
                for (number, question) in questions.giveUpAll(of: request) {
                    step.effects.append(.endQuestion(number, question.kind))
                }
            }
            step.effects.append(.request(request, effect))
            if effect == .deliver {
                use(Usage(requests: 1), for: request)
                delivered(request, &step)
            }
            if effect == .close { close(request, &step) }
        }
    }

    private mutating func close(_ request: RequestIdentifier, _ step: inout Step) {
        use(Usage(), for: request)
        guard let served = requests.removeValue(forKey: request), let number = served.process else { return }
        guard case .finished(let cause) = served.machine.state else { return }
        if cause == .completed || cause == .cancelledByExtension { closeBreaker(of: number, &step) }
        processes.change(number) { process in
            if let place = process.requests.firstIndex(of: request) { process.requests.remove(at: place) }
        }
        // A time limit of a request is fatal to a process that serves no other.
        tell(number, cause == .requestTimeout ? .failed(request, cause) : .ended(request, work: served.hasWork), &step)
        reconsiderHosts(of: number, &step)
    }

    mutating func tell(_ number: Int, _ event: ProcessStateMachine.Event, _ step: inout Step) {
        let change = processes.change(number) { process in
            let (before, waited) = (process.machine.state, process.machine.isWaiting)
            let effects = process.machine.handle(event)
            return (before, effects, waited && !process.machine.isWaiting ? process.program : nil)
        }
        guard let (before, effects, taken) = change else { return }
        if step.process == nil { (step.process, step.before) = (number, before) }
        if let taken { prewarming.waitsNoMore(taken) }
        for effect in effects {
            step.effects.append(.process(number, effect))
            if case .reaped(let cause) = effect { reaped(number, cause, &step) }
            guard case .endRequests(let cause) = effect else { continue }
            for request in requestsInOrder(of: number) { tell(request, .processDied(cause), &step) }
        }
    }

    private func requestsInOrder(of number: Int) -> [RequestIdentifier] {
        guard let list = processes[number]?.requests, list.count > 1 else { return processes[number]?.requests ?? [] }
        return list.sorted { (requests[$0]?.number ?? 0) < (requests[$1]?.number ?? 0) }
    }
}
