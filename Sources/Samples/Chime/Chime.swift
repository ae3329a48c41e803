// Chime: an instrument whose notes are sines that fade away.

import AVFoundation
import AudioToolbox

/// The principal class: it makes a unit for each request.
final class ChimeFactory: NSObject, AUAudioUnitFactory {
    func beginRequest(with context: NSExtensionContext) {}

    func createAudioUnit(with componentDescription: AudioComponentDescription) throws -> AUAudioUnit {
        try ChimeAudioUnit(componentDescription: componentDescription, options: [])
    }
}

final class ChimeAudioUnit: AUAudioUnit {
    private let bells = Bells()
    private let outputBus: AUAudioUnitBus
    private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [outputBus])

    override init(
        componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) throws {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2) else {
            throw CocoaError(.featureUnsupported)
        }
        outputBus = try AUAudioUnitBus(format: format)
        outputBus.maximumChannelCount = 8
        try super.init(componentDescription: componentDescription, options: options)
    }

    override var outputBusses: AUAudioUnitBusArray { outputs }

    /// A note is silent after ten times its decay.
    override var tailTime: TimeInterval { 10 * Bells.decay }

    override func allocateRenderResources() throws {
        try super.allocateRenderResources()
        bells.start(sampleRate: outputBus.format.sampleRate)
    }

    override func reset() { bells.stop() }

    override var internalRenderBlock: AUInternalRenderBlock {
        { [bells] _, timestamp, frameCount, _, outputData, events, _ in
            let start = AUEventSampleTime(timestamp.pointee.mSampleTime)
            var notes: [(frame: Int, note: UInt8, velocity: UInt8)] = []
            var next = events
            while let event = next {
                if event.pointee.head.eventType == .MIDI {
                    let message = event.pointee.MIDI
                    if message.data.0 & 0xf0 == 0x90, message.data.2 > 0 {
                        notes.append((Int(message.eventSampleTime - start), message.data.1, message.data.2))
                    }
                }
                next = UnsafePointer(event.pointee.head.next)
            }
            bells.render(UnsafeMutableAudioBufferListPointer(outputData), Int(frameCount), notes)
            return noErr
        }
    }
}

/// The notes that sound. Used by the render alone.
final class Bells: @unchecked Sendable {
    // Unchecked: one thread renders, and the others only before and after.

    /// The time in which a note falls to a part of 1/e, in seconds.
    static let decay = 0.1
    private static let most = 64

    private struct Bell {
        var phase = 0.0
        let step: Double
        var level: Double
        /// The frame of the block at which it begins.
        var start: Int
    }

    private var rate = 44_100.0
    private var bells: [Bell] = []

    func start(sampleRate: Double) { (rate, bells) = (sampleRate, []) }

    func stop() { bells = [] }

    func render(
        _ buffers: UnsafeMutableAudioBufferListPointer, _ frames: Int,
        _ notes: [(frame: Int, note: UInt8, velocity: UInt8)]
    ) {
        for note in notes where bells.count < Self.most {
            let frequency = 440 * pow(2, (Double(note.note) - 69) / 12)
            bells.append(
                Bell(
                    step: 2 * Double.pi * frequency / rate, level: 0.25 * Double(note.velocity) / 127,
                    start: min(max(note.frame, 0), frames)))
        }
        let fall = exp(-1 / (Self.decay * rate))
        var sums = [Float](repeating: 0, count: frames)
        for index in bells.indices {
            for frame in bells[index].start..<frames {
                sums[frame] += Float(bells[index].level * sin(bells[index].phase))
                bells[index].phase += bells[index].step
                bells[index].level *= fall
            }
            bells[index].start = 0
        }
        // A note that nobody hears any more makes room: at −96 dB.
        bells.removeAll { $0.level < 1.6e-5 }
        for buffer in buffers {
            let samples = UnsafeMutableBufferPointer<Float>(buffer)
            for frame in 0..<min(frames, samples.count) { samples[frame] = sums[frame] }
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
