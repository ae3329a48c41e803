// CrashBreaker: keeps an extension that fails again and again from being launched for every request; pure, table-tested.

/// One extension's. Failures are ends of processes that nobody wished for, without a request answered in between.
package struct CrashBreaker: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case closed
        /// No launch before this instant of the daemon's clock, in nanoseconds.
        case open(until: UInt64)
        /// One launch is under way; what comes of it decides.
        case halfOpen
    }

    /// How often a process may fail in a row before the first pause.
    package let limit: Int
    package private(set) var state = State.closed
    package private(set) var failures = 0

    /// The first pause; each further one is twice as long, up to the longest. In nanoseconds.
    package static let firstPause: UInt64 = 1_000_000_000
    package static let longestPause: UInt64 = 60_000_000_000

    package init(limit: Int) { self.limit = limit }

    /// Whether a process may be launched now. After a pause one may, and until its fate is known no other.
    package mutating func mayLaunch(at now: UInt64) -> Bool {
        switch state {
        case .closed: return true
        case .open(let until):
            guard now >= until else { return false }
            state = .halfOpen
            return true
        case .halfOpen: return false
        }
    }

    /// A process has failed. True when this opened the breaker.
    package mutating func failed(at now: UInt64) -> Bool {
        failures += 1
        guard failures >= limit else { return false }
        let doublings = min(failures - limit, 16)
        state = .open(until: now.addingSaturating(min(Self.firstPause << doublings, Self.longestPause)))
        return true
    }

    /// A launched process has ended as it should without having answered anything: nothing is known, and another may be tried.
    package mutating func ended() {
        if state == .halfOpen { state = .open(until: 0) }
    }

    /// A request was answered, or an operator says so. True when this closed the breaker.
    package mutating func close() -> Bool {
        failures = 0
        defer { state = .closed }
        return state != .closed
    }

    /// Seconds until the next try.
    package func delay(at now: UInt64) -> Double {
        guard case .open(let until) = state, until > now else { return 0 }
        return Double(until - now) / 1e9
    }

    package var name: String {
        switch state {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "halfOpen"
        }
    }
}

extension UInt64 {
    fileprivate func addingSaturating(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
