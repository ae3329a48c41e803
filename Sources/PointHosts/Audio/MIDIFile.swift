// MIDIFile: the events of a Standard MIDI File, with their times in seconds.

import Glibc
import LinuxDescriptors

/// The events of a Standard MIDI File of format 0 or 1: channel messages and system exclusive ones.
///
/// The file may be a stranger's: it has at most 16 MiB, 1,000 tracks and 1,000,000 events.
public struct MIDIFile: Sendable, Hashable {
    /// A message and its time.
    public struct Event: Sendable, Hashable {
        /// The time from the start, in seconds.
        public let seconds: Double
        /// A message: one to three bytes, or a system exclusive one.
        public let bytes: [UInt8]
    }

    static let largestFile = 16 << 20
    static let mostTracks = 1000
    static let mostEvents = 1_000_000
    /// The longest system exclusive message, in bytes.
    static let longestMessage = 4096

    /// The events, in the order of their times; those of one time in the order of the tracks.
    public let events: [Event]

    /// Reads a file.
    ///
    /// - Throws: `AudioFileFault`.
    public init(path: String) throws(AudioFileFault) {
        let bytes: [UInt8]
        do {
            bytes = try readFile(path, maximumSize: Self.largestFile)
        } catch {
            if error.code == EFBIG { throw AudioFileFault(.tooLarge, path, "has more than 16 MiB") }
            throw AudioFileFault(.inaccessible, path, "cannot be read: \(error)")
        }
        try self.init(bytes, named: path)
    }

    init(_ bytes: [UInt8], named path: String) throws(AudioFileFault) {
        var reader = Reader(bytes: bytes[...], path: path)
        guard bytes.starts(with: "MThd".utf8) else { throw AudioFileFault(.otherKind, path, "is no MIDI file") }
        reader.bytes = reader.bytes.dropFirst(4)
        let length = try reader.number(4)
        guard length >= 6 else { throw AudioFileFault(.malformed, path, "has a head of \(length) bytes") }
        let (format, tracks, division) = (try reader.number(2), try reader.number(2), try reader.number(2))
        guard format < 2 else {
            throw AudioFileFault(.unsupported, path, "is of format \(format), and 0 and 1 are read")
        }
        guard tracks <= Self.mostTracks else { throw AudioFileFault(.tooLarge, path, "has \(tracks) tracks") }
        try reader.skip(length - 6)
        var timed: [Track.Event] = []
        var found = 0
        while found < tracks {
            let name = try reader.take(4)
            let size = try reader.number(4)
            let body = try reader.take(size)
            // Chunks of other kinds are passed over.
            guard name.elementsEqual("MTrk".utf8) else { continue }
            found += 1
            timed += try Track.events(
                Reader(bytes: body, path: path), room: Self.mostEvents - timed.count)
        }
        // Tracks play side by side.
        let ordered = timed.enumerated().sorted { ($0.element.ticks, $0.offset) < ($1.element.ticks, $1.offset) }
        events = try Self.times(ordered.map(\.element), division, path)
    }

    private static func times(
        _ events: [Track.Event], _ division: Int, _ path: String
    ) throws(AudioFileFault) -> [Event] {
        var secondsPerTick: Double
        let isFrames = division & 0x8000 != 0
        if isFrames {
            let frames = 256 - (division >> 8)
            guard [24, 25, 29, 30].contains(frames), division & 0xff > 0 else {
                throw AudioFileFault(.malformed, path, "has \(frames) frames a second")
            }
            // 29 stands for 30 with dropped numbers.
            secondsPerTick = 1 / ((frames == 29 ? 30_000 / 1001 : Double(frames)) * Double(division & 0xff))
        } else {
            guard division > 0 else { throw AudioFileFault(.malformed, path, "has no ticks in a quarter note") }
            // 120 quarter notes a minute, until the file says otherwise.
            secondsPerTick = 0.5 / Double(division)
        }
        var (seconds, ticks) = (0.0, 0)
        var timed: [Event] = []
        for event in events {
            seconds += Double(event.ticks - ticks) * secondsPerTick
            ticks = event.ticks
            switch event.kind {
            case .message(let bytes): timed.append(Event(seconds: seconds, bytes: bytes))
            case .tempo(let microseconds):
                if !isFrames { secondsPerTick = Double(microseconds) / 1_000_000 / Double(division) }
            }
        }
        return timed
    }

    /// The bytes that are left.
    fileprivate struct Reader {
        var bytes: ArraySlice<UInt8>
        let path: String

        private var end: AudioFileFault { AudioFileFault(.cutShort, path, "ends within a chunk") }

        mutating func take(_ count: Int) throws(AudioFileFault) -> ArraySlice<UInt8> {
            guard count <= bytes.count else { throw end }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        mutating func skip(_ count: Int) throws(AudioFileFault) { _ = try take(count) }

        mutating func byte() throws(AudioFileFault) -> UInt8 {
            guard let byte = bytes.popFirst() else { throw end }
            return byte
        }

        mutating func number(_ count: Int) throws(AudioFileFault) -> Int {
            try take(count).reduce(0) { $0 << 8 | Int($1) }
        }

        /// Reads a number of one to four bytes, each with seven bits of it.
        mutating func variable() throws(AudioFileFault) -> Int {
            var value = 0
            for _ in 0..<4 {
                let byte = try byte()
                value = value << 7 | Int(byte & 0x7f)
                if byte & 0x80 == 0 { return value }
            }
            throw AudioFileFault(.malformed, path, "has a number of more than four bytes")
        }
    }

    fileprivate enum Track {
        struct Event {
            enum Kind {
                case message([UInt8])
                case tempo(Int)
            }
            let ticks: Int
            let kind: Kind
        }

        /// Returns the events of a track with their times in ticks.
        static func events(_ track: Reader, room: Int) throws(AudioFileFault) -> [Event] {
            var reader = track
            var events: [Event] = []
            var ticks = 0
            var running: UInt8?
            while !reader.bytes.isEmpty {
                guard events.count < room else {
                    throw AudioFileFault(.tooLarge, track.path, "has more than \(mostEvents) events")
                }
                ticks += try reader.variable()
                let status: UInt8
                if let next = reader.bytes.first, next >= 0x80 {
                    status = try reader.byte()
                } else if let running {
                    status = running
                } else {
                    throw AudioFileFault(.malformed, track.path, "has a message without its first byte")
                }
                switch status {
                case 0x80..<0xf0:
                    running = status
                    let count = (0xc0..<0xe0).contains(status) ? 1 : 2
                    let data = try reader.take(count)
                    guard data.allSatisfy({ $0 < 0x80 }) else {
                        throw AudioFileFault(.malformed, track.path, "has a message with a byte over 127")
                    }
                    events.append(Event(ticks: ticks, kind: .message([status] + data)))
                case 0xf0, 0xf7:
                    running = nil
                    let data = try reader.take(try reader.variable())
                    // The second form has bytes as they are, such as the rest of a message.
                    let bytes = status == 0xf0 ? [status] + data : Array(data)
                    guard (1...longestMessage).contains(bytes.count) else {
                        throw AudioFileFault(.tooLarge, track.path, "has a message of \(bytes.count) bytes")
                    }
                    events.append(Event(ticks: ticks, kind: .message(bytes)))
                case 0xff:
                    running = nil
                    let type = try reader.byte()
                    let data = try reader.take(try reader.variable())
                    if type == 0x2f { return events }
                    if type == 0x51, data.count == 3 {
                        events.append(Event(ticks: ticks, kind: .tempo(data.reduce(0) { $0 << 8 | Int($1) })))
                    }
                default: throw AudioFileFault(.malformed, track.path, "has a message with the first byte \(status)")
                }
            }
            return events
        }
    }
}
