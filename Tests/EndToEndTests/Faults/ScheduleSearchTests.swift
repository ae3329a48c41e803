// ScheduleSearchTests: schedules are tried by the number of interferences, each once; what they are called reads back.

import ExtensionHost
import ExtensionProtocol
import Testing

@testable import ExtensionHostTesting

@Suite struct ScheduleSearchTests {
    /// A log that nothing else has.
    private func log(_ number: Int) -> NormalForm {
        NormalForm([EventRecord(sequence: 1, time: 0, event: .hostConnected, host: "\(number)")])
    }

    /// Plays an extension with two loads, to which either can be answered or the request cancelled.
    private func play(_ schedule: Schedule) -> Trace {
        var trace = Trace()
        var open: [ExplorationStep] = [.answer(1), .answer(2)]
        while true {
            trace.choices.append(open.isEmpty ? [] : open + [.cancel])
            trace.logs.append(
                NormalForm(
                    trace.steps.enumerated().map {
                        EventRecord(sequence: $0.offset, time: 0, event: .hostConnected, host: "\($0.element)")
                    }))
            let place = trace.steps.count
            guard let step = place < schedule.steps.count ? schedule.steps[place] : open.first else { return trace }
            trace.steps.append(step)
            open = step == .cancel ? [] : open.filter { $0 != step }
        }
    }

    @Test func schedulesComeByTheirInterferencesAndEachOnce() {
        var search = ScheduleSearch(seed: 1)
        var tried: [Schedule] = []
        while let schedule = search.next() {
            tried.append(schedule)
            search.learn(play(schedule))
        }
        #expect(tried.first == Schedule([]))
        #expect(Set(tried).count == tried.count)
        // One interference: cancel at once, the second load first, cancel after the first; then two.
        #expect(
            Set(tried[1...3].map(\.description)) == ["begin, cancel", "begin, answer 2", "begin, answer 1, cancel"])
        #expect(tried[1].steps.count == 1 && tried[3].steps.count == 2)
        #expect(tried[4...].map(\.description) == ["begin, answer 2, cancel"])
    }

    @Test func theSameSeedTriesTheSame() {
        func tried(_ seed: Int) -> [Schedule] {
            var search = ScheduleSearch(seed: seed)
            var tried: [Schedule] = []
            while let schedule = search.next() {
                tried.append(schedule)
                search.learn(play(schedule))
            }
            return tried
        }
        #expect(tried(5) == tried(5))
        #expect((1...20).contains { tried($0) != tried(5) })
    }

    @Test func whereTheSameHasHappenedNothingIsTriedAgain() {
        var search = ScheduleSearch(seed: 1)
        _ = search.next()
        let trace = Trace(steps: [], choices: [[.cancel, .second]], logs: [log(1)])
        search.learn(trace)
        #expect(search.next()?.steps.count == 1)
        // As if nothing had come of it.
        search.learn(Trace(steps: [.cancel], choices: [[], [.second]], logs: [log(0), log(1)]))
        #expect(search.next()?.steps.count == 1)
        #expect(search.next() == nil)
    }

    @Test func aScheduleReadsBackFromItsDescription() {
        let schedule = Schedule([
            .answer(2), .answer(1, ofSecond: true), .call(3), .call(1, ofSecond: true), .cancelCall(2),
            .cancelCall(1, ofSecond: true), .cancel, .hold, .release, .background, .inactive, .foreground,
            .limit,
            .expiry, .second, .kill,
        ])
        #expect(Schedule(schedule.description) == schedule)
        #expect(Schedule("begin") == Schedule([]))
        for text in ["answer", "answer 0", "answer x", "cancel 1", "answer third 1", "call", "cancel call", "dance"] {
            #expect(Schedule(text) == nil, "\(text)")
        }
    }

    @Test func whatIsBrokenIsToldByTheFirstThingThatIsWrong() {
        let request = RequestIdentifier()
        func event(_ name: EventName, _ cause: Cause? = nil) -> EventRecord {
            EventRecord(sequence: 1, time: 0, event: name, request: request, cause: cause, detail: "d")
        }
        func answer(_ cause: Cause = .completed, _ value: String = "a", isDisturbed: Bool = false) -> Answer {
            Answer(request: request, cause: cause, value: value, isDisturbed: isDisturbed)
        }
        func kind(_ log: [EventRecord], _ answers: [Answer]) -> Breakage.Kind? {
            Breakage(log: log, answers: answers, usual: answer())?.kind
        }
        #expect(kind([event(.processExited, .idle)], [answer()]) == nil)
        #expect(kind([event(.processExited, .crashed)], [answer()]) == .crash)
        #expect(kind([event(.processExited, .protocolViolation)], [answer()]) == .violation)
        #expect(kind([event(.processExited, .expired)], [answer()]) == .overrun)
        #expect(kind([event(.processExited, .terminatedByOperator)], [answer()]) == nil)
        #expect(kind([event(.contextFault)], [answer()]) == .misuse)
        #expect(kind([event(.contextFault)], [answer(.cancelledByHost, "", isDisturbed: true)]) == nil)
        #expect(kind([event(.requestTimedOut, .requestTimeout)], [answer(.requestTimeout, "")]) == .hang)
        #expect(
            kind([event(.requestTimedOut, .requestTimeout)], [answer(.requestTimeout, "", isDisturbed: true)]) == nil)
        #expect(Breakage(log: [], answers: [answer()], usual: answer(), hung: "a.b")?.kind == .hang)
        #expect(kind([], [answer(.completed, "b")]) == .wrongAnswer)
        #expect(kind([], [answer(.cancelledByExtension, "a")]) == .wrongAnswer)
    }
}
