// exthost-images: decodes one image of a stranger for a host, in a process that can do nothing else.
//
//     exthost-images header | check | pixels SIDE | compare TOLERANCE | attempt CALL
//
// Descriptor 0 is the image, 3 the memfd for the answer, 4 the second image of compare. The host sets the limits of
// memory, time and descriptors, and ends this process when it ends itself.

import CImageConfinement
import Glibc
import ImageAnswers
import ImageCodecs

private let answerDescriptor: Int32 = 3
/// The largest file that is read.
private let mostBytes = 256 << 20

private func fail(_ words: String, _ status: Int32) -> Never {
    let line = "exthost-images: \(words)\n"
    _ = line.withCString { write(2, $0, strlen($0)) }
    exit(status)
}

/// Returns the size of an open file, asked before the confinement, which allows no such question.
private func size(of descriptor: Int32) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        fail("descriptor \(descriptor) is not a regular file", 66)
    }
    return Int(status.st_size)
}

private func read(_ descriptor: Int32, _ size: Int) throws(ImageCodecError) -> UnsafeRawBufferPointer {
    guard size <= mostBytes else { throw .invalid("the file has \(size) bytes, more than the \(mostBytes) allowed") }
    guard let base = malloc(max(size, 1)) else { throw .noMemory }
    var done = 0
    while done < size {
        let count = pread(descriptor, base + done, size - done, off_t(done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        done += count
    }
    return UnsafeRawBufferPointer(start: base, count: done)
}

/// Decodes a file, and gives its bytes back.
private func decode(
    _ descriptor: Int32, _ size: Int, longestSide: Int? = nil
) throws(ImageCodecError) -> (ImageHeader, Pixels) {
    let bytes = try read(descriptor, size)
    defer { free(UnsafeMutableRawPointer(mutating: bytes.baseAddress)) }
    return (try ImageHeader(of: bytes), try ImageCodec.decode(bytes, longestSide: longestSide))
}

private func put(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    var done = 0
    while done < bytes.count {
        let count = pwrite(answerDescriptor, bytes.baseAddress! + done, bytes.count - done, off_t(place + done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { _exit(74) }
        done += count
    }
}

private func answer(_ verb: String, _ number: Int, _ sizes: [Int]) throws(ImageCodecError) -> ImageAnswer {
    var answer = ImageAnswer(.done)
    switch verb {
    case "header": answer.header = try ImageHeader(of: try read(0, sizes[0]))
    case "check": answer.header = try decode(0, sizes[0]).0
    case "pixels":
        let (header, stored) = try decode(0, sizes[0], longestSide: number > 0 ? number : nil)
        let pixels = try stored.upright(from: header.orientation)
        (answer.header, answer.size) = (header, (pixels.width, pixels.height))
        put(
            UnsafeRawBufferPointer(rebasing: pixels.memory.bytes[..<(pixels.width * pixels.height * 4)]),
            at: ImageAnswer.length)
    default:
        let (header, pixels) = try decode(0, sizes[0])
        let (otherHeader, other) = try decode(4, sizes[1])
        answer.header = header
        (answer.changed, answer.total) = pixels.differing(
            orientation: header.orientation, from: other, orientation: otherHeader.orientation, tolerance: number)
    }
    return answer
}

let words = CommandLine.arguments
let verb = words.count > 1 ? words[1] : ""
let number = words.count > 2 ? Int(words[2]) : nil
let takesNumber = ["pixels", "compare"].contains(verb)
guard
    words.count == 2 && ["header", "check"].contains(verb) || words.count == 3 && takesNumber && number ?? -1 >= 0
        || words.count == 3 && verb == "attempt"
else { fail("usage: exthost-images header | check | pixels SIDE | compare TOLERANCE | attempt CALL", 64) }
let sizes = (verb == "compare" ? [0, 4] : [0]).map { size(of: Int32($0)) }

// The libraries read the processor's abilities in /proc at their first use. So their first image is one of ours, before
// the confinement.
for format in ImageFormat.allCases {
    guard let pixel = try? Pixels(width: 8, height: 8, copying: [UInt8](repeating: 128, count: 256)) else { break }
    _ = try? ImageCodec.decode(ImageCodec.encode(pixel, as: format), longestSide: 4)
}
if let step = exthost_confine_images(answerDescriptor).map({ String(cString: $0) }) {
    fail("cannot confine itself: \(step)", 71)
}
if verb == "attempt" { words[2].withCString { exthost_attempt($0, 0) } }
var result: ImageAnswer
do throws(ImageCodecError) {
    result = try verb == "attempt" ? ImageAnswer(.done) : answer(verb, number ?? 0, sizes)
} catch {
    result = ImageAnswer(.failed(error))
}
result.encoded().withUnsafeBytes { put($0, at: 0) }
_exit(0)
