// RequestStateMachine, everywhere: walks over all orders of events, and what holds on every one of them.

import ExtensionProtocol
import Testing

@testable import ExtensionHostModel

@Suite struct RequestExplorerTests {
    typealias Machine = RequestStateMachine

    /// A machine and what has come out of it so far.
    private struct Place: Hashable {
        var machine = Machine(hasInterface: true)
        var finishes = 0
        var dismissals = 0
        var closes = 0
        var acknowledgements = 0

        /// Nil when an invariant broke, which has been recorded then.
        mutating func take(_ event: Machine.Event) {
            let wasOpen = machine.isOpen
            for effect in machine.handle(event) {
                switch effect {
                case .finish:
                    #expect(finishes == 0, "a second terminal message by \(event)")
                    #expect(closes == 0)
                    finishes += 1
                case .close:
                    #expect(closes == 0, "closed twice by \(event)")
                    #expect(finishes == 1, "closed without a terminal message by \(event)")
                    closes += 1
                case .dismiss:
                    #expect(finishes == 1, "dismissed before the result, by \(event)")
                    #expect(
                        dismissals == 0 && acknowledgements == 0 && closes == 0, "dismissed late or twice, by \(event)")
                    #expect(event == .hostAcknowledged)
                    dismissals += 1
                case .acknowledgeExtension:
                    #expect(finishes == 1, "acknowledged before the host was told, by \(event)")
                    #expect(acknowledgements == 0, "acknowledged twice, by \(event)")
                    acknowledgements += 1
                case .deliver, .goOn, .armTimer, .disarmTimer, .withdraw:
                    #expect(closes == 0, "\(effect) after the close, by \(event)")
                }
            }
            #expect(machine.isOpen == (finishes == 0))
            #expect(wasOpen || !machine.isOpen, "opened again by \(event)")
            if case .finished = machine.state { #expect(closes == 1) } else { #expect(closes == 0) }
        }
    }

    /// All places that a path leads to, with the events that were possible there.
    private func explore() -> [Place: [Place]] {
        var seen: [Place: [Place]] = [:]
        var next = [Place()]
        while let place = next.popLast() {
            guard seen[place] == nil else { continue }
            let followers = RequestTableTests.events.map { event in
                var follower = place
                follower.take(event)
                return follower
            }
            seen[place] = followers
            next += followers
        }
        return seen
    }

    // spec: P-035
    @Test func onEveryPathExactlyOneTerminalMessageComesOutAndNothingAfterTheClose() {
        let places = explore()
        // Every state; the finished ones by every cause that the events have.
        #expect(places.count > 12)
        #expect(places.keys.contains { $0.closes == 1 })
    }

    // spec: P-012
    @Test func onEveryPathAViewIsTakenDownOnceAtTheMostAndOnlyAfterTheResult() {
        let ends = explore().keys.filter { $0.closes == 1 }
        for (cause, answered) in [(Cause.completed, true), (.cancelledByExtension, true), (.memoryLimit, false)] {
            let dismissals = Set(ends.filter { $0.machine.state == .finished(cause) }.map(\.dismissals))
            #expect(dismissals == (answered ? [0, 1] : [0]), "\(cause)")
        }
    }

    @Test func everyStateCanReachItsEnd() {
        let places = explore()
        var ending = Set(places.keys.filter { $0.closes == 1 })
        var grows = true
        while grows {
            let more = places.keys.filter { place in
                !ending.contains(place) && places[place, default: []].contains(where: ending.contains)
            }
            ending.formUnion(more)
            grows = !more.isEmpty
        }
        #expect(ending.count == places.count)
    }

    @Test func theDeathOfTheProcessOrTheHostAloneEndsWhateverIsOpen() {
        for place in explore().keys where place.machine.isOpen {
            var dead = place
            dead.take(.processDied(.crashed))
            #expect(dead.machine.state == .finished(.crashed))
            var left = place
            left.take(.hostGone)
            #expect(left.machine.state == .finished(.cancelledByHost))
        }
    }

    @Test func aHostThatLeavesEndsEvenWhatItHasNotAcknowledged() {
        for place in explore().keys where place.closes == 0 {
            var left = place
            left.take(.hostGone)
            #expect(left.closes == 1)
        }
    }

    /// Without merging of equal places: every sequence of events up to the length, one by one.
    @Test func allSequencesOfFiveEventsKeepTheRules() {
        var sequences = 0
        func walk(_ place: Place, _ depth: Int) {
            sequences += 1
            guard depth > 0 else { return }
            for event in RequestTableTests.events {
                var follower = place
                follower.take(event)
                walk(follower, depth - 1)
            }
        }
        walk(Place(), 5)
        #expect(sequences > 150_000)
    }
}
