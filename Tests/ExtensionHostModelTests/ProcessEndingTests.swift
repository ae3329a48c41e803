// The table "How a process ends" of docs/lifecycle.md, row by row: steps and cause of each way in which a process ends.

import ExtensionProtocol
import LinuxSystem
import Testing

@testable import ExtensionHostModel

@Suite struct ProcessEndingTests {
    typealias Machine = ProcessStateMachine
    private let first = ProcessLife.first
    private let second = ProcessLife.second

    /// The steps that follow a `terminate` which nobody heeds.
    private func expectEscalation(_ life: ProcessLife, _ cause: Cause) {
        var life = life
        #expect(life.machine.state == .terminating(cause))
        #expect(life.take(.timer(.terminate)) == [.sendSignal(15), .arm(.kill)])
        #expect(life.take(.timer(.kill)) == [.disarmAll, .killTree])
        #expect(life.take(.exited(.signalled(9, coreDumped: false))) == [.disarmAll, .reaped(cause)])
    }

    // MARK: Unused, completed

    // spec: A10
    @Test func aSharedProcessThatIsUnusedIsToldThenSignalledThenKilledWithCauseIdle() {
        var life = ProcessLife.serving(.shared)
        #expect(life.take(.ended(first, work: false)) == [.arm(.idle)])
        #expect(life.machine.state == .idle)
        #expect(life.take(.timer(.idle)) == [.disarmAll, .sendTerminate(.idle), .arm(.terminate)])
        expectEscalation(life, .idle)
        #expect(life.take(.exited(.exited(0))) == [.disarmAll, .reaped(.idle)])
    }

    // spec: A10
    @Test func aRequestWithinIdleFindsTheSameProcess() {
        var life = ProcessLife.serving(.shared, and: .ended(first, work: false))
        #expect(life.machine.takesRequests)
        #expect(life.take(.assigned(second)) == [.disarm(.idle)])
        #expect(life.machine.state == .busy)
        life.take([.ended(second, work: false), .timer(.idle)])
        #expect(!life.machine.takesRequests)
    }

    @Test func aOneRequestProcessIsToldToEndAtOnceWithCauseCompleted() {
        var life = ProcessLife.serving(.onePerRequest)
        #expect(!life.machine.takesRequests)
        #expect(life.take(.ended(first, work: false)) == [.disarmAll, .sendTerminate(.completed), .arm(.terminate)])
        expectEscalation(life, .completed)
    }

    // spec: A2, P-016
    @Test func aOneRequestProcessWhoseHandlerReturnsInTimeEndsWithCauseCompleted() {
        var life = ProcessLife.serving(.onePerRequest)
        #expect(life.take(.ended(first, work: true)) == [.arm(.postComplete(first))])
        #expect(
            life.take(.handlerFinished(first)) == [
                .disarm(.postComplete(first)), .disarm(.expire(first)), .disarmAll, .sendTerminate(.completed),
                .arm(.terminate),
            ])
    }

    @Test func aSharedProcessWhoseHandlerReturnsInTimeIsIdle() {
        var life = ProcessLife.serving(.shared, and: .ended(first, work: true))
        #expect(
            life.take(.handlerFinished(first)) == [.disarm(.postComplete(first)), .disarm(.expire(first)), .arm(.idle)])
    }

    // MARK: Completion work

    // spec: A3
    @Test(arguments: [Machine.Policy.shared, .onePerRequest])
    func aHandlerThatEndsOnceToldEndsTheProcessWithCauseExpiredInTime(_ policy: Machine.Policy) {
        var life = ProcessLife.serving(policy, and: .ended(first, work: true))
        #expect(life.take(.timer(.postComplete(first))) == [.sendExpired(first), .arm(.expire(first))])
        #expect(life.machine.didExpire)
        #expect(
            life.take(.handlerFinished(first)) == [
                .disarm(.postComplete(first)), .disarm(.expire(first)), .disarmAll, .sendTerminate(.expiredInTime),
                .arm(.terminate),
            ])
        #expect(life.take(.exited(.exited(0))) == [.disarmAll, .reaped(.expiredInTime)])
    }

    // spec: A4
    @Test(arguments: [Machine.Policy.shared, .onePerRequest])
    func aHandlerThatIgnoresItIsKilledWithCauseExpired(_ policy: Machine.Policy) {
        var life = ProcessLife.serving(policy, and: .ended(first, work: true), .timer(.postComplete(first)))
        #expect(life.take(.timer(.expire(first))) == [.disarmAll, .killTree])
        #expect(life.take(.exited(.signalled(9, coreDumped: false))) == [.disarmAll, .reaped(.expired)])
    }

    // spec: P-024
    @Test func whileAnotherRequestIsOpenOnlyThatContextIsToldAndNobodyIsKilledForIt() {
        var life = ProcessLife.serving(.shared, and: .assigned(second), .ended(first, work: true))
        #expect(life.take(.timer(.postComplete(first))) == [.sendExpired(first)])
        #expect(life.machine.state == .busy)
        #expect(life.armed.isEmpty)
        // With the other's end the handler's time runs.
        #expect(life.take(.ended(second, work: false)) == [.arm(.expire(first))])
        #expect(life.take(.timer(.expire(first))) == [.disarmAll, .killTree])
        #expect(life.machine.state == .killing(.expired))
    }

    // spec: 1.2
    @Test func aRequestThatArrivesWhileAToldHandlerRunsSavesTheProcessForItsOwnTime() {
        var life = ProcessLife.serving(
            .shared, and: .ended(first, work: true), .timer(.postComplete(first)), .assigned(second))
        #expect(life.take(.timer(.expire(first))) == [])
        #expect(life.machine.state == .busy)
        #expect(life.take(.ended(second, work: false)) == [.arm(.expire(first))])
    }

    // spec: 1.2
    @Test func aHandlerThatWasNotToldIsNotKilledForOneThatWas() {
        var life = ProcessLife.serving(
            .shared, and: .assigned(second), .ended(first, work: true), .ended(second, work: true),
            .timer(.postComplete(first)))
        #expect(life.take(.timer(.expire(first))) == [])
        #expect(life.take(.timer(.postComplete(second))) == [.sendExpired(second), .arm(.expire(second))])
        #expect(life.take(.timer(.expire(second))) == [.disarmAll, .killTree])
    }

    // spec: 1.2
    @Test func aToldHandlersTimeRunsAgainOnceTheOtherHandlerHasReturned() {
        var life = ProcessLife.serving(
            .shared, and: .assigned(second), .ended(first, work: true), .ended(second, work: true),
            .timer(.postComplete(first)),
            .timer(.expire(first)))
        #expect(life.take(.handlerFinished(second)).contains(.arm(.expire(first))))
        #expect(life.take(.timer(.expire(first))) == [.disarmAll, .killTree])
    }

    @Test func aHandlerThatReturnsTwiceOrWasNeverRunningChangesNothing() {
        var life = ProcessLife.serving(
            .shared, and: .assigned(second), .ended(first, work: true), .handlerFinished(first))
        #expect(life.take(.handlerFinished(first)) == [])
        #expect(life.take(.handlerFinished(second)) == [])
    }

    // MARK: Time limits

    // spec: 1.2
    @Test func aRequestThatTimesOutAloneTakesItsProcessWithIt() {
        for policy in [Machine.Policy.shared, .onePerRequest] {
            var life = ProcessLife.serving(policy)
            #expect(life.take(.failed(first, .requestTimeout)) == [.disarmAll, .killTree])
            #expect(life.take(.exited(.signalled(9, coreDumped: false))) == [.disarmAll, .reaped(.requestTimeout)])
        }
    }

    @Test func aRequestThatTimesOutBesideAnotherLeavesTheProcessAlone() {
        var life = ProcessLife.serving(.shared, and: .assigned(second))
        #expect(life.take(.failed(first, .requestTimeout)) == [])
        #expect(life.machine.state == .busy)
        #expect(life.take(.ended(second, work: false)) == [.arm(.idle)])
    }

    // spec: G1, P-021
    @Test func aLaunchThatHangsIsKilledAndItsRequestsAreAnsweredFirst() {
        var life = ProcessLife(.shared)
        life.take([.assigned(first), .assigned(second)])
        #expect(life.take(.timer(.launch)) == [.endRequests(.launchTimeout), .disarmAll, .killTree])
        #expect(life.take(.exited(.signalled(9, coreDumped: false))) == [.disarmAll, .reaped(.launchTimeout)])
    }

    // spec: P-022
    @Test func aProcessThatGetsNoRequestIsToldToEndThenKilled() {
        var life = ProcessLife(.shared)
        #expect(life.take(.hello) == [.disarm(.launch), .arm(.firstRequest)])
        #expect(life.take(.timer(.firstRequest)) == [.disarmAll, .sendTerminate(.noRequest), .arm(.terminate)])
        expectEscalation(life, .noRequest)
    }

    @Test func aFirstRequestStopsTheFirstRequestTimer() {
        var life = ProcessLife(.shared)
        life.take(.hello)
        #expect(life.take(.assigned(first)) == [.disarm(.firstRequest)])
        #expect(life.armed.isEmpty)
    }

    // MARK: At once

    private static let lives: [(name: String, life: ProcessLife)] = [
        ("awaitingHello", ProcessLife(.shared)),
        (
            "ready",
            {
                var life = ProcessLife(.shared)
                life.take(.hello)
                return life
            }()
        ),
        ("prewarmed", .waiting),
        ("busy", .serving(.shared)),
        ("busy", .serving(.onePerRequest, and: .ended(ProcessLife.first, work: true))),
        ("idle", .serving(.shared, and: .ended(ProcessLife.first, work: false))),
        ("terminating", .serving(.onePerRequest, and: .ended(ProcessLife.first, work: false))),
        ("killing", .serving(.shared, and: .kill(.cpuLimit))),
        ("exited", .serving(.shared, and: .exited(.unknown))),
    ]

    // spec: G2
    @Test(arguments: [Cause.memoryLimit, .cpuLimit, .protocolViolation, .unresponsive, .terminatedByOperator])
    func aLimitViolationOrOperatorKillsTheTreeAtOnceThoughRequestsAreOpen(_ cause: Cause) {
        var life = ProcessLife.serving(.shared, and: .assigned(second))
        #expect(life.take(.kill(cause)) == [.endRequests(cause), .disarmAll, .killTree])
        #expect(life.take(.exited(.signalled(9, coreDumped: false))) == [.disarmAll, .reaped(cause)])
    }

    @Test func aKillInEachStateKillsOnceAndKeepsTheCauseThatWasThereFirst() {
        for (name, life) in Self.lives {
            var life = life
            #expect(life.machine.state.name == name)
            let settled = life.machine.decided
            let effects = life.take(.kill(.memoryLimit))
            #expect(effects.contains(.killTree) == !["killing", "exited"].contains(name), "\(name)")
            #expect(life.machine.decided == settled ?? .memoryLimit)
        }
    }

    @Test func aSecondHelloIsAViolation() {
        var life = ProcessLife.serving(.shared)
        #expect(life.take(.hello) == [.endRequests(.protocolViolation), .disarmAll, .killTree])
    }

    // MARK: The daemon stops, or the bundle goes

    @Test(arguments: [(Machine.Event.daemonStopping, Cause.daemonStopping), (.withdrawn, .terminatedByOperator)])
    func aStopTellsEachProcessOnceAndAnswersItsRequestsFirst(_ stop: Machine.Event, _ cause: Cause) {
        let told: [Machine.Effect] = [.disarmAll, .sendTerminate(cause), .arm(.terminate)]
        for (name, life) in Self.lives {
            var life = life
            let open = !life.open.isEmpty
            let settled = life.machine.decided
            let effects = life.take(stop)
            switch name {
            case "awaitingHello": #expect(effects == [.disarmAll, .killTree])
            case "ready", "prewarmed", "busy", "idle": #expect(effects == (open ? [.endRequests(cause)] : []) + told)
            default: #expect(effects == [])
            }
            #expect(life.machine.decided == settled ?? cause)
        }
        var life = ProcessLife.serving(.shared, and: stop)
        expectEscalation(life, cause)
        #expect(life.take(.exited(.exited(0))) == [.disarmAll, .reaped(cause)])
    }

    @Test func aLaunchingProcessIsKilledByAStoppingDaemonAndItsRequestAnswered() {
        var life = ProcessLife(.shared)
        life.take(.assigned(first))
        #expect(life.take(.daemonStopping) == [.endRequests(.daemonStopping), .disarmAll, .killTree])
    }
}
