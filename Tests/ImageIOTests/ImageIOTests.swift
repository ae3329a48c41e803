// ImageIOTests: files of images, their facts, small images of them, and files that are written.

import Foundation
import ImageCodecs
import ImageIO
import LinuxSystem
import Testing

@Suite struct ImageIOTests {
    /// An image whose left half is red and whose right half is blue.
    private static func pixels(_ width: Int, _ height: Int) throws -> Pixels {
        var bytes: [UInt8] = []
        for place in 0..<width * height { bytes += place % width < width / 2 ? [255, 0, 0, 255] : [0, 0, 255, 255] }
        return try Pixels(width: width, height: height, copying: bytes)
    }

    private static func thumbnail(_ side: Any, turned: Bool = false) -> CFDictionary {
        [
            kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: side,
            kCGImageSourceCreateThumbnailWithTransform: turned,
        ] as CFDictionary
    }

    // spec: P-686
    @Test(
        "P-686: a thumbnail of a file has the size that was asked for, upright if asked",
        arguments: [ImageFormat.jpeg, .png])
    func thumbnailsAreSmall(format: ImageFormat) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-imageio")
        defer { try? folder.remove() }
        let file = URL(fileURLWithPath: "\(folder.path)/image")
        let orientation: UInt8 = format == .jpeg ? 6 : 1
        try Data(try ImageCodec.encode(try Self.pixels(200, 100), as: format, orientation: orientation)).write(to: file)
        let source = try #require(CGImageSourceCreateWithURL(file as CFURL, nil))
        #expect(CGImageSourceGetCount(source) == 1 && CGImageSourceGetStatus(source) == .statusComplete)
        #expect(CGImageSourceGetType(source) as String? == (format == .jpeg ? "public.jpeg" : "public.png"))
        let facts = try #require(CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any])
        #expect(facts[kCGImagePropertyPixelWidth] as? Int == 200 && facts[kCGImagePropertyPixelHeight] as? Int == 100)
        #expect(facts[kCGImagePropertyOrientation] as? Int == (format == .jpeg ? 6 : nil))
        let small = try #require(CGImageSourceCreateThumbnailAtIndex(source, 0, Self.thumbnail(50)))
        #expect((small.width, small.height) == (50, 25))
        let turned = try #require(
            CGImageSourceCreateThumbnailAtIndex(source, 0, Self.thumbnail(CGFloat(50), turned: true)))
        #expect((turned.width, turned.height) == (format == .jpeg ? (25, 50) : (50, 25)))
        let whole = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
        #expect((whole.width, whole.height) == (200, 100))
        #expect(CGImageSourceCreateImageAtIndex(source, 1, nil) == nil)
        #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, nil) == nil)
    }

    // spec: P-686
    // not simulated: N-202
    @Test func otherBytesHaveNoImage() throws {
        for bytes in [Data(), Data("GIF89a".utf8), Data([0xFF, 0xD8, 0xFF, 0xE0])] {
            let source = try #require(CGImageSourceCreateWithData(bytes as CFData, nil))
            #expect(CGImageSourceGetCount(source) == 0 && CGImageSourceGetType(source) == nil)
            #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, Self.thumbnail(10)) == nil)
            #expect(CGImageSourceCopyPropertiesAtIndex(source, 0, nil) == nil)
        }
        // The head is whole, the pixels are not.
        let cut = Data(try ImageCodec.encode(try Self.pixels(64, 64), as: .png).dropLast(30))
        let source = try #require(CGImageSourceCreateWithData(cut as CFData, nil))
        #expect(CGImageSourceGetCount(source) == 1 && CGImageSourceCreateImageAtIndex(source, 0, nil) == nil)
        #expect(CGImageSourceCreateWithURL(URL(fileURLWithPath: "/nowhere/at-all") as CFURL, nil) == nil)
    }

    // spec: P-686
    // not simulated: N-203
    @Test func aDestinationWritesOneImage() throws {
        let file = Data(try ImageCodec.encode(try Self.pixels(80, 40), as: .jpeg, orientation: 3))
        let source = try #require(CGImageSourceCreateWithData(file as CFData, nil))
        let data = NSMutableData()
        let destination = try #require(
            CGImageDestinationCreateWithData(data as CFMutableData, "public.jpeg" as CFString, 1, nil))
        #expect(!CGImageDestinationFinalize(destination))
        let second = try #require(CGImageDestinationCreateWithData(data, "public.jpeg" as CFString, 1, nil))
        let quality =
            [kCGImageDestinationLossyCompressionQuality: 0.5, kCGImageDestinationImageMaxPixelSize: 20] as CFDictionary
        CGImageDestinationAddImageFromSource(second, source, 0, quality)
        #expect(CGImageDestinationFinalize(second) && !CGImageDestinationFinalize(second))
        let header = try ImageCodec.header(of: [UInt8](data as AnyObject as? Data ?? Data()))
        #expect(header == ImageHeader(format: .jpeg, width: 20, height: 10, orientation: 3))
        #expect(CGImageDestinationCreateWithData(data, "com.compuserve.gif" as CFString, 1, nil) == nil)
    }
}
