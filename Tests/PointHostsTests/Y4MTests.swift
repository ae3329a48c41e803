// Y4MTests: files of raw video, correct and faulty ones, and none that stops the reader.

import ExtensionProtocol
import Foundation
import LinuxDescriptors
import LinuxSystem
import PointMessages
import Testing

@testable import PointHosts

@Suite struct Y4MTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    private func file(_ bytes: [UInt8]) throws -> String {
        let path = folder.path + "/\(UUID().uuidString).y4m"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func video(_ header: String, frames: [[UInt8]]) -> [UInt8] {
        Array((header + "\n").utf8) + frames.flatMap { Array("FRAME\n".utf8) + $0 }
    }

    private func kind(_ bytes: [UInt8]) throws -> VideoFileFault.Kind? {
        do {
            let reader = try Y4MReader(path: try file(bytes))
            while try reader.next() != nil {}
            return nil
        } catch let fault as VideoFileFault {
            return fault.kind
        }
    }

    // spec: BU-2
    @Test("BU-2: a frame of an odd size has rows of 64 bytes, and pairs of chroma") func frames() throws {
        defer { try? folder.remove() }
        // 3 by 3: nine of luma, then twice two by two.
        let first: [UInt8] = Array(1...9) + [10, 11, 12, 13] + [20, 21, 22, 23]
        let second = first.map { $0 + 100 }
        let path = try file(video("YUV4MPEG2 W3 H3 F30000:1001 XCOLORRANGE=FULL", frames: [first, second]))
        let reader = try Y4MReader(path: path)
        #expect(reader.width == 3 && reader.height == 3 && reader.isFullRange && reader.frames == 2)
        #expect(reader.frameDuration == 33_366_666 && reader.time(ofFrame: 30) == 1_001_000_000)
        #expect(reader.time(ofFrame: .max) == .max)
        let planes = try #require(try reader.next())
        let sample = try BroadcastSample(
            .video, number: 1, time: 0, duration: 0, .video(width: 3, height: 3, isFullRange: true, orientation: 1))
        #expect(planes.count == sample.size && planes.count == 64 * 5)
        #expect(planes[0..<4] == [1, 2, 3, 0] && planes[64..<67] == [4, 5, 6] && planes[128..<131] == [7, 8, 9])
        #expect(planes[192..<197] == [10, 20, 11, 21, 0] && planes[256..<260] == [12, 22, 13, 23])
        #expect(try reader.next()?[0] == 101)
        #expect(try reader.next() == nil)
        try reader.rewind()
        #expect(try reader.next()?[0] == 1)
    }

    @Test(
        "BU-2: each fault of a file has its name",
        arguments: [
            ("", .otherKind), ("RIFF", .otherKind), ("YUV4MPEG", .otherKind), ("YUV4MPEG2 W2 H2 F1:1", .cutShort),
            ("YUV4MPEG2X W2 H2 F1:1\n", .otherKind), ("YUV4MPEG2 H2 F1:1\n", .malformed),
            ("YUV4MPEG2 W2 F1:1\n", .malformed), ("YUV4MPEG2 W0 H2 F1:1\n", .malformed),
            ("YUV4MPEG2 W-2 H2 F1:1\n", .malformed), ("YUV4MPEG2 W99999999999 H2 F1:1\n", .malformed),
            ("YUV4MPEG2 W2 H2\n", .malformed), ("YUV4MPEG2 W2 H2 F1\n", .malformed),
            ("YUV4MPEG2 W2 H2 F0:1\n", .malformed), ("YUV4MPEG2 W2 H2 F1:0\n", .malformed),
            ("YUV4MPEG2 W2 W2 H2 F1:1\n", .malformed), ("YUV4MPEG2 W2 H2 F1001:1\n", .unsupported),
            ("YUV4MPEG2 W2 H2 F1:101\n", .unsupported), ("YUV4MPEG2 W2 H2 F1:1 It\n", .unsupported),
            ("YUV4MPEG2 W2 H2 F1:1 C444\n", .unsupported), ("YUV4MPEG2 W2 H2 F1:1 C420p10\n", .unsupported),
            ("YUV4MPEG2 W4097 H2 F1:1\n", .tooLarge), ("YUV4MPEG2 W4096 H4096 F1:1\n", .tooLarge),
            ("YUV4MPEG2 W2 H2 F1:1\nFRAME", .cutShort), ("YUV4MPEG2 W2 H2 F1:1\nFRAME\n12345", .cutShort),
            ("YUV4MPEG2 W2 H2 F1:1\nFRUME\n123456", .malformed),
            ("YUV4MPEG2 W2 H2 F1:1\nFRAMES\n123456", .malformed),
            ("YUV4MPEG2 W2 H2 F1:1\nFRAME Y2\n123456", .unsupported),
            ("YUV4MPEG2 W2 H2 F1:1\nFRAME Ip Xa\n123456x", .cutShort),
            ("YUV4MPEG2 W2 H2 F1:1\n", nil), ("YUV4MPEG2 W2 H2 F1:1 A1:1 Xb\nFRAME Ip\n123456", nil),
        ] as [(String, VideoFileFault.Kind?)])
    func faults(text: String, fault: VideoFileFault.Kind?) throws {
        defer { try? folder.remove() }
        #expect(try kind(Array(text.utf8)) == fault, "\(text)")
    }

    @Test func longHeadersAndOtherFilesAreRefused() throws {
        defer { try? folder.remove() }
        let long = "YUV4MPEG2 W2 H2 F1:1 X" + String(repeating: "a", count: 2000) + "\n"
        #expect(try kind(Array(long.utf8)) == .malformed)
        for (path, kind) in [(folder.path, VideoFileFault.Kind.otherKind), (folder.path + "/none", .inaccessible)] {
            let fault = #expect(throws: VideoFileFault.self) { try Y4MReader(path: path) }
            #expect(fault?.kind == kind, "\(path)")
            #expect(fault?.error.remedy != nil)
        }
    }

    /// Each byte of a file has other values, and each length is tried: the reader gives frames or a fault.
    @Test func aChangedFileStopsNobody() throws {
        defer { try? folder.remove() }
        let good = video("YUV4MPEG2 W3 H2 F25:1 Ip A1:1 C420mpeg2", frames: [Array(1...10), Array(11...20)])
        #expect(try kind(good) == nil)
        let header = try #require(good.firstIndex(of: 0x0a)) + 1
        for place in good.indices {
            for value in [0, 9, 10, 0x20, 0x30, 0x39, 0x46, 255] as [UInt8] {
                var bytes = good
                bytes[place] = value
                _ = try kind(bytes)
                // Pixels may have any value.
                if place > header + 6, place < header + 16 { #expect(try kind(bytes) == nil) }
            }
            let cut = try kind(Array(good[..<place]))
            #expect(cut != nil || place == header || place == header + 16, "\(place)")
        }
    }

    /// The entries of samples, changed likewise, give samples or a fault.
    @Test func aChangedEntryStopsNobody() throws {
        defer { try? folder.remove() }
        let format = BroadcastSample.Format.video(width: 300, height: 400, isFullRange: false, orientation: 6)
        let sample = try BroadcastSample(.video, number: 9, time: 5, duration: 7, format)
        let bytes = (0..<sample.size).map { UInt8(truncatingIfNeeded: $0) }
        let entries = try sample.entries(bytes)
        #expect(entries.count == 1 + (sample.size + BroadcastSample.pieceSize - 1) / BroadcastSample.pieceSize)
        var reader = BroadcastSampleReader()
        #expect(try reader.take(entries[0]) == .begins(sample))
        for (index, entry) in entries.dropFirst().enumerated() {
            let step = try reader.take(entry)
            #expect(step == .bytes(at: index * BroadcastSample.pieceSize, isLast: index == entries.count - 2))
        }
        // A piece of another length, and a sample within a sample.
        for wrong in [entries[0], Array(entries[1].dropLast()), []] {
            var reader = BroadcastSampleReader()
            _ = try reader.take(entries[0])
            #expect(throws: BroadcastSampleFault.self) { _ = try reader.take(wrong) }
        }
        for place in entries[0].indices {
            for value in [0, 1, 8, 127, 128, 255] as [UInt8] {
                var head = entries[0]
                head[place] = value
                if let other = try? BroadcastSample(head: head) { #expect(other.size <= BroadcastSample.largestSize) }
            }
        }
        #expect(throws: BroadcastSampleFault.self) { _ = try BroadcastSample(head: Array(entries[0].dropLast())) }
        #expect(throws: BroadcastSampleFault.self) { _ = try sample.entries([]) }
        #expect(BroadcastSample.number(ofSign: BroadcastSample.sign(of: 9)) == 9)
        #expect(BroadcastSample.number(ofSign: [1, 2, 3]) == nil)
        let sound = try BroadcastSample(
            .audioMic, number: 1, time: 0, duration: 0, .audio(rate: 48_000, channels: 2, frames: 10))
        let read = try BroadcastSample(head: try sound.entries([UInt8](repeating: 0, count: 40))[0])
        #expect(sound.size == 40 && read == sound)
        for (channels, frames) in [(0, 1), (9, 1), (1, 0), (1, 16_385)] {
            #expect(throws: BroadcastSampleFault.self) {
                _ = try BroadcastSample(
                    .audioApp, number: 1, time: 0, duration: 0, .audio(rate: 1, channels: channels, frames: frames))
            }
        }
    }
}
