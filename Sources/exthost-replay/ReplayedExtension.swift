// ReplayedExtension: a process of a recorded extension, which sends hello, takes requests, and plays each of them.

import ExtensionProtocol
import Glibc
import LinuxSystem
import PropertyListCoding
import Transcripts

/// The process's connection and its requests, on one thread: each packet is handled before the next is read.
final class ReplayedExtension {
    private let transcript: Transcript
    private let connection: SpeakingConnection
    /// The folder of the container, which all processes of the extension share.
    private let home: String
    private var identifier = ""
    /// The parts by the current identifiers of their requests.
    private var parts: [String: ReplayedPart] = [:]
    private var serials: [UInt32: String] = [:]

    init(_ transcript: Transcript, _ connection: SpeakingConnection, home: String) {
        self.transcript = transcript
        self.connection = connection
        self.home = home
    }

    func run() throws {
        try connection.say(Hello(role: .extension, sdk: "replay"))
        while let (header, body, payload) = try connection.receive() {
            guard let kind = MessageKind(rawValue: header.kind) else { continue }
            switch kind {
            case .welcome: identifier = try Welcome(dictionary: body).execution?.identifier ?? ""
            case .deliver: try begin(try Deliver(dictionary: body).request.description, header, body, payload)
            case .terminate: exit(0)
            case .error where header.replyTo == 0: exit(70)
            case .checkMainQueue: try connection.say(MainQueueRuns(), replyTo: header.serial)
            case .fence: try connection.say(FenceReply(), replyTo: header.serial)
            default: try hear(kind, header, body)
            }
        }
        // The daemon is gone.
        exit(0)
    }

    private func hear(_ kind: MessageKind, _ header: PacketHeader, _ body: PropertyListDictionary) throws {
        let named =
            body[Key.requests.rawValue]?.array?.compactMap(\.string) ?? body[Key.request.rawValue]?.string.map { [$0] }
        for request in named ?? serials[header.replyTo].map({ [$0] }) ?? [] {
            parts[request]?.hear(Self.packet(kind, header, body))
            try play(request)
        }
    }

    /// Returns a packet of the daemon in the form of recorded ones.
    private static func packet(
        _ kind: MessageKind, _ header: PacketHeader, _ body: PropertyListDictionary
    ) -> RecordedPacket {
        RecordedPacket(
            connection: 0, role: .extension, name: nil, pid: nil, isFromDaemon: true, kind: "\(kind)",
            serial: Int(header.serial), answers: Int(header.replyTo), body: body)
    }

    private func begin(
        _ request: String, _ header: PacketHeader, _ body: PropertyListDictionary, _ payload: PropertyList?
    ) throws {
        guard let recorded = take(payload) else {
            StandardStreams.writeError("exthost-replay: the recording has no other request of \(identifier)\n")
            let error: PropertyList = [
                "$kind": "error", "domain": .string(ExtensionHostError.domain),
                "code": .integer(Int64(ExtensionHostError.Code.noSuchRequest.rawValue)),
                "description": "the recording has no other request",
            ]
            var packet = RecordedPacket(
                connection: 0, role: .extension, name: nil, pid: nil, isFromDaemon: false, kind: "cancelRequest",
                serial: 0,
                body: [Key.request.rawValue: .string(request)])
            packet.payload = error
            try connection.say(packet)
            return
        }
        let part = ReplayedPart(of: recorded, as: request, in: transcript)
        parts[request] = part
        part.hear(Self.packet(.deliver, header, body))
        try play(request)
    }

    private func play(_ request: String) throws {
        guard let part = parts[request] else { return }
        try part.play { packet, replyTo in
            let serial = try connection.say(packet, replyTo: replyTo)
            serials[serial] = request
            return serial
        }
        if part.isOver, let ending = part.ending { ending.follow() }
    }

    /// Claims the recorded request that this one stands for: the first unclaimed one with the same items, else the
    /// first unclaimed one.
    ///
    /// Processes of the extension coordinate by files in their container.
    private func take(_ payload: PropertyList?) -> String? {
        let deliveries = transcript.packets.filter {
            $0.packet.kind == "deliver" && $0.packet.isFromDaemon && $0.packet.name == identifier
        }
        let same = deliveries.filter { delivery in
            guard let payload, let recorded = delivery.packet.payload else {
                return delivery.packet.payload == nil && payload == nil
            }
            var comparison = PropertyListComparison()
            return comparison.firstDifference(recorded, payload) == nil
        }
        for candidate in (same + deliveries).compactMap(\.request) {
            let mark = open("\(home)/taken-\(candidate)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard mark >= 0 else { continue }
            close(mark)
            return candidate
        }
        return nil
    }
}
