// LifecycleModel, launches everywhere: all orders of requests, launches, failures, breakers and prewarming.

import Foundation
import LinuxSystem
import Testing

@testable import ExtensionHostModel

@Suite struct LaunchExplorerTests {
    typealias Setting = LaunchLife.Setting

    static let settings = [
        Setting(), Setting(policy: .onePerRequest), Setting(quota: 1), Setting(policy: .onePerRequest, quota: 1),
        Setting(requests: 3, policy: .onePerRequest, breakerLimit: 1), Setting(breakerLimit: 1), Setting(prewarmed: 1),
        Setting(policy: .onePerRequest, prewarmed: 1, breakerLimit: 1),
        Setting(policy: .onePerRequest, prewarmed: 2, quota: 1),
        Setting(prewarmed: 2, prewarmLimit: 1),
    ]

    static let longSettings = [
        Setting(requests: 3, breakerLimit: 1), Setting(requests: 3, policy: .onePerRequest, prewarmed: 1, launches: 2),
    ]

    @Test func everyRequestFindsAProcessOrAReasonAndNothingIsLeft() async {
        var reached: Set<String> = []
        for setting in Self.settings { reached.formUnion(await explore(setting)) }
        // No input is left out in a state in which it can come, and the list of those that cannot is right.
        #expect(LaunchLife.pairs.subtracting(reached).sorted() == [])
        #expect(reached.subtracting(LaunchLife.pairs).sorted() == [])
    }

    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] != nil, "Scripts/test --long runs it"),
        arguments: longSettings)
    func thatHoldsForMoreToo(setting: Setting) async { await explore(setting) }

    @discardableResult
    private func explore(_ setting: Setting) async -> Set<String> {
        var known: Set = [LaunchLife(setting)]
        var waiting = Array(known)
        var steps = 0
        var pairs: Set<String> = []
        while let life = waiting.popLast() {
            // Tests share few threads, and others have to meet time limits meanwhile.
            if known.count % 200 == 0 { await Task.yield() }
            life.checkEnd()
            for event in life.events {
                steps += 1
                pairs.formUnion(life.pairs(with: event))
                var follower = life
                follower.take(event)
                if known.insert(follower).inserted { waiting.append(follower) }
            }
        }
        print("\(setting.testDescription): \(known.count) states of the model, \(steps) steps")
        return pairs
    }
}

// MARK: Pairs of state and input

extension LaunchLife {
    private static let breakers = ["closed", "open", "due", "trying"]

    /// Each input with the states in which the daemon can give it.
    private static let inputs: [(of: String, input: String, states: [String])] = [
        // The daemon looks anew for a request that waits. One that was chosen for has a process.
        ("request", "seeksProcess", ["created"]),
        ("request", "mayLaunch", ["created"]),
        // A request may have ended while its process was launched.
        ("request", "assigned", ["created", "none"]),
        ("request", "launchFailed", ["created", "none"]),
        ("breaker", "launchFailed", breakers),
        ("breaker", "mayLaunch", breakers),
        ("breaker", "pauseOver", ["open"]),
        ("breaker", "reset", ["open", "due", "trying"]),
        ("breaker", "answered", breakers),
        ("breaker", "crashed", breakers),
        ("breaker", "exited", breakers),
        ("breaker", "prewarm", breakers),
        ("waiting", "prewarm", ["0", "1", "2"]),
        ("waiting", "launched ahead", ["0", "1"]),
        ("waiting", "not launched ahead", ["0", "1"]),
        ("waiting", "outdated", ["1", "2"]),
    ]

    static let pairs = Set(inputs.flatMap { row in row.states.map { "\(row.of) \($0): \(row.input)" } })

    fileprivate func pairs(with event: Event) -> [String] {
        func of(_ number: Int, _ name: String) -> String {
            "request \(model.state(of: Self.requests[number])?.name ?? "none"): \(name)"
        }
        let breaker = "breaker \(breaker): "
        let waiting = "waiting \(model.prewarming.waitingOfAll): "
        switch event {
        case .begin, .hostGone, .hello: return []
        case .seeks(let number): return [of(number, "seeksProcess")]
        case .gateOpens(let number): return [of(number, "mayLaunch"), breaker + "mayLaunch"]
        case .launches(let number): return [of(number, "assigned")]
        case .cannotLaunch(let number): return [of(number, "launchFailed"), breaker + "launchFailed"]
        case .turn: return [breaker + "prewarm", waiting + "prewarm"]
        case .launchesAhead: return [waiting + "launched ahead"]
        case .cannotLaunchAhead: return [breaker + "launchFailed", waiting + "not launched ahead"]
        case .mayNotLaunchAhead: return [waiting + "not launched ahead"]
        case .pauseOver: return [breaker + "pauseOver"]
        case .reset: return [breaker + "reset"]
        case .answers: return []
        // The breaker closes with the request.
        case .acknowledges: return [breaker + "answered"]
        case .exits(_, let status): return [breaker + (status == .exited(0) ? "exited" : "crashed")]
        case .outdated: return [waiting + "outdated"]
        }
    }
}
