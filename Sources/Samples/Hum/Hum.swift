// Hum: a generator with a view: the hum of the mains, 50 or 60 Hz with its overtones.

import AVFoundation
import CoreAudioKit
import Synchronization

/// The principal class: the view of the unit, which it makes.
final class HumViewController: AUViewController, AUAudioUnitFactory {
    private let label = UILabel(frame: CGRect(x: 16, y: 16, width: 200, height: 32))
    private var unit: AUAudioUnit? { didSet { if isViewLoaded { showValue() } } }

    override func viewDidLoad() {
        super.viewDidLoad()
        preferredContentSize = CGSize(width: 232, height: 112)
        label.accessibilityIdentifier = "frequency"
        view.addSubview(label)
        for (title, value) in [("50 Hz", AUValue(50)), ("60 Hz", AUValue(60))] {
            let action = UIAction(title: title) { [weak self] _ in self?.choose(value) }
            view.addSubview(UIButton(type: .system, primaryAction: action))
        }
        // The unit may be there before the view, and the view before the unit.
        showValue()
    }

    private func choose(_ value: AUValue) {
        unit?.parameterTree?.parameter(withAddress: 0)?.value = value
        showValue()
    }

    private func showValue() {
        label.text = unit?.parameterTree?.parameter(withAddress: 0).map { "\(Int($0.value)) Hz" } ?? "no unit"
    }

    nonisolated func createAudioUnit(with componentDescription: AudioComponentDescription) throws -> AUAudioUnit {
        let made = try HumAudioUnit(componentDescription: componentDescription, options: [])
        DispatchQueue.main.async { self.unit = made }
        return made
    }
}

// Unchecked: the view gets the unit on the main queue, and uses only its parameters, which are locked.
final class HumAudioUnit: AUAudioUnit, @unchecked Sendable {
    private let hum = HumSource()
    private let outputBus: AUAudioUnitBus
    private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [outputBus])

    override init(
        componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) throws {
        guard let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2) else {
            throw CocoaError(.featureUnsupported)
        }
        outputBus = try AUAudioUnitBus(format: format)
        try super.init(componentDescription: componentDescription, options: options)
        let frequency = AUParameterTree.createParameter(
            withIdentifier: "frequency", name: "Frequency", address: 0, min: 20, max: 200, unit: .hertz, unitName: nil,
            flags: [.flag_IsReadable, .flag_IsWritable], valueStrings: nil, dependentParameters: nil)
        let tree = AUParameterTree.createTree(withChildren: [frequency])
        tree.implementorValueObserver = { [hum] _, value in hum.frequency.store(value.bitPattern, ordering: .relaxed) }
        tree.implementorValueProvider = { [hum] _ in AUValue(bitPattern: hum.frequency.load(ordering: .relaxed)) }
        parameterTree = tree
    }

    override var outputBusses: AUAudioUnitBusArray { outputs }
    override var providesUserInterface: Bool { true }

    override func allocateRenderResources() throws {
        try super.allocateRenderResources()
        hum.start(sampleRate: outputBus.format.sampleRate)
    }

    override func reset() { hum.start(sampleRate: outputBus.format.sampleRate) }

    override var internalRenderBlock: AUInternalRenderBlock {
        { [hum] _, _, frameCount, _, outputData, _, _ in
            hum.render(UnsafeMutableAudioBufferListPointer(outputData), Int(frameCount))
            return noErr
        }
    }
}

/// The sound. Its frequency is set from any thread; the rest is the render's.
final class HumSource: @unchecked Sendable {
    // Unchecked: the frequency is atomic, and only one thread renders.
    let frequency = Atomic(Float(50).bitPattern)
    private var rate = 44_100.0
    private var phase = 0.0

    func start(sampleRate: Double) { (rate, phase) = (sampleRate, 0) }

    func render(_ buffers: UnsafeMutableAudioBufferListPointer, _ frames: Int) {
        let step = Double(AUValue(bitPattern: frequency.load(ordering: .relaxed))) / rate
        for frame in 0..<frames {
            let angle = 2 * Double.pi * phase
            let sample = Float(0.2 * sin(angle) + 0.1 * sin(2 * angle) + 0.05 * sin(3 * angle))
            for buffer in buffers {
                let samples = UnsafeMutableBufferPointer<Float>(buffer)
                if frame < samples.count { samples[frame] = sample }
            }
            phase += step
            if phase >= 1 { phase -= 1 }
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
