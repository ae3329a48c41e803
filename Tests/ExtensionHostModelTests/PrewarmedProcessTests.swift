// The process that is launched ahead, row by row: how long it waits, who takes it, and how it ends without a request.

import ExtensionProtocol
import LinuxSystem
import Testing

@testable import ExtensionHostModel

@Suite struct PrewarmedProcessTests {
    typealias Machine = ProcessStateMachine
    private let first = ProcessLife.first

    @Test func itWaitsByATimerOfItsOwnAndEndsUnused() {
        var life = ProcessLife(.onePerRequest, isPrewarmed: true)
        #expect(life.machine.isWaiting && life.machine.takesRequests)
        #expect(life.take(.hello) == [.disarm(.launch), .arm(.prewarmed)])
        #expect(
            life.machine.state == .prewarmed && life.machine.isWaiting && life.machine.takesRequests
                && !life.machine.isServing)
        #expect(life.take(.timer(.prewarmed)) == [.disarmAll, .sendTerminate(.noRequest), .arm(.terminate)])
        #expect(!life.machine.isWaiting && !life.machine.takesRequests)
        #expect(life.take(.exited(.exited(0))) == [.disarmAll, .reaped(.noRequest)])
    }

    @Test func itsFirstRequestIsItsLast() {
        var life = ProcessLife.waiting
        #expect(life.take(.assigned(first)) == [.disarm(.prewarmed)])
        #expect(life.machine.state == .busy && !life.machine.isWaiting && !life.machine.takesRequests)
        #expect(life.take(.ended(first, work: false)) == [.disarmAll, .sendTerminate(.completed), .arm(.terminate)])
    }

    @Test func aRequestMayTakeItBeforeItsHello() {
        var life = ProcessLife(.onePerRequest, isPrewarmed: true)
        #expect(life.take(.assigned(first)) == [.arm(.launch)])
        #expect(!life.machine.isWaiting && !life.machine.takesRequests)
        #expect(life.take(.hello) == [.disarm(.launch)])
        #expect(life.machine.state == .busy)
    }

    /// Whoever is given up before the hello leaves nothing behind that another request could be given.
    @Test func aRequestThatEndsBeforeItsHelloEndsIt() {
        var life = ProcessLife(.onePerRequest, isPrewarmed: true)
        life.take(.assigned(first))
        #expect(life.take(.ended(first, work: false)) == [.disarmAll, .killTree])
        #expect(life.machine.state == .killing(.completed))
    }

    @Test func onlyOneThatWaitsIsOutdated() {
        var waiting = ProcessLife.waiting
        #expect(waiting.take(.outdated) == [.disarmAll, .sendTerminate(.noRequest), .arm(.terminate)])
        var launching = ProcessLife(.onePerRequest, isPrewarmed: true)
        #expect(launching.take(.outdated) == [.disarmAll, .killTree])
        #expect(launching.machine.state == .killing(.noRequest))
        var taken = ProcessLife.waiting
        taken.take(.assigned(first))
        #expect(taken.take(.outdated) == [])
        var ready = ProcessLife(.onePerRequest)
        ready.take(.hello)
        #expect(ready.take(.outdated) == [])
    }

    @Test(arguments: [
        (LinuxSystem.ExitStatus.exited(0), Cause.exitedEarly), (.exited(3), .exitedEarly),
        (.signalled(11, coreDumped: false), .crashed),
    ]) func anEndOfItsOwnIsAFailure(_ status: LinuxSystem.ExitStatus, _ cause: Cause) {
        for var life in [ProcessLife(.onePerRequest, isPrewarmed: true), .waiting] {
            #expect(life.take(.exited(status)) == [.disarmAll, .reaped(cause)])
            #expect(cause.isFailure)
        }
    }

    /// Under the next daemon it is no use: its first request there would find it without what the welcome had it make.
    @Test func oneThatComesBackToAnotherDaemonWithoutARequestEndsUnused() {
        var unused = Machine(policy: .onePerRequest, isPrewarmed: true, isReturning: true)
        #expect(!unused.takesRequests)
        #expect(
            unused.handle(.returned(answered: [], work: [])) == [
                .disarmAll, .sendTerminate(.noRequest), .arm(.terminate),
            ])
        var taken = Machine(policy: .onePerRequest, isPrewarmed: true, isReturning: true)
        _ = taken.handle(.assigned(first))
        #expect(taken.handle(.returned(answered: [], work: [])) == [])
        #expect(taken.state == .busy && taken.requests == [first])
        var served = Machine(policy: .onePerRequest, isReturning: true)
        #expect(
            served.handle(.returned(answered: [], work: [])) == [
                .disarmAll, .sendTerminate(.completed), .arm(.terminate),
            ])
    }
}
