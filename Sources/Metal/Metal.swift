// Metal: the names of a graphics processor, on a machine whose processor no program gets.

@_exported public import Foundation

/// Returns nil: no program gets a graphics processor here. Sources have a branch for that.
public func MTLCreateSystemDefaultDevice() -> (any MTLDevice)? { nil }

/// A graphics processor. There is none.
public protocol MTLDevice: AnyObject {
    var name: String { get }
    func makeCommandQueue() -> (any MTLCommandQueue)?
}

/// The commands of a processor, in order.
public protocol MTLCommandQueue: AnyObject {
    var device: any MTLDevice { get }
    func makeCommandBuffer() -> (any MTLCommandBuffer)?
}

/// Commands that begin together.
public protocol MTLCommandBuffer: AnyObject {
    func present(_ drawable: any MTLDrawable)
    func commit()
    func waitUntilCompleted()
}

/// A picture that can be shown.
public protocol MTLDrawable: AnyObject {
    func present()
}

/// The pixels of a processor.
public protocol MTLTexture: AnyObject {
    var width: Int { get }
    var height: Int { get }
}

/// A picture of a layer.
public protocol CAMetalDrawable: MTLDrawable {
    var texture: any MTLTexture { get }
}

/// The forms of a pixel that sources name.
public enum MTLPixelFormat: UInt, Sendable { case invalid = 0, rgba8Unorm = 70, bgra8Unorm = 80 }

/// A colour of the background.
public struct MTLClearColor: Sendable {
    public var red, green, blue, alpha: Double
    public init() { self.init(red: 0, green: 0, blue: 0, alpha: 0) }
    public init(red: Double, green: Double, blue: Double, alpha: Double) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }
}

/// Returns a colour of the background.
public func MTLClearColorMake(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double) -> MTLClearColor {
    MTLClearColor(red: red, green: green, blue: blue, alpha: alpha)
}
