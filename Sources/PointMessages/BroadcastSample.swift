// BroadcastSample: one sample of a broadcast as entries of a stream, and the sign that it is processed.

/// A fault of the entries of a sample.
public struct BroadcastSampleFault: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}

/// The head of a sample, and the form of its entries.
///
/// A sample is an entry of 64 bytes, and then its bytes in entries of `pieceSize` each, of which the last is shorter.
/// Numbers are in the machine's order of bytes, which is little-endian on all machines that the project knows. For each
/// sample the extension sends back an entry of 8 bytes with its number, when the author's code has returned.
public struct BroadcastSample: Sendable, Hashable {
    /// The kind of a sample. The numbers are those of `RPSampleBufferType` (from memory).
    public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
        case video = 1
        case audioApp = 2
        case audioMic = 3
    }

    /// The form of the bytes.
    public enum Format: Sendable, Hashable {
        /// Two planes: luma, and pairs of chroma. Each row begins at a multiple of 64 bytes.
        ///
        /// The orientation is a number of `CGImagePropertyOrientation`, from 1 to 8.
        case video(width: Int, height: Int, isFullRange: Bool, orientation: Int)
        /// Interleaved integers of 16 bits.
        case audio(rate: Int, channels: Int, frames: Int)
    }

    /// The bytes of the head.
    static let headSize = 64
    /// The bytes of a piece.
    public static let pieceSize = 1 << 16
    /// The most pixels of a side.
    public static let largestSide = 4096
    /// The most bytes of a sample. A frame of 3840 by 2160 pixels has 12.4 million.
    public static let largestSize = 16 << 20
    /// The most frames of a sample of sound.
    public static let mostFrames = 16_384
    /// The bytes of the sign that a sample is processed.
    public static let signSize = 8

    private static let mark: UInt32 = 0x3153_4342
    private static let rowAlignment = 64

    public var kind: Kind
    /// The number of the sample in its broadcast, from 1.
    public var number: Int
    /// The time on the host's monotonic clock, in nanoseconds.
    public var time: Int64
    /// The duration in nanoseconds; 0: unknown.
    public var duration: Int64
    public var format: Format

    /// - Throws: `BroadcastSampleFault` for a format that no sample has.
    public init(
        _ kind: Kind, number: Int, time: Int64, duration: Int64, _ format: Format
    ) throws(BroadcastSampleFault) {
        (self.kind, self.number, self.time, self.duration, self.format) = (kind, number, time, duration, format)
        try check()
    }

    /// Returns the length of a row of so many bytes in a plane.
    public static func rowSize(_ bytes: Int) -> Int { (bytes + rowAlignment - 1) / rowAlignment * rowAlignment }

    /// The number of bytes after the head.
    public var size: Int {
        switch format {
        case .video(let width, let height, _, _):
            Self.rowSize(width) * height + Self.rowSize((width + 1) / 2 * 2) * ((height + 1) / 2)
        case .audio(_, let channels, let frames): 2 * channels * frames
        }
    }

    private func check() throws(BroadcastSampleFault) {
        guard number > 0, duration >= 0 else { throw BroadcastSampleFault("the sample has no number or duration") }
        switch format {
        case .video(let width, let height, _, let orientation):
            guard kind == .video else { throw BroadcastSampleFault("sound has no pixels") }
            guard (1...Self.largestSide).contains(width), (1...Self.largestSide).contains(height),
                size <= Self.largestSize
            else {
                throw BroadcastSampleFault("a frame of \(width) by \(height) pixels is larger than one may be")
            }
            guard (1...8).contains(orientation) else {
                throw BroadcastSampleFault("there is no orientation \(orientation)")
            }
        case .audio(let rate, let channels, let frames):
            guard kind != .video else { throw BroadcastSampleFault("video has pixels") }
            guard (1...1_000_000).contains(rate), (1...8).contains(channels), (1...Self.mostFrames).contains(frames)
            else {
                throw BroadcastSampleFault("\(frames) frames of \(channels) channels at \(rate) Hz are no sample")
            }
        }
    }

    /// Returns the entries of the sample.
    ///
    /// - Parameter bytes: as many as `size` says.
    /// - Throws: `BroadcastSampleFault` for another number of bytes.
    public func entries(_ bytes: [UInt8]) throws(BroadcastSampleFault) -> [[UInt8]] {
        guard bytes.count == size else {
            throw BroadcastSampleFault("the sample has \(bytes.count) bytes, and its format \(size)")
        }
        var head = [UInt8](repeating: 0, count: Self.headSize)
        head.withUnsafeMutableBytes { raw in
            raw.storeBytes(of: Self.mark, toByteOffset: 0, as: UInt32.self)
            raw.storeBytes(of: kind.rawValue, toByteOffset: 4, as: UInt8.self)
            raw.storeBytes(of: Int64(number), toByteOffset: 8, as: Int64.self)
            raw.storeBytes(of: time, toByteOffset: 16, as: Int64.self)
            raw.storeBytes(of: duration, toByteOffset: 24, as: Int64.self)
            let fields: [Int] =
                switch format {
                case .video(let width, let height, let isFullRange, let orientation):
                    [width, height, isFullRange ? 1 : 0, orientation]
                case .audio(let rate, let channels, let frames): [rate, channels, frames]
                }
            for (index, field) in fields.enumerated() {
                raw.storeBytes(of: UInt32(field), toByteOffset: 32 + 4 * index, as: UInt32.self)
            }
        }
        var entries = [head]
        for start in stride(from: 0, to: bytes.count, by: Self.pieceSize) {
            entries.append(Array(bytes[start..<min(start + Self.pieceSize, bytes.count)]))
        }
        return entries
    }

    /// Reads the head of a sample.
    ///
    /// - Throws: `BroadcastSampleFault` for any entry that no head is.
    public init(head: [UInt8]) throws(BroadcastSampleFault) {
        guard head.count == Self.headSize, Self.number(head, 0, UInt32.self) == Self.mark,
            let kind = Kind(rawValue: head[4])
        else { throw BroadcastSampleFault("the entry is no head of a sample") }
        let fields = (0..<4).map { Int(Self.number(head, 32 + 4 * $0, UInt32.self)) }
        try self.init(
            kind, number: Int(Self.number(head, 8, Int64.self)), time: Self.number(head, 16, Int64.self),
            duration: Self.number(head, 24, Int64.self),
            kind == .video
                ? .video(width: fields[0], height: fields[1], isFullRange: fields[2] == 1, orientation: fields[3])
                : .audio(rate: fields[0], channels: fields[1], frames: fields[2]))
    }

    private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: [UInt8], _ offset: Int, _ type: Number.Type
    ) -> Number {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }

    /// Returns the sign that a sample is processed.
    public static func sign(of number: Int) -> [UInt8] {
        withUnsafeBytes(of: Int64(number)) { Array($0) }
    }

    /// Reads a sign; nil for an entry that is none.
    public static func number(ofSign entry: [UInt8]) -> Int? {
        guard entry.count == signSize else { return nil }
        return Int(number(entry, 0, Int64.self))
    }
}

/// Puts samples together from the entries of a stream.
public struct BroadcastSampleReader: Sendable {
    /// A sample that is not yet complete.
    private var open: (sample: BroadcastSample, place: Int)?

    public init() {}

    /// A step of the reader.
    public enum Step: Sendable, Hashable {
        /// A sample begins. Its bytes follow.
        case begins(BroadcastSample)
        /// The entry has the bytes from this place. The sample is complete if it is the last one.
        case bytes(at: Int, isLast: Bool)
    }

    /// Takes the next entry.
    ///
    /// - Throws: `BroadcastSampleFault` for an entry that does not follow.
    public mutating func take(_ entry: [UInt8]) throws(BroadcastSampleFault) -> Step {
        guard let (sample, place) = open else {
            let sample = try BroadcastSample(head: entry)
            open = (sample, 0)
            return .begins(sample)
        }
        let expected = min(BroadcastSample.pieceSize, sample.size - place)
        guard entry.count == expected else {
            throw BroadcastSampleFault("a piece has \(entry.count) bytes instead of \(expected)")
        }
        let end = place + expected
        open = end == sample.size ? nil : (sample, end)
        return .bytes(at: place, isLast: end == sample.size)
    }
}
