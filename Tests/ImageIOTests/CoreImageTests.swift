// CoreImageTests: recipes of pictures, their filters, and the pixels that a context computes.

import CoreImage
import CoreVideo
import Foundation
import ImageCodecs
import LinuxSystem
import MetalKit
import Testing

@Suite struct CoreImageTests {
    /// A picture of 4 × 2 pixels: red on the left, blue on the right, and one green pixel at the top left.
    private static func picture() throws -> CIImage {
        var bytes: [UInt8] = []
        for place in 0..<8 {
            bytes += place == 0 ? [0, 255, 0, 255] : place % 4 < 2 ? [255, 0, 0, 255] : [0, 0, 255, 255]
        }
        let pixels = try Pixels(width: 4, height: 2, copying: bytes)
        let file = Data(try ImageCodec.encode(pixels, as: .png))
        return try #require(CIImage(data: file))
    }

    private static func pixels(_ image: CIImage, _ rect: CGRect? = nil) throws -> [[UInt8]] {
        let made = try #require(CIContext().createCGImage(image, from: rect ?? image.extent))
        let bytes = [UInt8](try #require(made.dataProvider?.data))
        return stride(from: 0, to: bytes.count, by: 4).map { Array(bytes[$0..<$0 + 4]) }
    }

    @Test("the pixels of a file come back in their places, cropped, moved and turned")
    func places() throws {
        let image = try Self.picture()
        let (red, green, blue): ([UInt8], [UInt8], [UInt8]) = ([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255])
        #expect(image.extent == CGRect(x: 0, y: 0, width: 4, height: 2))
        #expect(try Self.pixels(image) == [green, red, blue, blue, red, red, blue, blue])
        let top = image.cropped(to: CGRect(x: 0, y: 1, width: 2, height: 1))
        #expect(try Self.pixels(top) == [green, red])
        let moved = top.transformed(by: CGAffineTransform(translationX: 10, y: 5))
        #expect(moved.extent == CGRect(x: 10, y: 6, width: 2, height: 1))
        #expect(try Self.pixels(moved) == [green, red])
        let right = image.oriented(.right)
        #expect(right.extent == CGRect(x: 0, y: 0, width: 2, height: 4))
        #expect(try Self.pixels(right) == [red, green, red, red, blue, blue, blue, blue])
        #expect(try Self.pixels(image.oriented(.down)).last == green)
    }

    @Test("the pixels of a frame of video come back, of BGRA and of both ranges of luma")
    func frames() throws {
        var made: CVPixelBuffer?
        _ = CVPixelBufferCreate(nil, 2, 1, kCVPixelFormatType_32BGRA, nil, &made)
        let packed = try #require(made)
        CVPixelBufferLockBaseAddress(packed, [])
        let bytes: [UInt8] = [0, 0, 255, 255, 255, 0, 0, 255]
        try #require(CVPixelBufferGetBaseAddress(packed)).copyMemory(from: bytes, byteCount: bytes.count)
        CVPixelBufferUnlockBaseAddress(packed, [])
        #expect(try Self.pixels(CIImage(cvPixelBuffer: packed)) == [[255, 0, 0, 255], [0, 0, 255, 255]])
        CVPixelBufferLockBaseAddress(packed, [])
        let faint: [UInt8] = [0, 0, 128, 128, 9, 9, 9, 0]
        try #require(CVPixelBufferGetBaseAddress(packed)).copyMemory(from: faint, byteCount: faint.count)
        CVPixelBufferUnlockBaseAddress(packed, [])
        #expect(try Self.pixels(CIImage(cvPixelBuffer: packed)) == [[128, 0, 0, 128], [0, 0, 0, 0]])
        let full = kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
        let planar =
            [
                (full, [0, 255], [128, 128]),
                (kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, [16, 235], [128, 128]),
                (full, [54, 54], [99, 255]),
            ] as [(UInt32, [UInt8], [UInt8])]
        var results: [[[UInt8]]] = []
        for (format, luma, chroma) in planar {
            _ = CVPixelBufferCreate(nil, 2, 1, format, nil, &made)
            let buffer = try #require(made)
            CVPixelBufferLockBaseAddress(buffer, [])
            for (plane, values) in [luma, chroma].enumerated() {
                try #require(CVPixelBufferGetBaseAddressOfPlane(buffer, plane)).copyMemory(from: values, byteCount: 2)
            }
            CVPixelBufferUnlockBaseAddress(buffer, [])
            results.append(try Self.pixels(CIImage(cvImageBuffer: buffer)))
        }
        let (black, white): ([UInt8], [UInt8]) = ([0, 0, 0, 255], [255, 255, 255, 255])
        #expect(results[0] == [black, white] && results[1] == [black, white])
        // Red of BT.709, within the steps of 8 bits.
        #expect(results[2][0][0] >= 253 && results[2][0][1] <= 2 && results[2][0][2] <= 2)
    }

    @Test("each orientation and its inverse give the picture again")
    func orientations() throws {
        let image = try Self.picture()
        let whole = try Self.pixels(image)
        for (one, other) in [(2, 2), (3, 3), (4, 4), (5, 5), (6, 8), (7, 7), (8, 6)] as [(Int32, Int32)] {
            let back = image.oriented(forExifOrientation: one).oriented(forExifOrientation: other)
            #expect(try Self.pixels(back) == whole)
        }
    }

    @Test("a gradient and a mask blend two pictures")
    func blends() throws {
        let gradient = try #require(CIFilter(name: "CIRadialGradient"))
        gradient.setValue(CIVector(x: 0.5, y: 0.5), forKey: "inputCenter")
        gradient.setValue(0.0, forKey: "inputRadius0")
        gradient.setValue(CGFloat(2), forKey: "inputRadius1")
        gradient.setValue(CIColor(color: .white), forKey: "inputColor0")
        gradient.setValue(CIColor(color: .clear), forKey: "inputColor1")
        let mask = try #require(gradient.outputImage)
        #expect(mask.extent.isInfinite && CIContext().createCGImage(mask, from: mask.extent) == nil)
        let rect = CGRect(x: 0, y: 0, width: 3, height: 1)
        let blend = try #require(CIFilter(name: "CIBlendWithAlphaMask"))
        #expect(blend.outputImage == nil)
        blend.setValue(CIImage(color: .black).cropped(to: rect), forKey: kCIInputImageKey)
        blend.setValue(CIImage(color: .white).cropped(to: rect), forKey: kCIInputBackgroundImageKey)
        blend.setValue(mask, forKey: kCIInputMaskImageKey)
        let made = try #require(blend.outputImage)
        #expect(made.extent == rect)
        #expect(try Self.pixels(made).map(\.first) == [0, 128, 255])
    }

    // not simulated: N-270
    @Test("filters change colours, an unknown one is not made, and an author's own has its name")
    func colours() throws {
        final class Own: CIFilter, @unchecked Sendable {
            override var outputImage: CIImage? { CIImage(color: .blue) }
        }
        let red = CIImage(color: .red).cropped(to: CGRect(x: 0, y: 0, width: 1, height: 1))
        #expect(try Self.pixels(red.applyingFilter("CIColorInvert")) == [[0, 255, 255, 255]])
        let gray = try Self.pixels(
            red.applyingFilter("CIColorMonochrome", parameters: [kCIInputColorKey: CIColor.white]))
        #expect(gray == [[54, 54, 54, 255]])
        #expect(
            try Self.pixels(red.applyingFilter("CISepiaTone", parameters: [kCIInputIntensityKey: 0])) == [
                [255, 0, 0, 255]
            ])
        let half = CIImage(color: CIColor(red: 0, green: 0, blue: 1, alpha: 0.5)).cropped(to: red.extent)
        #expect(try Self.pixels(half.composited(over: red)) == [[128, 0, 128, 255]])
        #expect(CIFilter(name: "CINothing") == nil && CIFilter(name: "CIColorInvert")?.name == "CIColorInvert")
        #expect(Own().name.contains("Own") && Own().outputImage != nil)
    }

    @Test("each filter computes its pixel of a picture with alpha")
    func pixelsOfFilters() throws {
        let rect = CGRect(x: 0, y: 0, width: 1, height: 1)
        func flat(_ red: CGFloat, _ green: CGFloat, _ blue: CGFloat, _ alpha: CGFloat) -> CIImage {
            CIImage(color: CIColor(red: red, green: green, blue: blue, alpha: alpha)).cropped(to: rect)
        }
        let (front, back) = (flat(1, 0, 0, 0.5), flat(0, 0, 1, 0.5))
        let behind: [String: Any] = [kCIInputBackgroundImageKey: back]
        let halfMask: [String: Any] = [
            kCIInputBackgroundImageKey: back, kCIInputMaskImageKey: flat(0.5, 0.5, 0.5, 1),
        ]
        let levels: [String: Any] = ["inputLevels": 2]
        let cases: [(String, [String: Any], [UInt8])] = [
            ("CIBlendWithMask", halfMask, [64, 0, 64, 128]),
            ("CIBlendWithAlphaMask", halfMask, [128, 0, 0, 128]),
            ("CIMaskToAlpha", [:], [43, 43, 43, 43]),
            ("CIColorInvert", [:], [0, 128, 128, 128]),
            ("CIColorMonochrome", [kCIInputColorKey: CIColor.white], [27, 27, 27, 128]),
            ("CISepiaTone", [:], [27, 23, 16, 128]),
            ("CIColorPosterize", levels, [128, 0, 0, 128]),
            ("CISourceOverCompositing", behind, [128, 0, 64, 191]),
            ("CIMultiplyCompositing", behind, [0, 0, 0, 64]),
            ("CILinearDodgeBlendMode", behind, [128, 0, 128, 191]),
        ]
        for (name, values, expected) in cases {
            let made: [[UInt8]] = try Self.pixels(front.applyingFilter(name, parameters: values), rect)
            let isNear: Bool = zip(made[0], expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
            #expect(isNear, "\(name): \(made)")
        }
        let color = try #require(
            CIFilter(name: "CIConstantColorGenerator", parameters: [kCIInputColorKey: CIColor.blue])?.outputImage)
        #expect(try Self.pixels(color, rect) == [[0, 0, 255, 255]])
        // Levels without end make no numbers, and such a point is empty.
        let none = front.applyingFilter("CIColorPosterize", parameters: ["inputLevels": Double.infinity])
        #expect(try Self.pixels(none, rect)[0].prefix(3) == [0, 0, 0])
        // A filter without a mask changes nothing, and its usual values leave its pictures.
        #expect(try Self.pixels(front.applyingFilter("CIBlendWithMask")) == Self.pixels(front))
        let filter = try #require(
            CIFilter(name: "CISepiaTone", parameters: [kCIInputImageKey: front, kCIInputIntensityKey: 0]))
        filter.setDefaults()
        let toned = try #require(filter.outputImage)
        #expect(try Self.pixels(toned, rect)[0][2] > 0)
    }

    @Test("numbers that no integer holds end in no picture or an empty one")
    func farAway() throws {
        let image = try Self.picture()
        for origin: CGFloat in [1e20, -1e20, .nan, .infinity] {
            let rect = CGRect(x: origin, y: 0, width: 100_000, height: 4)
            #expect(CIContext().createCGImage(image, from: rect) == nil)
        }
        let thin = image.transformed(by: CGAffineTransform(scaleX: 1e-20, y: 1))
        #expect(try Self.pixels(thin, CGRect(x: 0, y: 0, width: 1, height: 1)) == [[0, 0, 0, 0]])
        let outside = try Self.pixels(image, CGRect(x: -1, y: 2, width: 6, height: 1))
        #expect(outside.allSatisfy { $0 == [0, 0, 0, 0] })
    }

    @Test("a quality may be a number of any type")
    func qualities() throws {
        let image = try Self.picture().transformed(by: CGAffineTransform(scaleX: 20, y: 20))
        let key = CIImageRepresentationOption(rawValue: kCGImageDestinationLossyCompressionQuality as String)
        let values: [Any] = [0.1, CGFloat(0.1), Float(0.1), NSNumber(value: 0.1)]
        let files: [Data?] = values.map { value in
            CIContext().jpegRepresentation(
                of: image, colorSpace: CGColorSpaceCreateDeviceRGB(), options: [key: value])
        }
        #expect(files[0] != nil && Set(files).count == 1)
        let usual = CIContext().jpegRepresentation(of: image, colorSpace: CGColorSpaceCreateDeviceRGB())
        #expect(usual != files[0])
    }

    @Test("a context writes files, and UIImage takes a recipe")
    func files() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-coreimage")
        defer { try? folder.remove() }
        let image = CIImage(color: .red).cropped(to: CGRect(x: 0, y: 0, width: 20, height: 10))
        let file = URL(fileURLWithPath: folder.path + "/red.jpg")
        try CIContext().writeJPEGRepresentation(of: image, to: file, colorSpace: CGColorSpaceCreateDeviceRGB())
        let read = try #require(CIImage(contentsOf: file, options: [.applyOrientationProperty: true]))
        #expect(read.extent.size == CGSize(width: 20, height: 10) && read.url == file)
        #expect(try Self.pixels(read).first?.first.map { $0 > 240 } == true)
        #expect(UIImage(ciImage: image).cgImage?.width == 20)
        #expect(CIImage(data: Data("x".utf8)) == nil && CIImage.empty().extent == .zero)
        #expect(throws: CocoaError.self) {
            try CIContext().writeJPEGRepresentation(
                of: CIImage(color: .red), to: file, colorSpace: CGColorSpaceCreateDeviceRGB())
        }
    }

    // not simulated: N-080
    @Test("there is no graphics processor, and its view keeps values")
    @MainActor func processors() {
        #expect(MTLCreateSystemDefaultDevice() == nil)
        let view = MTKView(frame: CGRect(x: 0, y: 0, width: 10, height: 5), device: nil)
        #expect(view.drawableSize == CGSize(width: 10, height: 5) && view.currentDrawable == nil)
        view.drawableSize = CGSize(width: 20, height: 10)
        #expect(view.drawableSize.width == 20)
    }

    @Test("an interface has the view as its own class")
    @MainActor func interfaces() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let view = ["id": "v", "class": "MetalKit.MTKView"]
        let keys: [String: Any] = ["format": 1, "module": "ImageIOTests", "objects": [view]]
        try PropertyListSerialization.data(fromPropertyList: keys, format: .binary, options: 0)
            .write(to: URL(fileURLWithPath: folder.path + "/Screen.nib"))
        let nib = UINib(nibName: "Screen", bundle: Bundle(path: folder.path))
        #expect(nib.instantiate(withOwner: nil).first is MTKView)
    }
}
