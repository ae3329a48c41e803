// PixelRows: rows of pixels in the layouts that bitmaps have, and drawing on them.

internal import CImageCodecs

/// The layout of a pixel in four bytes.
public struct PixelLayout: Sendable, Hashable {
    /// The meaning of the fourth channel.
    public enum Alpha: Sendable, Hashable { case straight, premultiplied, unused }

    /// The places of red, green, blue and alpha, each from 0 to 3.
    let places: (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)
    public let alpha: Alpha

    /// Makes a layout.
    ///
    /// - Parameters:
    ///   - isAlphaFirst: whether alpha comes before the colours, as in ARGB.
    ///   - isReversed: whether the bytes lie in the opposite order: ARGB as BGRA.
    ///   - alpha: the meaning of the fourth channel.
    public init(isAlphaFirst: Bool, isReversed: Bool, alpha: Alpha) {
        let first: UInt8 = isAlphaFirst ? 1 : 0
        let order = [first, first + 1, first + 2, isAlphaFirst ? 0 : 3].map { isReversed ? 3 - $0 : $0 }
        (places, self.alpha) = ((order[0], order[1], order[2], order[3]), alpha)
    }

    /// The layout of `Pixels`.
    public static var rgba: PixelLayout { PixelLayout(isAlphaFirst: false, isReversed: false, alpha: .straight) }

    public static func == (one: PixelLayout, other: PixelLayout) -> Bool {
        one.places == other.places && one.alpha == other.alpha
    }
    public func hash(into hasher: inout Hasher) {
        hasher.combine(places.red)
        hasher.combine(places.alpha)
        hasher.combine(alpha)
    }

    var form: exthost_layout {
        exthost_layout(
            red: places.red, green: places.green, blue: places.blue, alpha: places.alpha,
            has_alpha: alpha != .unused, is_premultiplied: alpha == .premultiplied)
    }
}

/// The form of rows in memory.
public struct PixelRows: Sendable, Hashable {
    public let width: Int
    public let height: Int
    public let bytesPerRow: Int
    public let layout: PixelLayout

    /// Makes the form. Nil for no size, too many pixels, or rows that are too short.
    ///
    /// - Parameters:
    ///   - width: the width in pixels.
    ///   - height: the height in pixels.
    ///   - bytesPerRow: the distance of two rows in bytes.
    ///   - layout: the layout of a pixel.
    public init?(width: Int, height: Int, bytesPerRow: Int, layout: PixelLayout) {
        guard (try? ImageCodec.check(width, height)) != nil, bytesPerRow >= width * 4,
            !bytesPerRow.multipliedReportingOverflow(by: height).overflow
        else { return nil }
        (self.width, self.height, self.bytesPerRow, self.layout) = (width, height, bytesPerRow, layout)
    }

    /// The number of bytes that the rows need: nothing follows the last pixel.
    public var count: Int { bytesPerRow * (height - 1) + width * 4 }
}

extension Pixels {
    /// Lends the image of rows. They are copied only if their layout is another one.
    ///
    /// - Parameters:
    ///   - rows: at least `form.count` bytes, which do not change meanwhile.
    ///   - form: their form.
    ///   - body: gets the image; it is valid only until the closure returns.
    /// - Throws: `ImageCodecError.noMemory` or `.invalid`, and the errors of `body`.
    public static func with<Value>(
        _ rows: UnsafeRawBufferPointer, _ form: PixelRows, _ body: (Pixels) throws(ImageCodecError) -> Value
    ) throws(ImageCodecError) -> Value {
        guard rows.count >= form.count else { throw .invalid("\(rows.count) bytes are less than \(form.count)") }
        let base = rows.baseAddress!.assumingMemoryBound(to: UInt8.self)
        let (width, height) = (Int32(form.width), Int32(form.height))
        let isAsHere = form.layout.places == PixelLayout.rgba.places && form.bytesPerRow == form.width * 4
        if isAsHere,
            form.layout.alpha == .straight
                || exthost_pixels_are_opaque(base, form.bytesPerRow, form.layout.form, width, height)
        {
            return try body(Pixels(width: form.width, height: form.height, memory: PixelMemory(taking: rows) { _ in }))
        }
        return try body(
            Pixels(form.width, form.height) {
                exthost_pixels_read(base, form.bytesPerRow, form.layout.form, width, height, $0)
            })
    }

    /// Draws the image on rows.
    ///
    /// A larger image is averaged, a turned or smaller one is interpolated. There is no smoothing at the edges.
    ///
    /// - Parameters:
    ///   - rows: at least `form.count` bytes.
    ///   - form: their form.
    ///   - matrix: a, b, c, d, tx and ty of the map from a place in the rows, whose top left corner is 0, 0, to one in
    ///     this image.
    ///   - alpha: from 0 to 1.
    ///   - replaces: whether the image takes the place of what is there, instead of covering it.
    ///   - mask: the part of each pixel of the rows that is drawn; nil: all.
    /// - Throws: `ImageCodecError.noMemory` or `.invalid`.
    public func draw(
        on rows: UnsafeMutableRawBufferPointer, _ form: PixelRows,
        matrix: (Double, Double, Double, Double, Double, Double), alpha: Double = 1, replaces: Bool = false,
        mask: PixelMask? = nil
    ) throws(ImageCodecError) {
        guard rows.count >= form.count else { throw .invalid("\(rows.count) bytes are less than \(form.count)") }
        if let mask, !mask.fits(form) { throw .invalid("the mask lies outside of the rows") }
        let (a, b, c, d, tx, ty) = matrix
        guard [a, b, c, d, tx, ty, alpha].allSatisfy(\.isFinite) else { throw .invalid("a number is not finite") }
        // The pixels of this image that fall into one of the rows, across and down.
        let (across, down) = ((a * a + c * c).squareRoot(), (b * b + d * d).squareRoot())
        let toWidth = across > 1 ? max(1, Int((Double(width) / across).rounded())) : width
        let toHeight = down > 1 ? max(1, Int((Double(height) / down).rounded())) : height
        guard toWidth == width, toHeight == height else {
            let (x, y) = (Double(toWidth) / Double(width), Double(toHeight) / Double(height))
            return try shrunk(toWidth, toHeight).draw(
                on: rows, form, matrix: (a * x, b * y, c * x, d * y, tx * x, ty * y), alpha: alpha, replaces: replaces,
                mask: mask)
        }
        withExtendedLifetime((memory, mask)) {
            exthost_pixels_draw(
                base, Int32(width), Int32(height), [a, b, c, d, tx, ty], min(max(alpha, 0), 1), replaces,
                mask?.mask, rows.baseAddress!.assumingMemoryBound(to: UInt8.self), form.bytesPerRow, Int32(form.width),
                Int32(form.height), form.layout.form)
        }
    }
}
