// BitmapContext: a context that draws images and rectangles into rows of pixels.

import Foundation
import ImageCodecs

/// The rows of a bitmap context, and its state. Used by the thread that made the context.
final class BitmapContext {
    private enum Rows {
        /// The author's memory.
        case given(UnsafeMutableRawPointer)
        /// Memory of its own. The author may hold its address, so images are copies.
        case own(OwnRows)
        /// The rows of an image that was made: a change makes a copy first.
        case shared(CGImage)
    }
    final class OwnRows: @unchecked Sendable {  // written by one thread, and not any more once it is shared
        let bytes: UnsafeMutableRawBufferPointer
        var isKnown = false
        init?(count: Int) {
            guard let base = calloc(count, 1) else { return nil }
            bytes = UnsafeMutableRawBufferPointer(start: base, count: count)
        }
        deinit { free(bytes.baseAddress) }
    }
    private struct State {
        var transform = CGAffineTransform.identity
        var alpha: CGFloat = 1
        var color: [CGFloat] = [0, 0, 0, 1]
        var replaces = false
    }

    let form: PixelRows
    let bitmapInfo: CGBitmapInfo
    private var rows: Rows
    private var state = State()
    private var saved: [State] = []

    /// Makes a context; nil for a form that contexts do not have.
    init?(
        _ data: UnsafeMutableRawPointer?, _ width: Int, _ height: Int, _ bytesPerRow: Int, _ bitmapInfo: CGBitmapInfo
    ) {
        // Contexts with straight alpha are refused, as on Apple's systems.
        guard let layout = bitmapInfo.layout, layout.alpha != .straight, width > 0, width <= ImageCodec.mostPixels,
            let form = PixelRows(
                width: width, height: height, bytesPerRow: bytesPerRow == 0 ? width * 4 : bytesPerRow, layout: layout)
        else { return nil }
        (self.form, self.bitmapInfo) = (form, bitmapInfo)
        if let data {
            rows = .given(data)
        } else {
            guard let own = OwnRows(count: form.bytesPerRow * form.height) else { return nil }
            rows = .own(own)
        }
    }

    /// The address of the rows, which the author may change.
    var data: UnsafeMutableRawPointer? {
        let bytes = writable()
        if case .own(let own) = rows { own.isKnown = true }
        return bytes?.baseAddress
    }

    private func writable() -> UnsafeMutableRawBufferPointer? {
        switch rows {
        case .given(let base): return UnsafeMutableRawBufferPointer(start: base, count: form.count)
        case .own(let own): return own.bytes
        case .shared(let image):
            guard let own = OwnRows(count: form.bytesPerRow * form.height) else { return nil }
            own.bytes.copyBytes(from: image.rows.prefix(form.count))
            rows = .own(own)
            return own.bytes
        }
    }

    func makeImage() -> CGImage? {
        switch rows {
        case .given(let base): return CGImage(Data(bytes: base, count: form.count), form, bitmapInfo)
        case .own(let own) where own.isKnown:
            return CGImage(Data(bytes: own.bytes.baseAddress!, count: form.count), form, bitmapInfo)
        case .own(let own):
            let data = Data(
                bytesNoCopy: own.bytes.baseAddress!, count: form.count,
                deallocator: .custom { _, _ in withExtendedLifetime(own) {} })
            let image = CGImage(data, form, bitmapInfo)
            rows = .shared(image)
            return image
        case .shared(let image): return image
        }
    }

    // MARK: State

    func save() { saved.append(state) }
    func restore() { state = saved.popLast() ?? state }
    func concatenate(_ transform: CGAffineTransform) { state.transform = transform.concatenating(state.transform) }
    var transform: CGAffineTransform { state.transform }
    func setAlpha(_ alpha: CGFloat) { state.alpha = alpha }
    func setColor(_ color: CGColor) { state.color = color.components ?? state.color }
    func setBlendMode(_ mode: CGBlendMode) { state.replaces = mode == .copy }

    // MARK: Drawing

    /// Draws an image, whose top is at the upper edge of the rectangle: y grows upwards, as in Core Graphics.
    func draw(_ image: CGImage, in rect: CGRect) {
        try? image.withPixels { (pixels) throws(ImageCodecError) in
            try draw(pixels, in: rect, alpha: state.alpha, replaces: state.replaces)
        }
    }

    func fill(_ rect: CGRect) {
        let bytes = state.color.prefix(4).map { UInt8(min(max($0, 0), 1) * 255 + 0.5) }
        fill(rect, with: bytes, alpha: state.alpha, replaces: state.replaces)
    }

    func clear(_ rect: CGRect) { fill(rect, with: [0, 0, 0, 0], alpha: 1, replaces: true) }

    private func fill(_ rect: CGRect, with color: [UInt8], alpha: CGFloat, replaces: Bool) {
        guard let pixel = try? Pixels(width: 1, height: 1, copying: color) else { return }
        try? draw(pixel, in: rect, alpha: alpha, replaces: replaces)
    }

    private func draw(
        _ pixels: Pixels, in rect: CGRect, alpha: CGFloat, replaces: Bool
    ) throws(ImageCodecError) {
        let rect = rect.standardized
        guard rect.width > 0, rect.height > 0, let bytes = writable() else { return }
        let (across, down) = (CGFloat(pixels.width) / rect.width, CGFloat(pixels.height) / rect.height)
        let upward = CGAffineTransform(a: 1, b: 0, c: 0, d: -1, tx: 0, ty: CGFloat(form.height))
        let intoImage = CGAffineTransform(
            a: across, b: 0, c: 0, d: -down, tx: -rect.minX * across, ty: rect.maxY * down)
        let map = upward.concatenating(state.transform.inverted()).concatenating(intoImage)
        try pixels.draw(
            on: bytes, form, matrix: (map.a, map.b, map.c, map.d, map.tx, map.ty), alpha: alpha, replaces: replaces)
    }
}
