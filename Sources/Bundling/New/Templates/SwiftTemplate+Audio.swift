// SwiftTemplate+Audio: the templates of audio units.

extension SwiftTemplate {
    /// An audio unit.
    var effect: Parts {
        var parts = Parts(
            "an audio unit that changes the volume",
            className: "AudioUnitFactory", modules: ["AVFoundation", "AudioToolbox", "ExtensionFoundation"],
            run: "exthostctl run . --audio in.wav --out out.wav --set gain=0.5")
        parts.source = """
            // AudioUnitFactory: makes the audio unit, which changes the volume.

            import AVFoundation
            import AudioToolbox
            import Synchronization

            final class AudioUnitFactory: NSObject, AUAudioUnitFactory {
                func beginRequest(with context: NSExtensionContext) {}

                func createAudioUnit(with componentDescription: AudioComponentDescription) throws -> AUAudioUnit {
                    try VolumeUnit(componentDescription: componentDescription, options: [])
                }
            }

            \(Self.volumeUnit)

            """
        parts.test = "theVolumeChanges"
        parts.session = """
                        let units = AudioUnitHost(host.application)
                        let component = try await units.components(of: "\(project.extensionIdentifier)")[0]
                        let unit = try await units.instantiate(component)
                        let gain = try #require(unit.parameter("gain"))
                        try await unit.set(gain, to: 0.25)
                        try await unit.allocate()
                        let block = try await unit.render(2, input: [[0.5, -1], [0, 1]])
                        #expect(block.channels == [[0.125, -0.25], [0, 0.25]])
                        try await unit.end()
            """
        return parts
    }

    /// An audio unit with a view.
    var effectView: Parts {
        var parts = Parts(
            "an audio unit that changes the volume, with a view",
            className: "AudioUnitViewController", modules: ["AVFoundation", "CoreAudioKit", "ExtensionFoundation"],
            run: "exthostctl run . --audio in.wav --out out.wav --set gain=0.5")
        parts.source = """
            // AudioUnitViewController: the view of the audio unit, which changes the volume.

            import AVFoundation
            import CoreAudioKit
            import Synchronization

            final class AudioUnitViewController: AUViewController, AUAudioUnitFactory {
                private var unit: AUAudioUnit?

                override func viewDidLoad() {
                    super.viewDidLoad()
                    let action = UIAction(title: "Half") { [weak self] _ in
                        self?.unit?.parameterTree?.parameter(withAddress: 0)?.value = 0.5
                    }
                    view.addSubview(UIButton(type: .system, primaryAction: action))
                }

                nonisolated func createAudioUnit(with componentDescription: AudioComponentDescription) throws -> AUAudioUnit {
                    let made = try VolumeUnit(componentDescription: componentDescription, options: [])
                    // The unit may be made before the view, or after it.
                    DispatchQueue.main.async { self.unit = made }
                    return made
                }
            }

            \(Self.volumeUnit)

            """
        parts.test = "theVolumeChanges"
        parts.session = """
                        let units = AudioUnitHost(host.application)
                        let component = try await units.components(of: "\(project.extensionIdentifier)")[0]
                        let unit = try await units.instantiate(component)
                        let gain = try #require(unit.parameter("gain"))
                        try await unit.set(gain, to: 0.25)
                        try await unit.allocate()
                        let block = try await unit.render(2, input: [[0.5, -1], [0, 1]])
                        #expect(block.channels == [[0.125, -0.25], [0, 0.25]])
                        try await unit.end()
            """
        return parts
    }

    /// The unit of both templates.
    private static let volumeUnit = """
        final class VolumeUnit: AUAudioUnit, @unchecked Sendable {
            private final class Gain: Sendable {
                let bits = Atomic(AUValue(1).bitPattern)
            }

            private let gain = Gain()
            private let inputBus: AUAudioUnitBus
            private let outputBus: AUAudioUnitBus
            private lazy var inputs = AUAudioUnitBusArray(audioUnit: self, busType: .input, busses: [inputBus])
            private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [outputBus])

            override init(
                componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
            ) throws {
                let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2)!
                inputBus = try AUAudioUnitBus(format: format)
                outputBus = try AUAudioUnitBus(format: format)
                try super.init(componentDescription: componentDescription, options: options)
                let parameter = AUParameterTree.createParameter(
                    withIdentifier: "gain", name: "Gain", address: 0, min: 0, max: 1, unit: .linearGain, unitName: nil,
                    flags: [.flag_IsReadable, .flag_IsWritable], valueStrings: nil, dependentParameters: nil)
                let tree = AUParameterTree.createTree(withChildren: [parameter])
                tree.implementorValueObserver = { [gain] _, value in
                    gain.bits.store(value.bitPattern, ordering: .relaxed)
                }
                tree.implementorValueProvider = { [gain] _ in
                    AUValue(bitPattern: gain.bits.load(ordering: .relaxed))
                }
                parameterTree = tree
            }

            override var inputBusses: AUAudioUnitBusArray { inputs }
            override var outputBusses: AUAudioUnitBusArray { outputs }

            override var internalRenderBlock: AUInternalRenderBlock {
                // The block uses nothing of the unit itself: a render must not wait for the threads that change it.
                { [gain] _, timestamp, frameCount, _, outputData, _, pullInputBlock in
                    guard let pullInputBlock else { return kAudioUnitErr_NoConnection }
                    var flags = AudioUnitRenderActionFlags()
                    let status = pullInputBlock(&flags, timestamp, frameCount, 0, outputData)
                    guard status == noErr else { return status }
                    let factor = AUValue(bitPattern: gain.bits.load(ordering: .relaxed))
                    for buffer in UnsafeMutableAudioBufferListPointer(outputData) {
                        let samples = UnsafeMutableBufferPointer<Float>(buffer)
                        for frame in samples.indices { samples[frame] *= factor }
                    }
                    return noErr
                }
            }
        }
        """
}
