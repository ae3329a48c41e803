// Renderer: blocks of a host, rendered by a unit with allocated resources.

import LinuxDescriptors
import Locks
import PointMessages

/// The MIDI that a unit sends during a block.
final class SentMIDI: Sendable {
    private let events = Mutex<[AudioBlockEvent]>([])

    func add(_ time: AUEventSampleTime, _ cable: UInt8, _ bytes: UnsafeBufferPointer<UInt8>) -> OSStatus {
        guard (1...AudioBlock.longestMessage).contains(bytes.count) else { return kAudio_ParamError }
        return events.withLock { events in
            // All of them fit into one entry: its bytes of events are bounded, too.
            let size = events.reduce(0) { size, event in
                guard case .midi(_, let bytes) = event.kind else { return size }
                return size + bytes.count + 36
            }
            guard events.count < 512, size + bytes.count + 36 <= 30_000 else {
                return kAudioUnitErr_MIDIOutputBufferFull
            }
            events.append(AudioBlockEvent(sampleTime: time, .midi(cable: cable, bytes: Array(bytes))))
            return noErr
        }
    }

    func take() -> [AudioBlockEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}

/// The memory of a render, and the unit's internal render block, which is fetched once.
final class Renderer: @unchecked Sendable {
    // Unchecked: all but `isRunning` is touched inside its lock only.

    private let isRunning = Mutex(true)
    private let render: Render
    private let scheduleParameter: AUScheduleParameterBlock
    private let scheduleMIDI: AUScheduleMIDIEventBlock?
    private let sent: SentMIDI
    private let frames: Int
    private let input: ChannelMemory
    private let output: ChannelMemory
    private let inputCount: Int
    private var current = (start: Int64(0), frames: 0, hasInput: false)

    init(_ unit: AUAudioUnit, frames: Int, _ sent: SentMIDI) {
        render = Render(unit)
        (scheduleParameter, scheduleMIDI) = (unit.scheduleParameterBlock, unit.scheduleMIDIEventBlock)
        (self.frames, self.sent) = (frames, sent)
        inputCount = unit.inputBusses.count
        // The memory of the further busses' silence is that of the widest.
        let channels = unit.inputBusses.map { Int($0.format.channelCount) }.max() ?? 0
        input = ChannelMemory(channels: channels, frames: frames)
        output = ChannelMemory(
            channels: unit.outputBusses.first.map { Int($0.format.channelCount) } ?? 0, frames: frames)
    }

    /// Waits for a block under way. Later ones answer `kAudioUnitErr_Uninitialized`.
    func stop() { isRunning.withLock { $0 = false } }

    /// Runs code while no block is rendered.
    func betweenBlocks(_ body: () -> Void) { isRunning.withLock { _ in body() } }

    /// Returns the answer to an entry.
    func answer(_ entry: [UInt8]) -> [UInt8] {
        isRunning.withLock { isRunning in
            var reply = AudioBlock()
            guard isRunning else { return Self.failure(&reply, kAudioUnitErr_Uninitialized) }
            do {
                return try AudioBlock.read(entry) { block, samples in
                    (reply.frames, reply.sampleTime) = (block.frames, block.sampleTime)
                    // Events of a block that is refused wait for the next one.
                    schedule(block.events)
                    guard block.frames <= frames else {
                        return Self.failure(&reply, kAudioUnitErr_TooManyFramesToProcess)
                    }
                    return try renderBlock(block, samples, &reply)
                }
            } catch {
                return Self.failure(&reply, kAudio_ParamError)
            }
        }
    }

    private static func failure(_ reply: inout AudioBlock, _ status: OSStatus) -> [UInt8] {
        (reply.status, reply.channels, reply.events) = (status, 0, [])
        // An answer without samples is never too large.
        return (try? reply.entry { _ in }) ?? []
    }

    private func renderBlock(
        _ block: AudioBlock, _ samples: UnsafeBufferPointer<Float>, _ reply: inout AudioBlock
    ) throws -> [UInt8] {
        input.fill(samples, channels: block.channels, frames: block.frames)
        current = (block.sampleTime, block.frames, block.flags & AudioBlock.withInput != 0)
        let lends = block.flags & AudioBlock.withoutOutput == 0
        output.prepare(frames: block.frames, lends: lends)
        var flags: AudioUnitRenderActionFlags = []
        var timestamp = AudioTimeStamp()
        timestamp.mSampleTime = Double(block.sampleTime)
        timestamp.mHostTime = SystemClock.monotonicNanoseconds()
        timestamp.mFlags = [.sampleTimeValid, .hostTimeValid]
        let start = timestamp.mHostTime
        let status = render(
            &flags, &timestamp, AUAudioFrameCount(block.frames), 0, output.list.unsafeMutablePointer,
            inputCount == 0 ? nil : pull)
        reply.nanoseconds = SystemClock.monotonicNanoseconds() - start
        (reply.status, reply.flags, reply.events) = (status, flags.rawValue, sent.take())
        guard status == noErr else { return Self.failure(&reply, status) }
        reply.channels = output.channels
        return try reply.entry { output.read(frames: block.frames, into: $0) }
    }

    private func schedule(_ events: [AudioBlockEvent]) {
        for event in events {
            switch event.kind {
            case .parameter(let address, let value, let ramp): scheduleParameter(event.sampleTime, ramp, address, value)
            case .midi(let cable, let bytes):
                bytes.withUnsafeBufferPointer { bytes in
                    guard let start = bytes.baseAddress else { return }
                    scheduleMIDI?(event.sampleTime, cable, bytes.count, start)
                }
            }
        }
    }

    /// The host's input, as the unit pulls it: the first bus has the block's samples, the others are silent.
    private lazy var pull: AURenderPullInputBlock = { [unowned self] flags, timestamp, frames, bus, data in
        guard (0..<inputCount).contains(bus) else { return kAudioUnitErr_InvalidElement }
        guard bus > 0 || current.hasInput else { return kAudioUnitErr_NoConnection }
        // A unit may pull a block in pieces, each with its own time.
        let offset = timestamp.pointee.mSampleTime - Double(current.start)
        let first = (0..<Double(max(1, current.frames))).contains(offset) ? Int(offset) : 0
        guard first + Int(frames) <= current.frames else { return kAudioUnitErr_TooManyFramesToProcess }
        input.copy(first..<(first + Int(frames)), to: UnsafeMutableAudioBufferListPointer(data), isSilent: bus > 0)
        if bus > 0 { flags.pointee.insert(.unitRenderAction_OutputIsSilence) }
        return noErr
    }
}

/// Memory for the channels of a block, and a list of buffers for it.
private final class ChannelMemory {
    let channels: Int
    let list: UnsafeMutableAudioBufferListPointer
    private let capacity: Int
    private let memory: UnsafeMutablePointer<Float>
    /// Zeros, of which nobody writes any but a unit that writes into its input.
    private let silence: UnsafeMutablePointer<Float>

    init(channels: Int, frames: Int) {
        (self.channels, capacity) = (channels, frames)
        memory = .allocate(capacity: max(1, channels * frames))
        silence = .allocate(capacity: frames)
        memory.initialize(repeating: 0, count: max(1, channels * frames))
        silence.initialize(repeating: 0, count: frames)
        list = AudioBufferList.allocate(maximumBuffers: max(1, channels))
        list.count = channels
    }

    deinit {
        free(list.unsafeMutablePointer)
        memory.deallocate()
        silence.deallocate()
    }

    /// Copies the samples of a block. Channels that it does not have are silent.
    func fill(_ samples: UnsafeBufferPointer<Float>, channels count: Int, frames: Int) {
        for channel in 0..<channels {
            let target = memory + channel * capacity
            if channel < count, let source = samples.baseAddress {
                target.update(from: source + channel * frames, count: frames)
            } else {
                target.update(repeating: 0, count: frames)
            }
        }
    }

    /// Sets up the list for a render: with memory, which is silent, or without.
    func prepare(frames: Int, lends: Bool) {
        for channel in 0..<channels {
            let target = memory + channel * capacity
            target.update(repeating: 0, count: frames)
            list[channel] = AudioBuffer(
                mNumberChannels: 1, mDataByteSize: UInt32(frames * 4),
                mData: lends ? UnsafeMutableRawPointer(target) : nil
            )
        }
        list.count = channels
    }

    /// Copies what a render has left in the list, wherever its memory is.
    func read(frames: Int, into target: UnsafeMutableBufferPointer<Float>) {
        guard let start = target.baseAddress else { return }
        for channel in 0..<channels {
            let place = start + channel * frames
            let buffer = channel < list.count ? list[channel] : AudioBuffer()
            let count = min(frames, Int(buffer.mDataByteSize) / 4)
            if let data = buffer.mData, count > 0 {
                place.update(from: data.assumingMemoryBound(to: Float.self), count: count)
                (place + count).update(repeating: 0, count: frames - count)
            } else {
                place.update(repeating: 0, count: frames)
            }
        }
    }

    /// Gives frames to the list of a pull: into its memory, or as memory of this if it has none.
    func copy(_ range: Range<Int>, to data: UnsafeMutableAudioBufferListPointer, isSilent: Bool) {
        for index in data.indices {
            let isThere = index < channels && !isSilent
            let source = isThere ? memory + index * capacity + range.lowerBound : silence
            let size = UInt32(range.count * 4)
            if !isThere { silence.update(repeating: 0, count: range.count) }
            if let target = data[index].mData {
                // The memory is the unit's own, and may be smaller.
                data[index].mDataByteSize = min(size, data[index].mDataByteSize)
                memcpy(target, source, Int(data[index].mDataByteSize))
            } else {
                (data[index].mData, data[index].mDataByteSize) = (UnsafeMutableRawPointer(source), size)
            }
        }
    }
}
