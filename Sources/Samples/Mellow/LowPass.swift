// LowPass: the filter of Mellow, after the Audio EQ Cookbook.

import AudioToolbox
import Synchronization

/// A low-pass filter. Parameters are set from any thread; the rest is the render's.
final class LowPass: @unchecked Sendable {
    // Unchecked: the parameters are atomic, and only one thread renders.

    private let cutoff = Atomic(Float(1000).bitPattern)
    private let resonance = Atomic(Float(0).bitPattern)

    private var rate = 44_100.0
    private var memory: [Memory] = []
    private var current = Coefficients()
    private var currentValues = (Float.nan, Float.nan)
    /// The frames of a ramp of the cutoff that are left, and what each adds.
    private var ramp = (frames: 0, step: Float(0), end: Float(0))

    private struct Memory {
        var (in1, in2, out1, out2) = (0.0, 0.0, 0.0, 0.0)
    }

    private struct Coefficients {
        var (b0, b1, b2, a1, a2) = (1.0, 0.0, 0.0, 0.0, 0.0)
    }

    func set(_ address: AUParameterAddress, _ value: AUValue) {
        switch MellowParameter(rawValue: address) {
        case .cutoff: cutoff.store(value.bitPattern, ordering: .relaxed)
        case .resonance: resonance.store(value.bitPattern, ordering: .relaxed)
        case nil: break
        }
    }

    func value(_ address: AUParameterAddress) -> AUValue {
        switch MellowParameter(rawValue: address) {
        case .cutoff: AUValue(bitPattern: cutoff.load(ordering: .relaxed))
        case .resonance: AUValue(bitPattern: resonance.load(ordering: .relaxed))
        case nil: 0
        }
    }

    func start(sampleRate: Double, channels: Int) {
        rate = sampleRate
        memory = [Memory](repeating: Memory(), count: channels)
        currentValues = (.nan, .nan)
        ramp.frames = 0
    }

    func forget() {
        for index in memory.indices { memory[index] = Memory() }
        ramp.frames = 0
    }

    /// Begins a ramp of the cutoff, or sets a value at once.
    func ramp(_ address: AUParameterAddress, to end: AUValue, frames: Int) {
        guard address == 0, frames > 0 else { return set(address, end) }
        ramp = (frames, (end - value(0)) / AUValue(frames), end)
    }

    func process(_ buffers: UnsafeMutableAudioBufferListPointer, _ range: Range<Int>) {
        var done = range.lowerBound
        while done < range.upperBound {
            var end = range.upperBound
            if ramp.frames > 0 {
                // In steps of at most 16 frames.
                end = min(end, done + min(16, ramp.frames))
                ramp.frames -= end - done
                set(0, ramp.frames == 0 ? ramp.end : value(0) + ramp.step * AUValue(end - done))
            }
            prepare()
            for (channel, buffer) in buffers.enumerated() where channel < memory.count {
                let samples = UnsafeMutableBufferPointer<Float>(buffer)
                guard samples.count >= end else { continue }
                var memory = memory[channel]
                for frame in done..<end {
                    let input = Double(samples[frame])
                    let output =
                        current.b0 * input + current.b1 * memory.in1 + current.b2 * memory.in2
                        - current.a1 * memory.out1 - current.a2 * memory.out2
                    (memory.in2, memory.in1) = (memory.in1, input)
                    (memory.out2, memory.out1) = (memory.out1, output)
                    samples[frame] = Float(output)
                }
                self.memory[channel] = memory
            }
            done = end
        }
    }

    private func prepare() {
        let values = (value(0), value(1))
        guard values != currentValues else { return }
        currentValues = values
        let angle = 2 * Double.pi * min(Double(values.0), rate * 0.49) / rate
        // A resonance of 0 dB is the flat filter of Butterworth.
        let quality = 0.5.squareRoot() * pow(10, Double(values.1) / 20)
        let alpha = sin(angle) / (2 * quality)
        let scale = 1 + alpha
        current.b1 = (1 - cos(angle)) / scale
        current.b0 = current.b1 / 2
        current.b2 = current.b0
        current.a1 = -2 * cos(angle) / scale
        current.a2 = (1 - alpha) / scale
    }
}
