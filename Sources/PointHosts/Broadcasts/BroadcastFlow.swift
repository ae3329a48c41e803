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
    func close() {
        let stream = state.withLock { state in
            state.phase = .ended
            return state.stream
        }
        stream?.close()
    }

    /// Takes over the words of a reply.
    func take(_ words: BroadcastWords) {
        state.withLock { $0.words = words }
        if let failure = words.failure { fail(failure) }
    }

    func started(_ words: BroadcastWords) {
        state.withLock { if $0.phase == .starting { $0.phase = .running } }
        take(words)
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

    func receive(_ entries: [[UInt8]]) {
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
                state.withLock { $0.stream }?.close()
                return
            }
        }
    }

    func closed(_ error: (any Error)?) {
        let isExpected = state.withLock { $0.phase == .ended }
        guard !isExpected else { return }
        fail(
            error as? ExtensionHostError
                ?? ExtensionHostError(.interrupted, "the upload has ended its stream of samples"))
    }
}
