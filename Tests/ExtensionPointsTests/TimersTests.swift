// Timers: the defaults that the specification states, and overriding them.

import Testing

import ExtensionPoints

@Suite struct TimersTests {
    // spec: 1.2, P-021, P-022, P-024, P-025, P-026, P-027, P-078
    @Test func theDefaultsAreThoseOfTheSpecification() {
        let timers = Timers()
        let expected: [Timers.Name: Duration] = [
            .launch: .seconds(5), .firstRequest: .seconds(10), .prewarmed: .seconds(300), .load: .seconds(10),
            .call: .seconds(30), .postComplete: .seconds(5),
            .expire: .seconds(1),
            .term: .seconds(1), .idle: .seconds(3), .suspend: .seconds(5), .unresponsive: .seconds(5),
        ]
        for name in Timers.Name.allCases { #expect(timers[name] == expected[name], "\(name)") }
        #expect(timers[.request] == nil)
    }

    @Test func anOverrideReplacesItsTimerOnly() {
        let timers = Timers().overridden(by: [.request: .seconds(30), .idle: .milliseconds(5)])
        #expect(timers[.request] == .seconds(30))
        #expect(timers[.idle] == .milliseconds(5))
        #expect(timers[.launch] == Timers()[.launch])
    }

    @Test func aTimerCanBeSwitchedOff() {
        var timers = Timers()
        timers[.idle] = nil
        #expect(timers[.idle] == nil)
        #expect(timers.overridden(by: [:]) == timers)
    }
}
