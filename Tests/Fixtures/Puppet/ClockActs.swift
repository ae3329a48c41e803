// ClockActs: acts of the puppet that wait for the clock that it shares with its daemon.

import ExtensionFoundation
import Foundation
import Locks

extension Puppet {
    /// Whether the act is one of these. `argument` is in seconds.
    func waitForClock(_ act: String?, _ argument: String, _ context: NSExtensionContext) -> Bool {
        let clock = ExtensionClock()
        let delay = Duration.seconds(Double(argument) ?? 0)
        switch act {
        case "sleep":
            let start = clock.now
            Task.detached {
                try await clock.sleep(until: start.advanced(by: delay))
                complete(context, ["slept": "\(start.duration(to: clock.now))"])
            }
        case "giveUpSleep":
            let sleep = Task.detached { try await Task.sleep(for: delay, clock: clock) }
            sleep.cancel()
            Task.detached {
                let result = await sleep.result
                let isCancelled = if case .failure(is CancellationError) = result { true } else { false }
                complete(context, ["cancelled": isCancelled])
            }
        case "tick":
            let ticks = Ticks()
            let timer = clock.timer(after: delay, every: delay) {
                print("tick", ticks.count.add(1, ordering: .relaxed).newValue)
                guard ticks.count.load(ordering: .relaxed) == 3 else { return }
                ticks.timer.withLock { $0?.cancel() }
                complete(context, ["ticks": 3])
            }
            ticks.timer.withLock { $0 = timer }
        case "waitInHandler":
            context.completeRequest(returningItems: []) { expired in
                print("handler:", expired)
                if !expired { try? clock.wait(until: clock.now.advanced(by: delay)) }
            }
        default: return false
        }
        return true
    }
}

private func complete(_ context: NSExtensionContext, _ values: [String: any Sendable]) {
    let item = NSExtensionItem()
    item.userInfo = values
    context.completeRequest(returningItems: [item])
}

/// What the calls of one timer share.
private final class Ticks: Sendable {
    let count = Atomic(0)
    let timer = Mutex<ExtensionTimer?>(nil)
}
