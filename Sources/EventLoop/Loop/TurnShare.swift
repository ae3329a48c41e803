// TurnShare: the order in which ready descriptors are served: shares within shares, each served in rotation.

/// The turns that several descriptors share, such as those of one process.
///
/// However many of them are ready, the share has one turn in each rotation of the level above. Its descriptors take
/// that turn one after the other.
///
/// A share without a parent is at the top, beside every descriptor that belongs to no share.
@HostActor
public final class TurnShare {
    private let parent: TurnShare?
    /// The shares within this one that wait for a turn. Each of them is a descriptor's, or has others that wait.
    private var line = Line()
    private var isWaiting = false
    /// The descriptor whose turns these are; nil for a share of several.
    private(set) weak var entry: DescriptorSet.Entry?

    /// - Parameter parent: the share that contains this one, as a user's contains those of the user's processes.
    public init(within parent: TurnShare? = nil) { self.parent = parent }

    init(of entry: DescriptorSet.Entry, within parent: TurnShare?) {
        self.entry = entry
        self.parent = parent
    }

    /// Whether a descriptor of this share waits for a turn.
    var hasWaiting: Bool { !line.isEmpty }

    /// Queues the share behind those that wait at its level, and likewise each share that contains it.
    ///
    /// The call does nothing if the share waits already.
    func wait(in root: TurnShare) {
        var share = self
        while share !== root, !share.isWaiting {
            share.isWaiting = true
            let above = share.parent ?? root
            above.line.add(share)
            share = above
        }
    }

    /// Removes and returns the descriptor's share whose turn it is.
    ///
    /// Every share that contains it goes behind the others of its level.
    func takeNext() -> TurnShare? {
        guard let next = line.removeFirst() else { return nil }
        next.isWaiting = false
        guard let found = next.takeNext() else { return next }
        if next.hasWaiting {
            next.isWaiting = true
            line.add(next)
        }
        return found
    }

    private struct Line {
        /// The shares that wait are those from `head` on.
        private var shares: [TurnShare] = []
        private var head = 0

        var isEmpty: Bool { head == shares.count }

        mutating func add(_ share: TurnShare) { shares.append(share) }

        mutating func removeFirst() -> TurnShare? {
            guard !isEmpty else { return nil }
            let first = shares[head]
            head += 1
            if head * 2 > shares.count {
                shares.removeFirst(head)
                head = 0
            }
            return first
        }
    }
}
