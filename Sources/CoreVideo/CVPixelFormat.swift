// CVPixelFormat: the formats of pixels, and the results of functions.

public typealias CVReturn = Int32
public typealias CVOptionFlags = UInt64

public let kCVReturnSuccess: CVReturn = 0
public let kCVReturnError: CVReturn = -6660
public let kCVReturnInvalidArgument: CVReturn = -6661
public let kCVReturnAllocationFailed: CVReturn = -6662
public let kCVReturnInvalidPixelFormat: CVReturn = -6680
public let kCVReturnInvalidSize: CVReturn = -6681

/// Luma, and a plane with pairs of chroma, in the range of video: luma from 16 to 235 (`420v`).
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: UInt32 = 0x3432_3076
/// Luma, and a plane with pairs of chroma, in the full range: from 0 to 255 (`420f`).
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: UInt32 = 0x3432_3066
/// Blue, green, red and alpha in one plane (`BGRA`).
public let kCVPixelFormatType_32BGRA: UInt32 = 0x4247_5241

public let kCVPixelBufferPixelFormatTypeKey: CFString = "PixelFormatType"
public let kCVPixelBufferWidthKey: CFString = "Width"
public let kCVPixelBufferHeightKey: CFString = "Height"
/// The attribute has no effect: there are no surfaces.
public let kCVPixelBufferIOSurfacePropertiesKey: CFString = "IOSurfaceProperties"
/// The attribute has no effect: there are no bitmap contexts of Core Graphics.
public let kCVPixelBufferCGImageCompatibilityKey: CFString = "CGImageCompatibility"
/// The attribute has no effect: there are no bitmap contexts of Core Graphics.
public let kCVPixelBufferCGBitmapContextCompatibilityKey: CFString = "CGBitmapContextCompatibility"

/// The flags of a lock.
public struct CVPixelBufferLockFlags: OptionSet, Sendable, Hashable {
    public let rawValue: CVOptionFlags
    public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }

    /// The caller does not change the pixels.
    public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}
