// HostState: the automaton of host announcements, over all pairs and walks of states.

import ExtensionProtocol
import Testing

@testable import ExtensionHostModel

@Suite struct HostStateTests {
    /// The only edges that are ever announced (spec 1.7).
    private static let legal: Set<HostTransition> = [
        HostTransition(notification: .willResignActive, from: .active, to: .inactive),
        HostTransition(notification: .didEnterBackground, from: .inactive, to: .background),
        HostTransition(notification: .willEnterForeground, from: .background, to: .inactive),
        HostTransition(notification: .didBecomeActive, from: .inactive, to: .active),
    ]

    private static let table: [(from: HostStateName, to: HostStateName, announced: [HostNotification])] = [
        (.active, .active, []),
        (.active, .inactive, [.willResignActive]),
        (.active, .background, [.willResignActive, .didEnterBackground]),
        (.inactive, .active, [.didBecomeActive]),
        (.inactive, .inactive, []),
        (.inactive, .background, [.didEnterBackground]),
        (.background, .active, [.willEnterForeground, .didBecomeActive]),
        (.background, .inactive, [.willEnterForeground]),
        (.background, .background, []),
    ]

    private func host(in state: HostStateName) -> HostState {
        var host = HostState()
        _ = host.move(to: state)
        return host
    }

    @Test func aNewHostIsActive() {
        #expect(HostState().current == .active)
    }

    // spec: C1, P-094
    @Test(arguments: table.indices)
    func everyPairOfStatesAnnouncesTheEdgesBetweenThemInOrder(_ row: Int) {
        let (from, to, announced) = Self.table[row]
        var host = host(in: from)
        let edges = host.move(to: to)
        #expect(edges.map(\.notification) == announced)
        #expect(host.current == to)
    }

    // spec: C2, P-094
    @Test func noWalkAnnouncesAnEdgeThatTheAutomatonDoesNotHave() {
        var walks = 0
        func walk(_ host: HostState, _ depth: Int) {
            walks += 1
            guard depth > 0 else { return }
            for target in HostStateName.allCases {
                var next = host
                var place = host.current
                for edge in next.move(to: target) {
                    #expect(Self.legal.contains(edge))
                    #expect(edge.from == place)
                    place = edge.to
                }
                #expect(place == target && next.current == target)
                walk(next, depth - 1)
            }
        }
        walk(HostState(), 6)
        #expect(walks > 1000)
    }

    // spec: C3, P-091
    @Test func anInterruptionIsResignAndBecomeWithNoBackgroundPair() {
        var host = HostState()
        let notifications = (host.move(to: .inactive) + host.move(to: .active)).map(\.notification)
        #expect(notifications == [.willResignActive, .didBecomeActive])
    }

    // spec: 1.7
    @Test func theStateThatItIsAlreadyInAnnouncesNothing() {
        for state in HostStateName.allCases {
            var host = host(in: state)
            #expect(host.move(to: state) == [])
        }
    }
}
