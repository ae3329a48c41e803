// Exits that nobody ordered: what they are called in each state, and who is told.

import ExtensionProtocol
import LinuxSystem
import Testing

@testable import ExtensionHostModel

@Suite struct ProcessExitTests {
    typealias Machine = ProcessStateMachine
    private let first = ProcessLife.first
    private let second = ProcessLife.second

    struct Row: Sendable, CustomTestStringConvertible {
        let events: [Machine.Event]
        let status: LinuxSystem.ExitStatus
        let cause: Cause
        let answers: Bool

        init(_ events: [Machine.Event], _ status: LinuxSystem.ExitStatus, _ cause: Cause, answers: Bool = false) {
            (self.events, self.status, self.cause, self.answers) = (events, status, cause, answers)
        }

        var testDescription: String { "\(status) after \(events.count) events: \(cause)" }
    }

    private static let segmentationFault = LinuxSystem.ExitStatus.signalled(11, coreDumped: true)
    private static let request = ProcessLife.first

    static let table: [Row] = [
        // Before hello.
        Row([], .exited(0), .exitedEarly),
        Row([], .exited(1), .exitedEarly),
        Row([], segmentationFault, .crashed),
        Row([], .notStarted(SystemError("execve", code: 2)), .launchFailed),
        Row([], .unknown, .exitedEarly),
        Row([.assigned(request)], .exited(0), .exitedEarly, answers: true),
        Row([.assigned(request)], segmentationFault, .crashed, answers: true),
        Row([.assigned(request)], .notStarted(SystemError("execve", code: 13)), .launchFailed, answers: true),
        // Ready, and never used.
        Row([.hello], .exited(0), .exitedEarly),
        // While a request is open.
        Row([.assigned(request), .hello], .exited(0), .exitedEarly, answers: true),
        Row([.assigned(request), .hello], .exited(3), .exitedEarly, answers: true),
        Row([.assigned(request), .hello], segmentationFault, .crashed, answers: true),
        Row([.assigned(request), .hello], .unknown, .exitedEarly, answers: true),
        // After the answer: with its handler running, and idle.
        Row([.assigned(request), .hello, .ended(request, work: true)], .exited(0), .completed),
        Row([.assigned(request), .hello, .ended(request, work: true)], segmentationFault, .crashed),
        Row([.assigned(request), .hello, .ended(request, work: false)], .exited(0), .completed),
        Row([.assigned(request), .hello, .ended(request, work: false)], .exited(1), .exitedEarly),
        // The daemon had decided.
        Row([.assigned(request), .hello, .ended(request, work: false), .timer(.idle)], segmentationFault, .idle),
        Row([.assigned(request), .hello, .kill(.memoryLimit)], .exited(0), .memoryLimit),
        Row([.assigned(request), .hello, .daemonStopping], .exited(0), .daemonStopping),
    ]

    @Test(arguments: table)
    func anExitHasTheCauseOfItsRowAndAnswersWhatIsOpen(_ row: Row) {
        var life = ProcessLife(.shared)
        life.take(row.events)
        let effects = life.take(.exited(row.status))
        #expect(effects == [.disarmAll] + (row.answers ? [.endRequests(row.cause)] : []) + [.reaped(row.cause)])
    }

    @Test func anAppThatEndsByItselfHasExitedWhateverItsStatus() {
        let rows: [(LinuxSystem.ExitStatus, Cause)] = [
            (.exited(0), .exited), (.exited(3), .exited), (Self.segmentationFault, .crashed),
            (.notStarted(SystemError("execve", code: 2)), .launchFailed),
        ]
        for events in [[], [.hello], [.hello, .connectionClosed]] as [[Machine.Event]] {
            for (status, cause) in rows {
                var life = ProcessLife(.app)
                life.take(events)
                #expect(life.take(.exited(status)) == [.disarmAll, .reaped(cause)])
            }
        }
    }

    /// One that has lost its daemon and cannot come back exits with 0.
    @Test func aProcessThatEndsBetweenTwoDaemonsHasItsOwnCauseWhereThatIsKnown() {
        let rows: [(LinuxSystem.ExitStatus, Cause)] = [
            (.exited(0), .daemonRestarted), (.exited(3), .exitedEarly), (Self.segmentationFault, .crashed),
            (.unknown, .daemonRestarted),
        ]
        for (status, cause) in rows {
            var machine = Machine(policy: .shared, isReturning: true)
            _ = machine.handle(.assigned(first))
            #expect(machine.handle(.exited(status)) == [.disarmAll, .endRequests(cause), .reaped(cause)])
        }
    }

    // spec: A5
    @Test func aCrashAnswersBothRequestsOfASharedProcessInOneStep() {
        var life = ProcessLife.serving(.shared, and: .assigned(second))
        #expect(life.take(.exited(Self.segmentationFault)) == [.disarmAll, .endRequests(.crashed), .reaped(.crashed)])
    }

    @Test func afterTheExitNothingHappens() {
        var life = ProcessLife.serving(.shared, and: .exited(.exited(0)))
        let events: [Machine.Event] = [
            .hello, .ended(first, work: true), .failed(first, .requestTimeout), .handlerFinished(first),
            .kill(.memoryLimit),
            .daemonStopping, .connectionClosed, .exited(.exited(0)),
        ]
        for event in events { #expect(life.take(event) == []) }
    }

    // MARK: The connection closes first

    @Test func aClosedConnectionWaitsForTheExitWhichNamesTheCause() {
        var life = ProcessLife.serving(.shared)
        #expect(life.take(.connectionClosed) == [.arm(.closed)])
        #expect(life.take(.exited(Self.segmentationFault)) == [.disarmAll, .endRequests(.crashed), .reaped(.crashed)])
    }

    @Test func aProcessThatLivesOnWithoutItsConnectionIsKilledAsAViolation() {
        var life = ProcessLife.serving(.shared, and: .connectionClosed)
        #expect(life.take(.timer(.closed)) == [.endRequests(.protocolViolation), .disarmAll, .killTree])
        #expect(life.take(.exited(.signalled(9, coreDumped: false))) == [.disarmAll, .reaped(.protocolViolation)])
    }

    @Test func aProcessWhoseConnectionIsClosedIsGivenNoRequest() {
        for events in [
            [], [.hello], [.assigned(first), .hello], [.assigned(first), .hello, .ended(first, work: false)],
        ]
            as [[Machine.Event]]
        {
            var life = ProcessLife(.shared)
            life.take(events)
            #expect(life.machine.takesRequests)
            life.take(.connectionClosed)
            #expect(!life.machine.takesRequests)
        }
    }

    @Test func aConnectionThatClosesWhileTheProcessEndsStartsNothingNew() {
        var life = ProcessLife.serving(.onePerRequest, and: .ended(first, work: false))
        #expect(life.take(.connectionClosed) == [])
        #expect(life.take(.exited(.exited(0))) == [.disarmAll, .reaped(.completed)])
    }
}
