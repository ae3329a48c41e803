// AudioBlock: one block of a render as an entry of a stream, there and back.

/// A fault of an entry.
public struct AudioBlockFault: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}

/// An event of a block. Its kinds are those of `AURenderEvent`.
public struct AudioBlockEvent: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The bits of a parameter's address, and the value at the end of the ramp, which lasts `ramp` frames.
        case parameter(address: UInt64, value: Float, ramp: UInt32)
        /// A message of MIDI 1.0: one to three bytes, or a system exclusive message.
        case midi(cable: UInt8, bytes: [UInt8])
    }

    public var sampleTime: Int64
    public var kind: Kind

    public init(sampleTime: Int64, _ kind: Kind) { (self.sampleTime, self.kind) = (sampleTime, kind) }
}

/// The head of a block, there and back, and the form of both entries.
///
/// An entry is a head of 40 bytes, the events, and the samples of each channel: floats of 32 bits in the machine's order
/// of bytes, which is little-endian on all machines that the project knows.
public struct AudioBlock: Sendable, Hashable {
    /// The bytes of the head.
    static let headSize = 40
    /// The bytes of an event before its MIDI bytes.
    static let eventSize = 32
    /// The maximum number of events of a block.
    public static let mostEvents = 512
    /// The maximum number of bytes of a system exclusive message.
    public static let longestMessage = 4096
    /// The maximum number of channels of a block.
    public static let mostChannels = 64
    /// The maximum number of bytes of samples.
    public static let mostSampleBytes = 32_768

    private static let mark: UInt32 = 0x31_42_55_41

    /// Whether the unit gets no memory for its output, and renders into its own.
    public static let withoutOutput: UInt32 = 1
    /// Whether the block has samples for the first input bus. Without them a pull fails.
    public static let withInput: UInt32 = 2

    /// There: `withoutOutput`, `withInput`. Back: the render action flags.
    public var flags: UInt32 = 0
    /// There: 0. Back: the status.
    public var status: Int32 = 0
    public var frames: Int = 0
    /// The number of channels of the samples.
    public var channels: Int = 0
    public var sampleTime: Int64 = 0
    /// Back: the time that the render took, in nanoseconds.
    public var nanoseconds: UInt64 = 0
    public var events: [AudioBlockEvent] = []

    public init() {}

    private var eventBytes: Int {
        events.reduce(0) { size, event in
            guard case .midi(_, let bytes) = event.kind else { return size + Self.eventSize }
            return size + Self.eventSize + (bytes.count + 3) / 4 * 4
        }
    }

    /// Returns the entry of the block.
    ///
    /// - Parameter fill: writes the samples: `channels` times `frames` floats, one channel after the other.
    /// - Throws: `AudioBlockFault` for more than a block may have.
    public func entry(_ fill: (UnsafeMutableBufferPointer<Float>) -> Void) throws(AudioBlockFault) -> [UInt8] {
        try check()
        let samples = frames * channels
        let start = Self.headSize + eventBytes
        return [UInt8](unsafeUninitializedCapacity: start + samples * 4) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw.storeBytes(of: Self.mark, toByteOffset: 0, as: UInt32.self)
            raw.storeBytes(of: flags, toByteOffset: 4, as: UInt32.self)
            raw.storeBytes(of: status, toByteOffset: 8, as: Int32.self)
            raw.storeBytes(of: UInt32(frames), toByteOffset: 12, as: UInt32.self)
            raw.storeBytes(of: UInt16(channels), toByteOffset: 16, as: UInt16.self)
            raw.storeBytes(of: UInt16(events.count), toByteOffset: 18, as: UInt16.self)
            raw.storeBytes(of: UInt32(0), toByteOffset: 20, as: UInt32.self)
            raw.storeBytes(of: sampleTime, toByteOffset: 24, as: Int64.self)
            raw.storeBytes(of: nanoseconds, toByteOffset: 32, as: UInt64.self)
            var place = Self.headSize
            for event in events { place = write(event, to: raw, at: place) }
            // A new array's bytes are aligned for floats, and so is the start of the samples.
            let floats = UnsafeMutableRawBufferPointer(rebasing: raw[start..<(start + samples * 4)])
            fill(floats.bindMemory(to: Float.self))
            count = start + samples * 4
        }
    }

    private func check() throws(AudioBlockFault) {
        guard events.count <= Self.mostEvents else {
            throw AudioBlockFault("a block has at most \(Self.mostEvents) events")
        }
        guard (0...Self.mostChannels).contains(channels), (0...65_536).contains(frames),
            frames * channels * 4 <= Self.mostSampleBytes
        else {
            throw AudioBlockFault(
                "\(frames) frames of \(channels) channels are more than a block has: \(Self.mostSampleBytes) bytes")
        }
        for event in events {
            guard case .midi(_, let bytes) = event.kind else { continue }
            guard (1...Self.longestMessage).contains(bytes.count) else {
                throw AudioBlockFault("a message of MIDI has 1 to \(Self.longestMessage) bytes")
            }
        }
        // With the samples an entry stays below the largest one of a stream.
        guard eventBytes <= 30_000 else { throw AudioBlockFault("the events of a block have at most 30,000 bytes") }
    }

    private func write(_ event: AudioBlockEvent, to raw: UnsafeMutableRawBufferPointer, at place: Int) -> Int {
        for offset in stride(from: 0, to: Self.eventSize, by: 8) {
            raw.storeBytes(of: UInt64(0), toByteOffset: place + offset, as: UInt64.self)
        }
        raw.storeBytes(of: event.sampleTime, toByteOffset: place + 8, as: Int64.self)
        switch event.kind {
        case .parameter(let address, let value, let ramp):
            raw.storeBytes(of: 1, toByteOffset: place, as: UInt8.self)
            raw.storeBytes(of: ramp, toByteOffset: place + 4, as: UInt32.self)
            raw.storeBytes(of: address, toByteOffset: place + 16, as: UInt64.self)
            raw.storeBytes(of: value, toByteOffset: place + 24, as: Float.self)
            return place + Self.eventSize
        case .midi(let cable, let bytes):
            raw.storeBytes(of: 2, toByteOffset: place, as: UInt8.self)
            raw.storeBytes(of: cable, toByteOffset: place + 1, as: UInt8.self)
            raw.storeBytes(of: UInt16(bytes.count), toByteOffset: place + 2, as: UInt16.self)
            let padded = (bytes.count + 3) / 4 * 4
            for index in 0..<padded {
                raw[place + Self.eventSize + index] = index < bytes.count ? bytes[index] : 0
            }
            return place + Self.eventSize + padded
        }
    }

    /// Reads an entry, and gives its samples to a function: as many as the head names, one channel after the other.
    ///
    /// - Throws: `AudioBlockFault` for any entry that no block has.
    public static func read<Value>(
        _ entry: [UInt8], _ body: (AudioBlock, UnsafeBufferPointer<Float>) throws -> Value
    ) throws -> Value {
        // An array's bytes are aligned for floats.
        try entry.withUnsafeBytes { raw in
            let (block, start) = try head(raw)
            let samples = UnsafeRawBufferPointer(rebasing: raw[start...])
            return try body(block, samples.bindMemory(to: Float.self))
        }
    }

    private static func head(_ raw: UnsafeRawBufferPointer) throws(AudioBlockFault) -> (AudioBlock, samples: Int) {
        guard raw.count >= headSize, raw.loadUnaligned(fromByteOffset: 0, as: UInt32.self) == mark else {
            throw AudioBlockFault("the entry is no block of audio")
        }
        var block = AudioBlock()
        block.flags = raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        block.status = raw.loadUnaligned(fromByteOffset: 8, as: Int32.self)
        block.frames = Int(raw.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        block.channels = Int(raw.loadUnaligned(fromByteOffset: 16, as: UInt16.self))
        let count = Int(raw.loadUnaligned(fromByteOffset: 18, as: UInt16.self))
        block.sampleTime = raw.loadUnaligned(fromByteOffset: 24, as: Int64.self)
        block.nanoseconds = raw.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
        guard count <= mostEvents else { throw AudioBlockFault("the entry has \(count) events") }
        var place = headSize
        for _ in 0..<count {
            guard place + eventSize <= raw.count else { throw AudioBlockFault("an event of the entry is cut short") }
            block.events.append(try event(raw, &place))
        }
        try block.check()
        guard raw.count == place + block.frames * block.channels * 4 else {
            throw AudioBlockFault("the entry has \(raw.count) bytes, which do not fit its head")
        }
        return (block, place)
    }

    private static func event(
        _ raw: UnsafeRawBufferPointer, _ place: inout Int
    ) throws(AudioBlockFault) -> AudioBlockEvent {
        let start = place
        let time = raw.loadUnaligned(fromByteOffset: start + 8, as: Int64.self)
        place += eventSize
        switch raw[start] {
        case 1:
            return AudioBlockEvent(
                sampleTime: time,
                .parameter(
                    address: raw.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self),
                    value: raw.loadUnaligned(fromByteOffset: start + 24, as: Float.self),
                    ramp: raw.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)))
        case 2:
            let count = Int(raw.loadUnaligned(fromByteOffset: start + 2, as: UInt16.self))
            let padded = (count + 3) / 4 * 4
            guard (1...longestMessage).contains(count), place + padded <= raw.count else {
                throw AudioBlockFault("a message of MIDI in the entry has \(count) bytes")
            }
            let bytes = [UInt8](raw[place..<(place + count)])
            place += padded
            return AudioBlockEvent(sampleTime: time, .midi(cable: raw[start + 1], bytes: bytes))
        default: throw AudioBlockFault("an event of the entry has the unknown kind \(raw[start])")
        }
    }
}
