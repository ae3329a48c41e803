// ReplayedPart: what a recorded extension heard and said about one request, to be said once more.

import ExtensionProtocol
import Glibc
import PropertyListCoding
import Transcripts

/// A packet that has come now.
struct HeardPacket {
    let kind: String
    let serial: UInt32
    let replyTo: UInt32
    let body: PropertyListDictionary
}

/// Says each packet once everything has come that had come before it. No I/O: `play` gets what says.
final class ReplayedPart {
    private let recorded: String
    private let current: String
    private var steps: ArraySlice<RecordedPacket>
    private var heard: [HeardPacket] = []
    /// Serials now, by those of the recording: of what was heard, and of what was said.
    private var heardSerials: [Int: UInt32] = [:]
    private var saidSerials: [Int: UInt32] = [:]
    /// How the process ended, where that was its own doing and ended this request.
    let ending: RecordedEnding?

    /// What comes or not by its time alone.
    private static let untimed: Set<String> = [
        "fence", "fenceReply", "checkMainQueue", "mainQueueRuns", "loadProgress", "hello", "welcome", "terminate", "goodbye",
    ]

    init(of recorded: String, as current: String, in transcript: Transcript) {
        self.recorded = recorded
        self.current = current
        let packets = transcript.packets
        steps =
            packets.filter { packet, request in
                guard packet.role == .extension, !Self.untimed.contains(packet.kind) else { return false }
                return request == recorded || packet.body[Key.requests.rawValue]?.array?.contains(.string(recorded)) == true
            }.map(\.packet)[...]
        ending = RecordedEnding(of: recorded, in: packets.map(\.packet))
    }

    var isOver: Bool { steps.isEmpty }

    func hear(_ packet: HeardPacket) { heard.append(packet) }

    /// Goes on as far as what has come allows. `say` sends a packet as the answer to a serial and returns its own.
    func play(_ say: (RecordedPacket, UInt32) throws -> UInt32) throws {
        while let step = steps.first {
            if step.isFromDaemon {
                guard let place = heard.firstIndex(where: { isMeant($0, by: step) }) else { return }
                heardSerials[step.serial] = heard.remove(at: place).serial
            } else {
                let answered = step.answers == 0 ? 0 : heardSerials[step.answers] ?? 0
                saidSerials[step.serial] = try say(renamed(step), answered)
            }
            steps.removeFirst()
        }
    }

    private func isMeant(_ packet: HeardPacket, by step: RecordedPacket) -> Bool {
        // Whatever the answer is: the other side is judged by whoever recorded it.
        if step.answers != 0 { return packet.replyTo != 0 && packet.replyTo == saidSerials[step.answers] }
        return packet.kind == step.kind && packet.replyTo == 0
            && packet.body[Key.notification.rawValue] == step.body[Key.notification.rawValue]
    }

    /// With the request's identifier of now.
    private func renamed(_ packet: RecordedPacket) -> RecordedPacket {
        var packet = packet
        if case .dictionary(let body) = renamed(.dictionary(packet.body)) { packet.body = body }
        packet.payload = packet.payload.map(renamed)
        return packet
    }

    private func renamed(_ value: PropertyList) -> PropertyList {
        switch value {
        case .string(let text) where text.utf8.count >= 36: .string(text.replacing(recorded, with: current))
        case .array(let values): .array(values.map(renamed))
        case .dictionary(let entries): .dictionary(PropertyListDictionary(entries.map { ($0, renamed($1)) }))
        default: value
        }
    }
}

/// How a recorded process ended by itself.
struct RecordedEnding {
    private let signal: Int32?
    private let status: Int32

    /// Nil where the request ended otherwise.
    init?(of request: String, in packets: [RecordedPacket]) {
        guard
            let finished = packets.first(where: { $0.kind == "finished" && $0.body[Key.request.rawValue] == .string(request) }),
            let cause = finished.body[Key.cause.rawValue]?.string,
            [Cause.crashed.rawValue, Cause.exitedEarly.rawValue].contains(cause),
            let process = finished.body[Key.process.rawValue],
            let exit = packets.first(where: { $0.kind == "exited" && $0.body[Key.process.rawValue] == process })?
                .body[Key.exit.rawValue]?.dictionary
        else { return nil }
        signal = exit[Key.signal.rawValue]?.integer.map { Int32(truncatingIfNeeded: $0) }
        status = Int32(truncatingIfNeeded: exit[Key.status.rawValue]?.integer ?? 0)
    }

    /// Ends this process likewise.
    func follow() -> Never {
        if let signal, (1...31).contains(signal) {
            Glibc.signal(signal, SIG_DFL)
            kill(getpid(), signal)
        }
        exit(status)
    }
}
