// TurnShare: the order in which ready descriptors are served: shares within shares, each served in rotation.

/// The turns that several descriptors have together, as those of one process. However many of them are ready, the share
/// has one turn in each rotation of the level above, and its descriptors have that turn one after the other.
///
/// A share within no other one is at the top, beside every descriptor that belongs to no share.
@HostActor
public final class TurnShare {
    private let parent: TurnShare?
    /// Those of this share that wait for a turn, from `head` on. Each of them has somebody to serve, or is a
    /// descriptor's.
    private var line: [TurnShare] = []
    private var head = 0
    private var isWaiting = false
    /// The descriptor whose turns these are; nil of a share of several.
    private(set) weak var entry: DescriptorSet.Entry?

    /// - Parameter parent: the share that this one is a part of, as a user's is of its processes'.
    public init(within parent: TurnShare? = nil) { self.parent = parent }

    init(of entry: DescriptorSet.Entry, within parent: TurnShare?) {
        self.entry = entry
        self.parent = parent
    }

    /// Whether a descriptor of this share waits for a turn.
    var hasWaiting: Bool { head < line.count }

    /// Goes behind those that wait at its level, and so does each share that it is a part of. Nothing while it waits
    /// already.
    func wait(in root: TurnShare) {
        var share = self
        while share !== root, !share.isWaiting {
            share.isWaiting = true
            let above = share.parent ?? root
            above.line.append(share)
            share = above
        }
    }

    /// Takes out the descriptor's share whose turn it is. Every share that it is a part of goes behind the others of
    /// its level.
    func takeNext() -> TurnShare? {
        guard hasWaiting else { return nil }
        let next = line[head]
        head += 1
        if head * 2 > line.count {
            line.removeFirst(head)
            head = 0
        }
        next.isWaiting = false
        guard let found = next.takeNext() else { return next }
        if next.hasWaiting {
            next.isWaiting = true
            line.append(next)
        }
        return found
    }
}
