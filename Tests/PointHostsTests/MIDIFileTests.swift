// MIDIFileTests: Standard MIDI Files, and hostile ones.

import Foundation
import LinuxSystem
import Testing

@testable import PointHosts

@Suite struct MIDIFileTests {
    private static func file(
        _ tracks: [[UInt8]], format: UInt8 = 1, count: Int? = nil, division: [UInt8] = [0, 96]
    ) -> [UInt8] {
        let count = count ?? tracks.count
        var bytes = Array("MThd".utf8)
        bytes += [0, 0, 0, 6, 0, format, UInt8(count >> 8), UInt8(count & 255)]
        bytes += division
        for track in tracks {
            bytes += "MTrk".utf8
            bytes += [0, 0, UInt8(track.count >> 8), UInt8(track.count & 255)]
            bytes += track
        }
        return bytes
    }

    private static var longMessage: [UInt8] {
        var track: [UInt8] = [0, 0xf0, 0xa1, 0]
        track += [UInt8](repeating: 1, count: 4224)
        return track
    }

    private static func events(_ bytes: [UInt8]) throws -> [MIDIFile.Event] {
        try MIDIFile(bytes, named: "a.mid").events
    }

    // spec: AU-19
    @Test("AU-19: tracks are merged, tempo and running status are followed") func timesAndTracks() throws {
        let tempo: [UInt8] = [
            0, 0xff, 0x51, 3, 0x0f, 0x42, 0x40, 96, 0xff, 0x51, 3, 0x03, 0xd0, 0x90, 0, 0xff, 0x2f, 0,
        ]
        // Ticks 0, 96, 192 by running status, a long number of ticks, and bytes behind the end of the track.
        let notes: [UInt8] = [
            0, 0x90, 60, 100, 96, 60, 0, 96, 0xc1, 5, 0x81, 0x40, 0xe0, 0, 64, 0, 0xff, 0x2f, 0, 0xff, 0xff,
        ]
        let system: [UInt8] = [96, 0xf0, 3, 1, 2, 0xf7, 0, 0xf7, 1, 0xf8, 0, 0xff, 0x01, 2, 65, 66]
        let found = try Self.events(Self.file([tempo, notes, system]))
        // A quarter note of a second first, then of a quarter of a second.
        #expect(
            found == [
                MIDIFile.Event(seconds: 0, bytes: [0x90, 60, 100]), MIDIFile.Event(seconds: 1, bytes: [0x90, 60, 0]),
                MIDIFile.Event(seconds: 1, bytes: [0xf0, 1, 2, 0xf7]), MIDIFile.Event(seconds: 1, bytes: [0xf8]),
                MIDIFile.Event(seconds: 1.25, bytes: [0xc1, 5]), MIDIFile.Event(seconds: 1.75, bytes: [0xe0, 0, 64]),
            ])
        // 25 frames a second with 40 ticks each, whatever the tempo is.
        let frames = try Self.events(Self.file([tempo, [100, 0x80, 1, 2]], division: [0xe7, 40]))
        #expect(frames == [MIDIFile.Event(seconds: 0.1, bytes: [0x80, 1, 2])])
        #expect(try Self.events(Self.file([], format: 0)).isEmpty)
    }

    @Test func hostileFilesAreRefused() throws {
        let cases: [(String, [UInt8], AudioFileFault.Kind)] = [
            ("empty", [], .otherKind), ("another kind", Array("RIFF0000".utf8), .otherKind),
            ("short head", Array("MThd".utf8) + [0, 0, 0, 2, 0, 0], .malformed),
            ("format 2", Self.file([[]], format: 2), .unsupported),
            ("tracks that are not there", Self.file([], count: 3), .cutShort),
            ("too many tracks", Self.file([], count: 5000), .tooLarge),
            ("no ticks", Self.file([[0, 0x80, 1, 1]], division: [0, 0]), .malformed),
            ("17 frames", Self.file([[0, 0x80, 1, 1]], division: [0xef, 40]), .malformed),
            ("no status", Self.file([[0, 60, 100]]), .malformed),
            ("endless number", Self.file([[0xff, 0xff, 0xff, 0xff, 0xff]]), .malformed),
            ("long data", Self.file([[0, 0xff, 1, 0x8f, 0x7f, 1]]), .cutShort),
            ("half a message", Self.file([[0, 0x90, 1]]), .cutShort),
            ("high byte", Self.file([[0, 0x90, 200, 1]]), .malformed),
            ("unknown status", Self.file([[0, 0xf4]]), .malformed),
            ("long message", Self.file([Self.longMessage]), .tooLarge),
            ("long chunk", Self.file([[]]).dropLast(1) + [99], .cutShort),
        ]
        for (name, bytes, kind) in cases {
            #expect("\(name)") { _ = try Self.events(bytes) } throws: { ($0 as? AudioFileFault)?.kind == kind }
        }
        let good = Self.file([[0, 0x90, 60, 100, 96, 60, 0]])
        for count in 0..<good.count {
            #expect(throws: AudioFileFault.self) { _ = try Self.events(Array(good.prefix(count))) }
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let found = try? Self.events(bytes) {
                #expect(found.allSatisfy { $0.seconds >= 0 && !$0.bytes.isEmpty })
            }
        }
    }

    @Test func aLargeFileIsRefused() throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        let path = folder.path + "/a.mid"
        try Data(Self.file([[0, 0x90, 60, 100]])).write(to: URL(fileURLWithPath: path))
        #expect(try MIDIFile(path: path).events.count == 1)
        #expect(truncate(path, 17 << 20) == 0)
        #expect { _ = try MIDIFile(path: path) } throws: { ($0 as? AudioFileFault)?.kind == .tooLarge }
    }
}
