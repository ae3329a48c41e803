// ControlService: the questions and orders that hosts and tools have in common.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionProtocol
import ExtensionRegistry
import LinuxSystem
import PropertyListCoding

/// Answers one connection's control messages.
@HostActor
final class ControlService {
    /// Entries of a list in one packet at the most; fewer where they are large.
    private static let pageLimit = 64

    private let engine: Engine
    private let peer: Peer
    private let credentials: PeerCredentials
    private var watch: WatchStream?

    init(engine: Engine, peer: Peer, credentials: PeerCredentials) {
        self.engine = engine
        self.peer = peer
        self.credentials = credentials
    }

    /// False when the packet is no control message.
    func handle(_ packet: Packet) throws(ProtocolError) -> Bool {
        switch packet.kind {
        case .listExtensions:
            page(packet, try packet.message(ListExtensions.self).offset, engine.registry.bundles.map(\.record))
        case .listProcesses:
            let processes = engine.supervisor.processes.values.sorted { $0.pid < $1.pid }
            page(packet, try packet.message(ListProcesses.self).offset, processes.map(\.record))
        case .listHosts:
            let hosts = engine.hosts.values.sorted { $0.name < $1.name }
            page(packet, try packet.message(ListHosts.self).offset, hosts.map(\.record))
        case .listRequests:
            let requests = engine.requests.values.sorted {
                ($0.began, $0.identifier.description) < ($1.began, $1.identifier.description)
            }
            page(packet, try packet.message(ListRequests.self).offset, requests.map(\.record))
        case .listExits: page(packet, try packet.message(ListExits.self).offset, engine.supervisor.deaths)
        case .setHostState: setHostState(packet, try packet.message())
        case .cancel: cancel(packet, try packet.message(Cancel.self).request)
        case .watch: startWatch(packet, try packet.message())
        case .advanceClock: try advanceClock(packet, try packet.message())
        default: return false
        }
        return true
    }

    private func page<Entry: ListEntry>(_ packet: Packet, _ offset: Int, _ all: [Entry]) {
        let first = min(max(0, offset), all.count)
        var entries: [Entry] = []
        var size = 0
        for entry in all[first...].prefix(Self.pageLimit) {
            // An entry's own bound keeps a single one within a packet.
            let cost = (try? entry.wire.encodeBinary().count) ?? 0
            if !entries.isEmpty, size + cost > PacketLimits.body / 2 { break }
            size += cost
            entries.append(entry)
        }
        peer.reply(packet, Page(entries: entries, offset: first, count: all.count))
    }

    private func setHostState(_ packet: Packet, _ message: SetHostState) {
        guard let host = engine.hosts[message.host] else {
            let names = engine.hosts.keys.sorted().joined(separator: ", ")
            return peer.reply(
                packet,
                ExtensionHostError(
                    .noSuchHost, "no host \(message.host) is connected",
                    remedy: names.isEmpty ? "None is connected: start the host application first" : "Connected are: \(names)"))
        }
        guard credentials.uid == host.credentials.uid || credentials.uid == 0 else {
            return peer.reply(packet, ExtensionHostError(.notPermitted, "host \(message.host) is another user's"))
        }
        host.move(to: message.state)
        peer.reply(packet, Success())
    }

    private func cancel(_ packet: Packet, _ identifier: RequestIdentifier) {
        guard let request = engine.requests[identifier] else {
            return peer.reply(packet, ExtensionHostError(.noSuchRequest, "request \(identifier) is not open"))
        }
        request.cancel(.cancelledByOperator)
        peer.reply(packet, Success())
    }

    private func startWatch(_ packet: Packet, _ message: Watch) {
        guard watch == nil else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "this connection watches already", remedy: "Watch again on a connection of its own"))
        }
        watch = WatchStream(message, log: engine.log, peer: peer) { [weak self] in
            self?.peer.reply(packet, Success())
            if !message.follow { self?.watch = nil }
        }
    }

    private func advanceClock(_ packet: Packet, _ message: AdvanceClock) throws(ProtocolError) {
        guard let clock = engine.clock as? VirtualClock else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "this daemon's clock is real", remedy: "Start it with --ephemeral --clock virtual"))
        }
        guard message.delay >= 0, message.delay <= 1e9 else {
            return peer.reply(
                packet,
                ExtensionHostError(
                    .invalidArgument, "a clock cannot be moved by \(message.delay) s", remedy: "Give 0 to 1,000,000,000 seconds"))
        }
        ClockAdvance.run(clock, by: .seconds(message.delay), engine: engine) { [weak self] in self?.peer.reply(packet, Success())
        }
    }
}
