// ReplayedPart: the packets that a recorded extension received and sent for one request, to be replayed.

import ExtensionProtocol
import Glibc
import PropertyListCoding
import Transcripts

/// A packet that was received in this replay.
struct HeardPacket {
    let kind: String
    let serial: UInt32
    let replyTo: UInt32
    let body: PropertyListDictionary
}

/// The replay of one request: it sends each packet once all packets that had come before it have arrived.
///
/// It does no I/O: `play` gets the function that sends.
final class ReplayedPart {
    private let recorded: String
    private let current: String
    private var steps: ArraySlice<RecordedPacket>
    private var heard: [HeardPacket] = []
    /// Current serials by recorded ones: of packets received, and of packets sent.
    private var heardSerials: [Int: UInt32] = [:]
    private var saidSerials: [Int: UInt32] = [:]
    /// The end of the process, if the process ended by itself and so ended this request.
    let ending: RecordedEnding?

    /// The kinds of packets that come or not depending on timing alone.
    private static let untimed: Set<String> = [
        "fence", "fenceReply", "checkMainQueue", "mainQueueRuns", "loadProgress", "hello", "welcome", "terminate",
        "goodbye",
    ]

    init(of recorded: String, as current: String, in transcript: Transcript) {
        self.recorded = recorded
        self.current = current
        let packets = transcript.packets
        steps =
            packets.filter { packet, request in
                guard packet.role == .extension, !Self.untimed.contains(packet.kind) else { return false }
                return request == recorded
                    || packet.body[Key.requests.rawValue]?.array?.contains(.string(recorded)) == true
            }.map(\.packet)[...]
        ending = RecordedEnding(of: recorded, in: packets.map(\.packet))
    }

    var isOver: Bool { steps.isEmpty }

    func hear(_ packet: HeardPacket) { heard.append(packet) }

    /// Plays steps until one needs a packet that has not arrived. `say` sends a packet as the answer to a serial and
    /// returns its own.
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
        // Any answer will do: the recorder judges the other side.
        if step.answers != 0 { return packet.replyTo != 0 && packet.replyTo == saidSerials[step.answers] }
        return packet.kind == step.kind && packet.replyTo == 0
            && packet.body[Key.notification.rawValue] == step.body[Key.notification.rawValue]
    }

    /// Returns the packet with the request's current identifier.
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

/// The way in which a recorded process ended by itself.
struct RecordedEnding {
    private let signal: Int32?
    private let status: Int32

    /// Reads the end from the packets. Nil if the request ended otherwise.
    init?(of request: String, in packets: [RecordedPacket]) {
        guard
            let finished = packets.first(where: {
                $0.kind == "finished" && $0.body[Key.request.rawValue] == .string(request)
            }),
            let cause = finished.body[Key.cause.rawValue]?.string,
            [Cause.crashed.rawValue, Cause.exitedEarly.rawValue].contains(cause),
            let process = finished.body[Key.process.rawValue],
            let exit = packets.first(where: { $0.kind == "exited" && $0.body[Key.process.rawValue] == process })?
                .body[Key.exit.rawValue]?.dictionary
        else { return nil }
        signal = exit[Key.signal.rawValue]?.integer.map { Int32(truncatingIfNeeded: $0) }
        status = Int32(truncatingIfNeeded: exit[Key.status.rawValue]?.integer ?? 0)
    }

    /// Ends this process in the same way.
    func follow() -> Never {
        if let signal, (1...31).contains(signal) {
            Glibc.signal(signal, SIG_DFL)
            kill(getpid(), signal)
        }
        exit(status)
    }
}
