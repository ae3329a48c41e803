// Peer: one connection, driven by the loop.

import EventLoop
import ExtensionConnection
import ExtensionProtocol
import LinuxSystem
import PropertyListCoding

/// The object that hears what a peer says.
@HostActor
protocol PeerOwner: AnyObject {
    /// Called for each packet that is no answer.
    func received(_ packet: Packet, from peer: Peer)
    /// Called once. The error says whose end it was.
    func closed(_ error: ConnectionError)
    /// Called before anything is read: what has to be known before what the peer says.
    func willRead()
    /// Called when everything queued has been sent.
    func drained()
}

extension PeerOwner {
    func willRead() {}
    func drained() {}
}

/// Reads a connection when it is readable, writes it when it is writable, and pairs answers with questions. After
/// its owner has been told of the end nothing more comes of it.
@HostActor
final class Peer {
    typealias Answer = Result<Packet, ExtensionHostError>

    /// Packets handled before the loop looks at others, and how long that may take altogether: a packet costs what its sender makes
    /// of it, and everybody else waits meanwhile.
    private static let packetsPerTurn = 32
    private static let longestTurn = Duration.microseconds(200)
    /// Packets that may wait for a peer before it gets no more credit: one that does not read shall not write, either.
    private static let mostWaiting = Window.standard.packets / 2

    /// Kept until the end of the connection.
    var owner: (any PeerOwner)?
    private var endings: [@HostActor () -> Void] = []
    /// Called each time the socket of a resumable peer is lost (`makeResumable`). What is sent from then on waits.
    var onDetach: (@HostActor () -> Void)?
    /// Called when everything queued has been sent, after the owner. For a daemon that ends.
    var onDrained: (@HostActor () -> Void)?

    private var connection: Connection
    private let buffer: ReceiveBuffer
    private var source: IOSource?
    private var replies = ReplyTable<@HostActor (Answer) -> Void>()
    private var isWaitingToWrite = false
    private var postponed: [@HostActor () -> Void] = []
    private static let mostPostponed = 64
    /// What was read and is not given back yet, because too much waits for the peer.
    private var withheld = Window(packets: 0, bytes: 0)
    private var hasSaidHello = false
    private(set) var isClosed = false
    private(set) var isDetached = false
    private var isResumable = false
    /// What its hello settled: newer messages are not for it.
    var version = ProtocolVersion.lowest
    /// Who it is, for those who record.
    var label: PeerLabel
    private let recorder: Recorder
    private let metrics: Metrics
    /// The turns of the process at the other end.
    private let share: TurnShare

    /// How what is sent and what comes has its turn, under a virtual clock.
    struct Turn {
        /// Takes what sends a packet, to call it some time.
        let send: @HostActor (@escaping @HostActor () -> Void) -> Void
        /// Something has come: whether it is read now. If not, `drain` will, and `resumeReading` follows.
        let reads: @HostActor () -> Bool
        /// Takes what deals with the end of the connection.
        let ends: @HostActor (@escaping @HostActor () -> Void) -> Void
    }

    var turn: Turn?
    /// What the peer orders waits for its turn, and so do its fences.
    var orders: (@HostActor (@escaping @HostActor () -> Void) -> Void)?

    /// Takes over `socket`. `buffer` is the loop's own, shared by all peers; `share` has the turns of the process at
    /// the other end.
    init(
        socket: consuming Socket, buffer: ReceiveBuffer, recorder: Recorder, metrics: Metrics, share: TurnShare
    ) throws(LoopError) {
        connection = Connection(socket: socket)
        self.share = share
        self.buffer = buffer
        self.recorder = recorder
        self.metrics = metrics
        label = PeerLabel(connection: recorder.nextConnection())
        source = try EventLoop.shared.watch(descriptor: connection.descriptor, for: .readable, share: share) {
            [weak self] events in
            self?.handle(events)
        }
    }

    var queuedPackets: Int { connection.queuedPackets }

    /// The peer has said hello, and how much may be on the way to it.
    func openCredit(_ window: Window) {
        hasSaidHello = true
        connection.openCredit(window)
    }

    // MARK: Resumption

    /// From here on a lost socket is not the end: `onDetach` is called, and `attach` goes on over another.
    func makeResumable() {
        isResumable = true
        connection.makeResumable()
    }

    /// Numbers what is sent from here on after `serial`, as the other side does: it had so much from another daemon, whose questions it may answer
    /// still.
    func skip(to serial: UInt32) {
        connection.skipSent(to: serial)
        firstSerial = connection.upcomingSerial
    }

    /// Of the first question: answers to earlier ones are another daemon's.
    private var firstSerial: UInt32 = 0

    var lastReceived: UInt32 { connection.lastReceived }

    func checkReceived(_ serial: UInt32) throws(ProtocolError) { try connection.checkReceived(serial) }

    /// A descriptor of its own for the peer's socket.
    func duplicateSocket() throws(SystemError) -> Socket { try connection.duplicateSocket() }

    func peerProcess() throws(SystemError) -> OwnedDescriptor? { try connection.peerProcess() }

    /// Gives up the socket, after reading what has arrived on it.
    func detach() {
        if !isDetached { drain() }
        if !isDetached, !isClosed { lose() }
    }

    private func lose() {
        isDetached = true
        source?.cancel()
        source = nil
        isWaitingToWrite = false
        connection.detach()
        onDetach?()
    }

    /// Goes on over `socket`; what the other side has not received is sent again.
    func attach(_ socket: consuming Socket, peerReceived: UInt32) throws(ConnectionError) {
        do {
            try connection.attach(socket, peerReceived: peerReceived)
        } catch {
            throw .violation(error)
        }
        isDetached = false
        // With another socket both sides have their whole credit again.
        withheld = Window(packets: 0, bytes: 0)
        do {
            source = try EventLoop.shared.watch(
                descriptor: connection.descriptor, for: .readable, share: share
            ) { [weak self] events in self?.handle(events) }
        } catch {
            throw .local("the loop cannot watch the connection: \(error)")
        }
        if isDeaf { source?.isEnabled = false }
        try flush()
    }

    // MARK: Sending

    /// Sends a message, now as far as it goes, or in its turn. A peer that does not read is closed by name; nothing waits for it.
    func send(_ message: some Message, payload: Payload = .none, descriptors: [SharedDescriptor] = [], replyTo: UInt32 = 0) {
        guard let turn else { return _ = transmit(message, payload, descriptors, replyTo) }
        turn.send { [weak self] in _ = self?.transmit(message, payload, descriptors, replyTo) }
    }

    /// The same out of turn.
    func sendAtOnce(_ message: some Message) { _ = transmit(message, .none, [], 0) }

    func reply(_ packet: Packet, _ message: some Message) { send(message, replyTo: packet.serial) }

    func reply(_ packet: Packet, _ error: ExtensionHostError) { send(ErrorReply(error), replyTo: packet.serial) }

    /// Sends a request; `answer` is called once, also when the connection ends first.
    func request(_ message: some RequestMessage, payload: Payload = .none, answer: @escaping @HostActor (Answer) -> Void) {
        guard let turn else { return requestAtOnce(message, payload: payload, answer: answer) }
        turn.send { [self] in requestAtOnce(message, payload: payload, answer: answer) }
    }

    /// The same out of turn.
    func requestAtOnce(_ message: some RequestMessage, payload: Payload = .none, answer: @escaping @HostActor (Answer) -> Void) {
        guard let serial = transmit(message, payload, [], 0) else {
            return answer(.failure(ExtensionHostError(.connectionLost, "the connection is closed")))
        }
        replies.await(serial, answer)
    }

    /// Keeps a message back, which goes before whatever is sent next; too many go at once.
    func postpone(_ message: some Message) {
        if postponed.count >= Self.mostPostponed { sendPostponed() }
        postponed.append { [unowned self] in _ = transmit(message, .none, [], 0) }
    }

    /// What was kept back and has not gone yet.
    func sendPostponed() {
        guard !postponed.isEmpty else { return }
        var due: [@HostActor () -> Void] = []
        swap(&due, &postponed)
        for send in due { send() }
    }

    private func transmit(
        _ message: some Message, _ payload: Payload, _ descriptors: [SharedDescriptor], _ replyTo: UInt32
    ) -> UInt32? {
        sendPostponed()
        guard !isClosed else { return nil }
        do throws(ConnectionError) {
            let serial = try connection.enqueue(message, payload: payload, descriptors: descriptors, replyTo: replyTo)
            if recorder.isOn { recorder.sent(message, payload, descriptors, serial, replyTo, to: label) }
            do throws(ConnectionError) {
                try flush()
            } catch {
                // A kept peer has its message in the queue whatever became of the socket.
                ended(error)
            }
            return isClosed ? nil : serial
        } catch {
            close(error)
            return nil
        }
    }

    private func flush() throws(ConnectionError) {
        guard !isMute else { return }
        let before = connection.sent
        defer { metrics.sent(connection.sent, since: before) }
        let waits = connection.queuedPackets > 0
        if waits { KillPoint.pass() }
        var progress = try connection.flush()
        if waits { KillPoint.pass() }
        if withheld.packets > 0, connection.queuedPackets <= Self.mostWaiting {
            connection.release(withheld)
            withheld = Window(packets: 0, bytes: 0)
            progress = try connection.flush()
        }
        if (progress == .waitingForSocket) != isWaitingToWrite {
            isWaitingToWrite.toggle()
            do {
                try source?.setEvents(isWaitingToWrite ? [.readable, .writable] : .readable)
            } catch {
                throw .local("the loop cannot watch the connection: \(error)")
            }
        }
        guard progress == .drained else { return }
        owner?.drained()
        onDrained?()
    }

    // MARK: Receiving

    private func handle(_ events: IOEvents) {
        do throws(ConnectionError) {
            if events.contains(.writable) { try flush() }
            // Left alone it would wake the loop again and again.
            guard turn?.reads() != false else {
                source?.isEnabled = false
                return
            }
            try read(atMost: Self.packetsPerTurn, within: Self.longestTurn)
        } catch {
            guard let turn else { return ended(error) }
            source?.isEnabled = false
            turn.ends { [weak self] in self?.ended(error) }
        }
    }

    /// What has come was read in its turn; what comes is announced again.
    func resumeReading() { source?.isEnabled = true }

    /// Reads what has arrived, though the peer be gone: called before its end is dealt with.
    ///
    /// It is no more than the peer had credit for, and its hello; whoever else holds its socket cannot keep the loop here.
    ///
    /// - Returns: whether there was something.
    @discardableResult
    func drain() -> Bool {
        let before = connection.lastReceived
        do throws(ConnectionError) {
            try read(atMost: Window.standard.packets + 1)
        } catch {
            ended(error)
            return true
        }
        return connection.lastReceived != before
    }

    private func ended(_ error: ConnectionError) {
        if isResumable, error.isLossOfSocket, !isClosed { lose() } else { close(error) }
    }

    private func read(atMost limit: Int, within turn: Duration? = nil) throws(ConnectionError) {
        owner?.willRead()
        guard !isDeaf else { return }
        var count = 0
        let start = ContinuousClock.now
        while count < limit, !isClosed, let packet = try connection.receive(into: buffer) {
            count += 1
            metrics.received(packet.cost)
            if recorder.isOn { recorder.received(packet, from: label) }
            KillPoint.pass()
            try route(packet)
            KillPoint.pass()
            if !isClosed { giveBack(packet.cost) }
            // No event of the socket's would tell of what has arrived already.
            if let turn, ContinuousClock.now - start >= turn, !connection.hasArrivals { break }
        }
        // Also when only credit came: it may be what the queue waits for.
        if !isClosed, count > 0 || connection.queuedPackets > 0 { try flush() }
    }

    /// Now, or when the peer has read enough of what waits for it.
    private func giveBack(_ cost: Window) {
        guard connection.queuedPackets > Self.mostWaiting || withheld.packets > 0 else { return connection.release(cost) }
        withheld = Window(packets: withheld.packets + cost.packets, bytes: withheld.bytes + cost.bytes)
    }

    private func route(_ packet: Packet) throws(ConnectionError) {
        guard packet.replyTo != 0 else {
            switch packet.kind {
            case .fence where hasSaidHello:
                guard let orders else { return reply(packet, FenceReply()) }
                orders { [weak self] in self?.reply(packet, FenceReply()) }
            case .goodbye where hasSaidHello: close(.closed)
            default: owner?.received(packet, from: self)
            }
            return
        }
        guard packet.replyTo >= firstSerial else { return }
        do {
            // Read before who waits for it is taken: of what cannot be read he learns as of all that ends the connection.
            let result: Answer = packet.kind == .error ? .failure(try packet.message(ErrorReply.self).error) : .success(packet)
            try replies.take(packet.replyTo)(result)
        } catch {
            throw .violation(error)
        }
    }

    // MARK: Faults on demand

    /// Nothing is read while it is set, not even the end; what has come waits in the socket.
    private var isDeaf = false
    /// Nothing is sent while it is set; it waits in the queue.
    private var isMute = false

    /// Whether a question could get no answer now.
    var isCutShort: Bool { isDeaf || isMute }

    func setDeaf(_ on: Bool) {
        isDeaf = on
        source?.isEnabled = !on
    }

    func setMute(_ on: Bool) {
        isMute = on
        guard !on, !isClosed, !isDetached else { return }
        do throws(ConnectionError) {
            try flush()
        } catch {
            ended(error)
        }
    }

    /// Lets something befall the next packet from the peer, or noise come now, behind what is being done for the peer. Who reads what the peer has
    /// said already finds it so: whether that had come by now was chance.
    func disturbNextReceived(_ disturbance: PacketDisturbance) {
        guard !isClosed, !isDetached else { return }
        connection.disturbNextReceived(disturbance)
        guard case .noise = disturbance else { return }
        EventLoop.shared.atEndOfIteration { [weak self] in self?.readArrivals() }
    }

    private func readArrivals() {
        guard !isClosed, !isDetached, connection.hasArrivals else { return }
        do throws(ConnectionError) {
            try read(atMost: 1)
        } catch {
            ended(error)
        }
    }

    func disturbNextSent(_ disturbance: PacketDisturbance) { connection.disturbNextSent(disturbance) }

    /// The other side has closed its end, it seems, and is not told otherwise for as long as this lives.
    func loseSocket() {
        guard !isClosed, !isDetached else { return }
        heldSocket = try? connection.duplicateSocket()
        drain()
        if !isClosed, !isDetached { ended(.closed) }
    }

    private var heldSocket: Socket?

    /// Breaks the connection, for both sides.
    func cut() { connection.shutDown() }

    // MARK: Ending

    /// Calls `body` when the connection ends, before the owner is told.
    func atEnd(_ body: @escaping @HostActor () -> Void) { endings.append(body) }

    /// The peer broke the protocol: it is told how, and cut off.
    func fail(_ error: ProtocolError) { close(.violation(error)) }

    func close(_ error: ConnectionError) {
        guard !isClosed else { return }
        isClosed = true
        switch error {
        case .closed: break
        case .violation(.versionMismatch(let ours, let theirs)):
            connection.sendLastWords(
                ExtensionHostError(
                    .versionMismatch, "no common protocol version: the daemon speaks \(ours), the client \(theirs)",
                    remedy: "Bring the older of the two up to date"))
        case .violation(let violation):
            connection.sendLastWords(ExtensionHostError(.protocolViolation, "\(violation)", remedy: "See docs/protocol.md"))
        case .queueFull:
            connection.sendLastWords(
                ExtensionHostError(.connectionLost, "\(error)", remedy: "Read packets as they come, and connect again"))
        default: connection.sendLastWords(ExtensionHostError(.connectionLost, "\(error)"))
        }
        if recorder.isOn { recorder.ended(label, error) }
        source?.cancel()
        source = nil
        (turn, orders) = (nil, nil)
        let waiting = replies.takeAll()
        let (before, ends) = (owner, endings)
        (owner, endings, onDetach, onDrained) = (nil, [], nil, nil)
        for answer in waiting { answer(.failure(ExtensionHostError(.connectionLost, "\(error)"))) }
        for body in ends { body() }
        before?.closed(error)
    }

    /// Cuts the peer off with an error that it can read.
    func refuse(_ error: ExtensionHostError) {
        guard !isClosed else { return }
        connection.sendLastWords(error)
        close(.closed)
    }
}
