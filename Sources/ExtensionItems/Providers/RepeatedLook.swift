// RepeatedLook: something looked at now and then, since properties of Foundation's objects cannot be observed here.

internal import Dispatch

/// Calls a closure every 50 ms on the loads' queue until it is ended or let go.
// Unchecked: a dispatch source may be used from any thread (its documentation says so), only its type does not.
final class RepeatedLook: @unchecked Sendable {
    private static let interval = DispatchTimeInterval.milliseconds(50)

    private let timer: any DispatchSourceTimer

    init(_ look: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: PendingLoad.queue)
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.setEventHandler(handler: look)
        timer.activate()
    }

    deinit { timer.cancel() }

    func end() { timer.cancel() }
}
