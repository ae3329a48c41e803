// LifecycleModel, launches everywhere: all orders of requests, launches, failures, breakers and prewarming.

import Testing

@testable import ExtensionHostModel

@Suite struct LaunchExplorerTests {
    typealias Setting = LaunchLife.Setting

    static let settings = [
        Setting(), Setting(policy: .onePerRequest), Setting(quota: 1), Setting(policy: .onePerRequest, quota: 1),
        Setting(policy: .onePerRequest, breakerLimit: 1), Setting(breakerLimit: 1), Setting(prewarmed: 1),
        Setting(policy: .onePerRequest, prewarmed: 1, breakerLimit: 1), Setting(policy: .onePerRequest, prewarmed: 2, quota: 1),
        Setting(prewarmed: 2, prewarmLimit: 1),
    ]

    @Test(arguments: settings) func everyRequestFindsAProcessOrAReasonAndNothingIsLeft(setting: Setting) async {
        var known: Set = [LaunchLife(setting)]
        var waiting = Array(known)
        var steps = 0
        var assignments: Set<String> = []
        while let life = waiting.popLast() {
            // Tests share few threads, and others have to meet time limits meanwhile.
            if known.count % 200 == 0 { await Task.yield() }
            life.checkEnd()
            for event in life.events {
                steps += 1
                var follower = life
                follower.take(event)
                assignments.insert("\(follower.breaker)")
                if known.insert(follower).inserted { waiting.append(follower) }
            }
        }
        // Nothing holds by never being tried.
        #expect(assignments.count == (setting.breakerLimit == nil ? 1 : 4), "\(assignments)")
        print("\(setting.testDescription): \(known.count) states of the model, \(steps) steps")
    }
}
