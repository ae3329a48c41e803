// LoopThread: the one thread of the test process on which the loop runs.

import EventLoop
import LinuxSystem

enum LoopThread {
    /// Starts the loop; it ends with the process, as the daemon's main thread does. For the `init` of a suite, which
    /// must not be isolated to the loop: it would wait for it.
    static func start() { _ = once }

    private static let once: Void = {
        do {
            try startThread(named: "loop") { _ = try? EventLoop.shared.run() }
        } catch {
            preconditionFailure("no thread for the loop: \(error)")
        }
    }()
}
