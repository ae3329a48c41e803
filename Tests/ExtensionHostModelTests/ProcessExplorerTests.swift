// ProcessStateMachine, everywhere: all orders of all events for none, one and two requests in one process.

import ExtensionProtocol
import LinuxSystem
import Testing

@testable import ExtensionHostModel

@Suite struct ProcessExplorerTests {
    typealias Machine = ProcessStateMachine

    /// What can happen next: everything that an extension, a host, an operator or time may bring about at this point.
    private func possible(_ life: ProcessLife) -> [Machine.Event] {
        let machine = life.machine
        if machine.isOver { return [.hello, .daemonStopping, .kill(.memoryLimit), .exited(.exited(0))] }
        var events: [Machine.Event] = [
            .kill(.memoryLimit), .daemonStopping, .withdrawn, .outdated, .closed, .wakeExpired, .rested,
            .exited(.exited(0)),
            .exited(.signalled(11, coreDumped: false)),
        ]
        events += life.isClosed ? [.connectionResumed] : [.hello, .connectionClosed]
        for request in [ProcessLife.first, ProcessLife.second] {
            if !life.assigned.contains(request), machine.takesRequests { events.append(.assigned(request)) }
            if life.open.contains(request) {
                events.append(.ended(request, work: false))
                // An extension answers, and a delivered request times out, only after its hello.
                if life.saidHello { events += [.ended(request, work: true), .failed(request, .requestTimeout)] }
            }
            if life.saidHello { events.append(.handlerFinished(request)) }
        }
        if life.open.isEmpty != machine.hostsAreAway || machine.hostsAreAway {
            events.append(.hostsAway(!machine.hostsAreAway))
        }
        // Suspended, time stands still for it.
        return events + (life.isSuspended ? [] : life.armed.map { .timer($0) })
    }

    /// Every life that can be reached; what must hold in each is checked as it takes its events.
    private func explore(_ policy: Machine.Policy, isPrewarmed: Bool = false) -> Set<ProcessLife> {
        var seen: Set<ProcessLife> = []
        var next = [ProcessLife(policy, isPrewarmed: isPrewarmed)]
        while let life = next.popLast() {
            guard seen.insert(life).inserted else { continue }
            for event in possible(life) {
                var follower = life
                follower.take(event)
                next.append(follower)
            }
        }
        return seen
    }

    // spec: A5
    @Test func onEveryPathARequestIsAnsweredOnceTheProcessReapedOnceAndNothingWaitsWithoutATimer() {
        let shared = explore(.shared)
        let single = explore(.onePerRequest)
        #expect(shared.count > 500)
        #expect(single.count > 200)
        let ahead = explore(.onePerRequest, isPrewarmed: true)
        #expect(ahead.count > 200 && ahead.allSatisfy { $0.machine.served <= 1 })
        #expect(
            Set(ahead.map(\.machine.state.name))
                == ["awaitingHello", "prewarmed", "busy", "suspended", "terminating", "killing", "exited"])
        let names = Set((shared.union(single)).map(\.machine.state.name))
        #expect(names == ["awaitingHello", "ready", "busy", "idle", "suspended", "terminating", "killing", "exited"])
    }

    /// It may go on for ever, whatever it does with its connection, until somebody ends it.
    @Test func anAppRunsUntilItEndsOrIsToldToAndIsKilledWhereItDoesNotObey() {
        let lives = explore(.app)
        #expect(Set(lives.map(\.machine.state.name)) == ["running", "terminating", "killing", "exited"])
        for life in lives where life.machine.decided == nil {
            for (order, cause) in [
                (Machine.Event.closed, Cause.closed), (.daemonStopping, .daemonStopping),
                (.withdrawn, .terminatedByOperator), (.wakeExpired, .wakeExpired),
            ] {
                var life = life
                #expect(life.take(order) == [.disarmAll, .sendSignal(15), .arm(.kill)])
                // Its hello may have been on the way.
                #expect(life.take(.hello).isEmpty)
                #expect(life.take(.timer(.kill)) == [.disarmAll, .killTree])
                #expect(life.take(.exited(.signalled(9, coreDumped: false))).last == .reaped(cause))
            }
        }
    }

    @Test func aServicesProgramRunsUntilItRestsOrIsToldToEnd() {
        let lives = explore(.service)
        #expect(
            Set(lives.map(\.machine.state.name)) == ["awaitingHello", "running", "terminating", "killing", "exited"])
        #expect(lives.allSatisfy { $0.assigned.isEmpty })
        for life in lives where life.machine.state == .running {
            var (resting, stopped, leaving) = (life, life, life)
            #expect(resting.take(.rested) == [.disarmAll, .sendTerminate(.idle), .arm(.terminate)])
            #expect(stopped.take(.daemonStopping) == [.disarmAll, .sendTerminate(.daemonStopping), .arm(.terminate)])
            #expect(leaving.take(.exited(.exited(0))).last == .reaped(.exited))
            #expect(resting.take(.exited(.exited(0))).last == .reaped(.idle))
        }
        // One that returns from another daemon goes on.
        var returning = Machine(policy: .service, isReturning: true)
        #expect(returning.state == .running && returning.handle(.returned(answered: [], work: [])).isEmpty)
        #expect(returning.state == .running && returning.decided == nil)
    }

    /// The daemon must get rid of a process by its own timers alone, whatever the process leaves undone.
    @Test func aProcessWithoutAnOpenRequestIsAlwaysKilledInTheEndThoughItDoesNothing() {
        for (policy, ahead) in [(Machine.Policy.shared, false), (.onePerRequest, false), (.onePerRequest, true)] {
            for life in explore(policy, isPrewarmed: ahead) where life.open.isEmpty && !life.machine.isOver {
                for latest in [false, true] {
                    var life = life
                    var steps = 0
                    while life.kills == 0, steps < 12 {
                        let timers = life.armed.sorted { "\($0)" < "\($1)" }
                        guard let timer = latest ? timers.last : timers.first else { break }
                        life.take(.timer(timer))
                        steps += 1
                    }
                    #expect(life.kills == 1, "\(life.machine.state.name) goes on for ever")
                }
            }
        }
    }

    @Test func anExitEndsEveryState() {
        for life in explore(.shared) where !life.machine.isOver {
            var life = life
            life.take(.exited(.unknown))
            #expect(life.reapings == 1)
        }
    }
}
