// CoreFoundationNames: the names of Core Foundation in the functions of Core Video and Core Media.

/// Core Foundation has no objects here: a string is Swift's, so that `as CFString` compiles.
public typealias CFString = String
/// A dictionary is Swift's, so that `as CFDictionary` compiles.
public typealias CFDictionary = [String: Any]
/// A value of an attachment.
public typealias CFTypeRef = AnyObject

/// An allocator. There is none but the usual one, which is nil.
public final class CFAllocator: Sendable {
    private init() {}
}

/// The usual allocator.
public let kCFAllocatorDefault: CFAllocator? = nil
