// Iterations: waiting for the loop to have turned, in place of waiting for time to pass.

import EventLoop

@HostActor
enum Iterations {
    /// Returns when the loop has looked for events `count` times more.
    static func pass(_ count: UInt64) async {
        let target = EventLoop.shared.iterations + count
        await until { EventLoop.shared.iterations >= target }
    }

    /// Returns when the condition holds; the loop turns on meanwhile. The suite's time limit bounds the wait.
    static func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}
