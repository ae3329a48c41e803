// WAVTests: WAV files of each form, and hostile ones.

import Foundation
import LinuxSystem
import Testing

@testable import PointHosts

@Suite struct WAVTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path + "/a.wav" }

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    // spec: AU-20
    @Test(
        "AU-20: samples of each form, number of channels and rate are written and read",
        arguments: WAVFormat.Encoding.allCases)
    func formsAreWrittenAndRead(encoding: WAVFormat.Encoding) throws {
        defer { try? folder.remove() }
        let step: Float = encoding == .int16 ? 1 / 32_768 : encoding == .int24 ? 1 / 8_388_608 : 1 / 16_777_216
        for channels in 1...8 {
            for rate in [1, 8000, 44_100, 192_000, 1_000_000] {
                let format = WAVFormat(encoding, channels: channels, rate: rate)
                let samples = (0..<channels).map { channel in
                    [Float(0), -1, 0.5, -0.25, step, -step, 1 - 64 * step].map { $0 / Float(channel + 1 > 4 ? 2 : 1) }
                }
                let writer = try WAVWriter(path: path, format)
                for place in 0..<7 { try writer.write(samples.map { [$0[place]] }) }
                try writer.finish()
                let reader = try WAVReader(path: path)
                #expect(reader.format == format && reader.frames == 7)
                let read = try reader.read(9, at: 0)
                for (channel, values) in read.enumerated() {
                    for (place, value) in values.enumerated() {
                        let wanted = place < 7 ? samples[channel][place] : 0
                        #expect(abs(value - wanted) <= step / 2, "\(format) \(channel) \(place)")
                    }
                }
                #expect(try reader.read(2, at: 5)[0] == Array(read[0][5..<7]))
                #expect(try reader.read(2, at: 50)[0] == [0, 0])
            }
        }
    }

    @Test func integersAreCutToTheirRange() throws {
        defer { try? folder.remove() }
        for encoding in [WAVFormat.Encoding.int16, .int24, .int32] {
            let writer = try WAVWriter(path: path, WAVFormat(encoding, channels: 1, rate: 8000))
            try writer.write([[2, -2, .nan, .infinity, -.infinity]])
            try writer.finish()
            let read = try WAVReader(path: path).read(5, at: 0)[0]
            #expect(
                read[0] > 0.99 && read[0] <= 1 && read[1] == -1 && read[2] == 0 && read[3] == read[0] && read[4] == -1)
        }
    }

    /// A file of chunks.
    private func wav(_ chunks: [(String, [UInt8])], riff: String = "RIFF", form: String = "WAVE") -> [UInt8] {
        var body: [UInt8] = Array(form.utf8)
        for (name, bytes) in chunks {
            body += name.utf8
            body += Self.number(bytes.count, 4)
            body += bytes
            if bytes.count % 2 == 1 { body.append(0) }
        }
        var file = Array(riff.utf8)
        file += Self.number(body.count, 4)
        return file + body
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func format(
        _ tag: Int = 1, channels: Int = 1, rate: Int = 8000, align: Int? = nil, bits: Int = 16, more: [UInt8] = []
    ) -> [UInt8] {
        let align = align ?? channels * bits / 8
        let fields = [(tag, 2), (channels, 2), (rate, 4), (rate * align, 4), (align, 2), (bits, 2)]
        return fields.flatMap { number($0.0, $0.1) } + more
    }

    private func fault(_ bytes: [UInt8]) throws -> AudioFileFault? {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        do {
            _ = try WAVReader(path: path)
            return nil
        } catch {
            return error
        }
    }

    @Test func chunksOfOthersArePassedOver() throws {
        defer { try? folder.remove() }
        let bytes = wav([
            ("LIST", [1, 2, 3]), ("fmt ", Self.format()), ("fact", [0, 0, 0, 0]), ("data", [0, 0x40, 0, 0xc0]),
        ])
        #expect(try fault(bytes) == nil)
        let reader = try WAVReader(path: path)
        #expect(try reader.read(2, at: 0) == [[0.5, -0.5]])
    }

    // spec: AU-20
    @Test("AU-20: other and hostile files are refused by name") func hostileFilesAreRefused() throws {
        defer { try? folder.remove() }
        typealias Kind = AudioFileFault.Kind
        let guid: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
        let many = [(String, [UInt8])](repeating: ("junk", []), count: 1001)
        /// An extensible format of samples with these valid bits.
        func extensible(_ valid: UInt8, _ guid: [UInt8]) -> [UInt8] {
            Self.format(0xfffe, more: [22, 0, valid, 0, 0, 0, 0, 0, 1, 0] + guid)
        }
        func cut(_ name: String, _ more: [UInt8] = []) -> [UInt8] {
            wav([("fmt ", Self.format())]) + Array(name.utf8) + [0xff, 0xff, 0xff, 0xff] + more
        }
        let cases: [(String, [UInt8], Kind)] = [
            ("empty", [], .otherKind),
            ("short", Array("RIFF".utf8), .otherKind),
            ("another form", wav([], form: "AVI "), .otherKind),
            ("big-endian", wav([("fmt ", Self.format()), ("data", [])], riff: "RIFX"), .otherKind),
            ("no chunks", wav([]), .cutShort),
            ("no samples", wav([("fmt ", Self.format())]), .cutShort),
            ("samples first", wav([("data", [0, 0]), ("fmt ", Self.format())]), .malformed),
            ("two formats", wav([("fmt ", Self.format()), ("fmt ", Self.format()), ("data", [])]), .malformed),
            ("tiny format", wav([("fmt ", [1, 0]), ("data", [])]), .malformed),
            ("compressed", wav([("fmt ", Self.format(0x55)), ("data", [])]), .unsupported),
            ("8 bits", wav([("fmt ", Self.format(bits: 8)), ("data", [])]), .unsupported),
            ("64 bits", wav([("fmt ", Self.format(3, bits: 64)), ("data", [])]), .unsupported),
            ("no channels", wav([("fmt ", Self.format(channels: 0)), ("data", [])]), .unsupported),
            ("9 channels", wav([("fmt ", Self.format(channels: 9)), ("data", [])]), .unsupported),
            ("no rate", wav([("fmt ", Self.format(rate: 0)), ("data", [])]), .unsupported),
            ("rate of 2 GHz", wav([("fmt ", Self.format(rate: 2_000_000_000)), ("data", [])]), .unsupported),
            ("wrong frames", wav([("fmt ", Self.format(align: 0)), ("data", [])]), .malformed),
            ("another identifier", wav([("fmt ", extensible(16, guid.reversed())), ("data", [])]), .unsupported),
            ("fewer valid bits", wav([("fmt ", extensible(12, guid)), ("data", [])]), .unsupported),
            ("many chunks", wav(many), .tooLarge),
            ("chunk beyond the end", cut("LIST"), .cutShort),
            ("samples beyond the end", cut("data", [0, 0]), .cutShort),
        ]
        for (name, bytes, kind) in cases {
            let fault = try #require(try fault(bytes), "\(name) was read")
            #expect(fault.kind == kind && fault.description.hasPrefix(path), "\(name): \(fault)")
        }
        let good = wav([("fmt ", extensible(16, guid)), ("data", [0, 0])])
        #expect(try fault(good) == nil)
        // Each cut of a good file is refused, and none reads beyond it.
        for count in 0..<good.count { #expect(try fault(Array(good.prefix(count))) != nil, "\(count)") }
        for (path, kind) in [
            (folder.path, Kind.otherKind), (folder.path + "/none", .inaccessible), ("/dev/null", .otherKind),
        ] {
            #expect { _ = try WAVReader(path: path) } throws: { ($0 as? AudioFileFault)?.kind == kind }
        }
    }

    @Test func aFileThatBecomesShorterIsTold() throws {
        defer { try? folder.remove() }
        #expect(try fault(wav([("fmt ", Self.format()), ("data", [UInt8](repeating: 1, count: 1000))])) == nil)
        let reader = try WAVReader(path: path)
        #expect(truncate(path, 100) == 0)
        #expect { _ = try reader.read(500, at: 0) } throws: { ($0 as? AudioFileFault)?.kind == .cutShort }
    }

    @Test func outputIsThereWhenItIsWhole() throws {
        defer { try? folder.remove() }
        try Data("before".utf8).write(to: URL(fileURLWithPath: path))
        do {
            let writer = try WAVWriter(path: path, WAVFormat(.int24, channels: 1, rate: 8000), limit: 9)
            try writer.write([[0.5, 0.5, 0.5]])
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "before")
            #expect { try writer.write([[0.5]]) } throws: { ($0 as? AudioFileFault)?.kind == .tooLarge }
            #expect { try writer.write([[0.5], [0.5]]) } throws: { ($0 as? AudioFileFault)?.kind == .malformed }
        }
        // The draft of a writer that has not finished is gone.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.wav"])
        let writer = try WAVWriter(path: path, WAVFormat(.int24, channels: 1, rate: 8000))
        try writer.write([[0.5, 0.5, 0.5]])
        try writer.finish()
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(size == 68 + 10 && FileManager.default.contents(atPath: path)?[4] == UInt8(size - 8))
        #expect(throws: AudioFileFault.self) {
            _ = try WAVWriter(path: folder.path + "/none/a.wav", WAVFormat(.int16, channels: 1, rate: 8000))
        }
        #expect(throws: AudioFileFault.self) {
            _ = try WAVWriter(path: path, WAVFormat(.int16, channels: 9, rate: 8000))
        }
    }

    /// Any bytes are read or refused, also after random changes of a good file.
    @Test func changedFilesAreReadOrRefused() throws {
        defer { try? folder.remove() }
        var random = SystemRandomNumberGenerator()
        let good = wav([("fmt ", Self.format(channels: 2)), ("data", [UInt8](repeating: 7, count: 64))])
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            guard let reader = try? WAVReader(path: path) else { continue }
            #expect(reader.frames * reader.format.frameSize <= bytes.count)
            #expect(try reader.read(100, at: 0).count == reader.format.channels)
        }
    }
}
