// CodecTests: image files decoded and encoded by the system's libraries, whole, cut, hostile and random.

import ImageCodecs
import Testing

@Suite struct CodecTests {
    // spec: PE-18
    @Test("PE-18: random pixels survive PNG exactly", arguments: [(1, 1), (3, 7), (64, 5), (257, 129)])
    func pngLosesNothing(width: Int, height: Int) throws {
        var random = Seeded(state: UInt64(width * 1000 + height))
        let bytes = (0..<width * height * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
        let file = try ImageCodec.encode(Pixels(width: width, height: height, copying: bytes), as: .png)
        #expect(try ImageCodec.header(of: file) == ImageHeader(format: .png, width: width, height: height))
        let read = try ImageCodec.decode(file)
        #expect(read.width == width && read.height == height && read.bytes == bytes)
    }

    @Test("PE-18: a JPEG file has nearly the pixels that were encoded", arguments: [(0.5, 24), (0.95, 8), (1, 4)])
    func jpegIsNear(quality: Double, bound: Int) throws {
        let picture = try gradient(120, 90)
        let file = try ImageCodec.encode(picture, as: .jpeg, quality: quality)
        #expect(try ImageCodec.header(of: file) == ImageHeader(format: .jpeg, width: 120, height: 90))
        let read = try ImageCodec.decode(file)
        let worst = zip(read.bytes, picture.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(worst > 0 && worst <= bound)
        #expect(picture.differing(from: read, tolerance: bound) == (0, 120 * 90))
    }

    @Test func aLowerQualityIsASmallerFile() throws {
        let sizes = try [0, 0.3, 0.8, 1].map { try ImageCodec.encode(gradient(200, 200), as: .jpeg, quality: $0).count }
        #expect(sizes == sizes.sorted() && Set(sizes).count == 4)
        let least = try ImageCodec.encode(gradient(200, 200), as: .jpeg, quality: .nan).count
        #expect(least == sizes[0])
    }

    @Test func transparentPixelsBecomeWhiteInJPEG() throws {
        let clear = try Pixels(width: 16, height: 16, copying: [UInt8](repeating: 0, count: 16 * 16 * 4))
        let read = try ImageCodec.decode(ImageCodec.encode(clear, as: .jpeg, quality: 1))
        #expect(read.bytes.allSatisfy { $0 >= 254 })
    }

    @Test("PE-10: each cut of a file is an error with the decoder's words", arguments: ImageFormat.allCases)
    func cutsAreErrors(format: ImageFormat) throws {
        let file = try ImageCodec.encode(gradient(40, 30), as: format)
        for count in 0..<file.count {
            let error = #expect(throws: ImageCodecError.self) { try ImageCodec.decode(Array(file.prefix(count))) }
            guard count >= 8 else { continue }
            guard case .damaged(format, let words) = error else {
                Issue.record("\(count) bytes: \(String(describing: error))")
                continue
            }
            #expect(!words.isEmpty)
        }
        if format == .jpeg {
            let error = #expect(throws: ImageCodecError.self) { try ImageCodec.decode(file.dropLast(20).map(\.self)) }
            #expect(error?.description.contains("Premature end of JPEG file") == true)
        }
    }

    @Test func anImageOfTooManyPixelsTakesNoMemory() throws {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1, 0x11, 0]
        #expect(throws: ImageCodecError.tooLarge(width: 65535, height: 65535)) { try ImageCodec.decode(jpeg) }
        #expect(throws: ImageCodecError.tooLarge(width: 65535, height: 65535)) {
            try ImageCodec.decode(jpeg, longestSide: 10)
        }
        let most = Int(Int32.max)
        #expect(throws: ImageCodecError.tooLarge(width: most, height: most)) {
            try ImageCodec.decode(png(0x7FFF_FFFF, 0x7FFF_FFFF))
        }
        #expect(throws: ImageCodecError.damaged(.png, "its image has the size 0 × 5")) {
            try ImageCodec.decode(png(0, 5))
        }
        #expect(throws: ImageCodecError.self) { try ImageCodec.decode(png(0x8000_0000, 1)) }
        #expect(throws: ImageCodecError.self) { try Pixels(width: Int.max, height: 2, copying: []) }
        #expect(throws: ImageCodecError.self) { try Pixels(width: 2, height: 2, copying: [1, 2, 3]) }
    }

    @Test func bytesOfAnotherFormatAreToldApart() {
        #expect(throws: ImageCodecError.unknownFormat) { try ImageCodec.decode(Array("GIF89a\u{3}\u{1}".utf8)) }
        #expect(throws: ImageCodecError.unknownFormat) { try ImageCodec.decode([]) }
    }

    @Test(
        "PE-5: an image is scaled to its longest side", arguments: ImageFormat.allCases, [1, 7, 60, 100, 399, 400, 401])
    func imagesAreScaled(format: ImageFormat, side: Int) throws {
        let file = try ImageCodec.encode(gradient(400, 200), as: format, quality: 1)
        let small = try ImageCodec.decode(file, longestSide: side)
        #expect(small.width == min(side, 400))
        #expect(abs(small.height - min(side, 400) / 2) <= 1 && small.height >= 1)
        // The average of a picture does not change.
        let (before, after) = (mean(try ImageCodec.decode(file)), mean(small))
        #expect(zip(before, after).allSatisfy { abs($0 - $1) < 4 })
        #expect(throws: ImageCodecError.self) { try ImageCodec.decode(file, longestSide: 0) }
    }

    @Test func aDamagedByteTrapsNowhere() throws {
        var random = Seeded(state: 11)
        for format in ImageFormat.allCases {
            let file = try ImageCodec.encode(gradient(33, 21), as: format)
            for _ in 0..<3000 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    damaged[Int.random(in: 0..<file.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                guard let read = try? ImageCodec.decode(damaged) else { continue }
                #expect(read.bytes.count == read.width * read.height * 4)
            }
        }
    }

    @Test func onlyMissingLibrariesNameAPackage() {
        #expect(throws: Never.self) { try ImageFormat.allCases.forEach { try ImageCodec.load($0) } }
        let error = ImageCodecError.libraryMissing(.jpeg, "no such file")
        #expect(error.description == "libturbojpeg.so.0 cannot be loaded (no such file): apt install libturbojpeg0")
    }

    /// A PNG file that has only its header.
    private func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
        return [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13] + Array("IHDR".utf8) + bytes(width) + bytes(height)
            + [8, 6, 0, 0, 0] + bytes(0)
    }

    private func mean(_ pixels: Pixels) -> [Double] {
        var sums = [0.0, 0, 0, 0]
        for (index, byte) in pixels.bytes.enumerated() { sums[index & 3] += Double(byte) }
        return sums.map { $0 / Double(pixels.width * pixels.height) }
    }
}

/// A picture whose colours change slowly, so that JPEG is near.
func gradient(_ width: Int, _ height: Int) throws -> Pixels {
    var bytes: [UInt8] = []
    for y in 0..<height {
        for x in 0..<width {
            bytes += [UInt8(x * 255 / width), UInt8(y * 255 / height), UInt8((x + y) * 255 / (width + height)), 255]
        }
    }
    return try Pixels(width: width, height: height, copying: bytes)
}

/// SplitMix64, so that a failure can be repeated.
struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
