// AudioRender: the offline render of a file, and the report of it.

import ExtensionProtocol
import Foundation
import Locks
import PointMessages

/// The input of a render.
public enum AudioSource: Sendable {
    /// A WAV file. Its format becomes that of the unit.
    case file(String)
    /// A sine of 440 Hz at half of full scale.
    case sine(seconds: Double, rate: Int, channels: Int)
    /// No input, for units that need none.
    case none(seconds: Double, rate: Int, channels: Int)

    /// A second, as a render without a file has it.
    public static let second = AudioSource.sine(seconds: 1, rate: 48_000, channels: 2)
}

/// The findings of a render of many blocks.
public struct AudioRenderReport: Sendable {
    /// The status of the last block: 0, or the error of Core Audio that ended the render.
    public fileprivate(set) var status: Int32 = 0
    /// Whether the unit's process ended during the render.
    public fileprivate(set) var hasEnded = false
    /// The rate, in frames a second.
    public fileprivate(set) var rate = 0.0
    /// The number of channels.
    public fileprivate(set) var channels = 0
    /// The frames that were written: those of the input, and of the tail.
    public fileprivate(set) var frames = 0
    /// The number of blocks.
    public fileprivate(set) var blocks = 0
    /// The frames of one block, and the time that they sound.
    public fileprivate(set) var blockFrames = 0
    /// The time that a block sounds.
    public fileprivate(set) var budget = Duration.zero
    /// The longest time of a block, and the number of blocks that took longer than they sound.
    public fileprivate(set) var longest = Duration.zero
    /// The number of late blocks.
    public fileprivate(set) var late = 0
    /// The seconds that the unit names.
    public fileprivate(set) var latency = 0.0
    /// The tail after the input, in seconds.
    public fileprivate(set) var tail = 0.0
    /// The largest magnitude of a sample, and the root of the mean of the squares.
    public fileprivate(set) var peak = 0.0
    /// The root mean square of all samples.
    public var rms: Double { samples == 0 ? 0 : (squares / Double(samples)).squareRoot() }
    /// The samples that are no numbers, or endless.
    public fileprivate(set) var wrongSamples = 0
    /// The messages of MIDI that the unit has sent.
    public fileprivate(set) var sentMIDI = 0

    fileprivate var squares = 0.0
    fileprivate var samples = 0
    /// The times of the blocks in nanoseconds, up to a million of them.
    fileprivate var times: [UInt64] = []

    /// Returns the time that this part of the blocks did not exceed, such as 0.999; zero without blocks.
    public func time(ofPart part: Double) -> Duration {
        let sorted = times.sorted()
        guard !sorted.isEmpty else { return .zero }
        let place = Int((Double(sorted.count) * part).rounded(.up)) - 1
        return .nanoseconds(Int64(sorted[min(max(0, place), sorted.count - 1)]))
    }

    fileprivate mutating func add(_ block: RenderedBlock) {
        blocks += 1
        (status, budget) = (block.status, max(budget, block.budget))
        longest = max(longest, block.time)
        if block.isLate { late += 1 }
        if times.count < 1_000_000 { times.append(UInt64(max(0, block.time / .nanoseconds(1)))) }
        sentMIDI += block.midi.count
        for channel in block.channels {
            samples += channel.count
            for sample in channel {
                guard sample.isFinite else {
                    wrongSamples += 1
                    continue
                }
                peak = max(peak, Double(abs(sample)))
                squares += Double(sample) * Double(sample)
            }
        }
    }
}

extension AudioUnitSession {
    /// The longest render without a file, in seconds.
    private static let longest = 24.0 * 3600

    /// Renders a WAV file to another one: its length, and the unit's tail.
    ///
    /// - Parameters:
    ///   - path: the input.
    ///   - output: the place of the output, which is there when it is whole. Its encoding is that of the input.
    ///   - blockFrames: the frames of a block.
    /// - Throws: as `render(_:to:encoding:blockFrames:midi:)`.
    public func render(file path: String, to output: String, blockFrames: Int = 512) async throws -> AudioRenderReport {
        try await render(.file(path), to: output, blockFrames: blockFrames)
    }

    /// Renders a source: sets the formats, allocates, renders block by block, and deallocates.
    ///
    /// The output has as many channels as the input, if the unit renders that. Otherwise it has another number that the
    /// unit states: in its `channelCapabilities`, or on its output bus.
    ///
    /// A block with an error ends the render; the output has its silence as its last block. So it does if the unit's
    /// process ends: the status is `kAudioUnitErr_CannotDoInCurrentContext`, and the request is interrupted.
    ///
    /// - Parameters:
    ///   - source: the input. A unit without inputs gets none.
    ///   - output: the place of a WAV file; nil: none is written.
    ///   - encoding: of the output; nil: that of the input, else floats.
    ///   - blockFrames: the frames of a block.
    ///   - midi: the messages for the unit. Without an input file, the render lasts until the last of them at least.
    ///   - receive: gets each block, on a thread of its own.
    /// - Throws: `AudioFileFault` for a file; an error of Core Audio from the unit, such as for a format;
    ///   `ExtensionHostError` `invalidArgument` for messages to a unit that takes no MIDI; the errors of
    ///   `render(_:input:)`. If the task is cancelled, no output is written, and the unit can be rendered again.
    public func render(
        _ source: AudioSource, to output: String? = nil, encoding: WAVFormat.Encoding? = nil, blockFrames: Int = 512,
        midi: MIDIFile? = nil, receive: (@Sendable (RenderedBlock) -> Void)? = nil
    ) async throws -> AudioRenderReport {
        let input = try RenderInput(source, midi)
        guard input.seconds <= Self.longest else {
            throw ExtensionHostError(
                .payloadTooLarge, "the render would last \(Int(input.seconds)) seconds",
                remedy: "A render lasts at most a day")
        }
        let facts = try await allocate(
            rate: Double(input.rate), inputChannels: input.channels, maximumFrames: blockFrames)
        do {
            let line = try allocatedLine()
            if !input.midi.isEmpty { try checkTakesMIDI() }
            // Checked before a block is sent: the writer takes no other number of channels.
            let format = WAVFormat(encoding ?? input.encoding, channels: line.channels, rate: input.rate)
            let writer = try output.map { try WAVWriter(path: $0, format) }
            let tail = min(max(0, facts.tail.isFinite ? facts.tail : settings.longestTail), settings.longestTail)
            let work = RenderWork(
                line, input, writer, frames: input.frames + Int((tail * Double(input.rate)).rounded(.up)),
                blockFrames: blockFrames, hasInputs: !facts.inputs.isEmpty, receive)
            var report = try await onLine(line) { try work.run($0) }
            (report.latency, report.tail, report.hasEnded) = (facts.latency, facts.tail, line.isDead)
            if report.hasEnded { return report }
            try await deallocate()
            return report
        } catch {
            // Also if the task is cancelled: the unit can then be rendered again.
            try? await uncancelled { try await self.deallocate() }
            throw error
        }
    }
}

/// The samples and messages of a render.
private struct RenderInput: @unchecked Sendable {
    // Unchecked: one thread reads the file.
    let reader: WAVReader?
    let isSine: Bool
    let frames: Int
    let rate: Int
    let channels: Int
    let encoding: WAVFormat.Encoding
    let midi: [MIDIFile.Event]

    var seconds: Double { Double(frames) / Double(rate) }

    init(_ source: AudioSource, _ midi: MIDIFile?) throws {
        self.midi = midi?.events ?? []
        switch source {
        case .file(let path):
            let reader = try WAVReader(path: path)
            (self.reader, isSine, frames, encoding) = (reader, false, reader.frames, reader.format.encoding)
            (rate, channels) = (reader.format.rate, reader.format.channels)
        case .sine(let seconds, let rate, let channels), .none(let seconds, let rate, let channels):
            guard WAVFormat.rateRange.contains(rate), WAVFormat.channelRange.contains(channels), seconds >= 0,
                seconds <= 1_000_000
            else {
                throw ExtensionHostError(
                    .invalidArgument,
                    "there is no source of \(channels) channels at \(rate) Hz, \(seconds) seconds long")
            }
            (reader, encoding, self.rate, self.channels) = (nil, .float32, rate, channels)
            if case .sine = source { isSine = true } else { isSine = false }
            let longest = max(seconds, midi?.events.last?.seconds ?? 0)
            frames = Int((min(longest, 1_000_000) * Double(rate)).rounded(.up))
        }
    }

    /// Returns frames; behind the end silence.
    func samples(_ count: Int, at place: Int) throws -> [[Float]] {
        if let reader { return try reader.read(count, at: place) }
        let channel = (place..<(place + count)).map { frame in
            guard isSine, frame < frames else { return Float(0) }
            return Float(0.5 * sin(2 * Double.pi * 440 * Double(frame % rate) / Double(rate)))
        }
        return [[Float]](repeating: channel, count: channels)
    }
}

/// The blocks of a render, one after the other.
private struct RenderWork: @unchecked Sendable {
    // Unchecked: it runs once, on the line's queue.
    private let line: RenderLine
    private let input: RenderInput
    private let writer: WAVWriter?
    private let frames: Int
    private let blockFrames: Int
    private let hasInputs: Bool
    private let receive: (@Sendable (RenderedBlock) -> Void)?

    init(
        _ line: RenderLine, _ input: RenderInput, _ writer: WAVWriter?, frames: Int, blockFrames: Int, hasInputs: Bool,
        _ receive: (@Sendable (RenderedBlock) -> Void)?
    ) {
        (self.line, self.input, self.writer, self.frames) = (line, input, writer, frames)
        (self.blockFrames, self.hasInputs, self.receive) = (blockFrames, hasInputs, receive)
    }

    func run(_ cancellation: RenderCancellation) throws -> AudioRenderReport {
        var report = AudioRenderReport()
        (report.rate, report.channels, report.blockFrames) = (Double(input.rate), line.channels, blockFrames)
        var (place, message) = (0, 0)
        while place < frames, report.status == 0 {
            try cancellation.check()
            let count = min(blockFrames, frames - place)
            while message < input.midi.count {
                let event = input.midi[message]
                var time = (event.seconds * Double(input.rate)).rounded()
                // A message at the end belongs to the last frame. Times of a file may be larger than any integer.
                if time == Double(frames) { time -= 1 }
                guard time < Double(place + count) else { break }
                line.schedule(.midi(cable: 0, bytes: event.bytes), at: Int64(time))
                message += 1
            }
            let block = try line.render(
                count, hasInputs ? try input.samples(count, at: place) : nil, lendsOutput: true)
            report.add(block)
            try writer?.write(block.channels)
            receive?(block)
            place += count
        }
        report.frames = place
        try writer?.finish()
        return report
    }
}
