// HostReplay: the replay of a transcript's hosts against present extensions.

import ExtensionHost
import ExtensionProtocol
import Foundation
import LinuxSystem
import PropertyListCoding
import Transcripts

extension Transcript {
    /// Replays the recorded hosts and tools, in the recorded order, and compares the extensions in `applications` with
    /// the recording.
    ///
    /// It compares their messages, in order for each request, and their contents, except identifiers, dates and
    /// serials. A host continues when everything recorded before has arrived; a virtual clock is moved as it was.
    ///
    /// - Parameters:
    ///   - applications: folders of `.app` bundles, or such bundles, with the extensions of the recording.
    ///   - paths: places in messages that are not compared, as `payload[0].userInfo.date`; `*` stands for any key or
    ///     place.
    ///   - patience: the time that a step may take beyond its recorded time, in real time.
    ///   - arguments: more options of the private daemon.
    /// - Returns: the first divergence; nil if there is none.
    /// - Throws: `ExtensionHostError` `invalidArgument` for a recording that cannot be replayed, with the missing
    ///   parts; as `TestDaemon.start`.
    public func replayAsHost(
        applications: [String], ignoring paths: [String] = [], patience: Duration = .seconds(10),
        arguments: [String] = []
    ) async throws -> TranscriptDivergence? {
        try checkSayable(by: .host)
        let transcript = unbroken
        let session = try await ReplaySession.start(transcript, applications: applications, arguments: arguments)
        let divergence: TranscriptDivergence?
        do {
            divergence = try await HostReplay(transcript, session, paths, patience).run()
        } catch {
            try? await session.daemon.stop()
            throw error
        }
        try await session.daemon.stop()
        return divergence
    }
}

/// One replay. Only one task uses it.
private final class HostReplay {
    private final class Host {
        let connection: SpeakingConnection
        /// The present number of the connection; nil until its hello has been seen.
        var number: Int?
        /// The present serials of the daemon's packets, by those of the recording.
        var serials: [Int: UInt32] = [:]
        /// The daemon's packets that have not been awaited yet.
        var heard: [(packet: RecordedPacket, subject: RecordedSubject)] = []

        init(_ connection: SpeakingConnection) { self.connection = connection }
    }

    private let transcript: Transcript
    private let session: ReplaySession
    private let patience: Duration
    private var comparison: SideComparison
    /// The present packets.
    private var present = RecordedRequests()
    private var hosts: [Int: Host] = [:]
    private var divergence: TranscriptDivergence?
    private let folder: TemporaryDirectory
    /// The requests that have ended now, with their causes; and those whose end the recording has reached.
    private var ended: [String: String] = [:]
    private var hadEnded: Set<String> = []
    /// The numbers of packets that the extensions had sent so far in the recording.
    private var said: [SideComparison.Line: Int] = [:]
    /// The kinds of packets that the daemon sends to hosts at any time; the replay does not wait for them.
    private static let unawaited: Set<String> = ["output", "loadProgress"]

    init(_ transcript: Transcript, _ session: ReplaySession, _ paths: [String], _ patience: Duration) throws {
        self.transcript = transcript
        self.session = session
        self.patience = patience
        comparison = SideComparison(of: .extension, in: transcript, ignoring: paths)
        folder = try TemporaryDirectory(prefix: "exthost-replay")
    }

    deinit {
        for host in hosts.values { host.connection.close() }
        try? folder.remove()
    }

    func run() async throws -> TranscriptDivergence? {
        let control = try await DaemonControl.connect(name: "replay-orders", to: session.daemon.address)
        var requests = RecordedRequests()
        var before = 0
        for entry in transcript.entries {
            // The limit is the recorded time plus the patience.
            let limit = patience + .microseconds(max(0, entry.time - before))
            before = entry.time
            switch entry.content {
            case .packet(let packet):
                let subject = requests.subject(of: packet)
                switch packet.role {
                case .host: try await packet.isFromDaemon ? hear(packet, subject, within: limit) : say(packet, subject)
                case .extension where !packet.isFromDaemon: try await listen(packet, subject, within: limit)
                case .control where !packet.isFromDaemon: try await order(packet, control)
                case .extension, .control, .app, .service: break
                }
            case .ended(let end): if end.role == .host { hosts[end.connection]?.connection.close() }
            case .event, .timer, .gap: break
            }
            if divergence != nil { return divergence }
        }
        // These are further messages of the extensions, as far as they have been sent.
        try await session.daemon.control.fence()
        await session.endRecording()
        while divergence == nil, let entry = await session.mailbox.next(within: patience) { try absorb(entry) }
        return divergence
    }

    // MARK: The hosts' own

    private func say(_ packet: RecordedPacket, _ subject: RecordedSubject) async throws {
        if packet.kind == "hello" { return try await connect(packet) }
        guard let host = hosts[packet.connection] else { return }
        if packet.kind == "goodbye" { return host.connection.close() }
        // Without the recorded question there is no answer; the difference is reported for the question's own packet.
        let answered = packet.answers == 0 ? 0 : host.serials[packet.answers]
        guard let answered else { return }
        var packet = packet
        // A part names its call by the number that the extension has chosen now.
        if let request = subject.request, let call = subject.call, call.caller == .extension,
            packet.body[Key.number.rawValue] != nil
        {
            guard let number = present.number(of: call, request: request, on: .host) else { return }
            packet.body[Key.number.rawValue] = .integer(Int64(number))
        }
        do {
            try host.connection.say(packet, replyTo: answered)
        } catch let error as SpokenPacketError {
            throw ExtensionHostError(.invalidArgument, error.description, remedy: "Record again with --contents")
        }
    }

    private func connect(_ packet: RecordedPacket) async throws {
        let connection = try SpeakingConnection(
            socket: try Socket.connect(to: session.daemon.address.path), folder: folder.path)
        let host = Host(connection)
        hosts[packet.connection] = host
        try startThread(named: "exthost-replay") { while (try? connection.receive()) ?? nil != nil {} }
        // The hello offers no reconnection, which the recording does not contain either.
        var hello = packet
        hello.body[Key.resumable.rawValue] = nil
        hello.body[Key.resumption.rawValue] = nil
        hello.body[Key.limits.rawValue] = Window.standard.wire
        try connection.say(hello)
        let isKnown = try await pump(within: patience) { host.number != nil }
        guard isKnown || divergence != nil else {
            throw ExtensionHostError(
                .internalError, "the daemon does not answer the recorded hello", remedy: "Read its log")
        }
    }

    private func order(_ packet: RecordedPacket, _ control: DaemonControl) async throws {
        let body = packet.body
        switch MessageKind.named(packet.kind) {
        case .advanceClock: try await control.advanceClock(by: .seconds(try AdvanceClock(dictionary: body).delay))
        case .setHostState:
            let message = try SetHostState(dictionary: body)
            try await control.setState(message.state, ofHost: message.host)
        case .cancel: try? await control.cancel(try Cancel(dictionary: body).request)
        case .kill:
            guard case .identifier(let identifier) = try Kill(dictionary: body).target else { break }
            _ = try? await control.kill(.identifier(identifier))
        default: break
        }
    }

    /// Waits for the packet that the daemon had sent to a host.
    private func hear(_ expected: RecordedPacket, _ subject: RecordedSubject, within limit: Duration) async throws {
        guard !Self.unawaited.contains(expected.kind), let host = hosts[expected.connection] else { return }
        func place() -> Int? {
            host.heard.firstIndex { found in
                if expected.answers != 0 { return found.packet.answers == expected.answers }
                return found.packet.kind == expected.kind && found.packet.answers == 0
                    && found.packet.body[Key.request.rawValue] == expected.body[Key.request.rawValue]
                    && found.subject.call == subject.call
            }
        }
        let request = expected.body[Key.request.rawValue]?.string
        _ = try await pump(within: limit) { place() != nil }
        if divergence != nil { return }
        let name = "the daemon, \(expected.kind) to host \(expected.name ?? "\(expected.connection)")"
        guard let place = place() else {
            divergence =
                request.flatMap { comparison.missing(of: $0, note: note(on: $0, within: limit)) }
                ?? TranscriptDivergence(
                    packet: name,
                    difference: PropertyListDifference(path: "kind", expected: .string(expected.kind), found: nil),
                    note: "no message within \(limit)")
            return
        }
        let found = host.heard.remove(at: place).packet
        host.serials[expected.serial] = UInt32(truncatingIfNeeded: found.serial)
        if expected.kind == "finished", let request { hadEnded.insert(request) }
        // A cancellation crosses with the answer to its call, and with the parts before it.
        if subject.call != nil, Self.isEnd(expected) || Self.isEnd(found) { return }
        divergence = outcomeDifference(expected, found).map { TranscriptDivergence(packet: name, difference: $0) }
    }

    /// Returns the difference of the daemon's own messages, of which only the outcome counts.
    private func outcomeDifference(_ expected: RecordedPacket, _ found: RecordedPacket) -> PropertyListDifference? {
        // An action that ends its request is answered with the view, or with the end if the host acknowledges the end
        // before the view comes. The daemon may process either first, each time.
        if Self.isEnd(expected), found.kind == "viewUsed" { return nil }
        if expected.kind == "viewUsed", Self.isEnd(found) { return nil }
        guard expected.kind == found.kind else {
            return PropertyListDifference(path: "kind", expected: .string(expected.kind), found: .string(found.kind))
        }
        guard expected.kind == "finished" else { return nil }
        for key in [Key.outcome.rawValue, Key.cause.rawValue] where expected.body[key] != found.body[key] {
            return PropertyListDifference(path: key, expected: expected.body[key], found: found.body[key])
        }
        return nil
    }

    private static func isEnd(_ packet: RecordedPacket) -> Bool {
        packet.kind == "error"
            && packet.body[Key.code.rawValue]?.integer == Int64(ExtensionHostError.Code.contextFinished.rawValue)
    }

    // MARK: The extensions'

    /// Waits until the extension has sent as many messages on the packet's subject as it had in the recording.
    private func listen(_ packet: RecordedPacket, _ subject: RecordedSubject, within limit: Duration) async throws {
        guard let request = subject.request, comparison.compares(packet, subject) else { return }
        let line = comparison.line(of: packet, subject)
        said[line, default: 0] += 1
        let due = said[line, default: 0]
        // After the end of the request the message does not come any more.
        _ = try await pump(within: limit) { [self] in
            comparison.said(on: line) >= due || ended[request] != nil && !hadEnded.contains(request)
        }
        guard divergence == nil, comparison.said(on: line) < due else { return }
        // The act that ended the request needs no answer.
        if packet.kind == "viewUsed", ended[request] != nil { return }
        divergence = comparison.missing(on: line, note: note(on: request, within: limit))
    }

    private func note(on request: String, within limit: Duration) -> String {
        ended[request].map { "the request has ended: \($0)" } ?? "no message within \(limit)"
    }

    // MARK: What happens now

    /// Handles events until `condition` holds; returns false if it does not within `limit`, or at a divergence.
    private func pump(within limit: Duration, until condition: () -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + limit
        while !condition() {
            let left = end - ContinuousClock.now
            guard divergence == nil, left > .zero, let entry = await session.mailbox.next(within: left) else {
                return false
            }
            try absorb(entry)
        }
        return true
    }

    private func absorb(_ entry: TranscriptEntry) throws {
        switch entry.content {
        case .gap: throw ReplaySession.gap
        case .packet(let packet):
            let subject = present.subject(of: packet)
            if packet.role == .host { absorb(packet, subject) }
            if let found = comparison.observe(packet), divergence == nil { divergence = found }
        case .event, .timer, .ended: break
        }
    }

    private func absorb(_ packet: RecordedPacket, _ subject: RecordedSubject) {
        if !packet.isFromDaemon, packet.kind == "hello" {
            hosts.values.first { $0.number == nil }?.number = packet.connection
        }
        guard packet.isFromDaemon, let host = hosts.values.first(where: { $0.number == packet.connection }) else {
            return
        }
        if packet.kind == "finished", let request = packet.body[Key.request.rawValue]?.string {
            ended[request] = packet.body[Key.cause.rawValue]?.string ?? "?"
        }
        if !Self.unawaited.contains(packet.kind) { host.heard.append((packet, subject)) }
    }
}
