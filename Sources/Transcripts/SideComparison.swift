// SideComparison: a comparison of one side's current packets with its recorded ones, request by request.

public import ExtensionProtocol
import PropertyListCoding

/// A comparison of the packets that one side sends: the extensions, or the hosts.
///
/// Requests run beside one another in any order; within one the order counts.
public struct SideComparison: Sendable {
    /// The sequence of packets on a connection about one request, or about none.
    private struct Line: Hashable, Sendable {
        /// The number of the recorded host. It is 0 for extensions, which are told apart by their requests alone.
        var host: Int
        var request: String?
        /// Whether the sequence is that of the view, which is compared apart from the rest.
        ///
        /// An extension's answer does not wait until its view has been seen.
        var isView = false
    }

    private struct Words: Sendable {
        var packets: [RecordedPacket] = []
        var said = 0
        /// Whether the recording reaches the end of its process or host, so that any further packet is a divergence.
        var isComplete = false
    }

    private let side: Role
    private let isWhole: Bool
    private var comparison: PropertyListComparison
    private var words: [Line: Words] = [:]
    private var order: [Line] = []
    private var requests = RecordedRequests()
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
            "openURL", "error",
        ], .host: ["begin", "cancel", "setState", "itemLoaded", "useView", "acknowledge", "error"],
    ]

    private static let views: Set<String> = ["showView", "viewUsed", "useView"]

    public init(of side: Role, in transcript: Transcript, ignoring paths: [String] = []) {
        self.side = side
        isWhole = transcript.isWhole
        comparison = PropertyListComparison(ignoring: paths)
        var recordedHosts: [Int: Int] = [:]
        var ended: Set<Int> = []
        for entry in transcript.entries { if case .ended(let end) = entry.content { ended.insert(end.connection) } }
        for (packet, request) in transcript.packets where packet.role == side && !packet.isFromDaemon {
            if recordedHosts[packet.connection] == nil, !packet.asksToResume {
                recordedHosts[packet.connection] = recordedHosts.count
            }
            guard compares(packet), side == .host || request != nil else { continue }
            let host = side == .host ? recordedHosts[packet.connection] ?? 0 : 0
            let line = Line(host: host, request: request, isView: Self.views.contains(packet.kind))
            if words[line] == nil { order.append(line) }
            words[line, default: Words()].packets.append(packet)
            words[line, default: Words()].isComplete = ended.contains(packet.connection)
            if packet.kind == "begin", let request { recordedBegins[host, default: []].append(request) }
        }
    }

    /// Whether every recorded packet has been sent.
    public var isOver: Bool { words.values.allSatisfy { $0.said == $0.packets.count } }

    /// The number of packets that were sent as recorded.
    public var agreed: Int { words.values.reduce(0) { $0 + $1.said } }

    /// Compares a packet with the recording; the first divergence ends the comparison.
    ///
    /// It must be called for every packet of the current session, in order.
    public mutating func observe(_ packet: RecordedPacket) -> TranscriptDivergence? {
        let request = requests.request(of: packet)
        guard packet.role == side, !packet.isFromDaemon else { return nil }
        if side == .host, hosts[packet.connection] == nil, !packet.asksToResume {
            hosts[packet.connection] = hosts.count
        }
        guard compares(packet), side == .host || request != nil else { return nil }
        var line = line(of: packet, request)
        line.isView = Self.views.contains(packet.kind)
        let subject = subject(packet, line)
        guard var words = words[line], words.said < words.packets.count else {
            // The recording may have ended before.
            guard self.words[line]?.isComplete ?? isWhole, !isOwed(packet, on: line) else { return nil }
            return TranscriptDivergence(
                packet: subject,
                difference: PropertyListDifference(path: "kind", expected: nil, found: .string(packet.kind)))
        }
        let expected = words.packets[words.said]
        words.said += 1
        self.words[line] = words
        if let difference = comparison.firstDifference(expected, packet) {
            return TranscriptDivergence(packet: subject, difference: difference)
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

    /// Returns the divergence for the first packet, of one request or of any, that should have been sent and was not.
    public func missing(of request: String? = nil, note: String?) -> TranscriptDivergence? {
        for line in order {
            guard request == nil || line.request == request, let words = words[line], words.said < words.packets.count
            else {
                continue
            }
            let expected = words.packets[words.said]
            return TranscriptDivergence(
                packet: subject(expected, line),
                difference: PropertyListDifference(path: "kind", expected: .string(expected.kind), found: nil),
                note: note)
        }
        return nil
    }

    /// Whether a packet of this kind is compared.
    public func compares(_ packet: RecordedPacket) -> Bool {
        packet.role == side && !packet.isFromDaemon && Self.compared[side]?.contains(packet.kind) == true
    }

    /// Returns the number of packets about a request that have been sent.
    public func said(about request: String) -> Int {
        [false, true].reduce(0) { $0 + (words[Line(host: 0, request: request, isView: $1)]?.said ?? 0) }
    }

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

    private func subject(_ packet: RecordedPacket, _ line: Line) -> String {
        let name = packet.name.map { "\(side.rawValue) \($0)" } ?? "\(side.rawValue) \(line.host + 1)"
        return line.request.map { "\(name), \(packet.kind) of request \($0.prefix(8))" } ?? "\(name), \(packet.kind)"
    }
}
