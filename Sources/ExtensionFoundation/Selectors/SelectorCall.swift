// SelectorCall: sending a selector to an object.

public import Foundation

package enum SelectorCall {
    /// Whether an object has a method of that name. Any thread.
    package static func responds(_ target: AnyObject, to selector: Selector) -> Bool {
        MethodTables.method(selector, of: type(of: target)) != nil
    }

    /// Calls the method of that name on the caller's thread, and returns its value; nil if it has none.
    ///
    /// An object without the method ends the process with a line that names both, as on Apple's systems.
    @discardableResult package static func call(_ target: AnyObject, _ selector: Selector, _ arguments: [Any?] = [])
        -> Any?
    {
        guard let method = MethodTables.method(selector, of: type(of: target)) else {
            fatalError(
                "-[\(String(reflecting: type(of: target))) \(selector)]: unrecognized selector; "
                    + "the class has no @objc method of that name, or its sources were built without exthost's source step"
            )
        }
        return method.call(target, _Arguments(selector: selector.description, values: arguments))
    }

    /// Calls the method with as many arguments as the selector's name has colons.
    @discardableResult package static func send(_ target: AnyObject, _ selector: Selector, _ arguments: Any?...) -> Any?
    {
        call(target, selector, Array(arguments.prefix(selector.argumentCount)))
    }
}

extension NSObject {
    /// Whether this object has a method of that name in its class's table (`Selector`). Any thread.
    public final func responds(to selector: Selector!) -> Bool {
        selector.map { SelectorCall.responds(self, to: $0) } ?? false
    }

    /// Calls the method of that name on the caller's thread. An object that does not respond to it ends the process.
    ///
    /// - Returns: the method's value, alive until the thread's next call of this kind; nil for a method without one.
    @discardableResult public final func perform(_ selector: Selector!) -> Unmanaged<AnyObject>! {
        Self.hold(SelectorCall.call(self, selector))
    }

    /// Calls the method with an argument.
    @discardableResult public final func perform(_ selector: Selector!, with object: Any!) -> Unmanaged<AnyObject>! {
        Self.hold(SelectorCall.call(self, selector, [object]))
    }

    /// Calls the method with two arguments.
    @discardableResult
    public final func perform(_ selector: Selector!, with first: Any!, with second: Any!) -> Unmanaged<AnyObject>! {
        Self.hold(SelectorCall.call(self, selector, [first, second]))
    }

    /// Calls the method in the thread's run loop after `delay` seconds. The object is kept alive until then.
    ///
    /// `cancelPreviousPerformRequests(withTarget:)` on the same thread takes the call back.
    public final func perform(_ selector: Selector, with argument: Any?, afterDelay delay: TimeInterval) {
        DelayedCalls.ofThread.add(DelayedCall(self, selector, argument), after: delay)
    }

    /// Takes back the delayed calls of an object that this thread has made.
    ///
    /// - Parameter target: the object.
    public class func cancelPreviousPerformRequests(withTarget target: Any) {
        let object = target as AnyObject
        DelayedCalls.ofThread.cancel { $0.target === object }
    }

    /// Takes back the delayed calls of one method of an object, with an equal argument, that this thread has made.
    ///
    /// - Parameters:
    ///   - target: the object.
    ///   - selector: the method.
    ///   - argument: the argument of the call.
    public class func cancelPreviousPerformRequests(withTarget target: Any, selector: Selector, object argument: Any?) {
        let object = target as AnyObject
        DelayedCalls.ofThread.cancel {
            $0.target === object && $0.selector == selector && DelayedCall.areEqual($0.argument, argument)
        }
    }

    /// Calls the method on the main thread: at once if this is it and `wait` is true, else in a turn of the main queue.
    public final func performSelector(onMainThread selector: Selector, with argument: Any?, waitUntilDone wait: Bool) {
        // Handed over to the main thread, as with Objective-C.
        nonisolated(unsafe) let (target, argument) = (self, argument)
        if wait, Thread.isMainThread { return _ = SelectorCall.send(target, selector, argument) }
        let work = DispatchWorkItem { SelectorCall.send(target, selector, argument) }
        DispatchQueue.main.async(execute: work)
        if wait { work.wait() }
    }

    /// Calls the method on a new thread.
    public final func performSelector(inBackground selector: Selector, with argument: Any?) {
        nonisolated(unsafe) let (target, argument) = (self, argument)  // handed over, as with Objective-C
        Thread.detachNewThread { SelectorCall.send(target, selector, argument) }
    }

    private static let heldKey = "org.exthost.performed"

    /// Keeps a value alive that Objective-C would release later.
    private static func hold(_ value: Any?) -> Unmanaged<AnyObject>? {
        guard let value else { return nil }
        let object = value as AnyObject
        Thread.current.threadDictionary[heldKey] = object
        return Unmanaged.passUnretained(object)
    }
}
