// Latch: something that happens once to a process, and who waits for it.

import EventLoop

/// Its start, its hello, its end.
@HostActor
final class Latch {
    private var hasFired = false
    private var waiting: [@HostActor () -> Void] = []

    /// Calls `body` when it comes; now, if it has.
    func then(_ body: @escaping @HostActor () -> Void) {
        if hasFired { body() } else { waiting.append(body) }
    }

    /// Nothing, said again.
    func fire() {
        hasFired = true
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
