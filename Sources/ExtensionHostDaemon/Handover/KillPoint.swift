// KillPoint: points at which a test kills the daemon.

import EventLoop
import Glibc

/// The daemon passes a point before and after every write of the journal, packet sent or received, launch, and
/// descriptor given to the store.
///
/// With `EXTHOST_KILL_POINT=N` it is killed at the N-th point.
@HostActor
enum KillPoint {
    private static let deadly = getenv("EXTHOST_KILL_POINT").flatMap { Int(String(cString: $0)) }
    private static var passed = 0

    static func pass() {
        guard let deadly else { return }
        passed += 1
        if passed == deadly { kill(getpid(), SIGKILL) }
    }
}
