// ReplaySession: a private daemon on which a transcript is replayed, itself recorded, so that what happens now can be held against what happened.

import ExtensionHost
import ExtensionProtocol
import PropertyListCoding
import Transcripts

/// What both ways of replaying have in common.
struct ReplaySession {
    let daemon: TestDaemon
    let mailbox: EntryMailbox
    private let recorder: DaemonControl

    /// Starts the daemon with the recorded clock and time limits.
    static func start(_ transcript: Transcript, applications: [String], arguments: [String]) async throws -> ReplaySession {
        let recording = transcript.header.recording
        guard let clock = TestDaemon.ClockKind(rawValue: recording.clock) else {
            throw ExtensionHostError(
                .invalidArgument, "the recording's clock is “\(recording.clock)”", remedy: "It is real or virtual: record again")
        }
        var options: [String] = []
        for timer in recording.timers {
            guard timer.delay.isFinite, timer.name.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "z")).contains($0) })
            else {
                throw ExtensionHostError(
                    .invalidArgument, "the recording's time limit “\(timer.name)” is none",
                    remedy: "exthostd --help names those there are")
            }
            options += ["--timer", "\(timer.name)=\(timer.delay)s"]
        }
        let daemon = try await TestDaemon.start(applications: applications, clock: clock, arguments: options + arguments)
        do {
            let mailbox = EntryMailbox()
            let recorder = try await DaemonControl.connect(name: "replay", to: daemon.address)
            try await recorder.record(contents: true, onEntries: { mailbox.put($0) }, onEnd: { _ in mailbox.end() })
            return ReplaySession(daemon: daemon, mailbox: mailbox, recorder: recorder)
        } catch {
            try? await daemon.stop()
            throw error
        }
    }

    /// What has happened until now is in the mailbox when this returns, and its end.
    func endRecording() async { try? await recorder.endRecording() }

    static let gap = ExtensionHostError(
        .internalError, "what happened now could not be followed: entries are missing",
        remedy: "Replay again when the machine has less to do")
}

extension Transcript {
    /// Throws what keeps the words of `side` from being said again, all of it in one error.
    func checkSayable(by side: Role) throws(ExtensionHostError) {
        if entries.contains(where: { if case .gap = $0.content { true } else { false } }) {
            throw ExtensionHostError(
                .invalidArgument, "\(missing) entries are missing in the recording, so it cannot be replayed",
                remedy: "Record again, on a faster disk or with less to do")
        }
        var lacking: [String] = []
        var met: Set<Int> = []
        for (packet, _) in packets where packet.role == side {
            if met.insert(packet.connection).inserted, packet.kind != "hello" || packet.isFromDaemon {
                throw ExtensionHostError(
                    .invalidArgument, "the recording began when \(side.rawValue) \(packet.name ?? "") was connected already",
                    remedy: "Record from the start: exthostctl record FILE --contents -- COMMAND")
            }
            guard !packet.isFromDaemon else { continue }
            if packet.kind == "hello", packet.body[Key.resumption.rawValue] != nil {
                throw ExtensionHostError(
                    .invalidArgument, "a connection was lost and came back in the recording, which is not replayed",
                    remedy: "Record again")
            }
            let isBare = !header.recording.contents && (packet.payload != nil || packet.sealed != nil)
            let isCut = packet.sealed != nil && packet.payload == nil || packet.descriptors.contains { $0.contents == nil }
            if isBare || isCut {
                lacking.append("\(packet.kind) \(packet.serial) of \(side.rawValue) \(packet.name ?? "\(packet.connection)")")
            }
        }
        guard lacking.isEmpty else {
            let more = lacking.count > 4 ? " and \(lacking.count - 4) more" : ""
            throw ExtensionHostError(
                .invalidArgument, "the recording lacks the contents of \(lacking.prefix(4).joined(separator: ", "))\(more)",
                remedy: header.recording.contents
                    ? "What is larger than 4 MiB is not kept: record smaller items" : "Record again with --contents")
        }
        guard !met.isEmpty else {
            throw ExtensionHostError(
                .invalidArgument, "there is no \(side.rawValue) in the recording", remedy: "Record a session with one")
        }
    }
}
