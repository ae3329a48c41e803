// TargetTimer: timers that call a method by its selector.

public import Foundation

extension Timer {
    /// Makes a timer that is not scheduled. It keeps its target alive until it is invalidated, as on Apple's systems.
    ///
    /// The `userInfo` is ignored: Foundation's timers on Linux store none.
    public convenience init(
        timeInterval interval: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
    ) {
        nonisolated(unsafe) let target = target as AnyObject  // called on the thread of the run loop that has the timer
        self.init(timeInterval: interval, repeats: repeats) { SelectorCall.send(target, selector, $0) }
    }

    /// Makes a timer and adds it to the current thread's run loop.
    @discardableResult public class func scheduledTimer(
        timeInterval interval: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
    ) -> Timer {
        let timer = Timer(
            timeInterval: interval, target: target, selector: selector, userInfo: userInfo, repeats: repeats)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }
}
