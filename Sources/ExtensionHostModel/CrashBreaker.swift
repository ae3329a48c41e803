// CrashBreaker: the breaker that stops the launches of an extension that fails repeatedly; pure, table-tested.

/// The breaker of one extension. Failures are unwanted ends of processes, without an answered request in between.
package struct CrashBreaker: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case closed
        /// No launch before the pause is over.
        case open
        /// The pause is over: one launch may be tried.
        case due
        /// One launch is under way. Its end, or its first answer, decides.
        case halfOpen
    }

    package private(set) var state = State.closed
    package private(set) var failures = 0

    /// The first pause; each further one is twice as long, up to the longest. In nanoseconds.
    package static let firstPause: UInt64 = 1_000_000_000
    package static let longestPause: UInt64 = 60_000_000_000

    package init() {}

    /// Whether a process may be launched. After a pause one may, and no other until its result is known.
    package var admits: Bool { state == .closed || state == .due }

    /// Records the launch of a process.
    package mutating func tried() { if state == .due { state = .halfOpen } }

    package mutating func pauseOver() { if state == .open { state = .due } }

    /// Records the failure of a process.
    ///
    /// - Parameter limit: the failures in a row that open the breaker.
    /// - Returns: the pause, in nanoseconds; nil if the breaker stays closed.
    package mutating func failed(limit: Int) -> UInt64? {
        failures += 1
        guard failures >= limit else {
            // The limit has been raised since the breaker opened.
            state = .closed
            return nil
        }
        state = .open
        return min(Self.firstPause << min(failures - limit, 16), Self.longestPause)
    }

    /// Records the proper end of a process that answered nothing. Nothing is known, and another launch may be tried.
    package mutating func ended() { if state == .halfOpen { state = .due } }

    /// The name in lists, which show a breaker that is due like one that is open without a pause.
    package var name: String {
        switch state {
        case .closed: "closed"
        case .open, .due: "open"
        case .halfOpen: "halfOpen"
        }
    }
}

/// The breakers of all extensions that have failed and answered nothing since.
package struct BreakerBook: Sendable, Hashable {
    /// The maximum number of breakers: the bundles of strangers must not fill the memory.
    private static let limit = 1024
    private var breakers: [Program.Name: CrashBreaker] = [:]

    package init() {}

    package subscript(name: Program.Name) -> CrashBreaker { breakers[name] ?? CrashBreaker() }

    /// Returns the names of an extension's breakers; nil: those of all users.
    package func names(of identifier: String, user: UInt32?) -> [Program.Name] {
        breakers.keys.filter { $0.identifier == identifier && (user == nil || $0.user == user) }
            .sorted { ($0.user ?? 0) < ($1.user ?? 0) }
    }

    /// The breakers that are not closed, in the order of their names.
    package var open: [(name: Program.Name, breaker: CrashBreaker)] {
        breakers.filter { $0.value.state != .closed }.map { ($0.key, $0.value) }
            .sorted { $0.name.order < $1.name.order }
    }

    mutating func tried(_ name: Program.Name) { breakers[name]?.tried() }

    mutating func pauseOver(_ name: Program.Name) { breakers[name]?.pauseOver() }

    mutating func ended(_ name: Program.Name) { breakers[name]?.ended() }

    mutating func failed(_ name: Program.Name, limit: Int) -> UInt64? {
        if breakers[name] == nil, breakers.count >= Self.limit { return nil }
        return breakers[name, default: CrashBreaker()].failed(limit: limit)
    }

    /// Closes a breaker, because a request was answered or an operator ordered it.
    ///
    /// - Returns: whether the breaker was not closed before.
    mutating func close(_ name: Program.Name) -> Bool {
        guard !breakers.isEmpty, let breaker = breakers.removeValue(forKey: name) else { return false }
        return breaker.state != .closed
    }
}
