// UserShares: the share that each user has of the event loop's turns.

import EventLoop

/// The turns of each user: all processes served for one user share that user's turns.
///
/// So one user's processes, however many, do not delay another user's.
@HostActor
final class UserShares {
    private struct Entry { weak var share: TurnShare? }

    private var users: [UInt32: Entry] = [:]
    /// The number of users above which those without a live share are removed.
    private var room = 64

    /// Returns the share of a user, which exists for as long as something holds it.
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
