// CVPixelBuffer: the pixels of a frame in memory.

import Glibc
public import Foundation
import Locks

public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVBuffer

// Unchecked: as on Apple's systems, its user decides on which thread the pixels are used. The lock count has a lock.
/// A buffer of pixels, in one plane or in two.
public final class CVBuffer: @unchecked Sendable {
    /// One plane of pixels.
    struct Plane {
        let offset: Int
        let width: Int
        let height: Int
        let bytesPerRow: Int
    }

    /// Rows begin at multiples of so many bytes, as on Apple's systems. So a row is usually longer than its pixels.
    static let rowAlignment = 64
    /// The largest width and height.
    static let largestSide = 16_384

    let width: Int
    let height: Int
    let format: UInt32
    let planes: [Plane]
    let isPlanar: Bool
    let size: Int
    let memory: UnsafeMutableRawPointer
    private let lockCount = Mutex(0)

    /// Makes a buffer with zeros in it; nil for a size or a format that there is not, and without memory.
    ///
    /// - Parameters:
    ///   - width: the width in pixels.
    ///   - height: the height in pixels.
    ///   - format: one of the three formats of this module.
    package init?(width: Int, height: Int, format: UInt32) {
        guard (1...Self.largestSide).contains(width), (1...Self.largestSide).contains(height) else { return nil }
        func row(_ bytes: Int) -> Int { (bytes + Self.rowAlignment - 1) / Self.rowAlignment * Self.rowAlignment }
        switch format {
        case kCVPixelFormatType_32BGRA:
            planes = [Plane(offset: 0, width: width, height: height, bytesPerRow: row(4 * width))]
            isPlanar = false
        case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange:
            let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
            let luma = Plane(offset: 0, width: width, height: height, bytesPerRow: row(width))
            planes = [
                luma,
                Plane(
                    offset: luma.bytesPerRow * height, width: chromaWidth, height: chromaHeight,
                    bytesPerRow: row(2 * chromaWidth)),
            ]
            isPlanar = true
        default: return nil
        }
        size = planes.reduce(0) { $0 + $1.bytesPerRow * $1.height }
        var allocated: UnsafeMutableRawPointer?
        guard posix_memalign(&allocated, Self.rowAlignment, size) == 0, let allocated else { return nil }
        memory = allocated
        memset(memory, 0, size)
        (self.width, self.height, self.format) = (width, height, format)
    }

    deinit { free(memory) }

    /// All bytes of the planes, one after the other.
    package var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: memory, count: size) }

    fileprivate func lock() { lockCount.withLock { $0 += 1 } }

    fileprivate func unlock() -> Bool {
        lockCount.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }

    fileprivate var isLocked: Bool { lockCount.withLock { $0 > 0 } }

    fileprivate func plane(_ index: Int) -> Plane? {
        isPlanar && planes.indices.contains(index) ? planes[index] : nil
    }
}

/// Makes a buffer. Its pixels are zeros.
///
/// - Returns: `kCVReturnInvalidPixelFormat` for a format that is not here, `kCVReturnInvalidSize`.
public func CVPixelBufferCreate(
    _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: UInt32,
    _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
    guard (1...CVBuffer.largestSide).contains(width), (1...CVBuffer.largestSide).contains(height) else {
        return kCVReturnInvalidSize
    }
    pixelBufferOut.pointee = CVBuffer(width: width, height: height, format: pixelFormatType)
    return pixelBufferOut.pointee == nil ? kCVReturnInvalidPixelFormat : kCVReturnSuccess
}

/// Gives the caller access to the pixels, until the unlock. Locks nest.
@discardableResult
public func CVPixelBufferLockBaseAddress(
    _ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags
) -> CVReturn {
    pixelBuffer.lock()
    return kCVReturnSuccess
}

/// Ends a lock.
///
/// - Returns: `kCVReturnError` without a lock.
@discardableResult
public func CVPixelBufferUnlockBaseAddress(
    _ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags
) -> CVReturn {
    pixelBuffer.unlock() ? kCVReturnSuccess : kCVReturnError
}

public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.width }
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.height }
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> UInt32 { pixelBuffer.format }
public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool { pixelBuffer.isPlanar }
/// Returns the number of planes; 0 for a buffer that is not planar.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
    pixelBuffer.isPlanar ? pixelBuffer.planes.count : 0
}
public func CVPixelBufferGetDataSize(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.size }
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.planes[0].bytesPerRow }

/// Returns the address of the pixels, of a planar buffer that of its first plane; nil if the buffer is not locked.
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
    pixelBuffer.isLocked ? pixelBuffer.memory : nil
}

/// Returns the address of a plane; nil if the buffer is not locked, or has no such plane.
public func CVPixelBufferGetBaseAddressOfPlane(
    _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> UnsafeMutableRawPointer? {
    guard pixelBuffer.isLocked else { return nil }
    return pixelBuffer.plane(planeIndex).map { pixelBuffer.memory + $0.offset }
}

public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
    pixelBuffer.plane(planeIndex)?.width ?? 0
}
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
    pixelBuffer.plane(planeIndex)?.height ?? 0
}
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
    pixelBuffer.plane(planeIndex)?.bytesPerRow ?? 0
}

/// Returns the size of the image in pixels.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
    CGSize(width: imageBuffer.width, height: imageBuffer.height)
}

/// Returns the size at which the image is shown, which is that of its pixels.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
    CVImageBufferGetEncodedSize(imageBuffer)
}

extension CVBuffer {
    /// The pixels as rows of red, green, blue and alpha with 8 bits each. Luma and chroma are read by BT.709 (ours).
    package var rgba: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: width * height * 4) { made, count in
            count = width * height * 4
            let (first, chroma) = (planes[0], planes[planes.count - 1])
            let isFull: Bool = format == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
            let (black, white, range): (Float, Float, Float) = isFull ? (0, 255, 255) : (16, 219, 224)
            for row in 0..<height {
                for column in 0..<width {
                    let place = (row * width + column) * 4
                    guard isPlanar else {
                        let pixel = bytes.baseAddress! + row * first.bytesPerRow + column * 4
                        let alpha = Int(pixel.load(fromByteOffset: 3, as: UInt8.self))
                        for (index, channel) in [2, 1, 0].enumerated() {
                            let value = Int(pixel.load(fromByteOffset: channel, as: UInt8.self))
                            made[place + index] = alpha == 0 ? 0 : UInt8(min((value * 255 + alpha / 2) / alpha, 255))
                        }
                        made[place + 3] = UInt8(alpha)
                        continue
                    }
                    let pair = chroma.offset + row / 2 * chroma.bytesPerRow + column / 2 * 2
                    let luma: Float = (Float(bytes[row * first.bytesPerRow + column]) - black) / white
                    let blue: Float = (Float(bytes[pair]) - 128) / range
                    let red: Float = (Float(bytes[pair + 1]) - 128) / range
                    let color = SIMD4<Float>(
                        luma + 1.5748 * red, luma - 0.1873 * blue - 0.4681 * red, luma + 1.8556 * blue, 1)
                    let scaled = (color.clamped(lowerBound: .zero, upperBound: .one) * 255).rounded(.toNearestOrEven)
                    for index in 0..<4 { made[place + index] = UInt8(scaled[index]) }
                }
            }
        }
    }
}
