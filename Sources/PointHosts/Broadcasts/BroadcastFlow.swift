// BroadcastFlow: the samples on their way to an upload, and the count of those that it has no time for.

import Dispatch
import ExtensionPointKit
import ExtensionProtocol
import Locks
import PointMessages

/// The numbers of samples of one kind.
public struct BroadcastCount: Sendable, Hashable {
    /// The samples that the host has offered while the broadcast ran.
    public internal(set) var offered = 0
    /// The samples that the extension has processed.
    public internal(set) var processed = 0
    /// The samples that were lost, because the extension still had earlier ones.
    public internal(set) var lost = 0

    /// No samples.
    public init() {}
}

/// The fate of an offered sample.
public enum BroadcastOffer: Sendable, Hashable {
    /// The sample is on its way.
    case sent
    /// The extension still has earlier ones, so it is lost.
    case lost
    /// The broadcast is paused or has ended. The sample does not count.
    case notRunning
}

/// The state of one broadcast. Safe to use from any thread.
final class BroadcastFlow: Sendable {
    enum Phase: Sendable { case starting, running, paused, ended }

    /// The reason for an end that the host has not wanted.
    enum Fault: Sendable {
        /// The extension has called `finishBroadcastWithError(_:)`.
        case failure(BroadcastFailure)
        /// The process has ended, or the extension broke the protocol, or did not answer in time.
        case error(ExtensionHostError)
    }

    private struct State {
        var phase = Phase.starting
        var stream: PointStream?
        /// The kinds of the samples that are not yet processed, in their order.
        var open: [(number: Int, kind: BroadcastSample.Kind)] = []
        var sent = 0
        var counts: [BroadcastSample.Kind: BroadcastCount] = [:]
        var fault: Fault?
        var words = BroadcastWords()
        /// Whether no sign comes any more.
        var isClosed = false
        var tickets = 0
        /// The calls that wait for the signs of the samples before them, by their tickets.
        var waiting: [Int: (samples: Int, continuation: CheckedContinuation<Void, Never>)] = [:]

        /// Takes out those that have nothing to wait for.
        mutating func takeDone() -> [CheckedContinuation<Void, Never>] {
            let done = waiting.filter { isSettled($0.value.samples) }
            for ticket in done.keys { waiting[ticket] = nil }
            return done.values.map(\.continuation)
        }

        func isSettled(_ samples: Int) -> Bool { isClosed || (open.first.map { $0.number > samples } ?? true) }
    }

    private let state = Mutex(State())
    private let limits: BroadcastSession.Limits
    /// The thread that sends: it waits while the extension's buffer is full.
    private let queue = DispatchQueue(label: "org.exthost.broadcast")

    init(_ limits: BroadcastSession.Limits) { self.limits = limits }

    var phase: Phase { state.withLock { $0.phase } }
    var sent: Int { state.withLock { $0.sent } }
    var fault: Fault? { state.withLock { $0.fault } }
    var words: BroadcastWords { state.withLock { $0.words } }
    var counts: [BroadcastSample.Kind: BroadcastCount] { state.withLock { $0.counts } }

    func use(_ stream: PointStream) { state.withLock { $0.stream = stream } }

    /// Closes the stream. The stream refers to the flow, so the flow gives it up.
    func close() {
        let (stream, done) = state.withLock { state in
            (state.phase, state.isClosed) = (.ended, true)
            defer { state.stream = nil }
            return (state.stream, state.takeDone())
        }
        stream?.close()
        for continuation in done { continuation.resume() }
    }

    /// Takes over the words of a reply.
    ///
    /// - Throws: `ExtensionHostError`: `protocolViolation` for words that the framework does not send.
    func take(_ words: BroadcastWords) throws(ExtensionHostError) {
        guard words.url.map({ $0.utf8.count <= BroadcastWords.longestURL }) ?? true else {
            throw ExtensionHostError(.protocolViolation, "the upload's address has more than 8 KiB")
        }
        if let info = words.serviceInfo?.plist {
            guard info.dictionary != nil, BroadcastWords.hasRoom(for: info) else {
                throw ExtensionHostError(
                    .protocolViolation, "the upload's serviceInfo is no dictionary of at most 64 KiB")
            }
        }
        var words = words
        // The decoder does not cut texts.
        words.failure = words.failure.map { BroadcastFailure(domain: $0.domain, code: $0.code, text: $0.text) }
        state.withLock { $0.words = words }
        if let failure = words.failure { fail(failure) }
    }

    /// - Throws: as `take(_:)`.
    func started(_ words: BroadcastWords) throws(ExtensionHostError) {
        try take(words)
        state.withLock { if $0.phase == .starting { $0.phase = .running } }
    }

    /// Changes from one phase to another; returns whether it was in the first.
    func change(from old: Phase, to new: Phase) -> Bool {
        state.withLock { state in
            guard state.phase == old else { return false }
            state.phase = new
            return true
        }
    }

    func end() { state.withLock { $0.phase = .ended } }

    func fail(_ failure: BroadcastFailure) {
        state.withLock { state in
            state.phase = .ended
            // The author's own reason is worth more than its effects.
            if case .failure = state.fault { return }
            let failure = BroadcastFailure(domain: failure.domain, code: failure.code, text: failure.text)
            state.fault = .failure(failure)
        }
    }

    func fail(_ error: ExtensionHostError) {
        state.withLock { state in
            state.phase = .ended
            if state.fault == nil { state.fault = .error(error) }
        }
    }

    /// Takes the reason of a death, which says more than the loss of the stream.
    func explain(_ error: ExtensionHostError) {
        state.withLock { state in
            state.phase = .ended
            switch state.fault {
            case nil: state.fault = .error(error)
            case .error(let known) where known.code == .interrupted || known.code == .contextFinished:
                state.fault = .error(error)
            default: break
            }
        }
    }

    // MARK: Samples

    /// Offers a sample. It is lost if the extension has as many of its kind as it may have.
    ///
    /// - Throws: `BroadcastSampleFault` for a format that no sample has.
    func offer(
        _ kind: BroadcastSample.Kind, time: Int64, duration: Int64, _ format: BroadcastSample.Format, _ bytes: [UInt8]
    ) throws -> BroadcastOffer {
        // The check comes first: a sample that is none is not offered.
        _ = try BroadcastSample(kind, number: 1, time: time, duration: duration, format).entries(bytes)
        let most = kind == .video ? limits.frames : limits.sounds
        return state.withLock { state in
            guard state.phase == .running else { return .notRunning }
            state.counts[kind, default: BroadcastCount()].offered += 1
            guard state.open.count(where: { $0.kind == kind }) < most else {
                state.counts[kind, default: BroadcastCount()].lost += 1
                return .lost
            }
            state.sent += 1
            state.open.append((state.sent, kind))
            // The queue gets samples in the order of their numbers.
            let (number, stream) = (state.sent, state.stream)
            queue.async { [self] in
                do {
                    let sample = try BroadcastSample(kind, number: number, time: time, duration: duration, format)
                    try stream?.send(try sample.entries(bytes))
                } catch let error as ExtensionHostError where error.code == .contextFinished {
                    // The stream has been closed: the broadcast has ended.
                } catch {
                    fail(ExtensionHostError(.interrupted, "a sample cannot be sent", cause: "\(error)"))
                }
            }
            return .sent
        }
    }

    /// Whether a sample of the kind would be lost.
    func isFull(_ kind: BroadcastSample.Kind) -> Bool {
        state.withLock { state in
            state.open.count { $0.kind == kind } >= (kind == .video ? limits.frames : limits.sounds)
        }
    }

    /// Waits until the signs of so many samples have come, or the stream has ended, or the time is over.
    ///
    /// Replies have a way of their own, so that one can overtake the signs before it.
    func settle(_ samples: Int) async {
        var timer: Task<Void, Never>?
        await withCheckedContinuation { continuation in
            let ticket: Int? = state.withLock { state in
                guard !state.isSettled(samples) else { return nil }
                state.tickets += 1
                state.waiting[state.tickets] = (samples, continuation)
                return state.tickets
            }
            guard let ticket else { return continuation.resume() }
            timer = Task { [self, limits] in
                guard (try? await Task.sleep(for: limits.end)) != nil else { return }
                state.withLock { $0.waiting.removeValue(forKey: ticket) }?.continuation.resume()
            }
        }
        timer?.cancel()
    }

    func receive(_ entries: [[UInt8]]) {
        defer {
            for continuation in state.withLock({ $0.takeDone() }) { continuation.resume() }
        }
        for entry in entries {
            let isNext = state.withLock { state in
                guard let first = state.open.first, BroadcastSample.number(ofSign: entry) == first.number else {
                    return false
                }
                state.open.removeFirst()
                state.counts[first.kind, default: BroadcastCount()].processed += 1
                return true
            }
            guard isNext else {
                fail(ExtensionHostError(.protocolViolation, "the upload has processed a sample that it does not have"))
                return close()
            }
        }
    }

    func closed(_ error: (any Error)?) {
        let (isExpected, done) = state.withLock { state in
            state.isClosed = true
            return (state.phase == .ended, state.takeDone())
        }
        defer { for continuation in done { continuation.resume() } }
        guard !isExpected else { return }
        fail(
            error as? ExtensionHostError
                ?? ExtensionHostError(.interrupted, "the upload has ended its stream of samples"))
    }
}
