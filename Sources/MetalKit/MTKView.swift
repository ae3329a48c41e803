// MTKView: a view that a graphics processor would fill.

public import Foundation
@_exported public import Metal
@_exported public import UIKit

/// The painter of a view. It is not called: nothing can be drawn.
@MainActor @preconcurrency public protocol MTKViewDelegate: NSObjectProtocol {
    func mtkView(_ view: MTKView, drawableSizeWillChange size: CGSize)
    func draw(in view: MTKView)
}

/// A view without a picture: there is no graphics processor. It keeps its values.
@MainActor @preconcurrency open class MTKView: UIView {
    open var device: (any MTLDevice)?
    open weak var delegate: (any MTKViewDelegate)?
    open var isPaused = false
    open var enableSetNeedsDisplay = false
    open var framebufferOnly = true
    open var autoResizeDrawable = true
    open var preferredFramesPerSecond = 60
    open var colorPixelFormat = MTLPixelFormat.bgra8Unorm
    open var clearColor = MTLClearColor(red: 0, green: 0, blue: 0, alpha: 1)
    /// The size in pixels: that of the bounds, at one pixel a point.
    open var drawableSize: CGSize {
        get { ownSize ?? bounds.size }
        set { ownSize = newValue }
    }
    private var ownSize: CGSize?
    /// Nil: there is nothing to draw on.
    open var currentDrawable: (any CAMetalDrawable)? { nil }

    /// Makes a view.
    ///
    /// - Parameters:
    ///   - frameRect: the frame.
    ///   - device: the processor, which is nil here.
    public convenience init(frame frameRect: CGRect, device: (any MTLDevice)?) {
        self.init(frame: frameRect)
        self.device = device
    }

    /// Does nothing: the delegate is not asked to draw.
    open func draw() {}
    /// Does nothing.
    open func releaseDrawables() {}
}
