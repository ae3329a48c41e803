// WAVReader: the samples of a WAV file, block by block.

import Glibc
import LinuxDescriptors

/// An open WAV file: RIFF, little-endian, of 16, 24 or 32 bits or floats of 32 bits, with 1 to 8 channels.
///
/// The file may be a stranger's. The reader holds one block in memory, looks at up to 1,000 chunks, and believes no size
/// that the file does not have. Used by one thread at a time.
public final class WAVReader {
    /// The chunks that are looked at.
    static let chunkLimit = 1000

    /// The path of the file.
    public let path: String
    /// The format of the file.
    public let format: WAVFormat
    /// The number of frames.
    public let frames: Int

    private let file: SharedDescriptor
    private let start: Int
    private var bytes: [UInt8] = []

    /// Opens a file.
    ///
    /// - Throws: `AudioFileFault`.
    public convenience init(path: String) throws(AudioFileFault) {
        let file: OwnedDescriptor
        do {
            file = try openForReading(path)
        } catch {
            throw AudioFileFault(.inaccessible, path, "cannot be opened: \(error)")
        }
        try self.init(SharedDescriptor(file), named: path)
    }

    init(_ file: SharedDescriptor, named path: String) throws(AudioFileFault) {
        let status: FileStatus
        do {
            status = try FileStatus(of: file.raw)
        } catch {
            throw AudioFileFault(.inaccessible, path, "cannot be read: \(error)")
        }
        guard status.isRegular else { throw AudioFileFault(.otherKind, path, "is no regular file") }
        let header = WAVHeader(file: file, path: path, size: status.size)
        (format, start, frames) = try header.read()
        (self.file, self.path) = (file, path)
    }

    /// Reads frames as floats from −1 to 1, one channel after the other.
    ///
    /// - Parameters:
    ///   - count: the number of frames; those behind the file's end are silence.
    ///   - place: the first frame.
    /// - Returns: for each channel its samples.
    /// - Throws: `AudioFileFault` if the file has become shorter meanwhile, or cannot be read.
    public func read(_ count: Int, at place: Int) throws(AudioFileFault) -> [[Float]] {
        let there = max(0, min(count, frames - place))
        let size = there * format.frameSize
        if bytes.count < size { bytes = [UInt8](repeating: 0, count: size) }
        guard try readBytes(&bytes, size, file.raw, at: start + place * format.frameSize, path) == size else {
            throw AudioFileFault(.cutShort, path, "has become shorter while it was read")
        }
        return (0..<format.channels).map { channel in
            [Float](unsafeUninitializedCapacity: count) { target, initialized in
                bytes.withUnsafeBytes { raw in
                    for frame in 0..<there {
                        target[frame] = sample(raw, frame * format.frameSize + channel * format.encoding.size)
                    }
                }
                for frame in there..<max(count, there) { target[frame] = 0 }
                initialized = count
            }
        }
    }

    private func sample(_ raw: UnsafeRawBufferPointer, _ offset: Int) -> Float {
        switch format.encoding {
        case .int16: Float(raw.loadUnaligned(fromByteOffset: offset, as: Int16.self)) / 32_768
        case .int24:
            Float(Int32(raw[offset]) | Int32(raw[offset + 1]) << 8 | Int32(Int8(bitPattern: raw[offset + 2])) << 16)
                / 8_388_608
        case .int32: Float(Double(raw.loadUnaligned(fromByteOffset: offset, as: Int32.self)) / 2_147_483_648)
        case .float32: raw.loadUnaligned(fromByteOffset: offset, as: Float.self)
        }
    }
}

/// Reads bytes of a file; fewer only at its end.
private func readBytes(
    _ bytes: inout [UInt8], _ count: Int, _ raw: Int32, at offset: Int, _ path: String
) throws(AudioFileFault) -> Int {
    var done = 0
    while done < count {
        let read = bytes.withUnsafeMutableBytes { buffer in
            pread(raw, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
        }
        if read < 0, errno == EINTR { continue }
        guard read >= 0 else { throw AudioFileFault(.inaccessible, path, "cannot be read: \(SystemError("pread"))") }
        if read == 0 { break }
        done += read
    }
    return done
}

/// The chunks of a WAV file, up to its samples.
private struct WAVHeader {
    let file: SharedDescriptor
    let path: String
    let size: Int

    private func bytes(_ count: Int, at offset: Int) throws(AudioFileFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try readBytes(&bytes, count, file.raw, at: offset, path)
        return Array(bytes.prefix(read))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

    func read() throws(AudioFileFault) -> (WAVFormat, start: Int, frames: Int) {
        let head = try bytes(12, at: 0)
        guard head.count == 12, head[0..<4].elementsEqual("RIFF".utf8), head[8..<12].elementsEqual("WAVE".utf8) else {
            throw AudioFileFault(.otherKind, path, "is no WAV file" + Self.known(head))
        }
        var format: WAVFormat?
        var place = 12
        for _ in 0..<WAVReader.chunkLimit {
            let chunk = try bytes(8, at: place)
            guard chunk.count == 8 else {
                throw AudioFileFault(.cutShort, path, "ends before its samples")
            }
            let length = Self.number(chunk[4..<8])
            let start = place + 8
            if chunk[0..<4].elementsEqual("data".utf8) {
                guard let format else { throw AudioFileFault(.malformed, path, "has samples before their format") }
                guard start + length <= size else {
                    throw AudioFileFault(
                        .cutShort, path, "announces \(length) bytes of samples, and \(size - start) are there")
                }
                return (format, start, length / format.frameSize)
            }
            if chunk[0..<4].elementsEqual("fmt ".utf8) {
                guard format == nil else { throw AudioFileFault(.malformed, path, "has two formats") }
                guard (16...4096).contains(length) else {
                    throw AudioFileFault(.malformed, path, "has a format of \(length) bytes")
                }
                format = try self.format(try bytes(min(length, 40), at: start), length)
            }
            // Chunks begin at even places.
            place = start + length + length % 2
            guard place < size else { throw AudioFileFault(.cutShort, path, "ends before its samples") }
        }
        throw AudioFileFault(.tooLarge, path, "has no samples within its first \(WAVReader.chunkLimit) chunks")
    }

    private func format(_ bytes: [UInt8], _ length: Int) throws(AudioFileFault) -> WAVFormat {
        guard bytes.count == min(length, 40) else { throw AudioFileFault(.cutShort, path, "ends within its format") }
        var tag = Self.number(bytes[0..<2])
        let (channels, rate) = (Self.number(bytes[2..<4]), Self.number(bytes[4..<8]))
        let (align, bits) = (Self.number(bytes[12..<14]), Self.number(bytes[14..<16]))
        if tag == 0xfffe {
            // An extensible format names its own in the first bytes of an identifier whose rest is always the same.
            let rest: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
            guard bytes.count == 40, bytes[26..<40].elementsEqual(rest) else {
                throw AudioFileFault(.unsupported, path, "has a format that WAV's own codes do not name")
            }
            tag = Self.number(bytes[24..<26])
            guard [0, bits].contains(Self.number(bytes[18..<20])) else {
                throw AudioFileFault(.unsupported, path, "has fewer valid bits than its samples have")
            }
        }
        let encoding: WAVFormat.Encoding
        switch (tag, bits) {
        case (1, 16): encoding = .int16
        case (1, 24): encoding = .int24
        case (1, 32): encoding = .int32
        case (3, 32): encoding = .float32
        case (1, _), (3, _):
            throw AudioFileFault(.unsupported, path, "has samples of \(bits) bits\(tag == 3 ? ", float" : "")")
        default: throw AudioFileFault(.unsupported, path, "has compressed samples, of the format \(tag)")
        }
        guard WAVFormat.channelRange.contains(channels) else {
            throw AudioFileFault(.unsupported, path, "has \(channels) channels, and 1 to 8 are read")
        }
        guard WAVFormat.rateRange.contains(rate) else {
            throw AudioFileFault(.unsupported, path, "has a sample rate of \(rate) Hz")
        }
        let format = WAVFormat(encoding, channels: channels, rate: rate)
        guard align == format.frameSize else {
            throw AudioFileFault(
                .malformed, path, "has \(align) bytes a frame, and its samples need \(format.frameSize)")
        }
        return format
    }

    /// The kind of another file, in words.
    private static func known(_ head: [UInt8]) -> String {
        let kinds: [(String, [UInt8])] = [
            ("AIFF", Array("FORM".utf8)), ("FLAC", Array("fLaC".utf8)), ("Ogg", Array("OggS".utf8)),
            ("MP3", Array("ID3".utf8)), ("MP3", [0xff, 0xfb]), ("Core Audio", Array("caff".utf8)),
            ("big-endian WAV", Array("RIFX".utf8)), ("64-bit WAV", Array("RF64".utf8)), ("MIDI", Array("MThd".utf8)),
        ]
        let kind = kinds.first { head.starts(with: $0.1) }?.0
        let isFilm = head.count >= 8 && head[4..<8].elementsEqual("ftyp".utf8)
        return (kind ?? (isFilm ? "MPEG-4" : nil)).map { ", but a \($0) file" } ?? ""
    }
}
