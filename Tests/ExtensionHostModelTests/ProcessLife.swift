// ProcessLife: a process machine with what a daemon would hold beside it: armed timers, open requests, what was done.

import ExtensionProtocol
import LinuxSystem
import Testing

@testable import ExtensionHostModel

/// Takes events as the daemon would bring them, applies the effects, and checks after each event what must always hold.
struct ProcessLife: Hashable {
    typealias Machine = ProcessStateMachine

    static let first = RequestIdentifier("00000000-0000-4000-8000-000000000001")!  // a literal of the right form
    static let second = RequestIdentifier("00000000-0000-4000-8000-000000000002")!  // as above

    private(set) var machine: Machine
    /// As a daemon arms it with the spawn; an app need not say hello.
    private(set) var armed: Set<Machine.Timer>
    private(set) var assigned: Set<RequestIdentifier> = []
    private(set) var open: Set<RequestIdentifier> = []
    /// Requests that were told that their handler's time is up.
    private(set) var told: Set<RequestIdentifier> = []
    private(set) var saidHello = false
    private(set) var isClosed = false
    private(set) var terminations = 0
    private(set) var kills = 0
    private(set) var reapings = 0
    private(set) var isSuspended = false

    init(_ policy: Machine.Policy, isPrewarmed: Bool = false) {
        machine = Machine(policy: policy, isPrewarmed: isPrewarmed)
        armed = policy == .app ? [] : [.launch]
    }

    private var isApp: Bool { machine.policy == .app }

    @discardableResult
    mutating func take(_ event: Machine.Event) -> [Machine.Effect] {
        let before = machine
        note(event)
        let effects = machine.handle(event)
        #expect(!before.isOver || effects.isEmpty, "\(effects) after the end, by \(event)")
        for effect in effects { apply(effect, of: event, before: before) }
        check(event)
        return effects
    }

    /// Several events; the effects of the last.
    @discardableResult
    mutating func take(_ events: [Machine.Event]) -> [Machine.Effect] {
        var effects: [Machine.Effect] = []
        for event in events { effects = take(event) }
        return effects
    }

    private mutating func note(_ event: Machine.Event) {
        switch event {
        case .hello: saidHello = true
        case .assigned(let request):
            #expect(machine.takesRequests, "assigned to a process that takes none")
            assigned.insert(request)
            open.insert(request)
        case .answered(let request), .ended(let request, _), .failed(let request, _): open.remove(request)
        case .timer(let timer):
            #expect(armed.remove(timer) != nil, "\(timer) fired and was not armed")
            #expect(!isSuspended, "\(timer) fired while it stood still")
        case .connectionClosed: isClosed = true
        case .connectionResumed: isClosed = false
        case .returned(let answers, _):
            isClosed = false
            #expect(answers.isDisjoint(with: open))
        case .handlerFinished, .kill, .daemonStopping, .withdrawn, .outdated, .closed, .exited, .hostsAway: break
        }
    }

    private mutating func apply(_ effect: Machine.Effect, of event: Machine.Event, before: Machine) {
        switch effect {
        case .arm(let timer):
            #expect(kills == 0 && reapings == 0, "\(timer) armed for a dead process, by \(event)")
            armed.insert(timer)
        case .disarm(let timer): armed.remove(timer)
        case .disarmAll: armed = []
        case .sendTerminate:
            #expect(kills == 0 && !isApp)
            terminations += 1
        case .sendExpired(let request):
            // Never first, never after the handler has returned, never twice (spec 1.2 step 7).
            #expect(before.work.contains(request))
            #expect(told.insert(request).inserted)
        case .sendSignal:
            // All that an app is told.
            if isApp { terminations += 1 }
            #expect(terminations == 1 && kills == 0)
        case .killTree:
            kills += 1
            // A stopped process dies of SIGKILL as it is.
            isSuspended = false
            if machine.decided == .expired {
                #expect(
                    machine.work.isSubset(of: told), "killed for an expired handler, and another was not told (spec 1.2 step 6)")
                #expect(before.requests.isEmpty, "killed for an expired handler while a request was open")
            }
        case .endRequests:
            #expect(!open.isEmpty, "no request was open for \(effect)")
            open = []
        case .suspend:
            #expect(!isSuspended && !open.isEmpty && machine.hostsAreAway)
            isSuspended = true
        case .resume:
            #expect(isSuspended)
            isSuspended = false
        case .reaped(let cause):
            #expect(machine.state == .exited(cause))
            reapings += 1
        }
    }

    private mutating func check(_ event: Machine.Event) {
        #expect(machine.requests == open, "after \(event)")
        #expect(terminations <= 1 && kills <= 1 && reapings <= 1, "after \(event)")
        #expect(machine.isOver == (reapings == 1), "after \(event)")
        if machine.isOver { isSuspended = false }
        #expect(isSuspended == (machine.state == .suspended), "after \(event)")
        if machine.state == .busy, machine.hostsAreAway, !open.isEmpty {
            #expect(armed.contains(.suspend), "away, and nothing would suspend it, after \(event)")
        } else if machine.state != .suspended {
            #expect(!armed.contains(.suspend), "waits for a suspension without a reason, after \(event)")
        }
        if machine.decided == nil, isClosed, !isApp { #expect(armed.contains(.closed), "closed and not watched, after \(event)") }
        switch machine.state {
        case .awaitingHello: #expect(armed.contains(.launch), "after \(event)")
        case .running: #expect(isApp && armed.isEmpty && open.isEmpty && !machine.takesRequests, "after \(event)")
        case .ready: #expect(armed.contains(.firstRequest), "after \(event)")
        case .prewarmed:
            #expect(
                armed == (isClosed ? [.prewarmed, .closed] : [.prewarmed]) && machine.isWaiting && open.isEmpty, "after \(event)")
        case .idle: #expect(armed.contains(.idle) && open.isEmpty, "after \(event)")
        case .busy:
            let handlers = machine.work.contains { armed.contains(.postComplete($0)) || armed.contains(.expire($0)) }
            // An answer that is not acknowledged has its own limit, the request's.
            #expect(!open.isEmpty || !machine.answered.isEmpty || handlers, "busy with nothing that would end it, after \(event)")
        case .suspended: #expect(isSuspended && !open.isEmpty && machine.hostsAreAway, "after \(event)")
        case .terminating:
            #expect(terminations == 1 && open.isEmpty && !machine.takesRequests, "after \(event)")
            #expect(armed.contains(.terminate) || armed.contains(.kill), "after \(event)")
        case .killing: #expect(kills == 1 && open.isEmpty && armed.isEmpty && !machine.takesRequests, "after \(event)")
        case .exited: #expect(open.isEmpty && armed.isEmpty && !machine.takesRequests, "after \(event)")
        }
    }
}

extension ProcessLife {
    /// One that was launched ahead, has said hello and waits.
    static var waiting: ProcessLife {
        var life = ProcessLife(.onePerRequest, isPrewarmed: true)
        life.take(.hello)
        return life
    }

    /// One that has said hello and has the first request.
    static func serving(_ policy: Machine.Policy, and events: Machine.Event...) -> ProcessLife {
        var life = ProcessLife(policy)
        life.take([.assigned(first), .hello] + events)
        return life
    }
}
