// PeerFault: the overlapping faults on demand that hold back a process's packets; pure, table-tested.

/// The faults that block packets from and to one process.
///
/// A stopped process is not heard until it continues. A delayed process is not heard until all its delays have passed.
struct PeerFault: Sendable, Hashable {
    private var isStruckDeaf = false
    private var isStruckMute = false
    /// The numbers of pending delays: of packets from the process, and of packets to it.
    private var delaysFrom = 0
    private var delaysTo = 0

    /// Whether packets from the process are held back.
    var isDeaf: Bool { isStruckDeaf || delaysFrom > 0 }
    /// Whether packets to the process are held back.
    var isMute: Bool { isStruckMute || delaysTo > 0 }

    /// Begins to hold packets back until `goOn`.
    ///
    /// - Parameter isMute: whether packets to the process are held back, too.
    mutating func begin(isMute: Bool) {
        isStruckDeaf = true
        if isMute { isStruckMute = true }
    }

    /// Ends the fault of a process that was stopped. Delays end by themselves.
    mutating func goOn() { (isStruckDeaf, isStruckMute) = (false, false) }

    mutating func beginDelay(sent: Bool) {
        if sent { delaysTo += 1 } else { delaysFrom += 1 }
    }

    /// Ends one delay. Each `beginDelay` needs one call.
    mutating func endDelay(sent: Bool) {
        if sent { delaysTo -= 1 } else { delaysFrom -= 1 }
    }
}
