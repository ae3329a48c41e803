// DelayedCalls: the calls of a thread that its run loop makes later, until they are taken back.

import Foundation

/// A call that is made later.
final class DelayedCall {
    let target: NSObject
    let selector: Selector
    let argument: Any?
    var timer: Timer?

    init(_ target: NSObject, _ selector: Selector, _ argument: Any?) {
        (self.target, self.selector, self.argument) = (target, selector, argument)
    }

    /// Whether two arguments are the same object, or equal ones.
    static func areEqual(_ one: Any?, _ other: Any?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        if let one = one as? AnyHashable, let other = other as? AnyHashable { return one == other }
        return one as AnyObject === other as AnyObject
    }
}

/// The calls of one thread, which alone uses them.
final class DelayedCalls {
    private static let key = "org.exthost.delayed"
    private var calls: [DelayedCall] = []

    static var ofThread: DelayedCalls {
        if let known = Thread.current.threadDictionary[key] as? DelayedCalls { return known }
        let made = DelayedCalls()
        Thread.current.threadDictionary[key] = made
        return made
    }

    func add(_ call: DelayedCall, after delay: TimeInterval) {
        nonisolated(unsafe) let (calls, call) = (self, call)  // they stay on this thread, whose run loop it is
        let timer = Timer(timeInterval: delay, repeats: false) { _ in
            calls.calls.removeAll { $0 === call }
            SelectorCall.send(call.target, call.selector, call.argument)
        }
        call.timer = timer
        self.calls.append(call)
        RunLoop.current.add(timer, forMode: .default)
    }

    func cancel(_ isMeant: (DelayedCall) -> Bool) {
        for call in calls where isMeant(call) { call.timer?.invalidate() }
        calls.removeAll(where: isMeant)
    }
}
