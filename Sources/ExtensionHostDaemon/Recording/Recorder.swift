// Recorder: the taps for recordings of sessions: in every connection, every time limit and the event log.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import PropertyListCoding

/// A recording in progress.
@HostActor
protocol RecordingSink: AnyObject {
    /// Whether the recording has entries that have not been sent.
    var hasBacklog: Bool { get }
    func add(_ content: TranscriptEntry.Content)
    func add(_ packet: TappedPacket)
}

/// Passes packets, time limits and events to the recordings. While there is none, the taps cost only a check of `isOn`.
///
/// The connections of hosts, extensions and apps are recorded. Of tools only what moves the session is: orders to
/// hosts, requests, processes and the clock, and their answers. Credit is not, because it depends only on the time.
@HostActor
final class Recorder {
    private(set) var isOn = false
    private var sinks: [any RecordingSink] = []
    private var following: EventLog.Following?
    private let log: EventLog
    let clock: RealClock
    private var connections = 0
    /// Orders of tools that wait for their answers, by connection and serial.
    private var orders: Set<Order> = []

    private struct Order: Hashable {
        let connection: Int
        let serial: UInt32
    }

    /// The messages of a tool that change the sessions of others.
    private static let toolOrders: Set<MessageKind> = [.setHostState, .cancel, .kill, .advanceClock]
    /// The maximum number of recordings at a time: each costs the loop for every packet.
    static let most = 4

    init(log: EventLog, clock: RealClock) {
        self.log = log
        self.clock = clock
    }

    func nextConnection() -> Int {
        connections += 1
        return connections
    }

    /// Whether recorded entries have not been sent.
    var hasBacklog: Bool { sinks.contains { $0.hasBacklog } }

    // MARK: Who records

    func add(_ sink: some RecordingSink) throws(ExtensionHostError) {
        guard sinks.count < Self.most else {
            throw ExtensionHostError(
                .quotaExceeded, "\(Self.most) recordings are in progress, which is the limit", remedy: "End one of them"
            )
        }
        sinks.append(sink)
        isOn = true
        if following == nil { following = log.follow { [weak self] in self?.tell(.event($0)) } }
    }

    func remove(_ sink: some RecordingSink) {
        sinks.removeAll { $0 === sink }
        guard sinks.isEmpty else { return }
        isOn = false
        orders = []
        if let following { log.unfollow(following) }
        following = nil
    }

    // MARK: Taps

    func sent(
        _ message: some Message, _ payload: Payload, _ descriptors: [SharedDescriptor], _ serial: UInt32,
        _ replyTo: UInt32,
        to label: PeerLabel
    ) {
        guard let role = label.role else { return }
        let kind = type(of: message).kind
        if role == .control, orders.remove(Order(connection: label.connection, serial: replyTo)) == nil { return }
        let packet = TappedPacket(
            label: label, role: role, isFromDaemon: true, kind: kind, serial: serial, replyTo: replyTo,
            dictionary: message.dictionary, payload: payload, descriptors: descriptors)
        for sink in sinks { sink.add(packet) }
    }

    func received(_ packet: Packet, from label: PeerLabel) {
        // The hello is the first packet that names the role.
        let role: Role
        if let known = label.role {
            role = known
        } else {
            guard packet.kind == .hello, let said = try? packet.message(Hello.self).role else { return }
            role = said
        }
        if role == .control {
            guard Self.toolOrders.contains(packet.kind) else { return }
            orders.insert(Order(connection: label.connection, serial: packet.serial))
        }
        let tapped = TappedPacket(
            label: label, role: role, isFromDaemon: false, kind: packet.kind, serial: packet.serial,
            replyTo: packet.replyTo,
            dictionary: packet.dictionary, payload: packet.payload, descriptors: packet.descriptors)
        for sink in sinks { sink.add(tapped) }
    }

    func ended(_ label: PeerLabel, _ error: ConnectionError) {
        guard let role = label.role, role != .control else { return }
        tell(.ended(RecordedEnd(connection: label.connection, role: role, name: label.name, detail: error.ending)))
    }

    /// Returns the observer of a time limit's changes, from its arming on.
    ///
    /// - Parameter pid: returns the pid of the program, after its start.
    func witness(
        of name: Timers.Name, _ extensionIdentifier: String, _ request: RequestIdentifier?,
        pid: @escaping @HostActor () -> Int?
    ) -> @HostActor (PausableDeadline.Change) -> Void {
        { [weak self] change in
            guard let self, isOn else { return }
            let (what, delay): (RecordedTimer.Change, Duration?) =
                switch change {
                case .armed(let limit): (.armed, limit)
                case .fired: (.fired, nil)
                case .disarmed: (.disarmed, nil)
                case .paused: (.paused, nil)
                case .resumed(let left): (.resumed, left)
                }
            tell(
                .timer(
                    RecordedTimer(
                        name: name.rawValue, change: what, delay: delay?.inSeconds, pid: pid(),
                        extensionIdentifier: extensionIdentifier,
                        request: request)))
        }
    }

    private func tell(_ content: TranscriptEntry.Content) {
        for sink in sinks { sink.add(content) }
    }
}

/// A packet on its way past a tap.
struct TappedPacket {
    let label: PeerLabel
    let role: Role
    let isFromDaemon: Bool
    let kind: MessageKind
    let serial: UInt32
    let replyTo: UInt32
    let dictionary: PropertyListDictionary
    let payload: Payload
    let descriptors: [SharedDescriptor]
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
