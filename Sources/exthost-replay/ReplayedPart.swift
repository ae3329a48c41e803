// ReplayedPart: the packets that a recorded extension received and sent for one request, to be replayed.

import ExtensionProtocol
import Glibc
import PropertyListCoding
import Transcripts

/// The replay of one request: it sends each packet once all packets that had come before it have arrived.
///
/// It does no I/O: `play` gets the function that sends.
final class ReplayedPart {
    private let recorded: String
    private let current: String
    private var steps: ArraySlice<(packet: RecordedPacket, subject: RecordedSubject)>
    private var heard: [(packet: RecordedPacket, subject: RecordedSubject)] = []
    /// The calls of this replay.
    private var present = RecordedRequests()
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
        let packets = transcript.conversation
        steps =
            packets.filter { packet, subject in
                guard packet.role == .extension, !Self.untimed.contains(packet.kind) else { return false }
                return subject.request == recorded
                    || packet.body[Key.requests.rawValue]?.array?.contains(.string(recorded)) == true
            }[...]
        ending = RecordedEnding(of: recorded, in: packets.map(\.packet))
    }

    var isOver: Bool { steps.isEmpty }

    func hear(_ packet: RecordedPacket) { heard.append((packet, present.subject(of: packet))) }

    /// Plays steps until one needs a packet that has not arrived. `say` sends a packet as the answer to a serial and
    /// returns its own.
    func play(_ say: (RecordedPacket, UInt32) throws -> UInt32) throws {
        while let step = steps.first {
            if step.packet.isFromDaemon {
                guard let place = heard.firstIndex(where: { isMeant($0, by: step) }) else { return }
                heardSerials[step.packet.serial] = UInt32(truncatingIfNeeded: heard.remove(at: place).packet.serial)
            } else {
                let answered = step.packet.answers == 0 ? 0 : heardSerials[step.packet.answers] ?? 0
                var packet = renamed(step.packet)
                // A part names its call by the number that the host has chosen now.
                if let call = step.subject.call, call.caller == .host, packet.body[Key.number.rawValue] != nil {
                    packet.body[Key.number.rawValue] = present.number(of: call, request: current, on: .extension).map {
                        .integer(Int64($0))
                    }
                }
                packet.serial = Int(try say(packet, answered))
                packet.answers = Int(answered)
                saidSerials[step.packet.serial] = UInt32(packet.serial)
                _ = present.subject(of: packet)
            }
            steps.removeFirst()
        }
    }

    private func isMeant(
        _ heard: (packet: RecordedPacket, subject: RecordedSubject),
        by step: (packet: RecordedPacket, subject: RecordedSubject)
    ) -> Bool {
        let packet = heard.packet
        // Any answer will do: the recorder judges the other side.
        if step.packet.answers != 0 { return saidSerials[step.packet.answers].map { Int($0) } == packet.answers }
        return packet.kind == step.packet.kind && packet.answers == 0
            && packet.body[Key.notification.rawValue] == step.packet.body[Key.notification.rawValue]
            && heard.subject.call == step.subject.call
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
            let process = finished.body[Key.process.rawValue]
        else { return nil }
        // A host that left before the exit has no report of it.
        let exit = packets.first { $0.kind == "exited" && $0.body[Key.process.rawValue] == process }?
            .body[Key.exit.rawValue]?.dictionary
        let crash = cause == Cause.crashed.rawValue && exit == nil ? SIGABRT : nil
        signal = exit?[Key.signal.rawValue]?.integer.map { Int32(truncatingIfNeeded: $0) } ?? crash
        status = exit.map { Int32(truncatingIfNeeded: $0[Key.status.rawValue]?.integer ?? 0) } ?? 1
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
