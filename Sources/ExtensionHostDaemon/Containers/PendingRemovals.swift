// PendingRemovals: removals that were ordered and are not carried out yet, and the launches that wait for them.

/// The removals under way, and the launches that wait for them.
///
/// An app may be registered again between the order and the deletion. A launch at that time would get the old container
/// and lose it, so launches of the identifiers concerned wait.
struct PendingRemovals<Waiter> {
    private var identifiers: [Int: Set<String>] = [:]
    private var last = 0
    /// The waiting launches, in order of arrival.
    private var waiting: [(waiter: Waiter, identifier: String)] = []

    /// Begins a removal that has been ordered, and returns its number.
    mutating func begin(_ removed: Set<String>) -> Int {
        last += 1
        identifiers[last] = removed
        return last
    }

    func concerns(_ identifier: String) -> Bool { identifiers.values.contains { $0.contains(identifier) } }

    mutating func wait(_ waiter: Waiter, for identifier: String) { waiting.append((waiter, identifier)) }

    /// Ends a removal, which was carried out or never will be. Returns the launches for which no removal is left.
    mutating func end(_ number: Int) -> [Waiter] {
        identifiers[number] = nil
        let all = waiting
        waiting = all.filter { concerns($0.identifier) }
        return all.filter { !concerns($0.identifier) }.map(\.waiter)
    }
}
