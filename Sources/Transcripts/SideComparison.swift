// SideComparison: a comparison of one side's current packets with its recorded ones, request by request.

public import ExtensionProtocol
import PropertyListCoding

/// A comparison of the packets that one side sends: the extensions, or the hosts.
///
/// Requests run beside one another in any order; within one the order counts.
public struct SideComparison: Sendable {
    /// The sequence of packets on a connection about one subject. The order of packets counts within it only.
    public struct Line: Hashable, Sendable {
        fileprivate enum Topic: Hashable, Sendable {
            /// Loads, and the begin and end of the request.
            case request
            /// The view and the acts on it: an extension's answer does not wait until its view has been seen.
            case view
            /// The calls that this side makes.
            case calls
            /// The answer to one call with its parts, or the cancellation of one.
            case call(RecordedCall)
        }

        /// The number of the recorded host. It is 0 for extensions, which are told apart by their requests alone.
        fileprivate var host: Int
        fileprivate var request: String?
        fileprivate var topic = Topic.request
    }

    private struct Words: Sendable {
        var packets: [RecordedPacket] = []
        var said = 0
        /// Whether the recording reaches the end of its process or host, so that any further packet is a divergence.
        var isComplete = false
        /// The number of recorded cancellations that came too late. The present ones may come in time.
        var lateCancellations = 0
    }

    private let side: Role
    private let isWhole: Bool
    private var comparison: PropertyListComparison
    private var words: [Line: Words] = [:]
    private var order: [Line] = []
    private var requests = RecordedRequests()
    /// The calls of the recording.
    private var recorded = RecordedRequests()
    /// The recorded host's number for each current connection, and the count of requests begun for each host.
    private var hosts: [Int: Int] = [:]
    private var begun: [Int: Int] = [:]
    private var recordedBegins: [Int: [String]] = [:]
    private var lines: [String: Line] = [:]

    /// The kinds of packets that are compared.
    ///
    /// The others depend only on timing, or answer the daemon itself.
    private static let compared: [Role: Set<String>] = [
        .extension: [
            "loadItem", "cancelLoad", "complete", "cancelRequest", "handlerFinished", "contextFault", "showView",
            "viewUsed",
            "openURL", "call", "called", "callPart", "cancelCall", "error",
        ],
        .host: [
            "begin", "cancel", "setState", "itemLoaded", "useView", "call", "called", "callPart",
            "cancelCall", "error",
        ],
    ]

    private static let views: Set<String> = ["showView", "viewUsed", "useView"]

    public init(of side: Role, in transcript: Transcript, ignoring paths: [String] = []) {
        self.side = side
        isWhole = transcript.isWhole
        comparison = PropertyListComparison(ignoring: paths)
        var recordedHosts: [Int: Int] = [:]
        var ended: Set<Int> = []
        for entry in transcript.entries { if case .ended(let end) = entry.content { ended.insert(end.connection) } }
        for case .packet(let packet) in transcript.entries.lazy.map(\.content) {
            let subject = recorded.subject(of: packet)
            guard packet.role == side, !packet.isFromDaemon else { continue }
            if recordedHosts[packet.connection] == nil, !packet.asksToResume {
                recordedHosts[packet.connection] = recordedHosts.count
            }
            let host = side == .host ? recordedHosts[packet.connection] ?? 0 : 0
            let line = Line(host: host, request: subject.request, topic: Self.topic(packet, subject))
            if subject.isLate, packet.kind == "cancel" { words[line]?.lateCancellations += 1 }
            guard compares(packet, subject) else { continue }
            if words[line] == nil { order.append(line) }
            words[line, default: Words()].packets.append(packet)
            words[line, default: Words()].isComplete = ended.contains(packet.connection)
            if packet.kind == "begin", let request = subject.request {
                recordedBegins[host, default: []].append(request)
            }
        }
    }

    private static func topic(_ packet: RecordedPacket, _ subject: RecordedSubject) -> Line.Topic {
        if views.contains(packet.kind) { return .view }
        guard let call = subject.call else { return .request }
        return packet.kind == "call" ? .calls : .call(call)
    }

    /// Whether every recorded packet has been sent.
    public var isOver: Bool { words.values.allSatisfy { $0.said == $0.packets.count } }

    /// The number of packets that were sent as recorded.
    public var agreed: Int { words.values.reduce(0) { $0 + $1.said } }

    /// Compares a packet with the recording; the first divergence ends the comparison.
    ///
    /// It must be called for every packet of the current session, in order.
    public mutating func observe(_ packet: RecordedPacket) -> TranscriptDivergence? {
        let subject = requests.subject(of: packet)
        guard packet.role == side, !packet.isFromDaemon else { return nil }
        if side == .host, hosts[packet.connection] == nil, !packet.asksToResume {
            hosts[packet.connection] = hosts.count
        }
        guard compares(packet, subject) else { return nil }
        var line = line(of: packet, subject.request)
        line.topic = Self.topic(packet, subject)
        let name = name(of: packet, line)
        if packet.kind == "cancel", words[line, default: Words()].lateCancellations > 0 {
            words[line]?.lateCancellations -= 1
            return nil
        }
        guard var words = words[line], words.said < words.packets.count else {
            // The recording may have ended before.
            let isComplete = self.words[line]?.isComplete ?? isWhole
            guard isComplete, !isOwed(packet, on: line), !isUnread(line) else { return nil }
            return TranscriptDivergence(
                packet: name,
                difference: PropertyListDifference(path: "kind", expected: nil, found: .string(packet.kind)))
        }
        let expected = words.packets[words.said]
        words.said += 1
        self.words[line] = words
        if let difference = comparison.firstDifference(expected, packet) {
            return TranscriptDivergence(packet: name, difference: difference)
        }
        return nil
    }

    /// Whether this is the end of a completion handler that the recording announces and lacks.
    ///
    /// The recorded process was ended before.
    private func isOwed(_ packet: RecordedPacket, on line: Line) -> Bool {
        let recorded = words[line]?.packets ?? []
        return packet.kind == "handlerFinished" && !recorded.contains { $0.kind == "handlerFinished" }
            && recorded.contains { $0.kind == "complete" && $0.body[Key.work.rawValue]?.boolean == true }
    }

    /// Whether these are answers to a call that ended for its caller without one: the recorded caller cancelled it, or
    /// its time was over.
    private func isUnread(_ line: Line) -> Bool {
        guard case .call(let call) = line.topic, call.caller != side, let request = line.request else { return false }
        return !recorded.isAnswered(call, request: request, on: side)
    }

    /// Returns the divergence for the first packet, of one request or of any, that should have been sent and was not.
    public func missing(of request: String? = nil, note: String?) -> TranscriptDivergence? {
        for line in order where request == nil || line.request == request {
            if let divergence = missing(on: line, note: note) { return divergence }
        }
        return nil
    }

    /// Returns the divergence for the first packet of a sequence that should have been sent and was not.
    public func missing(on line: Line, note: String?) -> TranscriptDivergence? {
        guard let words = words[line], words.said < words.packets.count else { return nil }
        let expected = words.packets[words.said]
        return TranscriptDivergence(
            packet: name(of: expected, line),
            difference: PropertyListDifference(path: "kind", expected: .string(expected.kind), found: nil),
            note: note)
    }

    /// Whether a packet is compared.
    public func compares(_ packet: RecordedPacket, _ subject: RecordedSubject) -> Bool {
        packet.role == side && !packet.isFromDaemon && Self.compared[side]?.contains(packet.kind) == true
            && (side == .host || subject.request != nil) && !subject.isLate && !subject.isConfirmation
    }

    /// Returns the sequence of a recorded packet of an extension.
    public func line(of packet: RecordedPacket, _ subject: RecordedSubject) -> Line {
        Line(host: 0, request: subject.request, topic: Self.topic(packet, subject))
    }

    /// Returns the number of packets of a sequence that have been sent.
    public func said(on line: Line) -> Int { words[line]?.said ?? 0 }

    private mutating func line(of packet: RecordedPacket, _ request: String?) -> Line {
        guard side == .host else { return Line(host: 0, request: request) }
        let host = hosts[packet.connection] ?? 0
        guard let request else { return Line(host: host, request: nil) }
        if let line = lines[request] { return line }
        // A host's requests stand for one another in the order in which the host begins them.
        let number = begun[host, default: 0]
        begun[host] = number + 1
        let recorded = recordedBegins[host].flatMap { number < $0.count ? $0[number] : nil }
        if let recorded { comparison.pair(recorded.uppercased(), request.uppercased()) }
        let line = Line(host: host, request: recorded ?? request)
        lines[request] = line
        return line
    }

    /// Returns the sender and the subject of a packet, in words.
    private func name(of packet: RecordedPacket, _ line: Line) -> String {
        let name = packet.name.map { "\(side.rawValue) \($0)" } ?? "\(side.rawValue) \(line.host + 1)"
        var kind = packet.kind
        if case .call(let call) = line.topic { kind += " to call \(call.place)" }
        return line.request.map { "\(name), \(kind) of request \($0.prefix(8))" } ?? "\(name), \(kind)"
    }
}
