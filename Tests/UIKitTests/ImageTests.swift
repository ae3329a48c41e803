// ImageTests: images made of files and of pixels, and contexts that draw them.

import CoreGraphics
import Foundation
import ImageCodecs
import Testing
import UIKit

@Suite struct ImageTests {
    // spec: PE-18
    @Test("PE-18: size, scale and orientation come from the file's header", arguments: 1...8)
    func aFileHasASize(orientation: Int) throws {
        let file = try jpeg(40, 20, orientation: UInt8(orientation))
        let image = try #require(UIImage(data: file, scale: 2))
        let expected: [UIImage.Orientation] = [
            .up, .upMirrored, .down, .downMirrored, .leftMirrored, .right, .rightMirrored, .left,
        ]
        #expect(image.imageOrientation == expected[orientation - 1] && image.scale == 2)
        #expect(image.size == (orientation >= 5 ? CGSize(width: 10, height: 20) : CGSize(width: 20, height: 10)))
        let pixels = try #require(image.cgImage)
        #expect((pixels.width, pixels.height) == (40, 20) && pixels.alphaInfo == .noneSkipLast)
        #expect(image.cgImage === pixels && image.withRenderingMode(.alwaysOriginal).cgImage === pixels)
        // The orientation goes along as EXIF data, as on Apple's systems.
        let written = try #require(image.jpegData(compressionQuality: 1))
        #expect(written != file && UIImage(data: written)?.imageOrientation == image.imageOrientation)
        #expect(image.data == file)
    }

    // spec: PE-18
    @Test("PE-18: rows go into an image and come out of its PNG file exactly")
    func rowsComeBack() throws {
        let rows = Data((0..<24).map { UInt8($0 % 4 == 3 ? 200 : $0 * 10) })
        let pixels = try #require(Self.image(rows, width: 3, height: 2))
        #expect(pixels.dataProvider?.data == rows && pixels.bytesPerRow == 12 && pixels.bitsPerPixel == 32)
        let image = UIImage(cgImage: pixels, scale: 1, orientation: .right)
        #expect(image.size == CGSize(width: 2, height: 3) && image.cgImage === pixels)
        let png = try #require(image.pngData())
        let read = try #require(UIImage(data: png)?.cgImage)
        #expect(read.dataProvider?.data == rows && read.alphaInfo == .last)
        #expect(UIImage(data: png)?.imageOrientation == .up)
        let loaded = try #require(image.jpegData(compressionQuality: 0.9))
        #expect(UIImage(data: loaded)?.imageOrientation == .right)
        #expect(UIImage(data: loaded)?.size == CGSize(width: 2, height: 3))
    }

    @Test func everyLayoutIsTheSamePicture() throws {
        let straight: [UInt8] = [255, 128, 0, 255, 10, 20, 30, 255]
        let layouts: [(UInt32, [Int])] = [
            (CGImageAlphaInfo.last.rawValue, [0, 1, 2, 3]),
            (CGImageAlphaInfo.premultipliedFirst.rawValue, [3, 0, 1, 2]),
            (CGImageAlphaInfo.noneSkipFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue, [2, 1, 0, 3]),
            (CGImageAlphaInfo.premultipliedLast.rawValue | CGBitmapInfo.byteOrder32Big.rawValue, [0, 1, 2, 3]),
        ]
        for (form, order) in layouts {
            // A row that is longer than its pixels.
            var rows: [UInt8] = []
            for row in 0..<2 { rows += order.map { straight[row * 4 + $0] } + [9, 9, 9, 9] }
            let image = try #require(Self.image(Data(rows), width: 1, height: 2, bytesPerRow: 8, form: form))
            let png = try #require(UIImage(cgImage: image).pngData())
            #expect(try ImageCodec.decode(Array(png)).bytes == straight, "layout \(form)")
        }
    }

    @Test func imagesThatCannotBeAreNil() {
        #expect(Self.image(Data(count: 23), width: 3, height: 2) == nil)
        #expect(Self.image(Data(count: 24), width: 3, height: 2, bytesPerRow: 8) == nil)
        #expect(Self.image(Data(count: 24), width: 0, height: 2) == nil)
        #expect(Self.image(Data(count: 24), width: 1 << 40, height: 1 << 40) == nil)
        #expect(Self.image(Data(count: 24), width: 3, height: 2, form: CGImageAlphaInfo.none.rawValue) == nil)
        #expect(Self.context(-1, 5) == nil && Self.context(Int.max, 5) == nil)
        #expect(Self.context(5, 5, form: CGImageAlphaInfo.last.rawValue) == nil)
    }

    @Test func aPartIsCutOut() throws {
        let rows = Data((0..<48).map { UInt8($0) })
        let image = try #require(Self.image(rows, width: 4, height: 3))
        let part = try #require(image.cropping(to: CGRect(x: 1, y: 1, width: 2, height: 9)))
        #expect((part.width, part.height) == (2, 2))
        #expect(part.dataProvider?.data == Data((20..<28).map { UInt8($0) } + (36..<44).map { UInt8($0) }))
        #expect(image.cropping(to: CGRect(x: 4, y: 0, width: 2, height: 2)) == nil)
    }

    @Test("PE-18: a context bakes an orientation in", arguments: 1...8)
    func orientationIsBakedIn(orientation: Int) throws {
        let (width, height) = (5, 3)
        let bytes = (0..<width * height * 4).map { UInt8($0 % 4 == 3 ? 255 : $0) }
        let stored = try Pixels(width: width, height: height, copying: bytes)
        let image = UIImage(
            cgImage: try #require(Self.image(Data(bytes), width: width, height: height)), scale: 1,
            orientation: try #require(UIImage(data: jpeg(4, 4, orientation: UInt8(orientation)))?.imageOrientation))
        // The code that circulates for this, which authors have in their extensions.
        var transform = CGAffineTransform.identity
        let size = image.size
        switch image.imageOrientation {
        case .down, .downMirrored:
            transform = transform.translatedBy(x: size.width, y: size.height).rotated(by: .pi)
        case .left, .leftMirrored: transform = transform.translatedBy(x: size.width, y: 0).rotated(by: .pi / 2)
        case .right, .rightMirrored: transform = transform.translatedBy(x: 0, y: size.height).rotated(by: -.pi / 2)
        default: break
        }
        switch image.imageOrientation {
        case .upMirrored, .downMirrored: transform = transform.translatedBy(x: size.width, y: 0).scaledBy(x: -1, y: 1)
        case .leftMirrored, .rightMirrored:
            transform = transform.translatedBy(x: size.height, y: 0).scaledBy(x: -1, y: 1)
        default: break
        }
        let context = try #require(Self.context(Int(size.width), Int(size.height)))
        context.concatenate(transform)
        context.draw(try #require(image.cgImage), in: CGRect(x: 0, y: 0, width: width, height: height))
        let drawn = try #require(context.makeImage()?.dataProvider?.data)
        #expect(Array(drawn) == (try stored.upright(from: UInt8(orientation)).bytes))
        // The shell of UIGraphics gives the drawn image upright, too.
        UIGraphicsBeginImageContextWithOptions(size, false, 1)
        image.draw(in: CGRect(origin: .zero, size: size))
        let shell = try #require(UIGraphicsGetImageFromCurrentImageContext())
        UIGraphicsEndImageContext()
        #expect(shell.imageOrientation == .up && shell.size == size)
        #expect(shell.cgImage?.dataProvider?.data == drawn)
    }

    @Test func aContextDrawsOverWhatIsThere() throws {
        let context = try #require(Self.context(4, 4))
        context.setFillColor(UIColor.red.cgColor)
        context.fill(CGRect(x: 0, y: 0, width: 4, height: 4))
        context.saveGState()
        context.setAlpha(0.5)
        context.setFillColor(UIColor.blue.cgColor)
        // The origin is the lower left corner: the last row in memory.
        context.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
        context.restoreGState()
        let first = try #require(context.makeImage())
        context.clear(CGRect(x: 3, y: 3, width: 1, height: 1))
        let rows = try #require(context.makeImage()?.dataProvider?.data)
        func pixel(_ data: Data, _ x: Int, _ y: Int) -> [UInt8] { Array(data[(y * 4 + x) * 4..<(y * 4 + x) * 4 + 4]) }
        #expect(pixel(rows, 0, 3) == [128, 0, 128, 255] && pixel(rows, 2, 3) == [255, 0, 0, 255])
        #expect(pixel(rows, 3, 0) == [0, 0, 0, 0])
        // An image that was made does not change.
        #expect(pixel(try #require(first.dataProvider?.data), 3, 0) == [255, 0, 0, 255])
    }

    @Test func bytesOfOneOwnerDoNotChangeAnother() throws {
        let context = try #require(Self.context(2, 2))
        let image = try #require(context.makeImage())
        var data = try #require(image.dataProvider?.data)
        data[0] = 77
        #expect(image.dataProvider?.data?.first == 0)
        try #require(context.data).storeBytes(of: 99, as: UInt8.self)
        #expect(image.dataProvider?.data?.first == 0)
        let second = try #require(context.makeImage())
        try #require(context.data).storeBytes(of: 1, as: UInt8.self)
        #expect(second.dataProvider?.data?.first == 99)
        var given = [UInt8](repeating: 5, count: 16)
        given.withUnsafeMutableBytes { bytes in
            let own = Self.context(2, 2, data: bytes.baseAddress)
            own?.clear(CGRect(x: 0, y: 1, width: 2, height: 1))
        }
        #expect(given == [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 5, count: 8))
    }

    @Test func aSmallerDrawingIsTheAverage() throws {
        var rows = Data()
        for index in 0..<64 { rows += [UInt8(index % 2 * 200), 0, 0, 255] }
        let context = try #require(Self.context(2, 2))
        context.draw(try #require(Self.image(rows, width: 8, height: 8)), in: CGRect(x: 0, y: 0, width: 2, height: 2))
        let drawn = try #require(context.makeImage()?.dataProvider?.data)
        let average: [UInt8] = [100, 0, 0, 255]
        #expect(Array(drawn) == average + average + average + average)
    }

    @Test("PE-18: a damaged file has a size and no pixels, and stays its bytes")
    func aDamagedFileStaysBytes() throws {
        let file = try jpeg(40, 20)
        let cut = file.prefix(file.count / 2)
        let image = try #require(UIImage(data: cut))
        #expect(image.size == CGSize(width: 40, height: 20) && image.cgImage == nil)
        #expect(image.jpegData(compressionQuality: 1) == cut && image.pngData() == nil)
    }

    @Test func itemProvidersCarryImages() async throws {
        let file = try jpeg(40, 20, orientation: 6)
        let provider = NSItemProvider(object: try #require(UIImage(data: file)))
        #expect(provider.registeredTypeIdentifiers == ["public.jpeg", "public.png"])
        #expect(provider.canLoadObject(ofClass: UIImage.self))
        let image = try await provider.loadObject(ofClass: UIImage.self)
        #expect(image.imageOrientation == .right && image.cgImage?.width == 40)
        let raw = NSItemProvider(item: file as NSData, typeIdentifier: "public.jpeg")
        #expect(try await raw.loadObject(ofClass: UIImage.self).data == file)
        let pixels = try #require(Self.image(Data(count: 24), width: 3, height: 2))
        let made = try await NSItemProvider(object: UIImage(cgImage: pixels)).loadObject(ofClass: UIImage.self)
        #expect(made.cgImage?.dataProvider?.data == Data(count: 24))
        let text = NSItemProvider(item: "text" as NSString, typeIdentifier: "public.plain-text")
        #expect(!text.canLoadObject(ofClass: UIImage.self))
    }

    private func jpeg(_ width: Int, _ height: Int, orientation: UInt8 = 1) throws -> Data {
        var rows: [UInt8] = []
        for index in 0..<width * height { rows += [UInt8(index % 200), 100, 50, 255] }
        let pixels = try Pixels(width: width, height: height, copying: rows)
        return Data(try ImageCodec.encode(pixels, as: .jpeg, orientation: orientation))
    }

    private static func image(
        _ rows: Data, width: Int, height: Int, bytesPerRow: Int? = nil, form: UInt32 = CGImageAlphaInfo.last.rawValue
    ) -> CGImage? {
        CGDataProvider(data: rows as CFData).flatMap {
            CGImage(
                width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32,
                bytesPerRow: bytesPerRow ?? width &* 4, space: CGColorSpaceCreateDeviceRGB(),
                bitmapInfo: CGBitmapInfo(rawValue: form), provider: $0, decode: nil, shouldInterpolate: true,
                intent: .defaultIntent)
        }
    }

    private static func context(
        _ width: Int, _ height: Int, form: UInt32 = CGImageAlphaInfo.premultipliedLast.rawValue,
        data: UnsafeMutableRawPointer? = nil
    ) -> CGContext? {
        CGContext(
            data: data, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
            space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: form)
    }
}
