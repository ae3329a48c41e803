// HostState: the automaton of spec 1.7, with the announcements that lead from one state to another.

package import ExtensionProtocol

/// One announced edge.
package struct HostTransition: Sendable, Hashable {
    package let notification: HostNotification
    package let from: HostStateName
    package let to: HostStateName
}

/// The state of a host. A requested state is a target: a move takes the legal edges to it, and each is announced.
package struct HostState: Sendable, Hashable {
    /// A new host is active.
    package private(set) var current: HostStateName

    package init(_ current: HostStateName = .active) { self.current = current }

    /// Moves to `target`, and returns the edges in order; none if it is the state already.
    package mutating func move(to target: HostStateName) -> [HostTransition] {
        var edges: [HostTransition] = []
        while current != target {
            let edge: HostTransition
            switch (current, target) {
            case (.active, _): edge = HostTransition(notification: .willResignActive, from: .active, to: .inactive)
            case (.background, _):
                edge = HostTransition(notification: .willEnterForeground, from: .background, to: .inactive)
            case (.inactive, .background):
                edge = HostTransition(notification: .didEnterBackground, from: .inactive, to: .background)
            case (.inactive, _): edge = HostTransition(notification: .didBecomeActive, from: .inactive, to: .active)
            }
            current = edge.to
            edges.append(edge)
        }
        return edges
    }
}
