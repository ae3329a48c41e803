// An idle daemon sleeps: nothing of the loop, the clock or the bus wakes it.

import EventLoop
import Glibc
import Testing

@Suite(.timeLimit(.minutes(1))) struct QuietTests {
    init() { LoopThread.start() }

    @Test @HostActor func anIdleLoopWithAClockAndABusDoesNotWake() async throws {
        // In a process of its own: the other tests keep this one's loop busy.
        let privateBus = try await PrivateBus()
        await #expect(processExitsWith: .exitCode(11)) { [name = privateBus.address as String] in
            let bus = Box<Bus?>(nil)
            let kept = Box<[Deadline]>([])
            let clock = Box<RealClock?>(nil)
            exit(
                try EventLoop.shared.run {
                    do {
                        let real = try RealClock()
                        clock.value = real
                        bus.value = try Bus(.address(name))
                        bus.value?.requestName("org.exthost.Idle") { _ in
                            // Far away, and cancelled: neither may wake the loop.
                            kept.value.append(real.schedule(after: .seconds(3600)) {})
                            real.schedule(after: .milliseconds(100)) {}.cancel()
                            let settled = real.schedule(after: .milliseconds(100)) {
                                let before = EventLoop.shared.iterations
                                let idle = real.schedule(after: .milliseconds(300)) {
                                    // The one that ends the idle time, and none besides.
                                    EventLoop.shared.stop(exitCode: 10 + Int32(EventLoop.shared.iterations - before))
                                }
                                kept.value.append(idle)
                            }
                            kept.value.append(settled)
                        }
                    } catch {
                        EventLoop.shared.stop(exitCode: 2)
                    }
                })
        }
        privateBus.end()
    }
}
