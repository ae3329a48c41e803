// PeerFault: what of faults on demand keeps a process's packets back, while several overlap; pure, table-tested.

/// One that was struck down is not heard before it goes on; one that is slow not before all its delays have passed.
struct PeerFault: Sendable, Hashable {
    private var isStruckDeaf = false
    private var isStruckMute = false
    /// Delays that are still to pass, of what comes from it and of what goes to it.
    private var delaysFrom = 0
    private var delaysTo = 0

    /// Whether nothing that it says is heard.
    var isDeaf: Bool { isStruckDeaf || delaysFrom > 0 }
    /// Whether nothing is said to it.
    var isMute: Bool { isStruckMute || delaysTo > 0 }

    /// - Parameter isMute: whether nothing is said to it either.
    mutating func begin(isMute: Bool) {
        isStruckDeaf = true
        if isMute { isStruckMute = true }
    }

    /// What was stopped goes on. Delays pass in their own time.
    mutating func goOn() { (isStruckDeaf, isStruckMute) = (false, false) }

    mutating func beginDelay(sent: Bool) {
        if sent { delaysTo += 1 } else { delaysFrom += 1 }
    }

    /// One for each that was begun.
    mutating func endDelay(sent: Bool) {
        if sent { delaysTo -= 1 } else { delaysFrom -= 1 }
    }
}
