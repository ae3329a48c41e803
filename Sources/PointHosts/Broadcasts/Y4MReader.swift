// Y4MReader: the frames of a file of raw video, one by one.

public import ExtensionProtocol
import Glibc
import LinuxDescriptors
import PointMessages

/// A fault of a file of raw video.
public struct VideoFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the fault.
    public enum Kind: String, Sendable, Hashable {
        /// The file is none of the kind.
        case otherKind
        /// The file ends within a frame or its header.
        case cutShort
        /// A field has a value that cannot be.
        case malformed
        /// The file is a correct one of a form that is not read here.
        case unsupported
        /// The frames have more pixels than a broadcast's.
        case tooLarge
        /// The file cannot be opened or read.
        case inaccessible
    }

    /// The kind of the fault.
    public let kind: Kind
    /// The file, and what is wrong with it.
    public let description: String

    init(_ kind: Kind, _ path: String, _ text: String) {
        self.kind = kind
        description = "\(path) \(text)"
    }

    /// The fault as an error with a remedy.
    public var error: ExtensionHostError {
        let remedy =
            switch kind {
            case .otherKind, .unsupported: "Convert it: ffmpeg -i FILE -pix_fmt yuv420p OUT.y4m"
            case .cutShort, .malformed: "Write the file anew"
            case .tooLarge: "Use at most 4096 by 4096 pixels, and 16 MiB a frame"
            case .inaccessible: "Name a file that can be read"
            }
        return ExtensionHostError(kind == .tooLarge ? .payloadTooLarge : .invalidArgument, description, remedy: remedy)
    }
}

/// An open file of raw video: YUV4MPEG2 with 8 bits and 4:2:0.
///
/// The file may be a stranger's. The reader holds one frame in memory, and believes no size that the file does not have.
/// Used by one thread at a time.
public final class Y4MReader {
    /// The most bytes of the file's header, and of a frame's.
    static let longestHeader = 1024

    /// The path of the file.
    public let path: String
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The frames of a second, as a fraction.
    public let rate: (numerator: Int, denominator: Int)
    /// Whether luma is from 0 to 255, and not from 16 to 235.
    public let isFullRange: Bool
    /// The number of frames that the file has room for, if no frame's header has parameters.
    public let frames: Int

    private let file: SharedDescriptor
    private let size: Int
    private var place: Int

    /// Opens a file.
    ///
    /// - Throws: `VideoFileFault`.
    public convenience init(path: String) throws(VideoFileFault) {
        let file: OwnedDescriptor
        do {
            file = try openForReading(path)
        } catch {
            throw VideoFileFault(.inaccessible, path, "cannot be opened: \(error)")
        }
        try self.init(SharedDescriptor(file), named: path)
    }

    init(_ file: SharedDescriptor, named path: String) throws(VideoFileFault) {
        let status: FileStatus
        do {
            status = try FileStatus(of: file.raw)
        } catch {
            throw VideoFileFault(.inaccessible, path, "cannot be read: \(error)")
        }
        guard status.isRegular else { throw VideoFileFault(.otherKind, path, "is no regular file") }
        (self.file, self.path, size) = (file, path, status.size)
        let line = try Self.line(file, at: 0, path, of: "its header")
        let header = try Y4MHeader(line, path)
        (width, height, rate, isFullRange) = (header.width, header.height, header.rate, header.isFullRange)
        place = line.count + 1
        frames = (size - place) / (header.width * header.height + 2 * header.chromaWidth * header.chromaHeight + 6)
    }

    /// The duration of a frame in nanoseconds.
    public var frameDuration: Int64 { Int64(1_000_000_000 * Double(rate.denominator) / Double(rate.numerator)) }

    /// Returns the time of a frame after the first one, in nanoseconds. A time without room is the largest.
    public func time(ofFrame number: Int) -> Int64 {
        let time = Double(number) * 1_000_000_000 * Double(rate.denominator) / Double(rate.numerator)
        return Int64(exactly: time.rounded(.towardZero)) ?? .max
    }

    /// Begins with the first frame again.
    ///
    /// - Throws: `VideoFileFault` if the file has changed meanwhile.
    public func rewind() throws(VideoFileFault) { place = try Self.line(file, at: 0, path, of: "its header").count + 1 }

    /// Reads the next frame.
    ///
    /// - Returns: two planes, as `BroadcastSample.Format.video` describes them; nil at the end.
    /// - Throws: `VideoFileFault` for a frame that is cut short, or that is none.
    public func next() throws(VideoFileFault) -> [UInt8]? {
        guard place < size else { return nil }
        let header = try Self.line(file, at: place, path, of: "the header of a frame")
        let words = header.split(separator: 0x20)
        guard let first = words.first, first.elementsEqual("FRAME".utf8) else {
            throw VideoFileFault(.malformed, path, "has no frame at byte \(place)")
        }
        if words.dropFirst().contains(where: { $0.first != 0x49 && $0.first != 0x58 }) {
            throw VideoFileFault(.unsupported, path, "has a frame with parameters of its own at byte \(place)")
        }
        let start = place + header.count + 1
        let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
        let (lumaSize, chromaSize) = (width * height, chromaWidth * chromaHeight)
        let count = lumaSize + 2 * chromaSize
        guard start + count <= size else {
            throw VideoFileFault(
                .cutShort, path, "ends within a frame: \(max(0, size - start)) of \(count) bytes are there")
        }
        let source = try Self.read(file, count, at: start, path)
        guard source.count == count else {
            throw VideoFileFault(.cutShort, path, "has become shorter while it was read")
        }
        place = start + count
        let (lumaRow, chromaRow) = (BroadcastSample.rowSize(width), BroadcastSample.rowSize(2 * chromaWidth))
        var planes = [UInt8](repeating: 0, count: lumaRow * height + chromaRow * chromaHeight)
        planes.withUnsafeMutableBufferPointer { target in
            source.withUnsafeBufferPointer { source in
                for row in 0..<height {
                    for column in 0..<width { target[row * lumaRow + column] = source[row * width + column] }
                }
                for row in 0..<chromaHeight {
                    let begin = lumaRow * height + row * chromaRow
                    let blue = lumaSize + row * chromaWidth
                    for column in 0..<chromaWidth {
                        target[begin + 2 * column] = source[blue + column]
                        target[begin + 2 * column + 1] = source[blue + chromaSize + column]
                    }
                }
            }
        }
        return planes
    }

    /// Reads the bytes up to the end of a line.
    private static func line(
        _ file: SharedDescriptor, at place: Int, _ path: String, of name: String
    ) throws(VideoFileFault) -> [UInt8] {
        let bytes = try read(file, longestHeader, at: place, path)
        if place == 0, !bytes.starts(with: "YUV4MPEG2".utf8) {
            throw VideoFileFault(.otherKind, path, "is no file of raw video (YUV4MPEG2)")
        }
        guard let end = bytes.firstIndex(of: 0x0a) else {
            if bytes.count == longestHeader {
                throw VideoFileFault(.malformed, path, "has more than \(longestHeader) bytes in \(name)")
            }
            throw VideoFileFault(.cutShort, path, "ends within \(name)")
        }
        return Array(bytes[..<end])
    }

    /// Reads bytes of a file; fewer only at its end.
    private static func read(
        _ file: SharedDescriptor, _ count: Int, at offset: Int, _ path: String
    ) throws(VideoFileFault) -> [UInt8] {
        var error: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let read = pread(file.raw, buffer.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
                if read < 0, errno == EINTR { continue }
                if read < 0 { error = errno }
                guard read > 0 else { break }
                done += read
            }
        }
        guard error == 0 else {
            throw VideoFileFault(.inaccessible, path, "cannot be read: \(SystemError("pread", code: error))")
        }
        return bytes
    }
}

/// The header of a file of raw video.
private struct Y4MHeader {
    var width = 0
    var height = 0
    var rate = (numerator: 0, denominator: 0)
    var isFullRange = false

    var chromaWidth: Int { (width + 1) / 2 }
    var chromaHeight: Int { (height + 1) / 2 }

    init(_ line: [UInt8], _ path: String) throws(VideoFileFault) {
        let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        guard words.first == "YUV4MPEG2" else {
            throw VideoFileFault(.otherKind, path, "is no file of raw video (YUV4MPEG2)")
        }
        var seen = Set<Character>()
        for word in words.dropFirst() {
            let (tag, value) = (word.first ?? " ", String(word.dropFirst()))
            guard tag == "X" || seen.insert(tag).inserted else {
                throw VideoFileFault(.malformed, path, "has the parameter \(tag) twice")
            }
            switch tag {
            case "W": width = try Self.number(value, "width", path)
            case "H": height = try Self.number(value, "height", path)
            case "F":
                let parts = value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
                guard parts.count == 2 else {
                    throw VideoFileFault(.malformed, path, "has the rate \(value), which is no fraction")
                }
                rate = (try Self.number(parts[0], "rate", path), try Self.number(parts[1], "rate", path))
            case "I":
                guard ["p", "?"].contains(value) else {
                    throw VideoFileFault(.unsupported, path, "is interlaced (\(word))")
                }
            case "C":
                guard ["420", "420jpeg", "420mpeg2", "420paldv"].contains(value) else {
                    throw VideoFileFault(.unsupported, path, "has the colours \(value), and 4:2:0 of 8 bits is read")
                }
            case "X" where value == "COLORRANGE=FULL": isFullRange = true
            default: break
            }
        }
        guard width > 0, height > 0 else { throw VideoFileFault(.malformed, path, "has no width or no height") }
        guard rate.numerator > 0, rate.denominator > 0 else {
            throw VideoFileFault(.malformed, path, "has no frame rate")
        }
        let framesPerSecond = Double(rate.numerator) / Double(rate.denominator)
        guard (0.01...1000).contains(framesPerSecond) else {
            throw VideoFileFault(.unsupported, path, "has \(rate.numerator)/\(rate.denominator) frames a second")
        }
        let limit = BroadcastSample.largestSide
        let isLarge =
            width > limit || height > limit
            || BroadcastSample.rowSize(width) * height + BroadcastSample.rowSize(2 * chromaWidth) * chromaHeight
                > BroadcastSample.largestSize
        if isLarge { throw VideoFileFault(.tooLarge, path, "has frames of \(width) by \(height) pixels") }
    }

    private static func number(_ text: String, _ name: String, _ path: String) throws(VideoFileFault) -> Int {
        guard (1...9).contains(text.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text)
        else { throw VideoFileFault(.malformed, path, "has the \(name) \(text.prefix(32)), which is no number") }
        return number
    }
}
