// PendingRemovals: removals that were ordered and are not carried out yet, and the launches that wait for them.

/// Between the order and the deletion an app may be registered again: a launch then would get the old container, and lose it. So launches of
/// the identifiers concerned wait.
struct PendingRemovals<Waiter> {
    private var identifiers: [Int: Set<String>] = [:]
    private var last = 0
    /// In the order in which they came.
    private var waiting: [(waiter: Waiter, identifier: String)] = []

    /// A removal has been ordered; its number.
    mutating func begin(_ removed: Set<String>) -> Int {
        last += 1
        identifiers[last] = removed
        return last
    }

    func concerns(_ identifier: String) -> Bool { identifiers.values.contains { $0.contains(identifier) } }

    mutating func wait(_ waiter: Waiter, for identifier: String) { waiting.append((waiter, identifier)) }

    /// It is carried out, or will never be. Returns those that wait for nothing any more.
    mutating func end(_ number: Int) -> [Waiter] {
        identifiers[number] = nil
        let all = waiting
        waiting = all.filter { concerns($0.identifier) }
        return all.filter { !concerns($0.identifier) }.map(\.waiter)
    }
}
