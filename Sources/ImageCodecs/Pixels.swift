// Pixels: the rows of a decoded image, in memory that is never copied without need.

internal import CImageCodecs
internal import Glibc

/// Memory that does not change, with the way in which it is given back.
public final class PixelMemory: @unchecked Sendable {  // nobody writes to it
    /// The bytes. They are valid as long as this object.
    public let bytes: UnsafeRawBufferPointer
    private let release: (@Sendable (UnsafeRawBufferPointer) -> Void)?

    /// Takes memory.
    ///
    /// - Parameters:
    ///   - bytes: the memory, which nobody may change from now on.
    ///   - release: gives the memory back, on the thread that lets go of the object last.
    public init(
        taking bytes: UnsafeRawBufferPointer, release: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
    ) {
        (self.bytes, self.release) = (bytes, release)
    }

    deinit { release?(bytes) }

    /// Makes memory of `count` bytes, filled by `body`; nil if the machine has none.
    static func make(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) -> PixelMemory? {
        guard let base = malloc(count) else { return nil }
        body(UnsafeMutableRawBufferPointer(start: base, count: count))
        return PixelMemory(taking: UnsafeRawBufferPointer(start: base, count: count)) {
            free(UnsafeMutableRawPointer(mutating: $0.baseAddress))
        }
    }
}

/// A decoded image: rows of RGBA, 8 bits each, the top row first, without padding.
///
/// Alpha is straight: the colours are not multiplied with it. A value can be used from any thread.
public struct Pixels: Sendable {
    public let width: Int
    public let height: Int
    /// The rows: `width * height * 4` bytes.
    public let memory: PixelMemory

    /// Makes an image of rows without copying them.
    ///
    /// - Parameters:
    ///   - width: the width in pixels.
    ///   - height: the height in pixels.
    ///   - memory: the rows; it may have more bytes.
    /// - Throws: `ImageCodecError.invalid` or `.tooLarge` if the numbers do not fit.
    public init(width: Int, height: Int, memory: PixelMemory) throws(ImageCodecError) {
        try ImageCodec.check(width, height)
        guard memory.bytes.count >= width * height * 4 else {
            throw .invalid("\(memory.bytes.count) bytes are not \(width) × \(height) pixels")
        }
        (self.width, self.height, self.memory) = (width, height, memory)
    }

    /// Makes an image of a copy of `bytes`, which are `width * height * 4`.
    ///
    /// - Throws: `ImageCodecError.invalid`, `.tooLarge` or `.noMemory`.
    public init(width: Int, height: Int, copying bytes: [UInt8]) throws(ImageCodecError) {
        guard let memory = PixelMemory.make(bytes.count, { $0.copyBytes(from: bytes) }) else { throw .noMemory }
        try self.init(width: width, height: height, memory: memory)
    }

    init(_ width: Int, _ height: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) throws(ImageCodecError) {
        let made = PixelMemory.make(width * height * 4) { fill($0.baseAddress!.assumingMemoryBound(to: UInt8.self)) }
        guard let made else { throw .noMemory }
        (self.width, self.height, memory) = (width, height, made)
    }

    /// A copy of the rows.
    public var bytes: [UInt8] { Array(memory.bytes.prefix(width * height * 4)) }

    var base: UnsafePointer<UInt8> { memory.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self) }

    /// Returns the image averaged down, so that its longest side is `longest` pixels; a smaller image stays as it is.
    ///
    /// - Throws: `ImageCodecError.noMemory`, or `.invalid` for a side below 1.
    public func scaled(toLongestSide longest: Int) throws(ImageCodecError) -> Pixels {
        guard longest >= 1 else { throw .invalid("\(longest) is not a length of a side") }
        let side = max(width, height)
        guard side > longest else { return self }
        let (toWidth, toHeight) = (
            max(1, (width * longest + side / 2) / side), max(1, (height * longest + side / 2) / side)
        )
        return try shrunk(toWidth, toHeight)
    }

    func shrunk(_ toWidth: Int, _ toHeight: Int) throws(ImageCodecError) -> Pixels {
        try Pixels(toWidth, toHeight) {
            exthost_pixels_shrink(base, Int32(width), Int32(height), $0, Int32(toWidth), Int32(toHeight))
        }
    }

    /// Returns the image turned upright from an EXIF orientation, 1 to 8.
    ///
    /// - Throws: `ImageCodecError.noMemory`.
    public func upright(from orientation: UInt8) throws(ImageCodecError) -> Pixels {
        guard (2...8).contains(orientation) else { return self }
        let swaps = orientation >= 5
        return try Pixels(swaps ? height : width, swaps ? width : height) {
            exthost_pixels_turn(base, Int32(width), Int32(height), Int32(orientation), $0)
        }
    }

    /// Counts the pixels that differ between two images once both are upright, without a copy of either.
    ///
    /// - Parameters:
    ///   - orientation: the EXIF orientation of this image.
    ///   - other: the other image.
    ///   - otherOrientation: its EXIF orientation.
    ///   - tolerance: the difference in a channel that counts as none, 0 to 255.
    /// - Returns: the number of pixels that differ, and of all pixels of the larger one. If the upright sizes differ,
    ///   all do.
    public func differing(
        orientation: UInt8 = 1, from other: Pixels, orientation otherOrientation: UInt8 = 1, tolerance: Int = 0
    ) -> (changed: Int, total: Int) {
        let total = max(width * height, other.width * other.height)
        let (isTurned, otherIsTurned) = (orientation >= 5, otherOrientation >= 5)
        let size = isTurned ? (height, width) : (width, height)
        let otherSize = otherIsTurned ? (other.height, other.width) : (other.width, other.height)
        guard size == otherSize else { return (total, total) }
        var one = exthost_pixels(
            bytes: base, width: Int32(width), height: Int32(height), orientation: Int32(orientation))
        var second = exthost_pixels(
            bytes: other.base, width: Int32(other.width), height: Int32(other.height),
            orientation: Int32(otherOrientation))
        let changed = exthost_pixels_differing(&one, &second, Int32(clamping: tolerance))
        return withExtendedLifetime((memory, other.memory)) { (changed, total) }
    }
}
