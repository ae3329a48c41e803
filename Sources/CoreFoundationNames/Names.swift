// Names: Core Foundation's names of types that Foundation has under its own names.
//
// One list for all modules that need them. The types are those to which Swift on Linux casts what sources write:
// `query as CFDictionary` for a dictionary of Swift or Foundation, `kSecClass as String`, `url as CFURL`.

public import Foundation

/// Any object of Core Foundation.
public typealias CFTypeRef = AnyObject
/// Text. A `String`, so that `kSecClass as String` and `"text" as CFString` compile.
public typealias CFString = String
/// A dictionary. An `NSDictionary`, to which dictionaries of Swift and of Foundation cast, and literals too.
public typealias CFDictionary = NSDictionary
public typealias CFMutableDictionary = NSMutableDictionary
public typealias CFArray = NSArray
public typealias CFMutableArray = NSMutableArray
/// Bytes. A `Data`, as `CGDataProvider` has them.
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFURL = NSURL
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFDate = NSDate
public typealias CFError = NSError
public typealias CFIndex = Int
public typealias CFOptionFlags = UInt
public typealias CFTypeID = UInt
public typealias CFTimeInterval = Double
public typealias CFAbsoluteTime = Double

/// An allocator of memory, which has no effect: Swift allocates.
public final class CFAllocator: Sendable {}

/// The status of a call of the system: 0 for success.
public typealias OSStatus = Int32
public let noErr: OSStatus = 0
/// Four characters as a number.
public typealias FourCharCode = UInt32
public typealias OSType = FourCharCode

public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
public let kCFAllocatorDefault: CFAllocator! = nil

public let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"
public let kCFBundleVersionKey: CFString! = "CFBundleVersion"
public let kCFBundleNameKey: CFString! = "CFBundleName"
public let kCFBundleExecutableKey: CFString! = "CFBundleExecutable"

/// Returns the domain of an error.
public func CFErrorGetDomain(_ error: CFError) -> CFString { error.domain }
/// Returns the code of an error.
public func CFErrorGetCode(_ error: CFError) -> CFIndex { error.code }
/// Returns the further facts of an error.
public func CFErrorCopyUserInfo(_ error: CFError) -> CFDictionary? { NSDictionary(dictionary: error.userInfo) }
/// Returns the words of an error.
public func CFErrorCopyDescription(_ error: CFError) -> CFString? { error.localizedDescription }

/// Returns the seconds since the start of 2001.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date.timeIntervalSinceReferenceDate }

/// The version of Foundation, later than every constant that sources compare it with (ours).
public let NSFoundationVersionNumber: Double = 4000
public let NSFoundationVersionNumber_iOS_7_0: Double = 1047
public let NSFoundationVersionNumber_iOS_7_1: Double = 1047.25
public let NSFoundationVersionNumber_iOS_8_0: Double = 1140.11
public let NSFoundationVersionNumber_iOS_9_0: Double = 1240.1
