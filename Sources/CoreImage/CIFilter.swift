// CIFilter: the filters that sources name, and those that authors write of others.

package import ExtensionFoundation
public import Foundation
public import UIKit

public let kCIInputImageKey = "inputImage"
public let kCIInputBackgroundImageKey = "inputBackgroundImage"
public let kCIInputMaskImageKey = "inputMaskImage"
public let kCIInputIntensityKey = "inputIntensity"
public let kCIInputColorKey = "inputColor"
public let kCIInputCenterKey = "inputCenter"
public let kCIInputRadiusKey = "inputRadius"
public let kCIOutputImageKey = "outputImage"

/// A change of images. Authors write their own as subclasses.
///
/// The filters with a name here are in the list of `Kernels`; others are not made (ours).
open class CIFilter: NSObject, KeyValueContainer, @unchecked Sendable {  // as Apple's, used on one thread at a time
    /// The name of a filter of the system; that of the class for an author's own.
    open var name: String
    package var storedValues: [String: Any] = [:]
    private var kernel: Kernels.Kernel?

    /// Makes a filter of an author's own.
    public override init() {
        name = "\(Self.self)"
        super.init()
    }

    /// Makes a filter of the system.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - params: its values by their keys, such as `inputCenter`.
    /// - Returns: nil for an unknown name, which one line on standard error reports.
    public convenience init?(name: String, parameters params: [String: Any]? = nil) {
        guard let kernel = Kernels.all[name] else {
            FileHandle.standardError.write(Data("CoreImage: notSimulated: the filter \(name.prefix(100))\n".utf8))
            return nil
        }
        self.init()
        (self.name, self.kernel) = (name, kernel)
        storedValues = params ?? [:]
    }

    /// The picture. Nil if a value is missing. An author's own filter overrides it.
    open var outputImage: CIImage? { kernel?(FilterValues(storedValues)) }

    /// Forgets the values but the images.
    open func setDefaults() { storedValues = storedValues.filter { $0.value is CIImage } }
}

/// The values of a filter, by their keys.
struct FilterValues {
    private let values: [String: Any]
    init(_ values: [String: Any]) { self.values = values }

    func image(_ key: String) -> CIImage? { values[key] as? CIImage }
    var input: CIImage? { image(kCIInputImageKey) }
    func point(_ key: String, _ usual: CGPoint) -> CGPoint {
        (values[key] as? CIVector)?.cgPointValue ?? unusable(key, usual)
    }
    func color(_ key: String, _ usual: CIColor) -> PointColor {
        (values[key] as? CIColor ?? unusable(key, usual)).premultiplied
    }
    func number(_ key: String, _ usual: Double) -> Double {
        ImageOption.number(values[key]) ?? unusable(key, usual)
    }

    /// Returns the usual value. A line on standard error reports a value of another type.
    private func unusable<Value>(_ key: String, _ usual: Value) -> Value {
        if values[key] != nil { CoreImageReport.write("\(key) has another type, so its usual value is taken") }
        return usual
    }
}

/// The filters of the system that are there, with Apple's usual values (documented).
enum Kernels {
    typealias Kernel = @Sendable (FilterValues) -> CIImage?

    static let all: [String: Kernel] = [
        "CIRadialGradient": radialGradient,
        "CIConstantColorGenerator": { values in
            let color = values.color(kCIInputColorKey, .red)
            return CIImage(.infinite) { _, _ in color }
        },
        "CIBlendWithMask": { blend($0) { ($0.x + $0.y + $0.z) / 3 } },
        "CIBlendWithAlphaMask": { blend($0) { $0.w } },
        "CIMaskToAlpha": { values in
            values.input?.mapped { color in
                let light: Float = (color.x + color.y + color.z) / 3
                return PointColor(light, light, light, light)
            }
        },
        "CIColorInvert": { values in
            values.input?.mapped { PointColor($0.w - $0.x, $0.w - $0.y, $0.w - $0.z, $0.w) }
        },
        "CIColorMonochrome": { values in
            tinted(values, values.color(kCIInputColorKey, CIColor(red: 0.6, green: 0.45, blue: 0.3)))
        },
        // The tint is ours.
        "CISepiaTone": { tinted($0, PointColor(1, 0.83, 0.6, 1)) },
        "CIColorPosterize": { values in
            let steps = Float(max(values.number("inputLevels", 6), 2) - 1)
            return values.input?.mapped { color in
                guard color.w > 0 else { return color }
                let straight: PointColor = color / color.w * steps
                var rounded: PointColor = straight.rounded(.toNearestOrAwayFromZero) / steps * color.w
                rounded.w = color.w
                return rounded
            }
        },
        "CISourceOverCompositing": { values in
            guard let input = values.input else { return nil }
            return values.image(kCIInputBackgroundImageKey).map { input.composited(over: $0) } ?? input
        },
        "CIMultiplyCompositing": { values in
            guard let input = values.input else { return nil }
            return values.image(kCIInputBackgroundImageKey).map { input.combined(with: $0) { $0 * $1 } } ?? input
        },
        "CILinearDodgeBlendMode": { values in
            guard let input = values.input else { return nil }
            return values.image(kCIInputBackgroundImageKey).map { behind in
                // The sum where both cover a point, and each one where it is alone.
                input.combined(with: behind) { front, back in
                    let apart: PointColor = front * (1 - back.w) + back * (1 - front.w)
                    return pointwiseMin(front + back, apart + front.w * back.w)
                }
            } ?? input
        },
    ]

    @Sendable private static func radialGradient(_ values: FilterValues) -> CIImage? {
        let center = values.point(kCIInputCenterKey, CGPoint(x: 150, y: 150))
        let (x0, y0) = (Double(center.x), Double(center.y))
        let (inner, outer) = (values.number("inputRadius0", 5), values.number("inputRadius1", 100))
        let (near, far) = (values.color("inputColor0", .white), values.color("inputColor1", .black))
        let width: Double = outer - inner
        return CIImage(.infinite) { x, y in
            let distance: Double = hypot(x - x0, y - y0)
            let part: Float = width > 0 ? Float(min(max((distance - inner) / width, 0), 1)) : distance < inner ? 0 : 1
            return near + (far - near) * part
        }
    }

    private static func blend(
        _ values: FilterValues, _ weight: @escaping @Sendable (PointColor) -> Float
    ) -> CIImage? {
        guard let input = values.input, let mask = values.image(kCIInputMaskImageKey) else { return nil }
        let behind: CIImage = values.image(kCIInputBackgroundImageKey) ?? .empty()
        let (front, back, cover) = (input.sample, behind.sample, mask.sample)
        let whole: CGRect =
            input.extent.isInfinite || behind.extent.isInfinite ? .infinite : input.extent.union(behind.extent)
        return CIImage(whole) { x, y in
            let part: Float = weight(cover(x, y))
            let color: PointColor = back(x, y)
            return color + (front(x, y) - color) * part
        }
    }

    private static func tinted(_ values: FilterValues, _ tint: PointColor) -> CIImage? {
        let intensity = Float(values.number(kCIInputIntensityKey, 1))
        return values.input?.mapped { color in
            let light: Float = 0.2126 * color.x + 0.7152 * color.y + 0.0722 * color.z
            var toned: PointColor = tint * light
            toned.w = color.w
            return color + (toned - color) * intensity
        }
    }
}
