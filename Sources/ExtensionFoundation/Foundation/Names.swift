// Names: small declarations that Foundation has only on Apple's systems.

public import Foundation

/// Objective-C's integer.
public typealias NSInteger = Int
/// Objective-C's integer without a sign.
public typealias NSUInteger = UInt

/// The nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// The nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// The nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// The microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000

extension Error where Self == NSError {
    /// Makes an error without a domain and a code, as sources throw one that nobody reads.
    public init() { self = NSError(domain: "", code: 0) }
}

extension Scanner {
    /// Scans up to a character of a set, and stores the characters before it as an object.
    @discardableResult public func scanUpToCharacters(
        from set: CharacterSet, into result: UnsafeMutablePointer<NSString?>?
    ) -> Bool {
        guard let found = scanUpToCharacters(from: set) else { return false }
        result?.pointee = found as NSString
        return true
    }
}

extension NSURL {
    /// The URL's text, optional as in Objective-C: sources unwrap it. If both fit, the compiler takes Foundation's own.
    @_disfavoredOverload public var absoluteString: String? { (self as URL).absoluteString }
}

extension Thread {
    /// Calls a method of `target` on a new thread. The target is kept alive until the method returns.
    public class func detachNewThreadSelector(_ selector: Selector, toTarget target: Any, with argument: Any?) {
        // Handed over, as with Objective-C.
        nonisolated(unsafe) let (target, argument) = (target as AnyObject, argument)
        Thread.detachNewThread { SelectorCall.send(target, selector, argument) }
    }
}

extension URL {
    /// Returns `true`: a file that a host handed over is in the extension's own folders, and is open to it.
    public func startAccessingSecurityScopedResource() -> Bool { true }
    /// Does nothing.
    public func stopAccessingSecurityScopedResource() {}
}

extension NSObject {
    /// Returns the name of the class with its module, by which sources register cells.
    public class func description() -> String { String(reflecting: self) }
    /// Returns the class, as a class answers it for its objects.
    public class func classForCoder() -> AnyClass { self }
}
