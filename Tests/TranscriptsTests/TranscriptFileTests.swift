// TranscriptFileTests: what is written comes back; what is cut off is read as far as it goes; what is no transcript is
// refused with its line.

import ExtensionProtocol
import Foundation
import LinuxSystem
import PropertyListCoding
import Testing
import Transcripts

@Suite final class TranscriptFileTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path + "/session.jsonl" }

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-transcripts") }

    deinit { try? folder.remove() }

    // A literal of the right form.
    private static let request = RequestIdentifier("6BA7B810-9DAD-41D1-80B4-00C04FD430C8")!

    private static let header = TranscriptHeader(
        Recording(
            version: "1.2", clock: "virtual", time: 5, contents: true,
            timers: [PointRecord.Timer(name: "idle", delay: 0.5)]))

    private static let entries: [TranscriptEntry] = [
        TranscriptEntry(
            time: 1,
            .packet(
                RecordedPacket(
                    connection: 3, role: .host, name: nil, pid: nil, isFromDaemon: false, kind: "begin", serial: 2,
                    body: ["request": .string(request.description)],
                    payload: [["$kind": "item", "userInfo": ["x": .data([1, 2])]]],
                    sealed: 70_000,
                    descriptors: [
                        RecordedDescriptor(kind: .memory, size: 3, contents: [7, 8, 9]),
                        RecordedDescriptor(kind: .other, size: nil),
                    ]))),
        TranscriptEntry(
            time: 2,
            .packet(
                RecordedPacket(
                    connection: 4, role: .extension, name: "e", pid: 9, isFromDaemon: true, kind: "itemLoaded",
                    serial: 4,
                    answers: 2,
                    body: [:]))),
        TranscriptEntry(
            time: 3, .event(EventRecord(sequence: 9, time: 10, event: .requestCreated, request: request, host: "notes"))
        ),
        TranscriptEntry(
            time: 4,
            .timer(
                RecordedTimer(
                    name: "load", change: .armed, delay: 10, pid: 9, extensionIdentifier: "e", request: request))),
        TranscriptEntry(
            time: 5, .timer(RecordedTimer(name: "launch", change: .fired, pid: nil, extensionIdentifier: "e"))),
        TranscriptEntry(time: 6, .ended(RecordedEnd(connection: 3, role: .host, name: "notes", detail: "why"))),
        TranscriptEntry(time: 7, .gap(12)),
    ]

    private func write(_ entries: [TranscriptEntry] = TranscriptFileTests.entries, ends: Bool = true) throws {
        let writer = try TranscriptWriter(path: path, header: Self.header)
        try writer.append(entries)
        if ends { try writer.finish() }
    }

    @Test func `what is written comes back`() throws {
        try write()
        let read = try Transcript(contentsOf: path)
        #expect(read.entries == Self.entries && read.isWhole && read.missing == 12)
        #expect(read.header.recording.dictionary == Self.header.recording.dictionary)
    }

    @Test func `nobody else may read it`() throws {
        try write()
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `after each call it can be read`() throws {
        let writer = try TranscriptWriter(path: path, header: Self.header)
        #expect(try Transcript(contentsOf: path).entries.isEmpty)
        for count in 1...Self.entries.count {
            try writer.append([Self.entries[count - 1]])
            let read = try Transcript(contentsOf: path)
            #expect(read.entries.count == count && !read.isWhole)
        }
    }

    @Test func `one that is cut off anywhere is read up to its last whole line`() throws {
        try write()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let headerEnd = try #require(bytes.firstIndex(of: 0x0a))
        for end in stride(from: headerEnd + 1, to: bytes.count, by: 7) {
            try Data(bytes[..<end]).write(to: URL(fileURLWithPath: path))
            let read = try Transcript(contentsOf: path)
            #expect(!read.isWhole)
            #expect(read.entries == Array(Self.entries.prefix(bytes[..<end].count { $0 == 0x0a } - 1)))
        }
    }

    static let headerLine =
        #"{"transcript": 1, "version": "1", "clock": "real", "time": 0, "contents": false, "timers": []}"#
    static let faults: [(text: String, line: Int)] = [
        ("", 1), ("\n", 1), ("hello\n", 1), ("[]\n", 1), (#"{"transcript": 2}"# + "\n", 1),
        (#"{"transcript": 1}"# + "\n", 1),
        (#"{"time": 1, "gap": 1}"# + "\n", 1), (#"{"end": 0}"# + "\n", 1), (headerLine, 1),
        ("\(headerLine)\n\(headerLine)\n", 2),
        ("\(headerLine)\n{}\n", 2), ("\(headerLine)\n{\"time\": 1, \"gap\": 1}\nbplist00\n", 3),
        ("\(headerLine)\n{\"end\": 1}\n", 2), ("\(headerLine)\n{\"end\": 0}\n{\"time\": 1, \"gap\": 1}\n", 3),
        ("\(headerLine)\n{\"time\": 1, \"packet\": {\"connection\": 1}}\n", 2),
        ("\(headerLine)\n" + String(repeating: "[", count: 200_000) + "\n", 2),
    ]

    @Test(arguments: faults) func `what is no transcript is refused with its line and a remedy`(text: String, line: Int)
        throws
    {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let error = try #require(throws: TranscriptError.self) { try Transcript(contentsOf: path) }
        #expect(error.line == line && !error.remedy.isEmpty, "\(error)")
    }

    @Test func `a file that is not there, and a folder, are told as such`() throws {
        let missing = try #require(throws: TranscriptError.self) { try Transcript(contentsOf: path) }
        #expect(missing.isMissing && missing.line == nil)
        #expect(throws: TranscriptError.self) { try Transcript(contentsOf: folder.path) }
        #expect(throws: TranscriptError.self) { try TranscriptWriter(path: folder.path, header: Self.header) }
    }
}
