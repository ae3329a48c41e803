// ReplaySession: a private daemon for the replay of a transcript, itself recorded, so that both can be compared.

import ExtensionHost
import ExtensionProtocol
import PropertyListCoding
import Transcripts

/// The common part of both kinds of replay.
struct ReplaySession {
    let daemon: TestDaemon
    let mailbox: EntryMailbox
    private let recorder: DaemonControl

    /// Starts the daemon with the recorded clock and time limits.
    static func start(_ transcript: Transcript, applications: [String], arguments: [String]) async throws
        -> ReplaySession
    {
        let recording = transcript.header.recording
        guard let clock = TestDaemon.ClockKind(rawValue: recording.clock) else {
            throw ExtensionHostError(
                .invalidArgument, "the recording's clock is “\(recording.clock)”",
                remedy: "It is real or virtual: record again")
        }
        var options: [String] = []
        for timer in recording.timers {
            guard timer.delay.isFinite,
                timer.name.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "z")).contains($0) })
            else {
                throw ExtensionHostError(
                    .invalidArgument, "the recording has an unknown time limit “\(timer.name)”",
                    remedy: "exthostd --help lists the time limits")
            }
            options += ["--timer", "\(timer.name)=\(timer.delay)s"]
        }
        let daemon = try await TestDaemon.start(
            applications: applications, clock: clock, arguments: options + arguments)
        do {
            try await checkPoints(of: transcript, daemon)
            let mailbox = EntryMailbox()
            let recorder = try await DaemonControl.connect(name: "replay", to: daemon.address)
            try await recorder.record(contents: true, onEntries: { mailbox.put($0) }, onEnd: { _ in mailbox.end() })
            return ReplaySession(daemon: daemon, mailbox: mailbox, recorder: recorder)
        } catch {
            try? await daemon.stop()
            throw error
        }
    }

    /// Checks that the daemon has the extension points of the recorded calls. It would refuse all their calls.
    private static func checkPoints(of transcript: Transcript, _ daemon: TestDaemon) async throws {
        let packets = transcript.packets.map(\.packet).filter { $0.role == .extension }
        let calling = Set(packets.filter { $0.kind == "call" }.map(\.connection))
        guard !calling.isEmpty else { return }
        let points = Set(try await daemon.control.points().map(\.identifier))
        for packet in packets where packet.kind == "welcome" && calling.contains(packet.connection) {
            guard let execution = packet.body[Key.execution.rawValue].flatMap(Execution.init(wire:)),
                !points.contains(execution.point)
            else { continue }
            throw ExtensionHostError(
                .invalidArgument,
                "the recording has calls of the extension point \(execution.point), which the replay does not know",
                remedy: "Name the folder of its property list: --extension-points DIR")
        }
    }

    /// Ends the recording. When this returns, the mailbox has all entries and its end.
    func endRecording() async { try? await recorder.endRecording() }

    static let gap = ExtensionHostError(
        .internalError, "the replay lost entries of its own events",
        remedy: "Replay again when the machine has less load")
}
