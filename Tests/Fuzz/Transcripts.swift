// transcripts: any bytes as a transcript's file: read as far as it goes, or refused with the line; what was read is
// written the same again, and compared as a replay does it.

import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding
import Transcripts

/// One for all inputs, written anew for each.
private let path: String = {
    let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    let path = "\(folder)/exthost-fuzz-transcript-\(getpid())"
    atexit { unlink(fileOfThisProcess) }
    return path
}()

/// As atexit(3) can have it.
private var fileOfThisProcess: String {
    "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/exthost-fuzz-transcript-\(getpid())"
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = InputReader(start, count)
    let bytes = input.all()
    for line in bytes.split(separator: UInt8(ascii: "\n")) { check(line: line) }
    guard let transcript = read(bytes) else { return 0 }
    let text = written(transcript)
    guard let again = read(text) else { finding("what was read and written is refused") }
    must(again.isWhole == transcript.isWhole && again.entries.count == transcript.entries.count, "another transcript")
    must(written(again) == text, "it is written otherwise the second time")
    replay(transcript)
    return 0
}

private func check(line: ArraySlice<UInt8>) {
    do {
        let bytes = try TranscriptLine(line).bytes
        must(
            bytes.last == UInt8(ascii: "\n") && bytes.count { $0 == UInt8(ascii: "\n") } == 1,
            "a line that is more than one")
        let again: TranscriptLine
        do { again = try TranscriptLine(bytes.dropLast()) } catch {
            finding("a line that was written is refused: \(error)")
        }
        must(again.bytes == bytes, "a line is written otherwise the second time")
    } catch {
        checkText(of: error)
    }
}

private func read(_ bytes: [UInt8]) -> Transcript? {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { finding("no file: \(errno)") }
    defer { close(file) }
    guard bytes.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == bytes.count else {
        finding("no room: \(errno)")
    }
    do {
        return try Transcript(contentsOf: path)
    } catch {
        checkText(of: error)
        must(!error.remedy.isEmpty && !error.isMissing, "an error without a remedy")
        must(
            error.line.map { $0 >= 1 && $0 <= bytes.count { $0 == UInt8(ascii: "\n") } + 1 } ?? true,
            "line \(error.line ?? 0)")
        return nil
    }
}

private func written(_ transcript: Transcript) -> [UInt8] {
    var bytes = TranscriptLine.header(transcript.header).bytes
    for entry in transcript.entries { bytes += TranscriptLine.entry(entry).bytes }
    return transcript.isWhole ? bytes + TranscriptLine.end(transcript.entries.count).bytes : bytes
}

/// What is said as it was said then has no divergence, unless it is nothing that could have been said twice.
private func replay(_ transcript: Transcript) {
    let unbroken = transcript.unbroken
    must(
        unbroken.entries.count <= transcript.entries.count && unbroken.missing == transcript.missing,
        "more without the breaks")
    for side in [Role.host, .extension] {
        var comparison = SideComparison(of: side, in: unbroken)
        must(comparison.agreed == 0, "it agrees before anything was said")
        var divergence: TranscriptDivergence?
        for (packet, _) in unbroken.packets {
            divergence = divergence ?? comparison.observe(packet)
            _ = MessageKind.named(packet.kind)
        }
        if let found = divergence ?? comparison.missing(note: "nothing came") {
            must(!"\(found)".isEmpty, "a divergence without words")
        }
        if divergence == nil, comparison.isOver {
            must(comparison.missing(note: nil) == nil, "something is missing of what is over")
        }
    }
    for (packet, _) in unbroken.packets {
        guard let payload = packet.payload, let bytes = try? payload.encodeBinary() else { continue }
        do {
            var comparison = PropertyListComparison()
            let again = try PropertyList(binary: bytes, limits: .payload)
            must(comparison.firstDifference(payload, again) == nil, "a payload that is said is another one")
        } catch {
            checkText(of: error)
        }
    }
}
