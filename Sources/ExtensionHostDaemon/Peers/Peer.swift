// Peer: one connection, driven by the loop.

import EventLoop
import ExtensionConnection
import ExtensionProtocol
import LinuxSystem
import PropertyListCoding

/// The object that handles the packets of a peer.
@HostActor
protocol PeerOwner: AnyObject {
    /// Handles a packet that is no answer.
    func received(_ packet: Packet, from peer: Peer)
    /// Handles the end of the connection, once. The error says which side ended it.
    func closed(_ error: ConnectionError)
    /// Gets ready for a read. It comes before each read, for facts that must be known before the packets.
    func willRead()
    /// Continues, since everything queued has been sent.
    func drained()
}

extension PeerOwner {
    func willRead() {}
    func drained() {}
}

/// Reads a connection when it is readable, writes it when it is writable, and pairs answers with questions.
///
/// After the owner has been told of the end, the peer does nothing more.
@HostActor
final class Peer {
    typealias Answer = Result<Packet, ExtensionHostError>

    /// The limits of a turn, before the loop serves others: packets, and their time.
    ///
    /// The sender decides what a packet costs, and everybody else waits meanwhile.
    private static let packetsPerTurn = 32
    private static let longestTurn = Duration.microseconds(200)
    /// The number of packets waiting for a peer above which it gets no more credit: a peer that does not read must not
    /// write, either.
    private static let mostWaiting = Window.standard.packets / 2

    /// The owner, which the peer retains until the end of the connection.
    var owner: (any PeerOwner)?
    private var endings: [@HostActor () -> Void] = []
    /// The callback for each loss of a resumable peer's socket (`makeResumable`). Packets that are sent from then on
    /// wait.
    var onDetach: (@HostActor () -> Void)?
    /// The callback after the owner's `drained`, when everything queued has been sent. It is for a daemon that ends.
    var onDrained: (@HostActor () -> Void)?

    private var connection: Connection
    private let buffer: ReceiveBuffer
    private var source: IOSource?
    private var replies = ReplyTable<@HostActor (Answer) -> Void>()
    private var isWaitingToWrite = false
    private var postponed: [@HostActor () -> Void] = []
    private static let mostPostponed = 64
    /// The credit of packets that were read, which is not given back yet because too much waits for the peer.
    private var withheld = Window(packets: 0, bytes: 0)
    private var hasSaidHello = false
    private(set) var isClosed = false
    private(set) var isDetached = false
    private var isResumable = false
    /// The version that the hello settled: newer messages are not for this peer.
    var version = ProtocolVersion.lowest
    /// The label of the peer in recordings.
    var label: PeerLabel
    private let recorder: Recorder
    private let metrics: Metrics
    /// The turns of the process at the other end.
    private let share: TurnShare

    /// The scheduling of packets in both directions, under a virtual clock.
    struct Turn {
        /// Takes a closure that sends a packet, to call it in its turn.
        let send: @HostActor (@escaping @HostActor () -> Void) -> Void
        /// Returns whether packets that have arrived are read now. If not, `drain` reads them, and `resumeReading`
        /// follows.
        let reads: @HostActor () -> Bool
        /// Takes a closure that handles the end of the connection.
        let ends: @HostActor (@escaping @HostActor () -> Void) -> Void
    }

    var turn: Turn?
    /// The scheduling of the peer's orders and fences, which wait for their turn.
    var orders: (@HostActor (@escaping @HostActor () -> Void) -> Void)?

    /// Takes over `socket`.
    ///
    /// - Parameters:
    ///   - buffer: the loop's own buffer, shared by all peers.
    ///   - share: the turns of the process at the other end.
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

    /// Records that the peer has said hello, and how much may be on the way to it.
    func openCredit(_ window: Window) {
        hasSaidHello = true
        connection.openCredit(window)
    }

    // MARK: Resumption

    /// Makes the connection resumable: `onDetach` is called if the socket is lost, and `attach` continues over another
    /// one.
    func makeResumable() {
        isResumable = true
        connection.makeResumable()
    }

    /// Numbers the packets from here on after `serial`, as the other side does.
    ///
    /// The other side has received that many from another daemon, whose questions it may still answer.
    func skip(to serial: UInt32) {
        connection.skipSent(to: serial)
        firstSerial = connection.upcomingSerial
    }

    /// The serial of the first question: answers to earlier ones are for another daemon.
    private var firstSerial: UInt32 = 0

    var lastReceived: UInt32 { connection.lastReceived }

    func checkReceived(_ serial: UInt32) throws(ProtocolError) { try connection.checkReceived(serial) }

    /// Returns a separate descriptor of the peer's socket.
    func duplicateSocket() throws(SystemError) -> Socket { try connection.duplicateSocket() }

    func peerProcess() throws(SystemError) -> OwnedDescriptor? { try connection.peerProcess() }

    /// Gives up the socket, after reading the packets that have arrived on it.
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

    /// Continues over `socket`; packets that the other side has not received are sent again.
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

    /// Sends a message: now as far as possible, or in its turn.
    ///
    /// A peer that does not read is closed with an error that says so; nothing waits for it.
    func send(
        _ message: some Message, payload: Payload = .none, descriptors: [SharedDescriptor] = [], replyTo: UInt32 = 0
    ) {
        guard let turn else { return _ = transmit(message, payload, descriptors, replyTo) }
        turn.send { [weak self] in _ = self?.transmit(message, payload, descriptors, replyTo) }
    }

    /// Sends a message out of turn.
    func sendAtOnce(_ message: some Message) { _ = transmit(message, .none, [], 0) }

    func reply(_ packet: Packet, _ message: some Message) { send(message, replyTo: packet.serial) }

    func reply(_ packet: Packet, _ error: ExtensionHostError) { send(ErrorReply(error), replyTo: packet.serial) }

    /// Sends a request; `answer` is called once, even if the connection ends first.
    func request(
        _ message: some RequestMessage, payload: Payload = .none, descriptors: [SharedDescriptor] = [],
        answer: @escaping @HostActor (Answer) -> Void
    ) {
        guard let turn else { return requestAtOnce(message, payload, descriptors, answer: answer) }
        turn.send { [self] in requestAtOnce(message, payload, descriptors, answer: answer) }
    }

    /// Sends a request out of turn.
    func requestAtOnce(
        _ message: some RequestMessage, _ payload: Payload = .none, _ descriptors: [SharedDescriptor] = [],
        answer: @escaping @HostActor (Answer) -> Void
    ) {
        guard let serial = transmit(message, payload, descriptors, 0) else {
            return answer(.failure(ExtensionHostError(.connectionLost, "the connection is closed")))
        }
        replies.await(serial, answer)
    }

    /// Postpones a message, which leaves before the next packet. If too many wait, they leave at once.
    func postpone(_ message: some Message) {
        if postponed.count >= Self.mostPostponed { sendPostponed() }
        postponed.append { [unowned self] in _ = transmit(message, .none, [], 0) }
    }

    /// Sends the postponed messages.
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
                // A resumable peer has its message in the queue, whatever happened to the socket.
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
            // A socket that nobody reads would wake the loop again and again.
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

    /// Watches the socket again, after the packets that had arrived were read in their turn.
    func resumeReading() { source?.isEnabled = true }

    /// Reads the packets that have arrived, even if the peer is gone. It is called before the end of the peer is
    /// handled.
    ///
    /// These are no more than the peer had credit for, and its hello: another holder of its socket cannot keep the loop
    /// here.
    ///
    /// - Returns: whether there was a packet, or the end.
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
            // The socket reports no event for packets that have arrived already.
            if let turn, ContinuousClock.now - start >= turn, !connection.hasArrivals { break }
        }
        // The queue may wait for the credit, even if nothing else came.
        if !isClosed, count > 0 || connection.queuedPackets > 0 { try flush() }
    }

    /// Gives credit back: now, or when the peer has read enough of the packets that wait for it.
    private func giveBack(_ cost: Window) {
        guard connection.queuedPackets > Self.mostWaiting || withheld.packets > 0 else {
            return connection.release(cost)
        }
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
            // The packet is decoded before its receiver is taken: if that fails, the receiver gets the error that ends
            // the connection.
            let result: Answer =
                packet.kind == .error ? .failure(try packet.message(ErrorReply.self).error) : .success(packet)
            try replies.take(packet.replyTo)(result)
        } catch {
            throw .violation(error)
        }
    }

    // MARK: Faults on demand

    /// Whether nothing is read, not even the end; packets that have arrived wait in the socket.
    private var isDeaf = false
    /// Whether nothing is sent; packets wait in the queue.
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

    /// Disturbs the next packet from the peer, or makes noise arrive now, after the current work for the peer.
    ///
    /// Packets that the peer has already sent are disturbed, too: whether they had arrived by now was chance.
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

    /// Acts as if the other side had closed its end. The other side does not notice for as long as this object lives.
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

    /// Closes the connection of a peer that broke the protocol, with an error that says how.
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
            connection.sendLastWords(
                ExtensionHostError(.protocolViolation, "\(violation)", remedy: "See docs/protocol.md"))
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

    /// Closes the connection with an error that the peer can read.
    func refuse(_ error: ExtensionHostError) {
        guard !isClosed else { return }
        connection.sendLastWords(error)
        close(.closed)
    }
}
