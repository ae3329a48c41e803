// FlowChannel: one flow between a proxy and its host, on either side.

import Locks
public import PointMessages

/// One flow, whose two directions end independently. Safe to use from any thread.
///
/// A reader asks for a piece, and only then the other side sends one. So each direction has at most one piece under way,
/// and a side that does not read stops the other.
public final class FlowChannel: Sendable {
    /// A piece; nil at the end of the direction.
    public typealias Input = Result<FlowEntry?, FlowError>
    /// The handler of a read.
    public typealias Reader = @Sendable (Input) -> Void
    /// The handler of a write. Nil: the other side has taken up all of it.
    public typealias Writer = @Sendable (FlowError?) -> Void

    /// The functions that hear of a flow's events. Each is called once at most.
    public struct Events: Sendable {
        /// The other side has opened the flow. The value is the end that the program shall see as its own.
        public var opened: @Sendable (FlowEndpoint?) -> Void
        /// The other side has ended its reading with an error, of which the sender's program shall hear.
        public var failed: @Sendable (FlowError) -> Void
        /// Both directions have ended.
        public var ended: @Sendable () -> Void

        /// Makes the functions; each is described at its property.
        public init(
            opened: @escaping @Sendable (FlowEndpoint?) -> Void = { _ in },
            failed: @escaping @Sendable (FlowError) -> Void = { _ in }, ended: @escaping @Sendable () -> Void = {}
        ) {
            (self.opened, self.failed, self.ended) = (opened, failed, ended)
        }
    }

    private struct State {
        var isOpen = false
        // The direction to this side.
        var reader: Reader?
        /// The answer to further reads; nil while more may come.
        var inputEnd: Input?
        // The direction to the other side.
        var isWanted = false
        var outputs: [(piece: FlowEntry, done: Writer?)] = []
        /// The last event of the direction, which is sent after the outputs.
        var lastOutput: FlowEntry?
        /// The answer to further writes; nil while more may go.
        var outputEnd: FlowError?
        var isOver = false
    }

    /// The handlers that a change of the state calls, outside of its lock.
    private struct Due {
        var isOver = false
        var opened: FlowEndpoint??
        var failed: FlowError?
        var reads: [(Reader, Input)] = []
        var writes: [(Writer, FlowError?)] = []
    }

    /// The number of the flow in its request.
    public let number: Int
    private let isDatagrams: Bool
    private let multiplexer: FlowMultiplexer
    private let events: Events
    private let state = Mutex(State())

    init(_ number: Int, isDatagrams: Bool, _ multiplexer: FlowMultiplexer, _ events: Events) {
        (self.number, self.isDatagrams, self.multiplexer, self.events) = (number, isDatagrams, multiplexer, events)
    }

    private func change(_ body: (inout State, inout Due) -> Void) {
        let due = state.withLock { state in
            var due = Due()
            body(&state, &due)
            due.isOver = !state.isOver && state.inputEnd != nil && state.outputEnd != nil
            if due.isOver { state.isOver = true }
            return due
        }
        if due.isOver { multiplexer.remove(number) }
        multiplexer.flush()
        if let local = due.opened { events.opened(local) }
        if let error = due.failed { events.failed(error) }
        for (reader, input) in due.reads { reader(input) }
        for (writer, error) in due.writes { writer(error) }
        if due.isOver { events.ended() }
    }

    private func entry(_ kind: FlowEntry.Kind, _ error: FlowError? = nil) -> FlowEntry {
        var entry = FlowEntry(number, kind)
        entry.error = error?.rawValue
        return entry
    }

    // MARK: This side

    /// Tells the other side that the flow is open.
    ///
    /// - Returns: false if the flow has ended, or is open.
    public func open(_ local: FlowEndpoint?) -> Bool {
        var isFirst = false
        change { state, _ in
            isFirst = !state.isOpen && !state.isOver
            guard isFirst else { return }
            state.isOpen = true
            var entry = entry(.open)
            entry.local = local
            multiplexer.append(entry)
        }
        return isFirst
    }

    /// Reads the next piece. A second read while one waits gets `readAlreadyPending`.
    public func read(_ reader: @escaping Reader) {
        change { state, due in
            if state.reader != nil {
                due.reads.append((reader, .failure(.readAlreadyPending)))
            } else if let end = state.inputEnd {
                due.reads.append((reader, end))
            } else {
                state.reader = reader
                multiplexer.append(entry(.want))
            }
        }
    }

    /// Ends the reading. The other side's writes fail. A read that waits gets the error, or the end.
    public func closeReading(_ error: FlowError?) {
        change { state, due in
            if state.inputEnd == nil {
                multiplexer.append(entry(.endOfReading, error))
                if let reader = state.reader { due.reads.append((reader, error.map { .failure($0) } ?? .success(nil))) }
                state.reader = nil
            }
            state.inputEnd = .failure(.notConnected)
        }
    }

    /// Writes bytes of a stream.
    public func write(_ bytes: [UInt8], _ done: @escaping Writer) {
        let pieces = stride(from: 0, to: bytes.count, by: FlowService.mostPieceBytes).map { start in
            var piece = entry(.piece)
            piece.bytes = Array(bytes[start..<min(bytes.count, start + FlowService.mostPieceBytes)])
            return piece
        }
        write(pieces, done)
    }

    /// Writes datagrams, in their order.
    public func write(_ datagrams: [FlowDatagram], _ done: @escaping Writer) {
        guard datagrams.allSatisfy({ $0.bytes.count <= FlowService.mostDatagram }) else {
            return done(.datagramTooLarge)
        }
        var pieces: [FlowEntry] = []
        var bytes = 0
        for datagram in datagrams {
            bytes += datagram.bytes.count
            if let last = pieces.last?.datagrams, last.count < FlowService.mostPieceDatagrams,
                bytes <= FlowService.mostPieceBytes
            {
                pieces[pieces.count - 1].datagrams?.append(datagram)
            } else {
                var piece = entry(.piece)
                piece.datagrams = [datagram]
                pieces.append(piece)
                bytes = datagram.bytes.count
            }
        }
        write(pieces, done)
    }

    private func write(_ pieces: [FlowEntry], _ done: @escaping Writer) {
        change { state, due in
            if let error = state.outputEnd {
                due.writes.append((done, error))
            } else if state.lastOutput != nil {
                due.writes.append((done, .notConnected))
            } else if pieces.isEmpty {
                due.writes.append((done, nil))
            } else {
                for (place, piece) in pieces.enumerated() {
                    state.outputs.append((piece, place == pieces.count - 1 ? done : nil))
                }
                send(&state, &due)
            }
        }
    }

    /// Ends the writing, after all that was written before. The other side reads the end, or the error.
    public func closeWriting(_ error: FlowError?) {
        change { state, due in
            guard state.lastOutput == nil, state.outputEnd == nil else { return }
            state.lastOutput = entry(.endOfWriting, error)
            send(&state, &due)
        }
    }

    /// Ends both directions with an error. What waits is lost.
    public func abort(_ error: FlowError) {
        change { state, due in
            if state.inputEnd == nil { multiplexer.append(entry(.endOfReading, error)) }
            if state.outputEnd == nil { multiplexer.append(entry(.endOfWriting, error)) }
            end(&state, &due, input: .failure(error), output: error)
        }
    }

    /// Sends the next piece if the other side wants one, and the end after the last.
    private func send(_ state: inout State, _ due: inout Due) {
        if state.isWanted, let next = state.outputs.first {
            state.isWanted = false
            state.outputs.removeFirst()
            multiplexer.append(next.piece)
            if let done = next.done { due.writes.append((done, nil)) }
        }
        guard state.outputs.isEmpty, state.outputEnd == nil, let last = state.lastOutput else { return }
        multiplexer.append(last)
        state.outputEnd = .notConnected
    }

    private func end(_ state: inout State, _ due: inout Due, input: Input? = nil, output: FlowError? = nil) {
        if let input, state.inputEnd == nil {
            state.inputEnd = input
            if let reader = state.reader { due.reads.append((reader, input)) }
            state.reader = nil
        }
        if let output, state.outputEnd == nil {
            state.outputEnd = output
            for done in state.outputs.compactMap(\.done) { due.writes.append((done, output)) }
            state.outputs = []
        }
    }

    // MARK: The other side

    func receive(_ entry: FlowEntry) {
        let error = entry.error.map { FlowError(rawValue: $0) ?? .internal }
        var isViolation = false
        change { state, due in
            switch entry.kind {
            case .open:
                guard !state.isOpen else { return }
                state.isOpen = true
                due.opened = .some(entry.local)
            case .want:
                guard state.outputEnd == nil else { return }
                // One piece at a time is under way. Else a side that asks, and takes nothing, fills this side's memory.
                guard !state.isWanted, !multiplexer.isWaiting(number, .piece) else { return isViolation = true }
                state.isWanted = true
                send(&state, &due)
            case .piece:
                guard isPiece(entry) else { return isViolation = true }
                if let reader = state.reader {
                    guard !multiplexer.isWaiting(number, .want) else { return isViolation = true }
                    state.reader = nil
                    due.reads.append((reader, .success(entry)))
                } else {
                    // A piece may cross the end of this side's reading. Any other was not asked for.
                    isViolation = state.inputEnd == nil
                }
            case .endOfWriting: end(&state, &due, input: error.map { .failure($0) } ?? .success(nil))
            case .endOfReading:
                if state.outputEnd == nil { due.failed = error }
                end(&state, &due, output: error ?? .peerReset)
            case .unrecognized: break
            }
        }
        if isViolation { abort(.internal) }
    }

    private func isPiece(_ entry: FlowEntry) -> Bool {
        if isDatagrams {
            guard let datagrams = entry.datagrams, !datagrams.isEmpty, entry.bytes == nil,
                datagrams.count <= FlowService.mostPieceDatagrams
            else { return false }
            return datagrams.reduce(0) { $0 + $1.bytes.count } <= FlowService.mostPieceBytes
        }
        guard let bytes = entry.bytes, entry.datagrams == nil else { return false }
        return (1...FlowService.mostPieceBytes).contains(bytes.count)
    }
}
