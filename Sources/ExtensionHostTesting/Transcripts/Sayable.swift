// Sayable: the check whether one side of a recording can be replayed.

import ExtensionHost
import ExtensionProtocol
import PropertyListCoding
import Transcripts

extension Transcript {
    /// Throws one error with all reasons why the messages of `side` cannot be replayed.
    func checkSayable(by side: Role) throws(ExtensionHostError) {
        if entries.contains(where: { if case .gap = $0.content { true } else { false } }) {
            throw ExtensionHostError(
                .invalidArgument, "the recording lacks \(missing) entries, so it cannot be replayed",
                remedy: "Record again, on a faster disk or with less load")
        }
        if let event = faultInjected {
            throw ExtensionHostError(
                .invalidArgument,
                "faults were injected into the recorded session (\(event.detail ?? "")), and a replay has none",
                remedy: "Record it without faults; the recording has their effects")
        }
        var lacking: [String] = []
        var met: Set<Int> = []
        for (packet, _) in packets where packet.role == side {
            if met.insert(packet.connection).inserted, packet.kind != "hello" || packet.isFromDaemon {
                throw ExtensionHostError(
                    .invalidArgument,
                    "\(side.rawValue) \(packet.name ?? "") was already connected at the start of the recording",
                    remedy: "Record from the start: exthostctl record FILE --contents -- COMMAND")
            }
            guard !packet.isFromDaemon else { continue }
            let isBare = !header.recording.contents && (packet.payload != nil || packet.sealed != nil)
            let isCut =
                packet.sealed != nil && packet.payload == nil || packet.descriptors.contains { $0.contents == nil }
            if isBare || isCut {
                lacking.append(
                    "\(packet.kind) \(packet.serial) of \(side.rawValue) \(packet.name ?? "\(packet.connection)")")
            }
        }
        guard lacking.isEmpty else {
            let more = lacking.count > 4 ? " and \(lacking.count - 4) more" : ""
            throw ExtensionHostError(
                .invalidArgument,
                "the recording lacks the contents of \(lacking.prefix(4).joined(separator: ", "))\(more)",
                remedy: header.recording.contents
                    ? "The recorder omits contents over 4 MiB: record smaller items" : "Record again with --contents")
        }
        switch side {
        case .extension: try checkEndings()
        case .host: try checkKills()
        case .control, .app, .service: break
        }
        guard !met.isEmpty else {
            throw ExtensionHostError(
                .invalidArgument, "there is no \(side.rawValue) in the recording", remedy: "Record a session with one")
        }
    }

    /// The first injected fault; its order may have been an option of the daemon's, which no packet shows.
    private var faultInjected: EventRecord? {
        for entry in entries {
            if case .event(let event) = entry.content, event.event == EventName.faultInjected.rawValue { return event }
        }
        return nil
    }

    /// Checks the ends of requests.
    ///
    /// An extension that is played causes its own ends: answers, crashes and exits, and the silence of one that hangs.
    private func checkEndings() throws(ExtensionHostError) {
        let unplayed: Set<Cause> = [
            .launchFailed, .launchTimeout, .memoryLimit, .cpuLimit, .protocolViolation, .unresponsive,
            .lockHeldAtSuspension,
            .ruleMismatch, .notElected, .bundleDisabled, .quota, .breakerOpen, .connectionLost,
        ]
        for (packet, request) in packets where packet.role == .host && packet.isFromDaemon && packet.kind == "finished"
        {
            guard let cause = packet.body[Key.cause.rawValue]?.string,
                unplayed.contains(Cause(rawValue: cause) ?? .unrecognized)
            else { continue }
            throw ExtensionHostError(
                .invalidArgument,
                "request \(request?.prefix(8) ?? "") ended by \(cause) in the recording, and a replayed extension cannot end it so",
                remedy: "Replay it as host, or record a session without that")
        }
    }

    /// Checks that no process is killed by its pid, which another process has now.
    private func checkKills() throws(ExtensionHostError) {
        for (packet, _) in packets where packet.role == .control && !packet.isFromDaemon && packet.kind == "kill" {
            if case .identifier = try? Kill(dictionary: packet.body).target { continue }
            throw ExtensionHostError(
                .invalidArgument, "the recording has a kill by a pid, which now belongs to another process",
                remedy: "Record exthostctl kill with an identifier")
        }
    }
}
