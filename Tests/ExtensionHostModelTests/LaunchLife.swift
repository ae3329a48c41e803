// LaunchLife: the model with one program, its processes and those who launch them.

import ExtensionProtocol
import enum LinuxSystem.ExitStatus
import Testing

@testable import ExtensionHostModel

/// The requests of one host, and the launches that they lead to: on demand and ahead, successful and not. What becomes
/// of a process besides is `ModelLife`'s.
struct LaunchLife: Hashable {
    typealias Input = LifecycleModel.Input

    struct Setting: Sendable, Hashable, CustomTestStringConvertible {
        var requests = 2
        var policy = ProcessStateMachine.Policy.shared
        var prewarmed = 0
        var prewarmLimit = 8
        var breakerLimit: Int?
        /// The processes that the host may have.
        var quota = 8
        var launches = 3

        var testDescription: String {
            "\(requests) requests, \(policy), \(prewarmed) of \(prewarmLimit) ahead, breaker \(breakerLimit ?? 0), \(quota) processes of a host"
        }
    }

    enum Event: Hashable, Sendable {
        case begin(Int)
        /// Nothing prevents a launch for the request any more.
        case gateOpens(Int)
        /// The request looks for a process anew.
        case seeks(Int)
        case launches(Int)
        case cannotLaunch(Int)
        case turn
        case launchesAhead
        case cannotLaunchAhead
        case mayNotLaunchAhead
        case pauseOver
        case reset
        case hostGone(Int)
        case answers(Int)
        case acknowledges(Int)
        case hello(Int)
        case exits(Int, LinuxSystem.ExitStatus)
        case outdated(Int)
    }

    struct Served: Hashable {
        var isBegun = false
        /// The daemon looks whether it can launch something for it.
        var waitsForGate = false
        /// A launch for it is under way.
        var isGranted = false
        var process: Int?
        var finishes = 0
        var closes = 0
    }

    struct Running: Hashable {
        var launchedFor: Int?
        var saidHello = false
    }

    enum Breaker: Hashable {
        case closed, open, due, trying
    }

    static let requests = [ProcessLife.first, ProcessLife.second, RequestIdentifier(words: (high: 0, low: 3))]
    private static let host = "host"

    let setting: Setting
    private let program: Program
    private(set) var model = LifecycleModel()
    private(set) var served: [Served]
    private(set) var running: [Int: Running] = [:]
    private(set) var breaker = Breaker.closed
    private var isScheduled = false
    private var isLaunchingAhead = false
    private var launches = 0

    init(_ setting: Setting) {
        self.setting = setting
        served = Array(repeating: Served(), count: setting.requests)
        program = Program(number: 7, name: Program.Name("program", of: nil), prewarmed: setting.prewarmed)
        var configuration = LifecycleModel.Configuration()
        configuration.breakerLimit = setting.breakerLimit
        configuration.prewarmLimit = setting.prewarmLimit
        let many = Usage(requests: 9, descriptors: 9, bytes: 9, processes: 9)
        configuration.quotas = QuotaBook.Limits(
            user: many, process: many, host: Usage(requests: 9, descriptors: 9, bytes: 9, processes: setting.quota))
        give(.configured(configuration))
        give(.hostConnected(Self.host, .active, user: 1, process: 1))
    }

    private func machine(_ number: Int) -> ProcessStateMachine? { model[process: number] }

    // MARK: What may happen

    var events: [Event] {
        var events: [Event] = []
        for (number, request) in served.enumerated() where request.closes == 0 {
            guard request.isBegun else {
                events.append(.begin(number))
                continue
            }
            events.append(.hostGone(number))
            if request.waitsForGate { events += [.gateOpens(number), .seeks(number)] }
            if request.isGranted {
                events +=
                    launches < setting.launches ? [.launches(number), .cannotLaunch(number)] : [.cannotLaunch(number)]
            }
            let state = model.state(of: Self.requests[number])
            if state == .active { events.append(.answers(number)) }
            if request.finishes == 1 { events.append(.acknowledges(number)) }
        }
        // A launch whose request has ended meanwhile comes to its end all the same.
        for (number, request) in served.enumerated() where request.closes == 1 && request.isGranted {
            events +=
                launches < setting.launches ? [.launches(number), .cannotLaunch(number)] : [.cannotLaunch(number)]
        }
        if isScheduled { events.append(.turn) }
        if isLaunchingAhead {
            events += [.cannotLaunchAhead, .mayNotLaunchAhead]
            if launches < setting.launches { events.append(.launchesAhead) }
        }
        if breaker == .open { events.append(.pauseOver) }
        if breaker != .closed { events.append(.reset) }
        for (number, process) in running {
            events += [.exits(number, .exited(0)), .exits(number, .signalled(11, coreDumped: false))]
            if !process.saidHello { events.append(.hello(number)) }
            if machine(number)?.isWaiting == true { events.append(.outdated(number)) }
        }
        return events
    }

    // MARK: Events

    mutating func take(_ event: Event) {
        switch event {
        case .begin(let number):
            served[number].isBegun = true
            let begin = LifecycleModel.Begin(
                number: number, host: Self.host, hasInterface: false, waitsForDebugger: false,
                usage: Usage(requests: 1, descriptors: 1))
            give(.begun(Self.requests[number], begin))
            seek(number)
        case .gateOpens(let number):
            served[number].waitsForGate = false
            let before = self
            give(.mayLaunch(Self.requests[number]))
            guard model.isLaunching(Self.requests[number]) else { break }
            require(before.candidates.isEmpty, "launched though a process could take it", event)
            require(breaker == .closed || breaker == .due, "launched while the breaker is \(breaker)", event)
            if breaker == .due { breaker = .trying }
            served[number].isGranted = true
        case .seeks(let number):
            served[number].waitsForGate = false
            seek(number)
        case .launches(let number):
            served[number].isGranted = false
            let process = launch(for: number)
            give(.launched(process, LifecycleModel.Launch(program, setting.policy)))
            give(.assigned(Self.requests[number], to: process))
        case .cannotLaunch(let number):
            served[number].isGranted = false
            give(.launchFailed(program))
            give(.failed(Self.requests[number], .launchFailed))
        case .turn:
            isScheduled = false
            give(.prewarm)
        case .launchesAhead:
            isLaunchingAhead = false
            give(.launched(launch(for: nil), LifecycleModel.Launch(program, setting.policy, isPrewarmed: true)))
        case .cannotLaunchAhead:
            isLaunchingAhead = false
            give(.launchFailed(program))
            give(.notPrewarmed(program))
        case .mayNotLaunchAhead:
            isLaunchingAhead = false
            give(.notPrewarmed(program))
        case .pauseOver:
            breaker = .due
            give(.breakerPauseOver(program.name))
        case .reset: give(.breakersReset(program.name.identifier, user: nil))
        case .hostGone(let number): give(.hostGone(Self.requests[number]))
        case .answers(let number): give(.answered(Self.requests[number], .completed(work: false)))
        case .acknowledges(let number): give(.acknowledged(Self.requests[number]))
        case .hello(let number):
            running[number]?.saidHello = true
            give(.hello(number))
        case .exits(let number, let status): give(.process(number, .exited(status)))
        case .outdated(let number): give(.process(number, .outdated))
        }
        check(event)
    }

    private mutating func launch(for request: Int?) -> Int {
        launches += 1
        running[launches] = Running(launchedFor: request)
        return launches
    }

    private mutating func seek(_ number: Int) { give(.seeksProcess(Self.requests[number], program)) }

    private mutating func give(_ input: Input) {
        let before = self
        for effect in model.handle(input) { perform(effect, of: input, before) }
        for number in before.running.keys where running[number] == nil { give(.forgotten(number)) }
    }

    private mutating func perform(_ effect: LifecycleModel.Effect, of input: Input, _ before: LaunchLife) {
        switch effect {
        case .launch(let effect): perform(effect, of: input, before)
        case .assigned(let identifier, let process, let assignment):
            let number = index(identifier)
            let machine = before.machine(process)
            require(
                served[number].process == nil && served[number].closes == 0, "assigned twice, or after its end", input)
            require(machine?.takesRequests == true, "given to a process that takes none", input)
            let isMine = running[process]?.launchedFor == number
            let expected: LifecycleModel.Assignment =
                isMine && machine?.served == 0 ? .launched : machine?.isWaiting == true ? .prewarmed : .reused
            require(assignment == expected, "\(assignment) in place of \(expected)", input)
            served[number].process = process
        case .request(let identifier, .finish):
            served[index(identifier)].finishes += 1
            require(served[index(identifier)].finishes == 1, "a second terminal message", input)
        case .request(let identifier, .close):
            served[index(identifier)].closes += 1
            served[index(identifier)].waitsForGate = false
            require(served[index(identifier)].closes == 1, "closed twice", input)
        case .request(let identifier, .deliver):
            let process = served[index(identifier)].process
            require(process.map { running[$0]?.saidHello == true } == true, "delivered to nobody", input)
        case .process(let number, .reaped(let cause)):
            running[number] = nil
            if !cause.isFailure, breaker == .trying { breaker = .due }
        default: break
        }
    }

    private mutating func perform(_ effect: LifecycleModel.LaunchEffect, of input: Input, _ before: LaunchLife) {
        switch effect {
        case .needed(let request):
            require(before.candidates.isEmpty, "a process could take it", input)
            served[index(request)].waitsForGate = true
        case .refused(_, .breakerOpen): require(breaker == .open || breaker == .trying, "refused by no breaker", input)
        case .refused(_, .quota):
            let own = before.paid
            require(own >= setting.quota, "refused with \(own) of \(setting.quota) processes", input)
        case .schedulePrewarming:
            require(!isScheduled && setting.prewarmed > 0, "scheduled twice, or for nothing", input)
            isScheduled = true
        case .prewarm(let program):
            require(program == self.program && !isLaunchingAhead, "two launches ahead at a time", input)
            require(breaker == .closed, "launched ahead while the breaker is \(breaker)", input)
            isLaunchingAhead = true
        case .prewarmLimit(let waiting, _):
            require(waiting >= setting.prewarmLimit, "a limit that is not reached", input)
        case .breakerOpened(_, let failures, _, let cause):
            require(failures >= setting.breakerLimit ?? .max && cause.isFailure, "opened by nothing", input)
            breaker = .open
        case .breakerClosed(_, let isReset):
            if case .breakersReset = input { require(isReset, "an operator closed it", input) }
            require(breaker != .closed, "closed twice", input)
            breaker = .closed
        }
    }

    private var candidates: [Int] { running.keys.filter { machine($0)?.takesRequests == true } }

    /// The processes that the host pays for.
    private var paid: Int {
        let used = running.keys.count { (machine($0)?.served ?? 0) > 0 }
        return used + served.count { $0.isGranted && $0.closes == 0 }
    }

    private func index(_ request: RequestIdentifier) -> Int { Self.requests.firstIndex(of: request) ?? 0 }

    // MARK: What must hold

    private func check(_ event: Event) {
        let waiting = running.keys.filter { machine($0)?.isWaiting == true }
        require(model.prewarming.waitingOfAll == waiting.count, "counts others as waiting", event)
        require(waiting.count <= min(setting.prewarmed, setting.prewarmLimit), "too many wait", event)
        require(Set(model.processesByProgram[program.number] ?? []) == Set(running.keys), "has other processes", event)
        require(model.prewarming.isScheduled == isScheduled, "waits for a turn that does not come", event)
        let isIdle = !isScheduled && !isLaunchingAhead && !running.values.contains { !$0.saidHello }
        require(!isIdle || model.prewarming.wanted.isEmpty, "wants a process and has no turn", event)
        require(paid <= setting.quota, "more processes than the host may have", event)
        require(model.excess(adding: Usage(), toHost: Self.host) == nil, "over a limit", event)
        let counted = (0...setting.quota).first {
            model.excess(adding: Usage(processes: $0 + 1), toHost: Self.host) != nil
        }
        require(counted == setting.quota - paid, "counts other processes than \(paid)", event)
        for (number, request) in served.enumerated() {
            let isOpen = model.state(of: Self.requests[number])?.isOpen == true
            require(!request.isBegun || isOpen == (request.finishes == 0), "open with a terminal message", event)
            let isServed = request.waitsForGate || request.isGranted || request.process != nil
            require(!request.isBegun || request.closes == 1 || isServed, "nobody looks for a process", event)
        }
    }

    /// Everybody goes: nothing may be left.
    func checkEnd() {
        var life = self
        var steps = 0
        while let event = life.events.last(where: \.endsSomething), steps < 99 {
            life.take(event)
            steps += 1
        }
        require(steps < 99, "goes on for ever", "the end")
        require(life.running.isEmpty && life.model.quotas.isEmpty, "something is left of \(life)", "the end")
        require(life.model.prewarming == PrewarmBook(), "a wish is left of \(life)", "the end")
    }

    private func require(_ holds: Bool, _ words: @autoclosure () -> String, _ event: some Any) {
        if !holds { Issue.record("\(words()), by \(event), in \(self)") }
    }
}

extension LaunchLife.Event {
    /// Whether it is a step to the end.
    fileprivate var endsSomething: Bool {
        switch self {
        case .hostGone, .cannotLaunch, .turn, .mayNotLaunchAhead, .exits: true
        default: false
        }
    }
}
