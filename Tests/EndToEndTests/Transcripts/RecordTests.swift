// RecordTests: what passes through a daemon is in the file: in order, without contents unless they were asked for, and
// nobody waits for it.

import ExtensionHostTesting
import ExtensionItems
import ExtensionProtocol
import Foundation
import LinuxSystem
import Locks
import PropertyListCoding
import TestPrograms
import Testing
import Transcripts

@Suite final class RecordTests {
    private let folder: TemporaryDirectory
    private var file: String { folder.path + "/session.jsonl" }
    private let share = "org.exthost.samples.share"

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-record") }

    deinit { try? folder.remove() }

    private func run(_ arguments: [String]) async throws -> Program.Ending {
        try await Program.control(arguments, socket: "/nonexistent/host.sock").ending()
    }

    private func text() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    /// The packets of one kind of peer, as `>kind` to it and `<kind` from it.
    private func kinds(_ transcript: Transcript, _ role: Role) -> [String] {
        transcript.entries.compactMap {
            guard case .packet(let packet) = $0.content, packet.role == role, packet.kind != "output" else {
                return nil
            }
            return (packet.isFromDaemon ? ">" : "<") + packet.kind
        }
    }

    @Test func aCommandsSessionIsRecordedWholeFromItsFirstPacketToTheDaemonsEnd() async throws {
        let control = SampleApplications.buildFolder + "/exthostctl"
        let ending = try await run([
            "record", file, "--contents", "--applications", try samples(), "--", control, "run", share, "--url",
            "https://example.org/a", "-q",
            "--expect", "cancelled",
        ])
        #expect(ending.status == 1, "the command's: \(ending)")
        let transcript = try Transcript(contentsOf: file)
        #expect(transcript.isWhole && transcript.header.recording.contents && transcript.missing == 0)
        #expect(
            kinds(transcript, .extension).starts(with: [
                "<hello", ">welcome", ">deliver", "<loadItem", ">itemLoaded", "<complete", ">acknowledge",
            ]))
        #expect(
            kinds(transcript, .host).starts(with: [
                "<hello", ">welcome", "<begin", ">begun", ">loadItem", "<itemLoaded", ">finished", "<acknowledge",
            ]))
        let events = transcript.entries.compactMap { if case .event(let event) = $0.content { event } else { nil } }
        #expect(events.first?.sequence == 2 && events.contains { $0.event == "daemon.stopping" })
        let timers = transcript.entries.compactMap { if case .timer(let timer) = $0.content { timer } else { nil } }
        #expect(timers.contains { $0.name == "load" && $0.change == .armed && $0.delay == 10 && $0.request != nil })
        #expect(timers.contains { $0.name == "load" && $0.change == .disarmed })
        // Answers name what they answer.
        let packets = transcript.entries.compactMap { if case .packet(let packet) = $0.content { packet } else { nil } }
        let question = try #require(packets.first { $0.kind == "loadItem" && $0.role == .host })
        let answer = try #require(packets.first { $0.kind == "itemLoaded" && $0.role == .host })
        #expect(answer.answers == question.serial && question.isFromDaemon && !answer.isFromDaemon)
        #expect(answer.payload == ["value": ["$kind": "url", "string": "https://example.org/a"]])
    }

    @Test func withoutContentsNothingOfThemIsInTheFile() async throws {
        let secretFile = folder.path + "/confidential-name.txt"
        try Data("confidential".utf8).write(to: URL(fileURLWithPath: secretFile))
        let control = SampleApplications.buildFolder + "/exthostctl"
        let arguments = [
            "--applications", try samples(), "--", control, "run", share, "--url", "https://example.org/confidential",
            "--title",
            "confidential",
            "--text", "confidential", "--data", "public.data=\(secretFile)", "--force",
        ]
        let bare = try await run(["record", file] + arguments)
        let kept = try text()
        #expect(bare.status == 0 && bare.output.contains("confidential"), "\(bare)")
        #expect(!kept.contains("confidential"))
        #expect(try !Transcript(contentsOf: file).header.recording.contents)
        // Sizes and types are: https://example.org/confidential has 32 bytes.
        #expect(kept.contains(#""$kind": "url""#) && kept.contains("<string of 32 bytes>"))
        // And with contents it would be there: the search can fail.
        _ = try await run(["record", file, "--contents"] + arguments)
        #expect(try text().contains("confidential"))
    }

    @Test func recordingDoesNotChangeTheEventLog() async throws {
        func events(recorded: Bool) async throws -> [String] {
            try await withTestDaemon(applications: [try samples()]) { daemon in
                let recorder = recorded ? try await daemon.record(to: file, contents: true) : nil
                let host = try await daemon.host("notes")
                let request = try await host.begin(share, items: [.url("https://example.org")])
                #expect(await request.outcome.kind == .completed)
                try await daemon.event { $0.event == "request.dismissed" }
                let log = try await daemon.events()
                if let recorder {
                    try await recorder.stop()
                    // All of them but the start of the daemon are in the file, as they are.
                    let kept = try Transcript(contentsOf: file).entries.compactMap {
                        if case .event(let event) = $0.content { event } else { nil }
                    }
                    #expect(kept.starts(with: log.dropFirst()))
                }
                return log.filter { $0.request != nil }.map {
                    "\($0.event) \($0.host ?? "") \($0.cause?.rawValue ?? "")"
                }
            }
        }
        #expect(try await events(recorded: true) == events(recorded: false))
    }

    @Test func ordersOfToolsAndTimeThatIsMovedAreInTheFile() async throws {
        try await withTestDaemon(applications: [try samples()], clock: .virtual) { daemon in
            let recorder = try await daemon.record(to: file)
            let host = try await daemon.host("notes")
            let request = try await host.begin(
                "org.exthost.samples.hang", items: [.url("https://example.org")], timeout: .seconds(30))
            _ = try await control(["host", "state", "notes", "inactive"], daemon)
            try await daemon.clock.advance(by: .seconds(30))
            #expect(await request.outcome.cause == .requestTimeout)
            try await recorder.stop()
        }
        let transcript = try Transcript(contentsOf: file)
        #expect(transcript.isWhole && transcript.header.recording.clock == "virtual")
        #expect(kinds(transcript, .control) == ["<setHostState", ">success", "<advanceClock", ">success"])
        let timers = transcript.entries.compactMap {
            if case .timer(let timer) = $0.content, timer.name == "request" { timer.change } else { nil }
        }
        #expect(timers == [.armed, .fired])
        #expect(kinds(transcript, .extension).contains(">hostState"))
    }

    @Test func aRecorderThatIsTooSlowSeesAGapByNameAndNobodyWaits() async throws {
        try await withTestDaemon(applications: []) { daemon in
            let control = try await DaemonControl.connect(name: "slow", to: daemon.address)
            let gate = Gate()
            let seen = Mutex<(entries: Int, gaps: Int)>((0, 0))
            try await control.record(contents: false) { entries in
                gate.pass()
                seen.withLock { seen in
                    for entry in entries {
                        if case .gap(let count) = entry.content { seen.gaps += count } else { seen.entries += 1 }
                    }
                }
            }
            let host = try await daemon.host("notes")
            let orders = 12_000
            for index in 0..<orders { try await host.setState(index % 2 == 0 ? .inactive : .active) }
            gate.open()
            try await control.endRecording()
            // Each is a packet, an event and an answer.
            let (entries, gaps) = seen.withLock { $0 }
            #expect(gaps > 0 && entries + gaps >= orders * 3, "\(entries) entries, \(gaps) missing")
        }
    }

    @Test func aDaemonIsRecordedUntilCtrlCAndTheFileIsWholeThen() async throws {
        try await withTestDaemon(applications: [try samples()]) { daemon in
            let program = try Program.control(["record", file], socket: daemon.address.path)
            try await eventually { FileManager.default.fileExists(atPath: file) }
            let host = try await daemon.host("notes")
            let request = try await host.begin(share, items: [.url("https://example.org")])
            #expect(await request.outcome.kind == .completed)
            try program.interrupt()
            let ending = try await program.ending()
            #expect(ending.status == 130 && ending.errors.contains("without contents"), "\(ending)")
        }
        let transcript = try Transcript(contentsOf: file)
        #expect(transcript.isWhole && kinds(transcript, .host).contains(">finished"))
        let shown = try await run(["record", file, "--show"])
        #expect(
            shown.status == 0 && shown.output.contains("→ host notes  finished")
                && shown.output.contains("request.completed"),
            "\(shown)")
        let json = try await run(["record", file, "--show", "--json"])
        #expect(try text().hasPrefix(json.output))
    }

    /// The daemon stands still: there is no recording yet.
    @Test func ctrlCBeforeTheRecordingHasBegunEndsItWhole() async throws {
        try await withTestDaemon(applications: []) { daemon in
            let number = pid_t(daemon.processIdentifier)
            try #require(kill(number, SIGSTOP) == 0)
            defer { kill(number, SIGCONT) }
            try await eventually { isStopped(number) }
            let program = try Program.control(["record", file], socket: daemon.address.path)
            // Once it catches them: SIGHUP, SIGINT and SIGTERM have the bits 0, 1 and 14.
            try await eventually {
                let status = try String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)
                let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
                let caught =
                    line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
                return caught & 0x4003 == 0x4003
            }
            try program.interrupt()
            // Taken when it is pending no more.
            try await eventually {
                let status = try String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)
                return status.contains("ShdPnd:\t0000000000000000")
            }
            kill(number, SIGCONT)
            let ending = try await program.ending()
            #expect(ending.status == 130 && ending.errors.contains("without contents"), "\(ending)")
        }
        #expect(try Transcript(contentsOf: file).isWhole)
    }

    @Test func oneConnectionRecordsOnceAndADaemonFourTimes() async throws {
        try await withTestDaemon(applications: []) { daemon in
            var controls: [DaemonControl] = []
            for _ in 0..<4 {
                controls.append(try await DaemonControl.connect(name: "r", to: daemon.address))
                try await controls.last?.record(contents: false, onEntries: { _ in })
            }
            let twice = try await #require(throws: ExtensionHostError.self) {
                try await controls[0].record(contents: false, onEntries: { _ in })
            }
            #expect(twice.code == .invalidArgument)
            let fifth = try await DaemonControl.connect(name: "r", to: daemon.address)
            let refusal = try await #require(throws: ExtensionHostError.self) {
                try await fifth.record(contents: false, onEntries: { _ in })
            }
            #expect(refusal.code == .quotaExceeded)
            try await controls[0].endRecording()
            try await fifth.record(contents: false, onEntries: { _ in })
        }
    }

    @Test(arguments: [
        (["record", "/nonexistent/x", "--show"], Int32(66), "cannot be read"),
        (["record", "/dev/null", "--show"], 64, "line 1"),
        (["record", "/nonexistent/x", "--", "true"], 66, "cannot be written"),
        (["record", "x", "--show", "--contents"], 64, "--show prints a file"),
        (["record", "x", "--clock", "virtual"], 64, "Options of a private daemon"),
        (["record", "x", "--extension-points", "/"], 64, "Options of a private daemon"),
        (["record", "x", "--extension-points", "/none", "--", "true"], 64, "/none is no folder"),
        (["record", "x", "--socket", "y", "--", "true"], 64, "a private one"),
        (["record", "/dev/null"], 69, "exthostd"),
    ])
    func whatCannotBeIsToldWithItsStatus(_ arguments: [String], _ status: Int32, _ words: String) async throws {
        let ending = try await run(arguments)
        #expect(ending.status == status && ending.errors.contains(words), "\(ending)")
    }

    @Test func aFileThatIsCutOffIsShownAsFarAsItGoes() async throws {
        let control = SampleApplications.buildFolder + "/exthostctl"
        _ = try await run(["record", file, "--", control, "list"])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        try bytes.dropLast(30).write(to: URL(fileURLWithPath: file))
        let ending = try await run(["record", file, "--show"])
        #expect(ending.status == 0 && ending.output.hasSuffix("… the recording was cut off here\n"), "\(ending)")
    }
}

/// Closed until it is opened.
private final class Gate: Sendable {
    private let condition = NSCondition()
    private let isOpen = Mutex(false)

    func pass() {
        condition.lock()
        while !isOpen.withLock({ $0 }) { condition.wait() }
        condition.unlock()
    }

    func open() {
        condition.lock()
        isOpen.withLock { $0 = true }
        condition.broadcast()
        condition.unlock()
    }
}
