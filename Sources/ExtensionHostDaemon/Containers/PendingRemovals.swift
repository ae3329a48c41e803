// PendingRemovals: removals that were ordered and are not carried out yet, and the requests that wait for them.

import ExtensionProtocol

/// Between the order and the deletion an app may be registered again: a launch then would get the old container, and lose it. So launches of
/// the identifiers concerned wait. A value; whoever owns it serves the requests.
struct PendingRemovals {
    private var identifiers: [Int: Set<String>] = [:]
    private var last = 0
    /// In the order in which they came.
    private var waiting: [(request: RequestIdentifier, extensionIdentifier: String)] = []

    /// A removal has been ordered; its number.
    mutating func begin(_ removed: Set<String>) -> Int {
        last += 1
        identifiers[last] = removed
        return last
    }

    func concerns(_ identifier: String) -> Bool { identifiers.values.contains { $0.contains(identifier) } }

    mutating func wait(_ request: RequestIdentifier, for identifier: String) { waiting.append((request, identifier)) }

    /// It is carried out, or will never be. Returns the requests that wait for nothing any more.
    mutating func end(_ number: Int) -> [RequestIdentifier] {
        identifiers[number] = nil
        let all = waiting
        waiting = all.filter { concerns($0.extensionIdentifier) }
        return all.filter { !concerns($0.extensionIdentifier) }.map(\.request)
    }
}
