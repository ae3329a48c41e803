// KillPoint: places where a test has the daemon killed.

import EventLoop
import Glibc

/// The daemon passes one before and after every write of the journal, packet sent or received, launch, and descriptor given to the store. With
/// `EXTHOST_KILL_POINT=N` it is killed at the N-th.
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
