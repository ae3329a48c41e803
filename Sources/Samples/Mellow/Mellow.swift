// Mellow: an effect that takes the highs away: a low-pass filter of the second order.

import AVFoundation
import AudioToolbox

/// The parameters, by their addresses.
enum MellowParameter: AUParameterAddress {
    case cutoff, resonance
}

/// The principal class: it makes a unit for each request.
final class MellowFactory: NSObject, AUAudioUnitFactory {
    func beginRequest(with context: NSExtensionContext) {}

    func createAudioUnit(with componentDescription: AudioComponentDescription) throws -> AUAudioUnit {
        try MellowAudioUnit(componentDescription: componentDescription, options: [])
    }
}

final class MellowAudioUnit: AUAudioUnit {
    private let filter = LowPass()
    private let inputBus: AUAudioUnitBus
    private let outputBus: AUAudioUnitBus
    private lazy var inputs = AUAudioUnitBusArray(audioUnit: self, busType: .input, busses: [inputBus])
    private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [outputBus])
    private let presets = [("Warm", 2000.0, 0.0), ("Next door", 400.0, 3.0)]

    override init(
        componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) throws {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2) else {
            throw CocoaError(.featureUnsupported)
        }
        inputBus = try AUAudioUnitBus(format: format)
        outputBus = try AUAudioUnitBus(format: format)
        inputBus.maximumChannelCount = 8
        outputBus.maximumChannelCount = 8
        try super.init(componentDescription: componentDescription, options: options)
        let cutoff = AUParameterTree.createParameter(
            withIdentifier: "cutoff", name: "Cutoff", address: MellowParameter.cutoff.rawValue, min: 12, max: 20_000,
            unit: .hertz, unitName: nil, flags: [.flag_IsReadable, .flag_IsWritable, .flag_CanRamp],
            valueStrings: nil, dependentParameters: nil)
        let resonance = AUParameterTree.createParameter(
            withIdentifier: "resonance", name: "Resonance", address: MellowParameter.resonance.rawValue, min: -20,
            max: 20, unit: .decibels, unitName: nil, flags: [.flag_IsReadable, .flag_IsWritable], valueStrings: nil,
            dependentParameters: nil)
        let tree = AUParameterTree.createTree(withChildren: [cutoff, resonance])
        tree.implementorValueObserver = { [filter] parameter, value in filter.set(parameter.address, value) }
        tree.implementorValueProvider = { [filter] parameter in filter.value(parameter.address) }
        tree.implementorStringFromValueCallback = { parameter, value in
            let number = value?.pointee ?? parameter.value
            return String(format: parameter.address == 0 ? "%.0f Hz" : "%.1f dB", number)
        }
        parameterTree = tree
        cutoff.value = 1000
        resonance.value = 0
    }

    override var inputBusses: AUAudioUnitBusArray { inputs }
    override var outputBusses: AUAudioUnitBusArray { outputs }
    override var canProcessInPlace: Bool { true }

    /// The filter's answer to the last sample fades away.
    override var tailTime: TimeInterval { 0.05 }

    override var factoryPresets: [AUAudioUnitPreset]? {
        presets.enumerated().map { number, values in
            let preset = AUAudioUnitPreset()
            preset.number = number
            preset.name = values.0
            return preset
        }
    }

    override var currentPreset: AUAudioUnitPreset? {
        didSet {
            guard let preset = currentPreset, presets.indices.contains(preset.number) else { return }
            let (_, cutoff, resonance) = presets[preset.number]
            parameterTree?.parameter(withAddress: MellowParameter.cutoff.rawValue)?.value = AUValue(cutoff)
            parameterTree?.parameter(withAddress: MellowParameter.resonance.rawValue)?.value = AUValue(resonance)
        }
    }

    override func allocateRenderResources() throws {
        guard inputBus.format.channelCount == outputBus.format.channelCount else {
            throw NSError(
                domain: NSOSStatusErrorDomain, code: Int(kAudioUnitErr_FailedInitialization), userInfo: nil)
        }
        try super.allocateRenderResources()
        filter.start(sampleRate: outputBus.format.sampleRate, channels: Int(outputBus.format.channelCount))
    }

    override func reset() { filter.forget() }

    override var internalRenderBlock: AUInternalRenderBlock {
        // The block uses nothing of the unit itself: a render must not wait for the threads that change it.
        { [filter] _, timestamp, frameCount, _, outputData, events, pullInputBlock in
            guard let pullInputBlock else { return kAudioUnitErr_NoConnection }
            var flags = AudioUnitRenderActionFlags()
            let status = pullInputBlock(&flags, timestamp, frameCount, 0, outputData)
            guard status == noErr else { return status }
            let buffers = UnsafeMutableAudioBufferListPointer(outputData)
            let start = AUEventSampleTime(timestamp.pointee.mSampleTime)
            var next = events
            var done = 0
            // The samples between two events, then the event.
            while let event = next {
                let place = min(max(Int(event.pointee.head.eventSampleTime - start), done), Int(frameCount))
                filter.process(buffers, done..<place)
                done = place
                if [.parameter, .parameterRamp].contains(event.pointee.head.eventType) {
                    let parameter = event.pointee.parameter
                    filter.ramp(
                        parameter.parameterAddress, to: parameter.value,
                        frames: Int(parameter.rampDurationSampleFrames))
                }
                next = UnsafePointer(event.pointee.head.next)
            }
            filter.process(buffers, done..<Int(frameCount))
            return noErr
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
