// Both machines together, everywhere: all orders of all events of one and two requests in one process, as the engine joins them.

import ExtensionProtocol
import Foundation
import LinuxSystem
import Testing

@testable import ExtensionHostModel

@Suite struct JointExplorerTests {
    struct Setting: Sendable, CustomTestStringConvertible {
        let policy: ProcessStateMachine.Policy
        let requests: Int
        /// Whether the first request waits for a debugger.
        let holding: Bool

        var testDescription: String { "\(policy), \(requests) requests\(holding ? ", one held" : "")" }

        static let all = [
            Setting(policy: .shared, requests: 1, holding: false), Setting(policy: .shared, requests: 1, holding: true),
            Setting(policy: .onePerRequest, requests: 1, holding: false),
            Setting(policy: .onePerRequest, requests: 1, holding: true),
            Setting(policy: .shared, requests: 2, holding: false),
        ]
    }

    /// Every life that can be reached, and what the daemon's own events lead to from each.
    private struct Map {
        private(set) var lives: [JointLife] = []
        private(set) var own: [[Int]] = []
        private(set) var steps = 0
        private var numbers: [JointLife: Int] = [:]

        init(from start: JointLife) async {
            _ = number(of: start)
            var next = 0
            while next < lives.count {
                // Tests share few threads, and others have to meet time limits meanwhile.
                if next % 200 == 0 { await Task.yield() }
                let life = lives[next]
                own.append(life.ownEvents.map { follow(life, $0) })
                for event in life.others { _ = follow(life, event) }
                next += 1
            }
        }

        private mutating func follow(_ life: JointLife, _ event: JointLife.Event) -> Int {
            steps += 1
            var follower = life
            follower.take(event)
            return number(of: follower)
        }

        private mutating func number(of life: JointLife) -> Int {
            if let known = numbers[life] { return known }
            numbers[life] = lives.count
            lives.append(life)
            return lives.count - 1
        }

        /// Those from which the daemon's own events lead to the end in whatever order they come.
        var ending: Int {
            var waits = own.map(\.count)
            var before: [[Int]] = Array(repeating: [], count: lives.count)
            for (place, followers) in own.enumerated() { for follower in followers { before[follower].append(place) } }
            var ended = lives.indices.filter { own[$0].isEmpty && lives[$0].isOver }
            var count = 0
            while let place = ended.popLast() {
                count += 1
                for earlier in before[place] {
                    waits[earlier] -= 1
                    if waits[earlier] == 0 { ended.append(earlier) }
                }
            }
            return count
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] != nil, "Scripts/test --long runs it"))
    func thatHoldsAlsoForTwoRequestsOfWhichOneWaitsForADebugger() async {
        await explore(Setting(policy: .shared, requests: 2, holding: true))
    }

    // spec: A5, P-017, P-035, P-100, P-101
    @Test(arguments: Setting.all) func inEveryOrderOfEventsEachRequestEndsOnceAndTheDaemonAloneBringsEverythingToItsEnd(
        setting: Setting
    ) async {
        await explore(setting)
    }

    private func explore(_ setting: Setting) async {
        let map = await Map(from: JointLife(setting.policy, requests: setting.requests, holding: setting.holding))
        #expect(map.lives.contains { $0.isOver })
        #expect(map.ending == map.lives.count, "some go on for ever")
        print("\(setting.testDescription): \(map.lives.count) states of both machines, \(map.steps) steps")
    }
}
