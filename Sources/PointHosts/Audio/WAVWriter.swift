// WAVWriter: a WAV file that is written block by block.

import Glibc
import LinuxDescriptors

/// A WAV file in the making. It is at its place when it is whole. Used by one thread at a time.
public final class WAVWriter {
    /// The most bytes of samples: the sizes of the file have 32 bits.
    static let largest = (1 << 32) - 4096

    /// The path of the file.
    public let path: String
    /// The format of the file.
    public let format: WAVFormat
    /// The frames so far.
    public private(set) var frames = 0

    private let draft: String
    private let file: SharedDescriptor
    private let limit: Int
    private var isDone = false

    /// Begins a file beside its place.
    ///
    /// - Parameters:
    ///   - path: the place. A file that is there is replaced when the new one is whole.
    ///   - format: of the samples.
    ///   - limit: the most bytes of samples; nil: as many as a WAV file has.
    /// - Throws: `AudioFileFault`.
    public init(path: String, _ format: WAVFormat, limit: Int? = nil) throws(AudioFileFault) {
        guard WAVFormat.channelRange.contains(format.channels), WAVFormat.rateRange.contains(format.rate) else {
            throw AudioFileFault(
                .unsupported, path, "would have \(format.channels) channels at \(format.rate) Hz"
            )
        }
        (self.path, self.format, self.limit) = (path, format, min(limit ?? Self.largest, Self.largest))
        draft = "\(path).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).partial"
        do {
            file = SharedDescriptor(try createFile(draft))
            try Self.write(header(frames: 0), file.raw, at: 0)
        } catch {
            throw AudioFileFault(.inaccessible, path, "cannot be written: \(error)")
        }
    }

    deinit { if !isDone { unlink(draft) } }

    private static let headerSize = 68

    private static func write(_ bytes: [UInt8], _ raw: Int32, at offset: Int) throws(SystemError) {
        let result: Result<Void, SystemError> = bytes.withUnsafeBytes { bytes in
            do throws(SystemError) {
                return .success(try LinuxDescriptors.write(bytes, to: raw, at: offset))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Returns the chunks before the samples: an extensible format, so that every reader knows the channels.
    private func header(frames: Int) -> [UInt8] {
        let size = frames * format.frameSize
        var bytes: [UInt8] = []
        func add(_ text: String) { bytes += text.utf8 }
        func add(_ value: Int, _ count: Int) {
            for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * byte))) }
        }
        add("RIFF")
        add(Self.headerSize - 8 + size + size % 2, 4)
        add("WAVEfmt ")
        add(40, 4)
        add(0xfffe, 2)
        add(format.channels, 2)
        add(format.rate, 4)
        add(format.rate * format.frameSize, 4)
        add(format.frameSize, 2)
        add(format.encoding.size * 8, 2)
        add(22, 2)
        add(format.encoding.size * 8, 2)
        // Left and right, or no places that are known.
        add(format.channels == 1 ? 4 : format.channels == 2 ? 3 : 0, 4)
        add(format.encoding == .float32 ? 3 : 1, 2)
        bytes += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
        add("data")
        add(size, 4)
        return bytes
    }

    /// Adds frames. Integers are cut to their range.
    ///
    /// - Parameter channels: for each channel as many samples as for the others.
    /// - Throws: `AudioFileFault`: `tooLarge` behind the limit, `inaccessible`.
    public func write(_ channels: [[Float]]) throws(AudioFileFault) {
        let count = channels.map(\.count).min() ?? 0
        guard channels.count == format.channels else {
            throw AudioFileFault(.malformed, path, "has \(format.channels) channels, and \(channels.count) came")
        }
        guard (frames + count) * format.frameSize <= limit else {
            throw AudioFileFault(.tooLarge, path, "would have more than \(limit) bytes of samples")
        }
        let size = count * format.frameSize
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            for (channel, samples) in channels.enumerated() {
                for frame in 0..<count {
                    store(samples[frame], raw, frame * format.frameSize + channel * format.encoding.size)
                }
            }
            initialized = size
        }
        do {
            try Self.write(bytes, file.raw, at: Self.headerSize + frames * format.frameSize)
        } catch {
            throw AudioFileFault(.inaccessible, path, "cannot be written: \(error)")
        }
        frames += count
    }

    private func store(_ sample: Float, _ raw: UnsafeMutableRawBufferPointer, _ offset: Int) {
        func whole(_ scale: Double) -> Int32 {
            guard !sample.isNaN else { return 0 }
            return Int32(min(max((Double(sample) * scale).rounded(), -scale), scale - 1))
        }
        switch format.encoding {
        case .int16: raw.storeBytes(of: Int16(whole(32_768)), toByteOffset: offset, as: Int16.self)
        case .int24:
            let value = whole(8_388_608)
            for byte in 0..<3 { raw[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * Int32(byte))) }
        case .int32: raw.storeBytes(of: whole(2_147_483_648), toByteOffset: offset, as: Int32.self)
        case .float32: raw.storeBytes(of: sample, toByteOffset: offset, as: Float.self)
        }
    }

    /// Writes the sizes, and puts the file at its place.
    ///
    /// - Throws: `AudioFileFault` `inaccessible`; the file is gone then.
    public func finish() throws(AudioFileFault) {
        do {
            let end = Self.headerSize + frames * format.frameSize
            if end % 2 == 1 { try Self.write([0], file.raw, at: end) }
            try Self.write(header(frames: frames), file.raw, at: 0)
        } catch {
            throw AudioFileFault(.inaccessible, path, "cannot be written: \(error)")
        }
        // As for any file that a program makes: the user's mask decides who may read it.
        let mask = umask(0o077)
        umask(mask)
        fchmod(file.raw, 0o666 & ~mask)
        guard rename(draft, path) == 0 else {
            throw AudioFileFault(.inaccessible, path, "cannot be written: \(SystemError("rename"))")
        }
        isDone = true
    }
}
