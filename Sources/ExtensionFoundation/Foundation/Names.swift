// Names: small things that Foundation has on Apple's systems alone.

public import Foundation

/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000

extension NSURL {
    /// Optional, as Objective-C's is: sources unwrap it. Where both fit the compiler takes Foundation's own.
    @_disfavoredOverload public var absoluteString: String? { (self as URL).absoluteString }
}

extension Thread {
    /// Calls a method of `target` on a thread of its own. It is kept alive until the method returns.
    public class func detachNewThreadSelector(_ selector: Selector, toTarget target: Any, with argument: Any?) {
        nonisolated(unsafe) let (target, argument) = (target as AnyObject, argument)  // handed over, as with Objective-C
        Thread.detachNewThread { SelectorCall.send(target, selector, argument) }
    }
}

extension URL {
    /// True: a file that a host handed over lies in the extension's own folders, and is open to it.
    public func startAccessingSecurityScopedResource() -> Bool { true }
    /// Does nothing.
    public func stopAccessingSecurityScopedResource() {}
}
