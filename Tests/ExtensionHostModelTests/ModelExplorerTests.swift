// LifecycleModel, everywhere: all orders of all inputs for one process and its requests.

import ExtensionProtocol
import Foundation
import LinuxSystem
import Testing

@testable import ExtensionHostModel

@Suite struct ModelExplorerTests {
    typealias Setting = ModelLife.Setting

    static let settings = [
        Setting(), Setting(isHeld: true), Setting(policy: .onePerRequest),
        Setting(policy: .onePerRequest, isHeld: true),
        Setting(isPrewarmed: true), Setting(policy: .onePerRequest, isPrewarmed: true),
        Setting(requests: 2, hearsAtOnce: true),
        Setting(loads: 2), Setting(isAdopted: true), Setting(policy: .onePerRequest, isAdopted: true),
        Setting(isAdopted: true, loads: 1), Setting(requests: 0, isPrewarmed: true, isAdopted: true),
    ]

    static let longSettings = [
        Setting(requests: 2, isHeld: true), Setting(requests: 2, isPrewarmed: true),
        Setting(requests: 2, isAdopted: true),
        Setting(requests: 2, loads: 1),
    ]

    /// Every life that can be reached, and what the daemon's own events lead to from each.
    private struct Map {
        private(set) var lives: [ModelLife] = []
        private(set) var own: [[Int]] = []
        private(set) var steps = 0
        private(set) var pairs: Set<String> = []
        private var numbers: [ModelLife: Int] = [:]

        init(from start: ModelLife) async {
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

        private mutating func follow(_ life: ModelLife, _ event: ModelLife.Event) -> Int {
            steps += 1
            pairs.formUnion(life.pairs(with: event))
            var follower = life
            follower.take(event)
            return number(of: follower)
        }

        private mutating func number(of life: ModelLife) -> Int {
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

    // spec: A5, P-017, P-035, P-100, P-101
    @Test func inEveryOrderOfInputsEachRequestEndsOnceAndTheDaemonAloneBringsEverythingToItsEnd() async {
        var reached: Set<String> = []
        for setting in Self.settings { reached.formUnion(await explore(setting)) }
        // No input is left out in a state in which it can come, and the list of those that cannot is right.
        #expect(ModelLife.pairs.subtracting(reached).sorted() == [])
        #expect(reached.subtracting(ModelLife.pairs).sorted() == [])
    }

    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] != nil, "Scripts/test --long runs it"),
        arguments: longSettings)
    func thatHoldsForTwoRequestsToo(setting: Setting) async { await explore(setting) }

    @discardableResult
    private func explore(_ setting: Setting) async -> Set<String> {
        let map = await Map(from: ModelLife(setting))
        #expect(map.lives.contains { $0.isOver }, "\(setting.testDescription)")
        #expect(map.ending == map.lives.count, "\(setting.testDescription): some go on for ever")
        print("\(setting.testDescription): \(map.lives.count) states of the model, \(map.steps) steps")
        return map.pairs
    }
}

// MARK: Pairs of state and input

extension ModelLife {
    /// The states of a process in which its extension is heard.
    private static let heard = ["ready", "prewarmed", "busy", "idle", "suspended", "terminating", "killing"]
    /// The states of a process that is not on its way to its end.
    private static let serving = ["awaitingHello", "ready", "prewarmed", "busy", "idle", "suspended"]

    /// Each input with the states in which the daemon can give it. A timer comes only where it runs, and nothing comes
    /// after the exit.
    private static let inputs: [(of: String, input: String, states: [String])] = [
        ("request", "refused", ["created"]),
        ("request", "failed", ["created"]),
        ("request", "assigned", ["created"]),
        ("request", "cancelled", ["created", "launching", "active", "completing", "cancelling"]),
        ("request", "acknowledged", ["created", "launching", "active", "completing", "cancelling"]),
        ("request", "hostGone", ["created", "launching", "active", "completing", "cancelling"]),
        ("request", "debuggerAttached", ["launching"]),
        // A hostile extension answers also what it has not got.
        ("request", "answered", ["launching", "active", "completing", "cancelling"]),
        ("request", "answer timer", ["active"]),
        ("request", "acknowledgement timer", ["completing", "cancelling"]),
        ("request", "items timer", ["launching"]),
        // The process may have come back before the host, and have answered.
        ("request", "hostReturned", ["launching", "active", "completing", "cancelling"]),
        ("request", "begunAgain", ["launching", "active", "completing", "cancelling"]),
        ("process", "assigned", serving),
        ("process", "hello", ["awaitingHello", "killing"]),
        ("process", "returned", ["busy", "terminating", "killing"]),
        ("process", "answered", ["busy", "suspended", "terminating", "killing"]),
        ("process", "answeredBefore", ["busy", "idle", "terminating", "killing"]),
        ("process", "handlerFinished", heard),
        ("process", "load", ["busy", "idle", "suspended", "terminating", "killing", "exited"]),
        ("process", "kill", serving + ["terminating", "killing"]),
        ("process", "daemonStopping", serving + ["terminating", "killing"]),
        ("process", "withdrawn", serving + ["terminating", "killing"]),
        ("process", "outdated", serving + ["terminating", "killing"]),
        ("process", "exited", serving + ["terminating", "killing"]),
        ("process", "connectionClosed", serving + ["terminating", "killing"]),
        ("process", "connectionResumed", heard),
        ("process", "hostMoves", serving + ["terminating", "killing", "exited"]),
        ("process", "heard", ["awaitingHello", "ready", "busy", "idle", "suspended", "terminating", "killing"]),
        ("process", "launch timer", ["awaitingHello"]),
        ("process", "firstRequest timer", ["ready"]),
        ("process", "prewarmed timer", ["prewarmed"]),
        ("process", "idle timer", ["idle"]),
        ("process", "suspend timer", ["busy"]),
        ("process", "postComplete timer", ["busy"]),
        ("process", "expire timer", ["busy"]),
        ("process", "closed timer", ["awaitingHello", "ready", "prewarmed", "busy", "idle"]),
        ("process", "terminate timer", ["terminating"]),
        ("process", "kill timer", ["terminating"]),
    ]

    static let pairs = Set(inputs.flatMap { row in row.states.map { "\(row.of) \($0): \(row.input)" } })

    fileprivate func pairs(with event: Event) -> [String] {
        let process = "process \(machine.state.name): "
        guard case .input(let input) = event else {
            return switch event {
            case .connectionEnded: [process + "connectionClosed"]
            default: [process + "load"]
            }
        }
        func of(_ request: RequestIdentifier, _ name: String) -> String {
            "request \(model.state(of: request)?.name ?? "none"): \(name)"
        }
        switch input {
        case .begun, .launched, .forgotten, .adopted, .requestAdopted, .hostConnected, .hostDisconnected, .hostAwaited:
            return []
        // LaunchExplorerTests has these.
        case .seeksProcess, .mayLaunch, .launchFailed, .prewarm, .notPrewarmed, .breakerTried, .breakerPauseOver,
            .breakersReset,
            .owes, .opened, .configured:
            return []
        case .hostMoves: return [process + "hostMoves"]
        case .heard: return [process + "heard"]
        case .refused(let request, _): return [of(request, "refused")]
        case .failed(let request, _): return [of(request, "failed")]
        case .cancelled(let request, _): return [of(request, "cancelled")]
        case .acknowledged(let request): return [of(request, "acknowledged")]
        case .hostGone(let request): return [of(request, "hostGone")]
        case .assigned(let request, _): return [of(request, "assigned"), process + "assigned"]
        case .hello: return [process + "hello"]
        case .debuggerAttached(let request): return [of(request, "debuggerAttached")]
        case .answered(let request, _): return [of(request, "answered"), process + "answered"]
        case .process(_, let event): return [process + event.name]
        case .requestTimer(let request, .answer): return [of(request, "answer timer")]
        case .requestTimer(let request, .acknowledgement): return [of(request, "acknowledgement timer")]
        case .requestTimer(let request, .items): return [of(request, "items timer")]
        case .hostReturned(let request, _): return [of(request, "hostReturned")]
        case .begunAgain(let request, _): return [of(request, "begunAgain")]
        case .returned: return [process + "returned"]
        case .answeredBefore: return [process + "answeredBefore"]
        }
    }
}

extension ProcessStateMachine.Event {
    fileprivate var name: String {
        switch self {
        case .hello: "hello"
        case .assigned: "assigned"
        case .answered: "answered"
        case .ended, .failed: "ended"
        case .handlerFinished: "handlerFinished"
        case .timer(let timer): "\(timer.name) timer"
        case .kill: "kill"
        case .daemonStopping: "daemonStopping"
        case .withdrawn: "withdrawn"
        case .outdated: "outdated"
        case .closed: "closed"
        case .wakeExpired: "wakeExpired"
        case .rested: "rested"
        case .connectionClosed: "connectionClosed"
        case .connectionResumed: "connectionResumed"
        case .returned: "returned"
        case .hostsAway: "hostsAway"
        case .exited: "exited"
        }
    }
}

extension ProcessStateMachine.Timer {
    fileprivate var name: String {
        switch self {
        case .launch: "launch"
        case .firstRequest: "firstRequest"
        case .prewarmed: "prewarmed"
        case .idle: "idle"
        case .suspend: "suspend"
        case .postComplete: "postComplete"
        case .expire: "expire"
        case .terminate: "terminate"
        case .kill: "kill"
        case .closed: "closed"
        }
    }
}
