// Latch: an event that happens once to a process, and the functions that wait for it.

import EventLoop

/// An event that happens once to a process, such as its start, its hello or its end.
@HostActor
final class Latch {
    private var hasFired = false
    private var waiting: [@HostActor () -> Void] = []

    /// Calls `body` when the event happens, or at once if it has happened.
    func then(_ body: @escaping @HostActor () -> Void) {
        if hasFired { body() } else { waiting.append(body) }
    }

    /// Fires the latch. A second call has no effect.
    func fire() {
        hasFired = true
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
