// ModelLife: the model with one process and its requests, and with what the daemon has beside it.

import ExtensionProtocol
import LinuxSystem
import Testing

@testable import ExtensionHostModel

/// Gives the model every input that the daemon could give it, performs the effects, and checks after each step what
/// must always hold.
struct ModelLife: Hashable {
    typealias Input = LifecycleModel.Input
    typealias Machine = ProcessStateMachine

    /// How the process and its requests come into the daemon.
    struct Setting: Sendable, Hashable, CustomTestStringConvertible {
        var policy = Machine.Policy.shared
        var requests = 1
        /// Whether the first request waits for a debugger.
        var isHeld = false
        var isPrewarmed = false
        /// Whether process and requests are those of the daemon before.
        var isAdopted = false
        /// Loads that the extension asks for in all.
        var loads = 0
        /// Whether the process is told of each move of a host at once: half of the states.
        var hearsAtOnce = false

        var testDescription: String {
            var words = ["\(policy)", "\(requests) requests"]
            if isHeld { words.append("one held") }
            if isPrewarmed { words.append("prewarmed") }
            if isAdopted { words.append("after a restart") }
            if loads > 0 { words.append("\(loads) loads") }
            return words.joined(separator: ", ")
        }
    }

    /// What the daemon, the host and the extension know of one request.
    struct Served: Hashable {
        /// The model has it.
        var isBegun = false
        /// It is assigned to the process and not closed.
        var isInProcess = false
        var isAwaitingDebugger = false
        /// The extension has it.
        var isSent = false
        var hostIsAway = false
        /// The process has not been told of the host's last move.
        var isUnheard = false
        var hostIsGone = false
        /// After a restart: the host has not come back.
        var hostIsAbsent = false
        /// After a restart: the host has sent its items again.
        var isBegunAgain = false
        /// After a restart: the host has no outcome.
        var hostWaits = true
        /// The extension has said that a completion handler runs after its answer.
        var hasWork = false
        /// Time limits that run.
        var timers: Set<LifecycleModel.RequestTimer> = []
        var finishes = 0
        var closes = 0
        /// Loads that the extension waits for.
        var loads: Set<Int> = []
    }

    /// What can happen besides the model's own inputs.
    enum Event: Hashable, Sendable {
        case input(Input)
        /// The connection is closed for good: nothing can be sent any more.
        case connectionEnded
        case load(Int)
        /// The host answers a load.
        case loaded(Int)
    }

    static let process = 1
    static let identifiers = [ProcessLife.first, ProcessLife.second]
    /// The host of each request.
    static let hosts = ["first", "second"]
    private static let usage = Usage(requests: 1, descriptors: 2, bytes: 3)

    let setting: Setting
    private(set) var model = LifecycleModel()
    private(set) var surroundings: ProcessSurroundings
    private(set) var served: [Served]
    private(set) var peerIsGone = false
    /// After a restart: the process has not come back.
    private(set) var isReturning = false
    private var asked = 0
    /// Loads that the host has not answered.
    private(set) var unanswered: Set<Int> = []

    init(_ setting: Setting) {
        self.setting = setting
        surroundings = ProcessSurroundings(setting.policy, isReturning: setting.isAdopted)
        served = Array(repeating: Served(), count: setting.requests)
        for number in served.indices {
            let host = Self.hosts[number]
            take(
                setting.isAdopted
                    ? .hostAwaited(host, .active) : .hostConnected(host, .active, user: 1, process: Int32(number)))
        }
        guard setting.isAdopted else {
            take(.launched(Self.process, launch))
            return
        }
        isReturning = true
        take(.adopted(Self.process, launch))
        for number in served.indices {
            served[number].hostIsAbsent = true
            served[number].isBegun = true
            served[number].isInProcess = true
            take(
                .requestAdopted(
                    Self.identifiers[number], number: number, host: Self.hosts[number], hasInterface: true,
                    by: Self.process))
        }
    }

    private var launch: LifecycleModel.Launch {
        let program = Program(number: 1, name: Program.Name("program", of: nil))
        return LifecycleModel.Launch(program, setting.policy, isPrewarmed: setting.isPrewarmed)
    }

    var machine: Machine { model[process: Self.process] ?? Machine(policy: setting.policy) }

    var isOver: Bool { machine.isOver && served.allSatisfy { !$0.isBegun || $0.closes == 1 } }

    private func state(_ number: Int) -> RequestStateMachine.State? { model.state(of: Self.identifiers[number]) }

    private func isOpen(_ number: Int) -> Bool { state(number)?.isOpen == true }

    // MARK: What may happen

    /// By the daemon's own doing, whatever extension and hosts leave undone: time, and the end of what was killed. A
    /// process that stands still needs the return of its hosts besides, a request that is held its debugger.
    var ownEvents: [Event] {
        var events: [Event] = []
        for (number, request) in served.enumerated() {
            for timer in request.timers where timer != .answer || !surroundings.isSuspended {
                events.append(.input(.requestTimer(Self.identifiers[number], timer)))
            }
            if request.isAwaitingDebugger { events.append(.input(.debuggerAttached(Self.identifiers[number]))) }
            if surroundings.isSuspended, request.hostIsAway { events.append(move(number, to: .active)) }
            // The daemon waits for absent hosts for a while only.
            if request.hostIsAbsent, request.closes == 0 { events.append(.input(.hostGone(Self.identifiers[number]))) }
            // A request without a process has none because it was never given one; its begin is refused or served.
            if request.isBegun, !request.isInProcess, request.closes == 0 {
                events.append(.input(.failed(Self.identifiers[number], .launchFailed)))
            }
        }
        if machine.isOver { return events }
        // The daemon announces every move.
        if served.contains(where: \.isUnheard) { events.append(.input(.heard(Self.process))) }
        if surroundings.kills > 0 { return events + [process(.exited(.signalled(9, coreDumped: false)))] }
        if isReturning { events.append(process(.kill(.daemonRestarted))) }
        return events + (surroundings.isSuspended ? [] : surroundings.armed.map { process(.timer($0)) })
    }

    private func move(_ number: Int, to state: HostStateName) -> Event {
        .input(.hostMoves(Self.hosts[number], to: state))
    }

    private func process(_ event: Machine.Event) -> Event { .input(.process(Self.process, event)) }

    /// By extension, hosts, operator and the daemon's end, in any order.
    var others: [Event] {
        var events: [Event] = []
        for (number, request) in served.enumerated() {
            let identifier = Self.identifiers[number]
            guard request.isBegun else {
                let isHeld = setting.isHeld && number == 0
                let begin = LifecycleModel.Begin(
                    number: number, host: Self.hosts[number], hasInterface: true, waitsForDebugger: isHeld,
                    usage: Self.usage)
                events.append(.input(.begun(identifier, begin)))
                continue
            }
            if request.closes == 0, !request.isInProcess {
                events.append(.input(.refused(identifier, .quota)))
                if machine.takesRequests { events.append(.input(.assigned(identifier, to: Self.process))) }
            }
            if request.closes == 0 { events += hostEvents(number, request) }
            guard surroundings.saidHello, !surroundings.isClosed, !machine.isOver else { continue }
            // A hostile extension answers also what it has not got, and again. The daemon keeps that of closed requests
            // from the model.
            if request.isInProcess {
                for answer in [LifecycleModel.Answer.completed(work: true), .completed(work: false), .cancelled] {
                    events.append(.input(.answered(identifier, answer)))
                }
                if asked < setting.loads, isOpen(number), !request.hostIsAbsent { events.append(.load(number)) }
            } else if setting.isAdopted {
                events.append(.input(.answeredBefore(identifier, by: Self.process, work: true)))
                events.append(.input(.answeredBefore(identifier, by: Self.process, work: false)))
            }
            events.append(process(.handlerFinished(identifier)))
        }
        events += unanswered.map { .loaded($0) }
        guard !machine.isOver else { return events }
        events += [process(.kill(.memoryLimit)), process(.daemonStopping), process(.withdrawn), process(.outdated)]
        events += [process(.exited(.exited(0))), process(.exited(.signalled(11, coreDumped: false)))]
        if isReturning { return events + returns }
        if surroundings.isClosed {
            if !peerIsGone { events.append(process(.connectionResumed)) }
        } else {
            events.append(.connectionEnded)
            events.append(surroundings.saidHello ? process(.connectionClosed) : .input(.hello(Self.process)))
        }
        return events
    }

    private func hostEvents(_ number: Int, _ request: Served) -> [Event] {
        let identifier = Self.identifiers[number]
        if request.hostIsAbsent {
            return [.input(.hostReturned(identifier, waits: true)), .input(.hostReturned(identifier, waits: false))]
        }
        // A host may say both at any time.
        var events: [Event] = [.input(.cancelled(identifier, .cancelledByHost)), .input(.acknowledged(identifier))]
        if !request.hostIsGone {
            events += [.input(.hostGone(identifier)), move(number, to: request.hostIsAway ? .active : .background)]
        }
        if setting.isAdopted, request.hostWaits, !request.isBegunAgain {
            events.append(.input(.begunAgain(identifier, Self.usage)))
        }
        return events
    }

    /// Everything that a process of the daemon before may say of each of its requests: it has it, has answered it, or
    /// has never had it.
    private var returns: [Event] {
        typealias Requests = Set<RequestIdentifier>
        var words: [(known: Requests, answers: Requests, work: Requests)] = [([], [], [])]
        for (number, request) in served.enumerated() {
            let identifier = Self.identifiers[number]
            words = words.flatMap { said in
                var knows = said
                knows.known.insert(identifier)
                // What was open there and is none of the model's has ended with an answer.
                guard !request.isInProcess else { return [said, knows] }
                guard setting.isAdopted, request.closes == 1 || !request.isBegun else { return [said] }
                var (answered, works) = (said, said)
                answered.answers.insert(identifier)
                works.work.insert(identifier)
                return request.closes == 1 ? [said, answered, works] : [said]
            }
        }
        return words.map { .input(.returned(Self.process, known: $0.known, answers: $0.answers, work: $0.work)) }
    }

    // MARK: Events

    mutating func take(_ event: Event) {
        switch event {
        case .input(let input): take(input)
        case .connectionEnded:
            peerIsGone = true
            take(.process(Self.process, .connectionClosed))
        case .load(let number):
            asked += 1
            let question = QuestionBroker.Question(.load, of: Self.identifiers[number], to: .host("host"), name: asked)
            guard let load = try? model.questions.ask(question) else {
                return require(false, "a load was refused", event)
            }
            served[number].loads.insert(load)
            unanswered.insert(load)
        case .loaded(let load):
            unanswered.remove(load)
            if model.questions.answered(load) != nil { answer(load, event) }
        }
        check(event)
    }

    private mutating func take(_ input: Input) {
        let before = machine
        note(input)
        for effect in model.handle(input) { perform(effect, of: input, before) }
        // Each has one request here, so its host goes with it.
        if case .hostGone(let request) = input { take(.hostDisconnected(Self.hosts[index(request)])) }
        if case .hostMoves = input, setting.hearsAtOnce, !machine.isOver { take(.heard(Self.process)) }
    }

    private mutating func note(_ input: Input) {
        switch input {
        case .begun(let request, _): served[index(request)].isBegun = true
        case .assigned(let request, _): served[index(request)].isInProcess = true
        case .hello: surroundings.note(.hello)
        case .process(_, let event): surroundings.note(event)
        case .debuggerAttached(let request): served[index(request)].isAwaitingDebugger = false
        case .requestTimer(let request, let timer): served[index(request)].timers.remove(timer)
        case .hostGone(let request):
            served[index(request)].hostIsGone = true
            (served[index(request)].hostIsAway, served[index(request)].hostIsAbsent) = (false, false)
        case .hostMoves(let host, let state):
            guard let number = Self.hosts.firstIndex(of: host) else { return }
            served[number].hostIsAway = state != .active
            served[number].isUnheard = served[number].isInProcess
        case .heard: for number in served.indices { served[number].isUnheard = false }
        case .hostReturned(let request, let waits):
            served[index(request)].hostIsAbsent = false
            served[index(request)].hostWaits = waits
            // The daemon tells it what came meanwhile, and waits for the acknowledgement from now on.
            if served[index(request)].finishes == 1 { served[index(request)].timers.insert(.acknowledgement) }
        case .begunAgain(let request, _): served[index(request)].isBegunAgain = true
        case .answered(let request, let answer):
            if model.takesAnswer(request) { served[index(request)].hasWork = answer == .completed(work: true) }
        case .returned(_, let known, let answers, let work):
            isReturning = false
            for request in known { served[index(request)].isSent = true }
            surroundings.note(.returned(answered: answers, work: work))
        default: break
        }
    }

    private func index(_ request: RequestIdentifier) -> Int { request == Self.identifiers[0] ? 0 : 1 }

    private mutating func perform(_ effect: LifecycleModel.Effect, of input: Input, _ before: Machine) {
        switch effect {
        case .host(let name, let edge):
            require(input == .hostMoves(name, to: edge.to) || edge.to == .inactive, "a host on a way of its own", input)
        case .request(let request, let effect): perform(effect, index(request), input)
        case .process(let number, let effect):
            require(number == Self.process, "an effect of another process", input)
            surroundings.perform(effect, of: input, before: before, after: machine)
        // LaunchLife has these.
        case .launch(let effect): require(false, "\(effect) without a limit or a wish", input)
        case .assigned(let request, let number, let assignment):
            require(input == .assigned(request, to: number), "assigned by nobody", input)
            require((assignment == .prewarmed) == before.isWaiting, "taken for another than it is", input)
        case .awaitItems(let request):
            require(setting.isAdopted && !served[index(request)].isBegunAgain, "awaits items that are here", input)
            served[index(request)].timers.insert(.items)
        case .awaitDebugger(let request):
            require(setting.isHeld && served[index(request)].isInProcess, "held for no debugger", input)
            served[index(request)].isAwaitingDebugger = true
        case .endQuestion(let load, let kind):
            require(kind == .load, "another kind of question", input)
            answer(load, input)
        case .settled(let number, let entered):
            require(number == Self.process, "another process has settled", input)
            require(
                (entered != nil) == (before.state != machine.state), "entered \(String(describing: entered))", input)
            if let entered { require(entered == machine.state, "entered another state than it is in", input) }
        }
    }

    private mutating func perform(_ effect: RequestStateMachine.Effect, _ number: Int, _ input: Input) {
        let request = served[number]
        switch effect {
        case .deliver, .goOn:
            served[number].timers.remove(.items)
            require(request.closes == 0 && request.finishes == 0, "delivered after its end", input)
            require(surroundings.saidHello && request.isInProcess, "delivered to nobody", input)
            require(!request.isAwaitingDebugger, "delivered without its debugger", input)
            if setting.isAdopted, effect == .deliver {
                require(request.isBegunAgain || !request.hostIsAbsent, "no items", input)
            }
            if !peerIsGone, !machine.isOver { served[number].isSent = true }
        case .armTimer:
            require(request.closes == 0 && request.finishes == 0, "a limit for an end", input)
            served[number].timers.insert(.answer)
        case .disarmTimer: served[number].timers = []
        case .finish(let cause):
            require(request.finishes == 0 && request.closes == 0, "a second terminal message", input)
            served[number].finishes += 1
            let isAnswer = cause == .completed || cause == .cancelledByExtension
            if isAnswer, !request.hostIsAbsent { served[number].timers.insert(.acknowledgement) }
        case .withdraw:
            // To a peer that is gone nothing is sent.
            require(
                request.finishes == 0 && (request.isSent || peerIsGone), "taken back after the end, or never given",
                input)
        case .dismiss:
            require(request.finishes == 1 && request.closes == 0, "taken down before the host has the answer", input)
        case .acknowledgeExtension: require(request.finishes == 1, "acknowledged before the host was told", input)
        case .close:
            require(request.closes == 0 && request.finishes == 1, "closed twice, or without a terminal message", input)
            require(request.loads.isEmpty, "closed with an open load", input)
            let isAtWork = machine.work.contains(Self.identifiers[number]) || machine.decided != nil
            if request.hasWork, request.isInProcess {
                require(isAtWork, "its handler runs, and nobody waits for it", input)
            }
            served[number].closes += 1
            served[number].timers = []
            (served[number].isInProcess, served[number].isAwaitingDebugger, served[number].hostIsAbsent) = (
                false, false, false
            )
        }
    }

    /// The extension gets the answer of a load.
    private mutating func answer(_ load: Int, _ event: some Any) {
        guard let number = served.firstIndex(where: { $0.loads.contains(load) }) else {
            return require(false, "a second answer of a load", event)
        }
        served[number].loads.remove(load)
    }

    // MARK: What must hold

    private mutating func check(_ event: Event) {
        var open: Set<RequestIdentifier> = []
        var answered: Set<RequestIdentifier> = []
        for (number, request) in served.enumerated() where request.isBegun {
            let isOpen = isOpen(number)
            if request.isInProcess {
                if isOpen { open.insert(Self.identifiers[number]) } else { answered.insert(Self.identifiers[number]) }
            }
            require(isOpen == (request.finishes == 0), "open with a terminal message, or over without", event)
            require(
                (state(number) == nil) == (request.closes == 1), "closed, and still the model's, or lost by it", event)
            if state(number) == .active { require(request.timers.contains(.answer), "active without a limit", event) }
            require(request.loads.allSatisfy { model.questions[$0] != nil }, "a load that nobody answers", event)
        }
        require(
            machine.isOver || answered.isSubset(of: machine.answered), "the process believes others to be answered",
            event)
        if !setting.isAdopted { require(machine.isOver || machine.answered == answered, "answered and closed", event) }
        require(!machine.isOver || open.isEmpty, "open, and its process is gone", event)
        let mine = served.filter(\.isInProcess)
        if !machine.isOver, !served.contains(where: \.isUnheard) {
            let areAway = !mine.isEmpty && mine.allSatisfy(\.hostIsAway)
            require(machine.hostsAreAway == areAway, "the process takes its hosts to be elsewhere", event)
        }
        if isOver { require(model.quotas.isEmpty, "something is counted against a host for ever", event) }
        surroundings.check(machine, open: open, after: event)
    }

    private func require(_ holds: Bool, _ words: @autoclosure () -> String, _ event: some Any) {
        if !holds { Issue.record("\(words()), by \(event), in \(self)") }
    }
}
