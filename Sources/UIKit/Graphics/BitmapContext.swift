// BitmapContext: a context that draws images and paths into rows of pixels.

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
        var strokeColor: [CGFloat] = [0, 0, 0, 1]
        var mode = CGBlendMode.normal
        var line = LineStyle()
        /// The limit of the drawing; nil: there is none.
        var clip: PixelMask?
    }

    let form: PixelRows
    let bitmapInfo: CGBitmapInfo
    private var rows: Rows
    private var state = State()
    private var saved: [State] = []
    /// The most states that are saved at once (ours). Further ones are not saved, nor restored.
    private static let mostStates = 1024
    private var unsaved = 0
    /// The path that the author makes, in the author's units at the time.
    private var path = CGMutablePath()
    /// The transform that the author's units have at the beginning, which a UIKit context turns upside down.
    private let base: CGAffineTransform

    /// Makes a context; nil for a form that contexts do not have.
    init?(
        _ data: UnsafeMutableRawPointer?, _ width: Int, _ height: Int, _ bytesPerRow: Int, _ bitmapInfo: CGBitmapInfo,
        base: CGAffineTransform = .identity
    ) {
        // Contexts with straight alpha are refused, as on Apple's systems.
        guard let layout = bitmapInfo.layout, layout.alpha != .straight, width > 0, width <= ImageCodec.mostPixels,
            let form = PixelRows(
                width: width, height: height, bytesPerRow: bytesPerRow == 0 ? width * 4 : bytesPerRow, layout: layout)
        else { return nil }
        (self.form, self.bitmapInfo, self.base) = (form, bitmapInfo, base)
        state.transform = base
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

    func save() {
        guard saved.count < Self.mostStates else { return unsaved += 1 }
        saved.append(state)
    }
    func restore() {
        guard unsaved == 0 else { return unsaved -= 1 }
        state = saved.popLast() ?? state
    }
    func concatenate(_ transform: CGAffineTransform) { state.transform = transform.concatenating(state.transform) }
    var transform: CGAffineTransform { state.transform }
    func setAlpha(_ alpha: CGFloat) { state.alpha = alpha }
    func setColor(_ color: CGColor) { state.color = color.components ?? state.color }
    func setStrokeColor(_ color: CGColor) { state.strokeColor = color.components ?? state.strokeColor }
    func setBlendMode(_ mode: CGBlendMode) { state.mode = mode }
    var line: LineStyle {
        get { state.line }
        set { state.line = newValue }
    }
    private var replaces: Bool { state.mode == .copy || state.mode == .clear }

    // MARK: Paths

    /// Changes the current path, whose places are kept in pixels: later transforms do not move them.
    func build(_ body: (CGMutablePath) -> Void) {
        let part = CGMutablePath()
        // A line goes on from where the path is.
        let isOpen = !path.isEmpty
        if isOpen { part.begin(at: path.currentPoint.applying(state.transform.inverted())) }
        body(part)
        path.append(part, state.transform, without: isOpen ? 1 : 0)
    }
    func beginPath() { path = CGMutablePath() }
    var currentPoint: CGPoint { path.currentPoint.applying(state.transform.inverted()) }
    var pathBox: CGRect { path.copy(by: state.transform.inverted()).boundingBox }

    func fillPath(_ rule: CGPathFillRule) {
        defer { beginPath() }
        paint(state.color, pixels(path.polygons(under: .identity).map(\.points)), rule)
    }

    func strokePath() {
        defer { beginPath() }
        // The line has its width in the author's units, also where these are not square.
        let units = path.copy(by: state.transform.inverted())
        let scale = max(hypot(state.transform.a, state.transform.b), hypot(state.transform.c, state.transform.d))
        guard scale > 0, scale.isFinite else { return }
        let tolerance = CGPath.tolerance / scale
        let outline = state.line.outline(
            of: units.polygons(under: .identity, tolerance: tolerance), tolerance: tolerance)
        // A transform that mirrors turns all directions, so they stay equal.
        paint(state.strokeColor, pixels(outline.map { $0.map { $0.applying(state.transform) } }), .winding)
    }

    func drawPath(_ mode: CGPathDrawingMode) {
        let whole = path
        switch mode {
        case .fill, .fillStroke: fillPath(.winding)
        case .eoFill, .eoFillStroke: fillPath(.evenOdd)
        case .stroke: break
        }
        path = whole
        if mode == .fill || mode == .eoFill { beginPath() } else { strokePath() }
    }

    func clip(_ rule: CGPathFillRule) {
        defer { beginPath() }
        let polygons = pixels(path.polygons(under: .identity).map(\.points))
        // If there is no mask, nothing is drawn, rather than too much.
        state.clip =
            (try? PixelMask(polygons, isEvenOdd: rule == .evenOdd, form, within: state.clip))
            ?? (try? PixelMask([], isEvenOdd: false, form))
    }

    /// The box of the places where something is drawn, in the author's units.
    var clipBox: CGRect {
        let whole = CGRect(x: 0, y: 0, width: form.width, height: form.height)
        let polygon = CGMutablePath()
        polygon.add(whole, state.transform.inverted())
        return polygon.boundingBox
    }

    /// Returns places of Core Graphics, whose y grows upwards, as places in the rows.
    ///
    /// Places far outside come nearer, where the drawing is the same. A number that is not finite stays, and is refused.
    private func pixels(_ polygons: [[CGPoint]]) -> [[(x: Double, y: Double)]] {
        func near(_ place: CGFloat) -> CGFloat { place.isFinite ? min(max(place, -1e8), 1e8) : place }
        return polygons.map { $0.map { (near($0.x), near(CGFloat(form.height) - $0.y)) } }
    }

    private func paint(_ color: [CGFloat], _ polygons: [[(x: Double, y: Double)]], _ rule: CGPathFillRule) {
        guard let mask = try? PixelMask(polygons, isEvenOdd: rule == .evenOdd, form, within: state.clip),
            let pixel = pixel(state.mode == .clear ? [0, 0, 0, 0] : color), let bytes = writable()
        else { return }
        try? pixel.draw(
            on: bytes, form, matrix: (0, 0, 0, 0, 0.5, 0.5), alpha: state.alpha, replaces: replaces, mask: mask)
    }

    private func pixel(_ color: [CGFloat]) -> Pixels? {
        let bytes = color.prefix(4).map { (part: CGFloat) -> UInt8 in
            part.isFinite ? UInt8(min(max(part, 0), 1) * 255 + 0.5) : 0
        }
        return try? Pixels(width: 1, height: 1, copying: bytes)
    }

    // MARK: Drawing

    /// Draws an image, whose top is at the upper edge of the rectangle: y grows upwards, as in Core Graphics.
    func draw(_ image: CGImage, in rect: CGRect) {
        try? image.withPixels { (pixels) throws(ImageCodecError) in
            try draw(pixels, in: rect, alpha: state.mode == .clear ? 0 : state.alpha, replaces: replaces)
        }
    }

    /// Fills a rectangle. The current path stays.
    func fill(_ rect: CGRect) { with(rect) { fillPath(.winding) } }

    func stroke(_ rect: CGRect, width: CGFloat?) {
        let kept = state
        defer { state = kept }
        if let width { state.line.width = width }
        with(rect) { strokePath() }
    }

    func clear(_ rect: CGRect) {
        let kept = state
        defer { state = kept }
        (state.mode, state.alpha) = (.clear, 1)
        fill(rect)
    }

    private func with(_ rect: CGRect, _ body: () -> Void) {
        let kept = path
        path = CGMutablePath()
        path.add(rect, state.transform)
        body()
        path = kept
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
            on: bytes, form, matrix: (map.a, map.b, map.c, map.d, map.tx, map.ty), alpha: alpha, replaces: replaces,
            mask: state.clip)
    }
}
