// TranscriptFile: a transcript on disk, written line by line as it happens, and read within bounds.

public import ExtensionProtocol
import Glibc
import LinuxSystem

extension Transcript {
    /// The limits of one line and of a file, in bytes: a payload has 64 MiB at most, and base64 adds a third to that.
    static let largestLine = 128 << 20
    static let largestFile = 1 << 30
    private static let step = 1 << 20

    /// Reads a transcript. One that is cut off within its last line is read up to there, and is not whole.
    ///
    /// - Throws: `TranscriptError` with the number of the invalid line. Blocks the calling thread.
    public init(contentsOf path: String) throws(TranscriptError) {
        let file: OwnedDescriptor
        do {
            file = try openForReading(path)
        } catch {
            throw TranscriptError(
                path, "cannot be read: \(error)", remedy: "Name a file from exthostctl record", isMissing: true)
        }
        var reading = Reading(path: path)
        var rest: [UInt8] = []
        var total = 0
        while true {
            let chunk = try Self.chunk(of: file, path)
            if chunk.isEmpty { break }
            total += chunk.count
            guard total <= Self.largestFile else {
                throw TranscriptError(
                    path, "a transcript has at most \(Self.largestFile >> 20) MiB", remedy: "Record less in one file")
            }
            rest += chunk
            var start = 0
            // Only new bytes can end a line.
            var search = rest.count - chunk.count
            while let newline = rest[search...].firstIndex(of: UInt8(ascii: "\n")) {
                try reading.take(rest[start..<newline])
                start = newline + 1
                search = start
            }
            rest.removeFirst(start)
            guard rest.count <= Self.largestLine else {
                throw TranscriptError(
                    path, line: reading.line + 1, "a line has at most \(Self.largestLine >> 20) MiB",
                    remedy: Reading.remedy)
            }
        }
        self = try reading.finish()
    }

    private static func chunk(of file: borrowing OwnedDescriptor, _ path: String) throws(TranscriptError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: step)
        while true {
            let count = read(file.raw, &bytes, step)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw TranscriptError(
                    path, "cannot be read: \(String(cString: strerror(errno)))",
                    remedy: "Name a file from exthostctl record",
                    isMissing: true)
            }
            bytes.removeLast(step - count)
            return bytes
        }
    }

    /// The lines that have been read so far.
    private struct Reading {
        static let remedy = "Record again; docs/transcripts.md describes the format"
        let path: String
        private(set) var line = 0
        private var header: TranscriptHeader?
        private var entries: [TranscriptEntry] = []
        private var isWhole = false

        init(path: String) { self.path = path }

        mutating func take(_ bytes: ArraySlice<UInt8>) throws(TranscriptError) {
            line += 1
            let read: TranscriptLine
            do {
                read = try TranscriptLine(bytes)
            } catch {
                throw TranscriptError(path, line: line, "\(error)", remedy: Self.remedy)
            }
            switch read {
            case .header(let header):
                guard line == 1 else {
                    throw TranscriptError(path, line: line, "there is a second header", remedy: Self.remedy)
                }
                self.header = header
            case .entry(let entry):
                guard header != nil else { throw noHeader }
                guard !isWhole else {
                    throw TranscriptError(path, line: line, "there is an entry after the end", remedy: Self.remedy)
                }
                entries.append(entry)
            case .end(let count):
                guard header != nil else { throw noHeader }
                guard count == entries.count, !isWhole else {
                    throw TranscriptError(
                        path, line: line, "the end counts \(count) entries, and there are \(entries.count) before it",
                        remedy: Self.remedy)
                }
                isWhole = true
            }
        }

        private var noHeader: TranscriptError {
            TranscriptError(path, line: line, "a transcript begins with its header", remedy: Self.remedy)
        }

        func finish() throws(TranscriptError) -> Transcript {
            guard let header else {
                throw TranscriptError(path, line: 1, "a transcript begins with its header", remedy: Self.remedy)
            }
            return Transcript(header: header, entries: entries, isWhole: isWhole)
        }
    }
}

/// A writer of a transcript as it happens: after each call the file holds whole lines.
///
/// It may be used from one thread at a time.
public final class TranscriptWriter {
    private let path: String
    private let file: OwnedDescriptor
    public private(set) var count = 0

    /// Creates the file anew, readable by this user only: it may hold the content of requests.
    public init(path: String, header: TranscriptHeader) throws(TranscriptError) {
        let raw = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o600)
        guard raw >= 0 else {
            throw TranscriptError(
                path, "cannot be written: \(String(cString: strerror(errno)))",
                remedy: "Name a file in a folder that you may write to",
                isMissing: true)
        }
        file = OwnedDescriptor(owning: raw)
        self.path = path
        try write(TranscriptLine.header(header).bytes)
    }

    public func append(_ entries: [TranscriptEntry]) throws(TranscriptError) {
        var bytes: [UInt8] = []
        for entry in entries { bytes += TranscriptLine.entry(entry).bytes }
        try write(bytes)
        count += entries.count
    }

    /// Writes the end of the transcript. No entry may follow.
    public func finish() throws(TranscriptError) { try write(TranscriptLine.end(count).bytes) }

    private func write(_ bytes: [UInt8]) throws(TranscriptError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(file.raw, $0.baseAddress! + written, bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw TranscriptError(
                    path, "cannot be written: \(String(cString: strerror(errno)))", remedy: "Free some space for it")
            }
            written += count
        }
    }
}
