// RecordingStream: recorded entries on their way to one recorder, at the recorder's pace.

import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import LinuxSystem
import Logging
import PropertyListCoding

/// A bounded queue of entries.
///
/// A recorder that is too slow misses entries, and gets their number; nothing waits for it.
@HostActor
final class RecordingStream: RecordingSink {
    /// The limits of the queue: entries, their bytes, and descriptors that stay open for their contents.
    static let queueLimit = (entries: 8192, bytes: 16 << 20, descriptors: 256)
    /// The maximum number of bytes of entries that travel together.
    private static let batch = 24 << 10

    private struct Waiting {
        let bytes: [UInt8]
        let descriptors: [SharedDescriptor]
    }

    private let engine: Engine
    private let peer: Peer
    private lazy var pace = StreamScheduler(to: peer) { [weak self] in self?.sendNext() ?? false }
    private let contents: Bool
    private let start: UInt64
    private var queue: [Waiting] = []
    private var head = 0
    private var waitingBytes = 0
    private var waitingDescriptors = 0
    /// The number of entries that found no room since the last one that did.
    private var missed = 0
    private var isOver = false
    /// The callback after the last entry; set once nothing more is to be recorded.
    private var finished: (@HostActor () -> Void)?

    /// Begins a recording. Contents are for the daemon's own user, and for the clients of an ephemeral daemon.
    init(
        of engine: Engine, for peer: Peer, _ credentials: PeerCredentials, contents: Bool,
        answering reply: Reply<Recording>
    ) throws(ExtensionHostError) {
        guard !contents || engine.context.options.isEphemeral || credentials.uid == engine.context.owner else {
            throw ExtensionHostError(
                .notPermitted,
                "only the daemon's own user, \(engine.context.owner), may record the contents of requests",
                remedy: "Record without contents, or use a private daemon")
        }
        guard !engine.context.options.isSystem || credentials.uid == 0 else {
            throw ExtensionHostError(
                .notPermitted, "the system's daemon serves other users, too: only root may record its sessions",
                remedy: "Record with a daemon of your own: exthostctl --user, or --ephemeral")
        }
        self.engine = engine
        self.peer = peer
        self.contents = contents
        start = engine.context.realClock.now
        try engine.context.recorder.add(self)
        reply(
            Recording(
                version: engine.context.options.version, clock: engine.context.options.clock.rawValue,
                time: Int(engine.context.clock.wallClockNow / 1000), contents: contents,
                timers: engine.context.settings.timers.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                    PointRecord.Timer(name: $0.key.rawValue, delay: $0.value.inSeconds)
                }))
        engine.context.logger.notice(
            "process \(credentials.pid) of user \(credentials.uid) records\(contents ? ", with the contents of requests" : "")"
        )
    }

    /// Ends the recording; idempotent.
    func end() {
        guard !isOver else { return }
        isOver = true
        queue = []
        finished = nil
        engine.context.recorder.remove(self)
    }

    /// Stops the recording. `done` is called when all recorded entries have been sent; the first call counts.
    func finish(_ done: @escaping @HostActor () -> Void) {
        guard finished == nil, !isOver else { return }
        engine.context.recorder.remove(self)
        if missed > 0 { append(TranscriptEntry(time: now, .gap(missed)), []) }
        missed = 0
        finished = done
        schedule()
    }

    private var now: Int { Int((engine.context.realClock.now - start) / 1000) }

    var hasBacklog: Bool { !isOver && !peer.isClosed && head < queue.count }

    // MARK: What comes

    func add(_ content: TranscriptEntry.Content) { add(content, []) }

    func add(_ packet: TappedPacket) {
        // The room is checked before the entry is made: an entry without room must cost nothing.
        guard hasRoom(for: packet.descriptors.count + 1) else { return miss() }
        let (recorded, beside) = RecordedPacket.make(of: packet, contents: contents)
        add(.packet(recorded), beside)
    }

    private func add(_ content: TranscriptEntry.Content, _ descriptors: [SharedDescriptor]) {
        guard !isOver else { return }
        guard hasRoom(for: descriptors.count) else { return miss() }
        if missed > 0 {
            append(TranscriptEntry(time: now, .gap(missed)), [])
            missed = 0
        }
        append(TranscriptEntry(time: now, content), descriptors)
        schedule()
    }

    private func append(_ entry: TranscriptEntry, _ descriptors: [SharedDescriptor]) {
        // The contents of a packet can be encoded; a message that is larger than a packet is the daemon's own.
        guard let bytes = try? entry.wire.encodeBinary() else { return miss() }
        queue.append(Waiting(bytes: bytes, descriptors: descriptors))
        waitingBytes += bytes.count
        waitingDescriptors += descriptors.count
    }

    private func hasRoom(for descriptors: Int) -> Bool {
        queue.count - head < Self.queueLimit.entries && waitingBytes < Self.queueLimit.bytes
            && waitingDescriptors + descriptors <= Self.queueLimit.descriptors
    }

    private func miss() { missed += 1 }

    // MARK: What goes

    /// Schedules the next batch. Entries of one turn of the loop travel together.
    func schedule() {
        if !isOver { pace.schedule() }
    }

    private func sendNext() -> Bool {
        guard !isOver else { return false }
        let (entries, descriptors) = nextBatch()
        guard !entries.isEmpty else {
            let done = finished
            finished = nil
            if done != nil { isOver = true }
            done?()
            return false
        }
        do {
            let payload = try Payload(PropertyList.array(entries.map(PropertyList.data)).encodeBinary())
            peer.send(Recorded(count: entries.count), payload: payload, descriptors: descriptors)
        } catch {
            // For example, no descriptor is free for so large a payload.
            missed += entries.count
        }
        return true
    }

    /// Returns entries without descriptors up to a size, or a single entry with descriptors.
    private func nextBatch() -> (entries: [[UInt8]], descriptors: [SharedDescriptor]) {
        var entries: [[UInt8]] = []
        var size = 0
        while head < queue.count {
            let next = queue[head]
            if !entries.isEmpty, size + next.bytes.count > Self.batch || !next.descriptors.isEmpty { break }
            head += 1
            size += next.bytes.count
            waitingBytes -= next.bytes.count
            waitingDescriptors -= next.descriptors.count
            entries.append(next.bytes)
            if !next.descriptors.isEmpty {
                dropSent()
                return (entries, next.descriptors)
            }
        }
        dropSent()
        return (entries, [])
    }

    private func dropSent() {
        guard head == queue.count || head > 1024 else { return }
        queue.removeFirst(head)
        head = 0
    }
}

extension RecordedPacket {
    /// Returns the recorded form of `packet`, and the descriptors that travel along for their contents.
    static func make(of packet: TappedPacket, contents: Bool) -> (RecordedPacket, [SharedDescriptor]) {
        var recorded = RecordedPacket(
            connection: packet.label.connection, role: packet.role, name: packet.label.name, pid: packet.label.pid,
            isFromDaemon: packet.isFromDaemon, kind: "\(packet.kind)", serial: Int(packet.serial),
            answers: Int(packet.replyTo),
            body: ContentReduction.body(packet.dictionary, of: packet.kind, contents: contents))
        var beside: [SharedDescriptor] = []
        /// Returns the place of a descriptor beside the entry if contents are wanted; one place is the entry's own.
        func place(_ descriptor: SharedDescriptor) -> Int? {
            guard contents, beside.count + 1 < PacketLimits.descriptors else { return nil }
            beside.append(descriptor)
            return beside.count - 1
        }
        switch packet.payload {
        case .none: break
        case .inline(let bytes):
            recorded.payload =
                contents
                ? .data(ConfidentialReduction.bytes(bytes)) : ContentReduction.payload(bytes, of: packet.kind)
        case .sealed(let memory):
            recorded.sealed = PassedFile(memory.raw).size ?? 0
            if contents, !ConfidentialReduction.isMarked(memory) { recorded.index = place(memory) }
        }
        recorded.descriptors = packet.descriptors.map { descriptor in
            let file = PassedFile(descriptor.raw)
            return RecordedDescriptor(
                kind: file.kind, size: file.size, index: file.size == nil ? nil : place(descriptor))
        }
        return (recorded, beside)
    }
}

extension PassedFile {
    fileprivate var size: Int? {
        switch self {
        case .memory(let size), .file(let size): size
        case .other: nil
        }
    }

    fileprivate var kind: RecordedDescriptor.Kind {
        switch self {
        case .memory: .memory
        case .file: .file
        case .other: .other
        }
    }
}
