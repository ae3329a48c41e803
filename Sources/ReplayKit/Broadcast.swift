// Broadcast: the samples of a request, the author's object that gets them, and its words.

import AppGroups
import CoreMedia
import Dispatch
import ExtensionPointKit
import ExtensionWire
import Foundation
import Locks
import PointFrameworkKit
import PointMessages
import PropertyListCoding

// Unchecked: the queue of a broadcast uses the object.
/// The author's object.
struct AuthorCode: @unchecked Sendable {
    let handler: RPBroadcastSampleHandler
}

/// The framework's state of one broadcast. Safe to use from any thread.
final class Broadcast: Sendable {
    /// The queue of the author's methods.
    private let queue = DispatchQueue(label: "org.exthost.broadcast", qos: .userInitiated)
    private let state = Mutex(State())
    private let session: @Sendable () -> PointSession?

    private struct State {
        var words = BroadcastWords()
        var stream: PointStream?
        /// The number of samples that the author's code has processed.
        var processed = 0
        var isOver = false
        var waiting: [(samples: Int, CheckedContinuation<Void, Never>)] = []
    }

    private init(_ session: PointSession) { self.session = { [weak session] in session } }

    static func of(_ session: PointSession) -> Broadcast { session.state(Broadcast.self) { Broadcast(session) } }

    // MARK: The author's words

    var words: BroadcastWords { state.withLock { $0.words } }

    func update(serviceInfo: [String: any NSCoding & NSObjectProtocol]) {
        guard let plist = try? propertyList(serviceInfo), BroadcastWords.hasRoom(for: plist) else {
            session()?.report("the dictionary of updateServiceInfo is no property list of at most 64 KiB")
            return
        }
        state.withLock { $0.words.serviceInfo = PointValue(plist) }
    }

    func update(url: URL) {
        guard url.absoluteString.utf8.count <= BroadcastWords.longestURL else {
            session()?.report("the address of updateBroadcast has more than 8 KiB")
            return
        }
        state.withLock { $0.words.url = url.absoluteString }
    }

    func fail(_ error: any Error) {
        let error = error as NSError
        let failure = BroadcastFailure(domain: error.domain, code: error.code, text: error.localizedDescription)
        let isFirst = state.withLock { state in
            guard state.words.failure == nil else { return false }
            state.words.failure = failure
            return true
        }
        if isFirst { session()?.send(FailBroadcast(failure)) }
    }

    private var hasFailed: Bool { state.withLock { $0.words.failure != nil } }

    // MARK: Calls

    /// Calls the author's code on the queue, unless the author has ended the broadcast.
    func perform(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                if !self.hasFailed { body() }
                continuation.resume()
            }
        }
    }

    /// Opens the stream of samples.
    func open(_ offer: PointStreamOffer, _ author: AuthorCode, _ session: PointSession) throws {
        let reader = SampleAssembly()
        let stream = try session.openStream(
            offer,
            onEntries: { [weak self] entries in
                for entry in entries { self?.receive(entry, reader, author) }
            },
            onClose: { [weak self] _ in self?.end() })
        state.withLock { $0.stream = stream }
    }

    private func receive(_ entry: [UInt8], _ assembly: SampleAssembly, _ author: AuthorCode) {
        guard let number = assembly.take(entry) else { return }
        // The buffer is released with the author's last reference, so it is made on the author's queue.
        queue.sync {
            if let (buffer, kind) = assembly.finish(), !hasFailed {
                author.handler.processSampleBuffer(buffer, with: kind)
            }
        }
        // The sign is sent before the reply of a call that waits for the sample. A host that has ended the broadcast
        // needs no sign.
        try? state.withLock { $0.stream }?.send([BroadcastSample.sign(of: number)])
        let done = state.withLock { state in
            state.processed = number
            let done = state.waiting.filter { $0.samples <= number }
            state.waiting.removeAll { $0.samples <= number }
            return done
        }
        for (_, continuation) in done { continuation.resume() }
    }

    /// Waits until so many samples are processed, or the stream has ended.
    func settle(_ samples: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                let isDone = state.isOver || state.processed >= samples
                if !isDone { state.waiting.append((samples, continuation)) }
                return isDone
            }
            if isDone { continuation.resume() }
        }
    }

    /// No sample comes any more.
    func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for (_, continuation) in waiting { continuation.resume() }
    }

    func close() {
        state.withLock { $0.stream }?.close()
        end()
    }
}

// Unchecked: the stream's thread uses it, and the author's queue while that thread waits.
/// The sample that is being read.
private final class SampleAssembly: @unchecked Sendable {
    private var reader = BroadcastSampleReader()
    private var sample: BroadcastSample?
    private var image: CVPixelBuffer?
    private var sound: [UInt8] = []
    private var isBroken = false

    /// Takes an entry; returns the number of the sample that is complete with it.
    func take(_ entry: [UInt8]) -> Int? {
        guard !isBroken else { return nil }
        do {
            switch try reader.take(entry) {
            case .begins(let next):
                sample = next
                if case .video(let width, let height, let isFullRange, _) = next.format {
                    image = CVBuffer(
                        width: width, height: height,
                        format: isFullRange
                            ? kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
                            : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
                } else {
                    sound = []
                }
                return nil
            case .bytes(let place, let isLast):
                if let image, image.bytes.count >= place + entry.count {
                    entry.withUnsafeBytes { source in
                        UnsafeMutableRawBufferPointer(rebasing: image.bytes[place...]).copyMemory(from: source)
                    }
                } else {
                    sound += entry
                }
                return isLast ? sample?.number : nil
            }
        } catch {
            // Only a host that writes the protocol itself sends such entries.
            isBroken = true
            return nil
        }
    }

    /// Returns the sample; nil without memory for it.
    func finish() -> (CMSampleBuffer, RPSampleBufferType)? {
        defer { (sample, image, sound) = (nil, nil, []) }
        guard let sample, let kind = RPSampleBufferType(rawValue: Int(sample.kind.rawValue)) else { return nil }
        let time = CMTime(value: sample.time, timescale: 1_000_000_000)
        switch sample.format {
        case .video(_, _, _, let orientation):
            guard let image else { return nil }
            let duration = sample.duration > 0 ? CMTime(value: sample.duration, timescale: 1_000_000_000) : .invalid
            let buffer = CMSampleBuffer(image: image, format: nil, duration: duration, presentationTimeStamp: time)
            buffer.attach(NSNumber(value: orientation), for: RPVideoSampleOrientationKey)
            return (buffer, kind)
        case .audio(let rate, let channels, let frames):
            let size = UInt32(2 * channels)
            let description = AudioStreamBasicDescription(
                mSampleRate: Double(rate), mFormatID: kAudioFormatLinearPCM,
                mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked, mBytesPerPacket: size,
                mFramesPerPacket: 1, mBytesPerFrame: size, mChannelsPerFrame: UInt32(channels), mBitsPerChannel: 16,
                mReserved: 0)
            return (CMSampleBuffer(audio: sound, description, samples: frames, presentationTimeStamp: time), kind)
        }
    }
}
