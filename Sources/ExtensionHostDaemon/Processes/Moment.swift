// Moment: something that happens once to a process, and who waits for it.

import EventLoop

/// Its start, its hello, its end.
@HostActor
final class Moment {
    private var hasCome = false
    private var waiting: [@HostActor () -> Void] = []

    /// Calls `body` when it comes; now, if it has.
    func then(_ body: @escaping @HostActor () -> Void) {
        if hasCome { body() } else { waiting.append(body) }
    }

    /// Nothing, said again.
    func come() {
        hasCome = true
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
