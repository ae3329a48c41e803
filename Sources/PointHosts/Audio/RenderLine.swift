// RenderLine: blocks that follow each other to a unit, and their answers.

import Dispatch
import ExtensionPointKit
import ExtensionProtocol
import Foundation
import LinuxDescriptors
import Locks
public import PointMessages

/// A block that a unit has rendered.
public struct RenderedBlock: Sendable {
    /// 0, or an error of Core Audio. The samples are silence then.
    public let status: Int32
    /// The raw value of `AudioUnitRenderActionFlags`.
    public let flags: UInt32
    /// The number of frames before the block.
    public let sampleTime: Int64
    /// The samples of each channel.
    public let channels: [[Float]]
    /// The MIDI that the unit has sent.
    public let midi: [AudioBlockEvent]
    /// The time from the block's sending to its answer, and the part of it that the unit's code took.
    public let time: Duration
    /// The part of the time that the unit's code took.
    public let renderTime: Duration
    /// The time that the block's samples sound. A block that takes longer is late.
    public let budget: Duration

    /// Whether the block took longer than it sounds.
    public var isLate: Bool { time > budget }
}

/// The answers of a unit, until the line takes them.
final class AudioAnswers: Sendable {
    private struct State {
        var entries: [[UInt8]] = []
        var isOver = false
        var error: (any Error)?
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    func take(_ entries: [[UInt8]]) {
        state.withLock { state in
            // A unit answers each block once. More than that is never read.
            if state.entries.count < 8 { state.entries += entries }
        }
        signal.signal()
    }

    func end(_ error: (any Error)?) {
        state.withLock { ($0.isOver, $0.error) = (true, error) }
        signal.signal()
    }

    enum Answer {
        case entry([UInt8])
        case over((any Error)?)
        case late
    }

    /// Waits for the next answer.
    func next(within limit: Duration?) -> Answer {
        let end = limit.map { DispatchTime.now() + .nanoseconds(Int($0 / .nanoseconds(1))) } ?? .distantFuture
        while true {
            let found: Answer? = state.withLock { state in
                if !state.entries.isEmpty { return .entry(state.entries.removeFirst()) }
                return state.isOver ? .over(state.error) : nil
            }
            if let found { return found }
            guard signal.wait(timeout: end) == .success else { return .late }
        }
    }
}

/// Whether the task of a render is cancelled. The line itself goes on: another render may follow.
final class RenderCancellation: Sendable {
    private let isCancelled = Mutex(false)

    func cancel() { isCancelled.withLock { $0 = true } }

    /// - Throws: `CancellationError` after `cancel()`.
    func check() throws { if isCancelled.withLock({ $0 }) { throw CancellationError() } }
}

/// The way of blocks to a unit with allocated resources. All but `schedule` runs on its queue.
final class RenderLine: Sendable {
    let queue = DispatchQueue(label: "org.exthost.audio", qos: .userInitiated)
    let rate: Double
    let channels: Int
    let maximumFrames: Int
    private let stream: PointStream
    private let answers: AudioAnswers
    private let limit: Duration?

    private struct State {
        var sampleTime: Int64 = 0
        var events: [AudioBlockEvent] = []
        var isDead = false
    }

    private let state = Mutex(State())
    /// The most events that wait.
    private static let mostWaiting = 1_000_000

    init(
        _ stream: PointStream, _ answers: AudioAnswers, rate: Double, channels: Int, limit: Duration?,
        maximumFrames: Int
    ) {
        (self.stream, self.answers, self.rate, self.channels) = (stream, answers, rate, channels)
        (self.limit, self.maximumFrames) = (limit, maximumFrames)
    }

    func close() { stream.close() }

    func restart() { state.withLock { ($0.sampleTime, $0.events) = (0, []) } }

    /// Whether the unit's process has ended.
    var isDead: Bool { state.withLock { $0.isDead } }

    func schedule(_ kind: AudioBlockEvent.Kind, at sampleTime: Int64?) {
        state.withLock { state in
            guard state.events.count < Self.mostWaiting else { return }
            state.events.append(AudioBlockEvent(sampleTime: sampleTime ?? state.sampleTime, kind))
        }
    }

    /// Takes the events of a block: as many as an entry has. Those that are left come with the next one.
    private static func take(_ events: inout [AudioBlockEvent], before end: Int64) -> [AudioBlockEvent] {
        guard events.contains(where: { $0.sampleTime < end }) else { return [] }
        let due = events.enumerated().filter { $0.element.sampleTime < end }
            .sorted { ($0.element.sampleTime, $0.offset) < ($1.element.sampleTime, $1.offset) }
        var (taken, size): (Set<Int>, Int) = ([], 0)
        var chosen: [AudioBlockEvent] = []
        for (offset, event) in due {
            if case .midi(_, let bytes) = event.kind { size += bytes.count + 3 }
            size += 32
            guard size <= 30_000, chosen.count < AudioBlock.mostEvents else { break }
            taken.insert(offset)
            chosen.append(event)
        }
        events = events.enumerated().filter { !taken.contains($0.offset) }.map(\.element)
        return chosen
    }

    /// Renders a block. Runs on the queue.
    ///
    /// A block that is refused takes no events: they come with the next one.
    func render(_ frames: Int, _ input: [[Float]]?, lendsOutput: Bool) throws -> RenderedBlock {
        guard input?.allSatisfy({ $0.count == frames }) != false else {
            throw ExtensionHostError(.invalidArgument, "each channel of the input needs \(frames) samples")
        }
        guard frames <= maximumFrames else { return refused(frames) }
        var block = AudioBlock()
        state.withLock { state in
            block.sampleTime = state.sampleTime
            block.events = Self.take(&state.events, before: state.sampleTime + Int64(frames))
        }
        (block.frames, block.channels) = (frames, input?.count ?? 0)
        block.flags =
            (lendsOutput ? 0 : AudioBlock.withoutOutput) | (input == nil ? 0 : AudioBlock.withInput)
        let entry: [UInt8]
        do {
            entry = try block.entry { samples in
                for (channel, values) in (input ?? []).enumerated() {
                    for frame in 0..<frames { samples[channel * frames + frame] = values[frame] }
                }
            }
        } catch {
            // Before those of the same time that have been left, or scheduled since.
            state.withLock { $0.events.insert(contentsOf: block.events, at: 0) }
            throw ExtensionHostError(
                .invalidArgument, "the block cannot be sent: \(error)", remedy: "Render fewer frames at a time")
        }
        let isDead = state.withLock { $0.isDead }
        let start = SystemClock.monotonicNanoseconds()
        let answer: AudioAnswers.Answer
        do {
            guard !isDead else { throw ExtensionHostError(.interrupted, "the unit's process has ended") }
            try stream.send([entry])
            answer = answers.next(within: limit)
        } catch {
            answer = .over(error)
        }
        let time = Duration.nanoseconds(Int64(SystemClock.monotonicNanoseconds() - start))
        switch answer {
        case .entry(let bytes): return try rendered(bytes, block, time)
        case .over:
            state.withLock { state in
                state.isDead = true
                state.sampleTime += Int64(frames)
            }
            return self.block(
                block, status: AudioStatus.cannotDoInCurrentContext.rawValue, samples: nil, AudioBlock(), time)
        case .late:
            state.withLock { $0.isDead = true }
            throw ExtensionHostError(
                .timedOut, "the audio unit did not answer a block of \(frames) frames",
                remedy: "Look for a wait or an endless loop in its internalRenderBlock")
        }
    }

    /// Returns the answer to more frames than the unit has memory for. The unit's own block would not run either.
    private func refused(_ frames: Int) -> RenderedBlock {
        var block = AudioBlock()
        block.frames = frames
        block.sampleTime = state.withLock { state in
            defer { state.sampleTime += Int64(frames) }
            return state.sampleTime
        }
        return self.block(
            block, status: AudioStatus.tooManyFramesToProcess.rawValue, samples: nil, AudioBlock(), .zero)
    }

    private func rendered(_ bytes: [UInt8], _ block: AudioBlock, _ time: Duration) throws -> RenderedBlock {
        do {
            let rendered = try AudioBlock.read(bytes) { reply, samples in
                let isFull = reply.status == 0
                guard reply.frames == block.frames || !isFull, reply.channels == (isFull ? channels : 0) else {
                    throw ExtensionHostError(.protocolViolation, "the unit answered another block")
                }
                let values = (0..<reply.channels).map { channel in
                    Array(samples[(channel * reply.frames)..<((channel + 1) * reply.frames)])
                }
                return self.block(block, status: reply.status, samples: isFull ? values : nil, reply, time)
            }
            state.withLock { $0.sampleTime += Int64(block.frames) }
            return rendered
        } catch let fault as AudioBlockFault {
            throw ExtensionHostError(.protocolViolation, "the unit's answer is none: \(fault)")
        }
    }

    private func block(
        _ block: AudioBlock, status: Int32, samples: [[Float]]?, _ reply: AudioBlock, _ time: Duration
    ) -> RenderedBlock {
        let silence = [[Float]](repeating: [Float](repeating: 0, count: block.frames), count: channels)
        return RenderedBlock(
            status: status, flags: reply.flags, sampleTime: block.sampleTime, channels: samples ?? silence,
            midi: reply.events, time: time, renderTime: .nanoseconds(Int64(clamping: reply.nanoseconds)),
            budget: rate > 0 ? .seconds(Double(block.frames) / rate) : .zero)
    }
}
