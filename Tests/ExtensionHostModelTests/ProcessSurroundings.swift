// ProcessSurroundings: what the daemon has of one process beside the model, and what must always hold between the two.

import ExtensionProtocol
import LinuxSystem
import Testing

@testable import ExtensionHostModel

/// Performs the effects of a process, and checks them.
struct ProcessSurroundings: Hashable {
    typealias Machine = ProcessStateMachine

    /// Running timers. The daemon starts `launch` with the process; an app need not say hello.
    private(set) var armed: Set<Machine.Timer>
    /// Requests whose handler was told that its time is up.
    private(set) var told: Set<RequestIdentifier> = []
    private(set) var saidHello = false
    private(set) var isClosed = false
    private(set) var terminations = 0
    private(set) var kills = 0
    private(set) var reapings = 0
    private(set) var isSuspended = false
    private let isApp: Bool

    /// - Parameter isReturning: whether it is a process of the daemon before, which has not reconnected.
    init(_ policy: Machine.Policy, isReturning: Bool = false) {
        isApp = policy == .app
        armed = isApp || isReturning ? [] : [.launch]
        (saidHello, isClosed) = (isReturning, isReturning)
    }

    mutating func note(_ event: Machine.Event) {
        switch event {
        case .hello: saidHello = true
        case .timer(let timer):
            #expect(armed.remove(timer) != nil, "\(timer) fired and was not armed")
            #expect(!isSuspended, "\(timer) fired while it stood still")
        case .connectionClosed: isClosed = true
        case .connectionResumed, .returned: isClosed = false
        default: break
        }
    }

    /// - Parameters:
    ///   - before: the machine before the event.
    ///   - machine: the machine after it.
    mutating func perform(_ effect: Machine.Effect, of event: some Any, before: Machine, after machine: Machine) {
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
                    machine.work.isSubset(of: told),
                    "killed for an expired handler, and another was not told (spec 1.2 step 6)")
                #expect(before.requests.isEmpty, "killed for an expired handler while a request was open")
            }
        case .endRequests: break
        case .suspend:
            #expect(!isSuspended && machine.hostsAreAway)
            isSuspended = true
        case .resume:
            #expect(isSuspended)
            isSuspended = false
        case .reaped(let cause):
            #expect(machine.state == .exited(cause))
            reapings += 1
        }
    }

    /// - Parameter open: requests of the process whose hosts wait for an outcome.
    mutating func check(_ machine: Machine, open: Set<RequestIdentifier>, after event: some Any) {
        #expect(machine.requests == open, "after \(event)")
        #expect(terminations <= 1 && kills <= 1 && reapings <= 1, "after \(event)")
        #expect(machine.isOver == (reapings == 1), "after \(event)")
        if machine.isOver { isSuspended = false }
        #expect(isSuspended == (machine.state == .suspended), "after \(event)")
        let isReturning = machine.isReturning
        if machine.state == .busy, machine.hostsAreAway, !open.isEmpty, !isReturning {
            #expect(armed.contains(.suspend), "away, and nothing would suspend it, after \(event)")
        } else if machine.state != .suspended {
            #expect(!armed.contains(.suspend), "waits for a suspension without a reason, after \(event)")
        }
        // The daemon's patience, which is no timer of the process, ends one that does not come back.
        if machine.decided == nil, isClosed, !isApp, !isReturning {
            #expect(armed.contains(.closed), "closed and not watched, after \(event)")
        }
        switch machine.state {
        case .awaitingHello: #expect(armed.contains(.launch), "after \(event)")
        case .running:
            // A service's program that loses its connection has a limited time to reconnect.
            #expect(armed.subtracting(isApp ? [] : [.closed]).isEmpty && open.isEmpty, "after \(event)")
            #expect(!machine.takesRequests, "after \(event)")
        case .ready: #expect(armed.contains(.firstRequest), "after \(event)")
        case .prewarmed:
            #expect(
                armed == (isClosed ? [.prewarmed, .closed] : [.prewarmed]) && machine.isWaiting && open.isEmpty,
                "after \(event)")
        case .idle: #expect(armed.contains(.idle) && open.isEmpty, "after \(event)")
        case .busy:
            let handlers = machine.work.contains { armed.contains(.postComplete($0)) || armed.contains(.expire($0)) }
            // An answer that is not acknowledged has its own limit, the request's.
            #expect(
                !open.isEmpty || !machine.answered.isEmpty || handlers || isReturning,
                "busy with nothing that would end it, after \(event)")
        case .suspended: #expect(isSuspended && !open.isEmpty && machine.hostsAreAway, "after \(event)")
        case .terminating:
            #expect(terminations == 1 && open.isEmpty && !machine.takesRequests, "after \(event)")
            #expect(armed.contains(.terminate) || armed.contains(.kill), "after \(event)")
        case .killing: #expect(kills == 1 && open.isEmpty && armed.isEmpty && !machine.takesRequests, "after \(event)")
        case .exited: #expect(open.isEmpty && armed.isEmpty && !machine.takesRequests, "after \(event)")
        }
    }
}
