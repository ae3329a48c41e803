// UIColor, CGColor: a colour as four numbers, and the space of its components.

public import CoreFoundationNames
public import Foundation

/// A colour. Safe to use from any thread.
///
/// It has an effect in contexts with rows of pixels only. Colours that follow the appearance have the values of the light one, the only
/// one here.
public final class UIColor: NSObject, Sendable {
    public let cgColor: CGColor

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        cgColor = CGColor(red: red, green: green, blue: blue, alpha: alpha)
    }

    public convenience init(white: CGFloat, alpha: CGFloat) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    public convenience init(displayP3Red red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// - Parameters: each is from 0 to 1.
    public convenience init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
        func part(_ offset: CGFloat) -> CGFloat {
            let place = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
            return brightness - brightness * saturation * max(0, min(place, 4 - place, 1))
        }
        self.init(red: part(5), green: part(3), blue: part(1), alpha: alpha)
    }

    public init(cgColor: CGColor) { self.cgColor = cgColor }

    /// Makes a colour by one call of the provider, for the light appearance.
    public init(dynamicProvider: (UITraitCollection) -> UIColor) { cgColor = dynamicProvider(.current).cgColor }

    /// Makes the colour of the set of that name in an asset catalogue of the bundle, for any appearance. Nil if there
    /// is none.
    public convenience init?(
        named name: String, in bundle: Bundle? = nil, compatibleWith traitCollection: UITraitCollection? = nil
    ) {
        guard let parts = AssetCatalog(bundle).color(name) else { return nil }
        self.init(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3])
    }

    /// Makes black: nothing is drawn with a pattern.
    public convenience init(patternImage image: UIImage) { self.init(white: 0, alpha: 1) }

    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
        UIColor(red: parts[0], green: parts[1], blue: parts[2], alpha: alpha)
    }

    public func resolvedColor(with traitCollection: UITraitCollection) -> UIColor { self }

    private var parts: [CGFloat] { cgColor.components ?? [0, 0, 0, 1] }

    @discardableResult public func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?,
        alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        red?.pointee = parts[0]
        green?.pointee = parts[1]
        blue?.pointee = parts[2]
        alpha?.pointee = parts[3]
        return true
    }

    @discardableResult public func getWhite(
        _ white: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        white?.pointee = 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2]
        alpha?.pointee = parts[3]
        return true
    }

    @discardableResult public func getHue(
        _ hue: UnsafeMutablePointer<CGFloat>?, saturation: UnsafeMutablePointer<CGFloat>?,
        brightness: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        let (red, green, blue) = (parts[0], parts[1], parts[2])
        let (most, least) = (max(red, green, blue), min(red, green, blue))
        let range = most - least
        var angle: CGFloat = 0
        if range > 0 {
            let sixth =
                most == red
                ? (green - blue) / range : most == green ? (blue - red) / range + 2 : (red - green) / range + 4
            angle = (sixth < 0 ? sixth + 6 : sixth) / 6
        }
        hue?.pointee = angle
        saturation?.pointee = most > 0 ? range / most : 0
        brightness?.pointee = most
        alpha?.pointee = parts[3]
        return true
    }

    /// Makes the colour that of fills and lines in the current context.
    public func set() {
        setFill()
        setStroke()
    }
    public func setFill() { GraphicsContexts.current?.setFillColor(cgColor) }
    public func setStroke() { GraphicsContexts.current?.setStrokeColor(cgColor) }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? UIColor)?.cgColor.components == cgColor.components
    }
    public override var hash: Int { cgColor.components.hashValue }
}

/// The components of a colour. Safe to use from any thread. They have no effect: nothing is drawn.
public final class CGColor: Sendable {
    /// The components red, green, blue and alpha, each from 0 to 1.
    public let components: [CGFloat]?
    public var alpha: CGFloat { components?.last ?? 1 }
    public var numberOfComponents: Int { components?.count ?? 0 }

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { components = [red, green, blue, alpha] }
    public convenience init(gray: CGFloat, alpha: CGFloat) {
        self.init(red: gray, green: gray, blue: gray, alpha: alpha)
    }
    public convenience init?(colorSpace: CGColorSpace, components: UnsafePointer<CGFloat>) {
        self.init(red: components[0], green: components[1], blue: components[2], alpha: components[3])
    }

    public func copy(alpha: CGFloat) -> CGColor? {
        components.map { CGColor(red: $0[0], green: $0[1], blue: $0[2], alpha: alpha) }
    }
}

/// The meaning of components: always red, green and blue here, whatever the caller asks for.
public final class CGColorSpace: Sendable {
    public static let sRGB: CFString = "kCGColorSpaceSRGB"
    public static let extendedSRGB: CFString = "kCGColorSpaceExtendedSRGB"
    public static let linearSRGB: CFString = "kCGColorSpaceLinearSRGB"
    public static let displayP3: CFString = "kCGColorSpaceDisplayP3"
    public static let adobeRGB1998: CFString = "kCGColorSpaceAdobeRGB1998"
    public static let genericGrayGamma2_2: CFString = "kCGColorSpaceGenericGrayGamma2_2"

    public let name: CFString?

    init() { name = nil }
    /// Makes a space of one of the names above; nil for another name.
    public init?(name: CFString) {
        let known = [
            Self.sRGB, Self.extendedSRGB, Self.linearSRGB, Self.displayP3, Self.adobeRGB1998, Self.genericGrayGamma2_2,
        ]
        guard known.contains(name) else { return nil }
        self.name = name
    }
}

public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace() }
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { CGColorSpace() }
