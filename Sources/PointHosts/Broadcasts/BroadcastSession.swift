// BroadcastSession: one broadcast, from its start to its report.

public import ExtensionHost
public import ExtensionPointKit
import ExtensionProtocol
import Foundation
import LinuxDescriptors
public import PointMessages
import PropertyListCoding

/// A broadcast that runs. Its methods are called one after the other, but for `finish()`, which any task may call.
public final class BroadcastSession: Sendable {
    /// The limits of a broadcast.
    public struct Limits: Sendable {
        /// The frames that the extension may have at a time. Further ones are lost.
        public var frames = 2
        /// The samples of sound of each kind that the extension may have at a time.
        public var sounds = 16
        /// The time of a call, on the daemon's clock, which includes the samples before it.
        public var call = Duration.seconds(10)
        /// The time from the last call to the end of the request.
        public var end = Duration.seconds(2)

        /// Makes the usual limits.
        public init() {}
    }

    /// The report of a broadcast.
    public struct Report: Sendable {
        /// The reason why the extension has ended the broadcast; nil: it has not.
        public let failure: BroadcastFailure?
        /// The reason why the broadcast has ended early otherwise, such as a death; nil: it has not.
        public let error: ExtensionHostError?
        /// The samples of each kind.
        public let counts: [BroadcastSample.Kind: BroadcastCount]
        /// The last dictionary of `updateServiceInfo(_:)`.
        public let serviceInfo: PointValue?
        /// The last address of `updateBroadcast(_:)`.
        public let url: String?
        /// The request, which has ended.
        public let request: ExtensionRequest

        /// The frames.
        public var video: BroadcastCount { counts[.video] ?? BroadcastCount() }
    }

    /// The pace at which a file is played.
    public enum Pace: Sendable, Hashable {
        /// Frames come at the rate of the file, on the machine's clock. A slow extension loses some.
        case real
        /// A frame comes when the extension has processed earlier ones. None is lost.
        case waiting
    }

    /// The time between the limit of a call and its failure.
    static let grace = Duration.milliseconds(100)

    /// The request, for its output and outcome.
    public let request: ExtensionRequest
    private let flow: BroadcastFlow
    private let limits: Limits
    /// The clock at the start, to which the times of samples are added.
    private let start = Int64(SystemClock.monotonicNanoseconds())
    private let ending: Ending

    /// The end of the request, which happens once.
    private actor Ending {
        private var task: Task<Void, Never>?

        func run(_ body: @escaping @Sendable () async -> Void) async {
            let task = task ?? Task { await body() }
            self.task = task
            await task.value
        }
    }

    init(_ request: ExtensionRequest, _ flow: BroadcastFlow, _ limits: Limits) {
        (self.request, self.flow, self.limits, ending) = (request, flow, limits, Ending())
    }

    /// Whether the broadcast has ended, by whichever side.
    public var hasEnded: Bool { flow.phase == .ended }

    /// The samples of each kind up to now.
    public var counts: [BroadcastSample.Kind: BroadcastCount] { flow.counts }

    // MARK: Samples

    /// Offers a frame.
    ///
    /// - Parameters:
    ///   - planes: the luma and the chroma, as `BroadcastSample.Format.video` describes them.
    ///   - format: the format of the planes.
    ///   - time: the time after the start of the broadcast.
    ///   - duration: the duration of the frame; zero: unknown.
    /// - Throws: `BroadcastSampleFault` for a format that no frame has.
    @discardableResult
    public func offer(
        video planes: [UInt8], _ format: BroadcastSample.Format, at time: Duration, duration: Duration = .zero
    ) throws -> BroadcastOffer {
        try flow.offer(
            .video, time: start + Self.nanoseconds(time), duration: Self.nanoseconds(duration), format, planes)
    }

    /// Offers sound.
    ///
    /// - Parameters:
    ///   - channels: the samples of each channel, from −1 to 1.
    ///   - kind: `audioApp` or `audioMic`.
    ///   - rate: the rate in hertz.
    ///   - time: the time after the start of the broadcast.
    /// - Throws: `BroadcastSampleFault` for a format that no sound has.
    @discardableResult
    public func offer(
        sound channels: [[Float]], _ kind: BroadcastSample.Kind, rate: Int, at time: Duration
    ) throws -> BroadcastOffer {
        let frames = channels.first?.count ?? 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * frames * channels.count)
        for frame in 0..<frames {
            for channel in channels where channel.count == frames {
                let value = Int16(max(-1, min(1, channel[frame].isNaN ? 0 : channel[frame])) * 32_767)
                withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
            }
        }
        return try flow.offer(
            kind, time: start + Self.nanoseconds(time), duration: 0,
            .audio(rate: rate, channels: channels.count, frames: frames), bytes)
    }

    /// Waits until a sample of the kind would not be lost, or the broadcast has ended.
    func makeRoom(for kind: BroadcastSample.Kind) async throws {
        var rounds = 0
        while flow.isFull(kind), !hasEnded {
            guard rounds < 10 else {
                let error = ExtensionHostError(.timedOut, "the upload does not say that it has processed its samples")
                flow.fail(error)
                throw error
            }
            rounds += 1
            try await settle()
        }
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        guard (0..<1_000_000_000).contains(seconds) else { return seconds < 0 ? 0 : 1_000_000_000_000_000_000 }
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    // MARK: Calls

    /// Waits until the extension has processed all samples.
    ///
    /// - Throws: as `pause()`.
    public func settle() async throws { try await call { SettleBroadcast(samples: $0) } }

    /// Pauses the broadcast. Samples that are offered from now on do not count.
    ///
    /// - Throws: `ExtensionHostError`: `invalidArgument` if it does not run, `timedOut` if the extension is still busy,
    ///   and the errors of the call. After an error of the call the broadcast has ended.
    public func pause() async throws {
        guard flow.change(from: .running, to: .paused) else { throw notNow("paused") }
        try await call { PauseBroadcast(samples: $0) }
    }

    /// Resumes the broadcast.
    ///
    /// - Throws: as `pause()`.
    public func resume() async throws {
        guard flow.phase == .paused else { throw notNow("resumed") }
        try await call { ResumeBroadcast(samples: $0) }
        guard flow.change(from: .paused, to: .running) else { return }
    }

    /// Tells the extension which application is broadcast from now on.
    ///
    /// - Parameter application: the application's identifier.
    /// - Throws: as `pause()`.
    public func annotate(_ application: String) async throws {
        guard !hasEnded else { throw notNow("annotated") }
        try await call {
            AnnotateBroadcast(
                samples: $0,
                application: PointValue(.dictionary(["RPApplicationInfoBundleIdentifierKey": .string(application)])))
        }
    }

    private func notNow(_ word: String) -> ExtensionHostError {
        ExtensionHostError(
            .invalidArgument, "the broadcast is \(flow.phase), so it cannot be \(word)",
            remedy: "Look at the report of finish()")
    }

    /// Calls the extension after the samples that are sent up to now, and waits for their signs.
    private func call<Message: PointMessage>(
        _ message: (_ samples: Int) -> Message
    ) async throws where Message.Reply == BroadcastWords {
        let samples = flow.sent
        do {
            try flow.take(
                try await request.call(message(samples), limit: limits.call, grace: BroadcastSession.grace))
            await flow.settle(samples)
        } catch {
            // The author's own reason is on its way, if there is one.
            flow.fail(Self.reason(error))
            throw error
        }
    }

    private static func reason(_ error: any Error) -> ExtensionHostError {
        error as? ExtensionHostError
            ?? ExtensionHostError(.protocolViolation, "the upload answered with an error", cause: "\(error)")
    }

    // MARK: The end

    /// Finishes the broadcast, unless it has ended: `broadcastFinished()`. Then ends the request.
    ///
    /// The report has the last words of the extension: the host waits for the end of the request. An extension that
    /// does not end in its time is cancelled.
    public func finish() async -> Report {
        await ending.run { [self] in await end() }
        let (fault, words) = (flow.fault, flow.words)
        var (failure, error): (BroadcastFailure?, ExtensionHostError?)
        switch fault {
        case .failure(let reason): failure = reason
        case .error(let reason): error = reason
        case nil: break
        }
        return Report(
            failure: failure, error: error, counts: flow.counts, serviceInfo: words.serviceInfo,
            url: words.url, request: request)
    }

    private func end() async {
        var isGone = false
        if flow.fault == nil {
            let wasRunning = flow.change(from: .running, to: .ended) || flow.change(from: .paused, to: .ended)
            if wasRunning { isGone = (try? await call { FinishBroadcast(samples: $0) }) == nil }
        }
        if case .error = flow.fault { isGone = true }
        if !isGone {
            do {
                try flow.take(
                    try await request.call(EndBroadcast(), limit: limits.end, grace: BroadcastSession.grace))
            } catch {
                isGone = true
                flow.fail(Self.reason(error))
            }
        }
        // The framework completes the request after its answer. A cancellation must not come before that.
        let timer = Task { [limits, request] in
            if !isGone { guard (try? await Task.sleep(for: limits.end)) != nil else { return } }
            try? await request.cancel()
        }
        let outcome = await request.outcome
        timer.cancel()
        flow.close()
        switch outcome {
        case .interrupted:
            flow.explain(
                await request.explanation ?? ExtensionHostError(.interrupted, "the upload's process has ended"))
        case .cancelled(.cancelledByExtension, _): break
        case .cancelled: flow.fail(ExtensionHostError(.timedOut, "the upload has not ended its request in time"))
        default: break
        }
    }
}
