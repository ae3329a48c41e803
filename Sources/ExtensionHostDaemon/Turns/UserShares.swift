// UserShares: the turns of each user on the loop.

import EventLoop

/// Whoever is served for a user shares that user's turns: one user's processes, however many, do not keep another
/// user's waiting.
@HostActor
final class UserShares {
    private struct Entry { weak var share: TurnShare? }

    private var users: [UInt32: Entry] = [:]
    /// Above so many, users of whom nobody is left are forgotten.
    private var room = 64

    /// It lasts for as long as somebody holds it.
    func share(of user: UInt32) -> TurnShare {
        if let known = users[user]?.share { return known }
        if users.count >= room {
            users = users.filter { $0.value.share != nil }
            room = max(64, users.count * 2)
        }
        let share = TurnShare()
        users[user] = Entry(share: share)
        return share
    }
}
