// OrientationTests: EXIF orientations of both byte orders and both formats, and what hostile structures give.

import ImageCodecs
import Testing

@Suite struct OrientationTests {
    @Test("PE-18: the orientation is read from Exif in JPEG and PNG, of both byte orders", arguments: 1...8)
    func orientationIsRead(orientation: Int) throws {
        let value = UInt8(orientation)
        let (jpeg, png) = (
            try ImageCodec.encode(gradient(8, 4), as: .jpeg), try ImageCodec.encode(gradient(8, 4), as: .png)
        )
        for little in [false, true] {
            let tiff = tiff(value, little)
            #expect(try ImageCodec.header(of: withSegment(tiff, in: jpeg)).orientation == value)
            #expect(try ImageCodec.header(of: withChunk(tiff, in: png, after: 33)).orientation == value)
            #expect(try ImageCodec.header(of: withChunk(tiff, in: png, after: png.count - 12)).orientation == value)
            // libpng passes the chunk over.
            #expect(try ImageCodec.decode(withSegment(tiff, in: jpeg)).width == 8)
        }
        let written = try ImageCodec.encode(gradient(8, 4), as: .jpeg, orientation: value)
        let header = try ImageCodec.header(of: written)
        #expect(header.orientation == value)
        #expect(header.uprightSize == (orientation >= 5 ? (4, 8) : (8, 4)))
        #expect((written == jpeg) == (orientation == 1))
        #expect(try ImageCodec.decode(written).bytes == ImageCodec.decode(jpeg).bytes)
    }

    @Test func whatIsNoOrientationIsOne() throws {
        let jpeg = try ImageCodec.encode(gradient(8, 4), as: .jpeg)
        #expect(try ImageCodec.header(of: jpeg).orientation == 1)
        for value: UInt8 in [0, 9, 255] {
            #expect(try ImageCodec.header(of: withSegment(tiff(value, true), in: jpeg)).orientation == 1)
        }
        var loop = tiff(6, false)
        loop[7] = 0xFF
        #expect(try ImageCodec.header(of: withSegment(loop, in: jpeg)).orientation == 1)
    }

    @Test("PE-9: each orientation turns the picture upright")
    func pixelsTurn() throws {
        // 1 2 3
        // 4 5 6
        let stored = try letters([1, 2, 3, 4, 5, 6], width: 3)
        let upright: [(UInt8, [UInt8], Int)] = [
            (1, [1, 2, 3, 4, 5, 6], 3), (2, [3, 2, 1, 6, 5, 4], 3), (3, [6, 5, 4, 3, 2, 1], 3),
            (4, [4, 5, 6, 1, 2, 3], 3), (5, [1, 4, 2, 5, 3, 6], 2), (6, [4, 1, 5, 2, 6, 3], 2),
            (7, [6, 3, 5, 2, 4, 1], 2), (8, [3, 6, 2, 5, 1, 4], 2),
        ]
        for (orientation, expected, width) in upright {
            let turned = try stored.upright(from: orientation)
            #expect(turned.width == width && reds(turned) == expected, "orientation \(orientation)")
            #expect(stored.differing(orientation: orientation, from: turned) == (0, 6))
            let other = try letters(expected.map { $0 == 5 ? 6 : $0 }, width: width)
            #expect(stored.differing(orientation: orientation, from: other) == (1, 6))
            #expect(stored.differing(orientation: orientation, from: other, tolerance: 1) == (0, 6))
        }
        #expect(stored.differing(from: try stored.upright(from: 6)) == (6, 6))
    }

    @Test func everyCutAndManyRandomBytesOfAHeaderTrapNowhere() throws {
        let files = [
            try withSegment(tiff(6, true), in: ImageCodec.encode(gradient(8, 4), as: .jpeg)),
            try withChunk(tiff(6, false), in: ImageCodec.encode(gradient(8, 4), as: .png), after: 33),
        ]
        var random = Seeded(state: 3)
        for file in files {
            for count in 0...file.count { _ = try? ImageCodec.header(of: Array(file.prefix(count))) }
            for _ in 0..<5_000 {
                var hostile = Array(file.prefix(100))
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let place = Int.random(in: 2..<hostile.count, using: &random)
                    hostile[place] = [0, 0xFF, 0x7F, 0x80, .random(in: 0...255, using: &random)]
                        .randomElement(using: &random)!
                }
                guard let header = try? ImageCodec.header(of: hostile) else { continue }
                #expect(header.width > 0 && header.height > 0 && (1...8).contains(header.orientation))
            }
        }
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...64, using: &random)
            let start: [UInt8] = Bool.random(using: &random) ? [0xFF, 0xD8, 0xFF] : Array(files[1].prefix(16))
            _ = try? ImageCodec.header(
                of: start + (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
    }

    private func letters(_ reds: [UInt8], width: Int) throws -> Pixels {
        try Pixels(width: width, height: reds.count / width, copying: reds.flatMap { [$0, 0, 0, 255] })
    }

    private func reds(_ pixels: Pixels) -> [UInt8] {
        stride(from: 0, to: pixels.bytes.count, by: 4).map { pixels.bytes[$0] }
    }
}

/// A TIFF structure whose second entry is the orientation.
func tiff(_ orientation: UInt8, _ little: Bool) -> [UInt8] {
    func number(_ value: UInt32, _ length: Int) -> [UInt8] {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return little ? bytes : bytes.reversed()
    }
    let make = number(0x010F, 2) + number(2, 2) + number(4, 4) + Array("abc\0".utf8)
    let entry = number(0x0112, 2) + number(3, 2) + number(1, 4) + number(UInt32(orientation), 2) + [0, 0]
    return Array((little ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(2, 2) + make + entry + [
        0, 0, 0, 0,
    ]
}

func withSegment(_ tiff: [UInt8], in jpeg: [UInt8]) -> [UInt8] {
    let content = Array("Exif\0\0".utf8) + tiff
    return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(content.count + 2)] + content + jpeg.dropFirst(2)
}

/// Adds `eXIf` to a PNG file. The check sum is wrong; `ImageHeader` checks none.
func withChunk(_ tiff: [UInt8], in png: [UInt8], after place: Int) -> [UInt8] {
    Array(png[..<place]) + [0, 0, 0, UInt8(tiff.count)] + Array("eXIf".utf8) + tiff + [0, 0, 0, 0]
        + png.dropFirst(place)
}
