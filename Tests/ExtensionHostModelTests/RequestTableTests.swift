// RequestStateMachine, row by row: what each event does in each state.

import ExtensionProtocol
import Testing

@testable import ExtensionHostModel

@Suite struct RequestTableTests {
    typealias Machine = RequestStateMachine

    /// How a machine gets into each state.
    static let paths: [(state: Machine.State, events: [Machine.Event])] = [
        (.created, []),
        (.launching, [.launched]),
        (.active, [.launched, .processReady]),
        (.completing, [.launched, .processReady, .completedByExtension]),
        (.cancelling, [.launched, .processReady, .cancelledByExtension]),
        (.finished(.crashed), [.launched, .processDied(.crashed)]),
    ]

    static let events: [Machine.Event] = [
        .launched, .refused(.quota), .processReady, .completedByExtension, .cancelledByExtension,
        .cancelled(.cancelledByHost),
        .timedOut, .processDied(.memoryLimit), .hostAcknowledged, .hostSilent, .hostGone, .resumesAfterRestart,
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        let state: Machine.State
        let event: Machine.Event
        let next: Machine.State
        let effects: [Machine.Effect]

        init(_ state: Machine.State, _ event: Machine.Event, _ next: Machine.State, _ effects: [Machine.Effect]) {
            (self.state, self.event, self.next, self.effects) = (state, event, next, effects)
        }

        /// A row in which nothing happens.
        init(_ state: Machine.State, ignores event: Machine.Event) { self.init(state, event, state, []) }

        var testDescription: String { "\(event) when \(state)" }
    }

    /// An end by somebody's word that the extension does not hear of, for it never had the request.
    private static func unheard(_ cause: Cause) -> [Machine.Effect] { [.disarmTimer, .finish(cause), .close] }
    private static func heard(_ cause: Cause) -> [Machine.Effect] {
        [.disarmTimer, .withdraw(cause), .finish(cause), .close]
    }

    static let table: [Row] = [
        Row(.created, .launched, .launching, []),
        Row(.created, .refused(.quota), .finished(.quota), unheard(.quota)),
        Row(.created, .processReady, .active, [.deliver, .armTimer]),
        Row(.created, ignores: .resumesAfterRestart),
        Row(.created, ignores: .completedByExtension),
        Row(.created, ignores: .cancelledByExtension),
        Row(.created, .cancelled(.cancelledByHost), .finished(.cancelledByHost), unheard(.cancelledByHost)),
        Row(.created, ignores: .timedOut),
        Row(.created, .processDied(.memoryLimit), .finished(.memoryLimit), unheard(.memoryLimit)),
        Row(.created, ignores: .hostAcknowledged),
        Row(.created, ignores: .hostSilent),
        Row(.created, .hostGone, .finished(.cancelledByHost), unheard(.cancelledByHost)),

        Row(.launching, ignores: .launched),
        Row(.launching, ignores: .refused(.quota)),
        Row(.launching, .processReady, .active, [.deliver, .armTimer]),
        Row(.launching, .resumesAfterRestart, .active, [.goOn, .armTimer]),
        Row(.launching, ignores: .completedByExtension),
        Row(.launching, ignores: .cancelledByExtension),
        Row(.launching, .cancelled(.cancelledByHost), .finished(.cancelledByHost), unheard(.cancelledByHost)),
        Row(.launching, ignores: .timedOut),
        Row(.launching, .processDied(.memoryLimit), .finished(.memoryLimit), unheard(.memoryLimit)),
        Row(.launching, ignores: .hostAcknowledged),
        Row(.launching, ignores: .hostSilent),
        Row(.launching, .hostGone, .finished(.cancelledByHost), unheard(.cancelledByHost)),

        Row(.active, ignores: .launched),
        Row(.active, ignores: .refused(.quota)),
        Row(.active, ignores: .processReady),
        Row(.active, ignores: .resumesAfterRestart),
        Row(.active, .completedByExtension, .completing, [.disarmTimer, .finish(.completed)]),
        Row(.active, .cancelledByExtension, .cancelling, [.disarmTimer, .finish(.cancelledByExtension)]),
        Row(.active, .cancelled(.cancelledByHost), .finished(.cancelledByHost), heard(.cancelledByHost)),
        Row(.active, .timedOut, .finished(.requestTimeout), heard(.requestTimeout)),
        Row(.active, .processDied(.memoryLimit), .finished(.memoryLimit), unheard(.memoryLimit)),
        Row(.active, ignores: .hostAcknowledged),
        Row(.active, ignores: .hostSilent),
        Row(.active, .hostGone, .finished(.cancelledByHost), heard(.cancelledByHost)),

        Row(.completing, ignores: .launched),
        Row(.completing, ignores: .refused(.quota)),
        Row(.completing, ignores: .processReady),
        Row(.completing, ignores: .resumesAfterRestart),
        Row(.completing, ignores: .completedByExtension),
        Row(.completing, ignores: .cancelledByExtension),
        Row(.completing, ignores: .cancelled(.cancelledByHost)),
        Row(.completing, ignores: .timedOut),
        Row(.completing, ignores: .processDied(.memoryLimit)),
        Row(.completing, .hostAcknowledged, .finished(.completed), [.dismiss, .acknowledgeExtension, .close]),
        Row(.completing, .hostSilent, .finished(.completed), [.acknowledgeExtension, .close]),
        Row(.completing, .hostGone, .finished(.completed), [.acknowledgeExtension, .close]),

        Row(.cancelling, ignores: .launched),
        Row(.cancelling, ignores: .refused(.quota)),
        Row(.cancelling, ignores: .processReady),
        Row(.cancelling, ignores: .resumesAfterRestart),
        Row(.cancelling, ignores: .completedByExtension),
        Row(.cancelling, ignores: .cancelledByExtension),
        Row(.cancelling, ignores: .cancelled(.cancelledByHost)),
        Row(.cancelling, ignores: .timedOut),
        Row(.cancelling, ignores: .processDied(.memoryLimit)),
        Row(
            .cancelling, .hostAcknowledged, .finished(.cancelledByExtension), [.dismiss, .acknowledgeExtension, .close]),
        Row(.cancelling, .hostSilent, .finished(.cancelledByExtension), [.acknowledgeExtension, .close]),
        Row(.cancelling, .hostGone, .finished(.cancelledByExtension), [.acknowledgeExtension, .close]),

        Row(.finished(.crashed), ignores: .launched),
        Row(.finished(.crashed), ignores: .refused(.quota)),
        Row(.finished(.crashed), ignores: .processReady),
        Row(.finished(.crashed), ignores: .resumesAfterRestart),
        Row(.finished(.crashed), ignores: .completedByExtension),
        Row(.finished(.crashed), ignores: .cancelledByExtension),
        Row(.finished(.crashed), ignores: .cancelled(.cancelledByHost)),
        Row(.finished(.crashed), ignores: .timedOut),
        Row(.finished(.crashed), ignores: .processDied(.memoryLimit)),
        Row(.finished(.crashed), ignores: .hostAcknowledged),
        Row(.finished(.crashed), ignores: .hostSilent),
        Row(.finished(.crashed), ignores: .hostGone),
    ]

    private func machine(in state: Machine.State, hasInterface: Bool = true) throws -> Machine {
        var machine = Machine(hasInterface: hasInterface)
        for event in try #require(Self.paths.first { $0.state == state }).events { _ = machine.handle(event) }
        #expect(machine.state == state)
        return machine
    }

    @Test func theTableHasOneRowForEveryStateAndEvent() {
        for (state, _) in Self.paths {
            for event in Self.events {
                #expect(Self.table.count { $0.state == state && $0.event == event } == 1, "\(event) when \(state)")
            }
        }
        #expect(Self.table.count == Self.paths.count * Self.events.count)
    }

    @Test(arguments: table)
    func eachEventInEachStateDoesWhatItsRowSays(_ row: Row) throws {
        var machine = try machine(in: row.state)
        let effects = machine.handle(row.event)
        #expect(effects == row.effects)
        #expect(machine.state == row.next)
    }

    // spec: P-012, P-013, A2
    @Test(arguments: [Machine.Event.completedByExtension, .cancelledByExtension])
    func theViewIsTakenDownAfterTheAnswerIsReceivedAndBeforeTheHandlerRuns(_ answer: Machine.Event) throws {
        for hasInterface in [true, false] {
            var machine = try machine(in: .active, hasInterface: hasInterface)
            // Said too early, an acknowledgement is of nothing, and there is no answer behind which a view could go.
            #expect(machine.handle(.hostAcknowledged) == [])
            #expect(!machine.handle(answer).contains(.dismiss))
            // The extension runs its handler when it is told.
            #expect(
                machine.handle(.hostAcknowledged) == (hasInterface ? [.dismiss] : []) + [.acknowledgeExtension, .close])
            #expect(machine.handle(.hostAcknowledged) == [])
        }
    }

    // spec: A9
    @Test func anAnswerAfterAnAnswerChangesNothingAndTellsNobody() throws {
        for state in [Machine.State.completing, .cancelling] {
            var machine = try machine(in: state)
            #expect(machine.handle(.completedByExtension) == [])
            #expect(machine.handle(.cancelledByExtension) == [])
            #expect(machine.state == state)
        }
    }

    // spec: A7
    @Test func aHostsCancelEndsTheRequestOnceAndALateAnswerOfTheExtensionReachesNobody() throws {
        var machine = try machine(in: .active)
        let effects = machine.handle(.cancelled(.cancelledByHost))
        #expect(effects == [.disarmTimer, .withdraw(.cancelledByHost), .finish(.cancelledByHost), .close])
        #expect(machine.handle(.completedByExtension).isEmpty)
    }

    // spec: A4
    @Test func aDeathAfterTheAnswerDoesNotTakeTheAnswerBack() throws {
        var machine = try machine(in: .completing)
        #expect(machine.handle(.processDied(.expired)) == [])
        #expect(machine.handle(.hostAcknowledged) == [.dismiss, .acknowledgeExtension, .close])
        #expect(machine.state == .finished(.completed))
    }

    @Test func aRequestIsOpenUntilItIsAnswered() throws {
        for (state, _) in Self.paths {
            let open: Bool =
                switch state {
                case .created, .launching, .active: true
                case .completing, .cancelling, .finished: false
                }
            #expect(try machine(in: state).isOpen == open)
        }
    }
}
