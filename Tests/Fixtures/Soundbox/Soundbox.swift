// Soundbox: audio units that tests look into. The subtype of a component chooses what its unit does.

import AVFoundation
import CoreAudioKit

/// The principal class.
final class SoundboxFactory: NSObject, AUAudioUnitFactory {
    func beginRequest(with context: NSExtensionContext) {}

    func createAudioUnit(with desc: AudioComponentDescription) throws -> AUAudioUnit {
        guard let mode = Soundbox.Mode(rawValue: desc.componentSubType.code) else {
            throw NSError(domain: "org.exthost.tests.audio", code: 7, userInfo: nil)
        }
        precondition(!Thread.isMainThread, "createAudioUnit(with:) is not called on the main thread")
        return try Soundbox(mode, desc)
    }
}

/// The principal class with a view.
final class SoundboxController: AUViewController, AUAudioUnitFactory {
    nonisolated func createAudioUnit(with desc: AudioComponentDescription) throws -> AUAudioUnit {
        try SoundboxFactory().createAudioUnit(with: desc)
    }
}

/// A principal class that makes no audio unit.
final class NoFactory: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {}
}

extension UInt32 {
    /// The four characters of a code.
    fileprivate var code: String {
        String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) }, as: UTF8.self)
    }
}

final class Soundbox: AUAudioUnit, @unchecked Sendable {
    /// The subtypes.
    enum Mode: String {
        /// Gives the input through.
        case thru
        /// Renders into its own memory if it gets none: the value 0.25. With memory: 0.5.
        case null
        /// Writes what it finds in the list of events into the output, four floats an event.
        case evts
        /// Kills its process in the block whose number is the parameter `a`.
        case dies
        /// Never returns from the third block.
        case hang
        /// Takes at least so many milliseconds for a block as the parameter `a` says.
        case slow
        /// Sends each message of MIDI back, one frame later.
        case echo
        /// Sets the parameter `b` to twice the value that `a` gets.
        case link
        /// Sets the parameter `b` for an observer of its own when `a` changes, and writes what its observers got.
        case toke
        /// Writes which types of Apple's frameworks for devices are there, after one that is.
        case lack
        /// Writes facts about the unit into the output.
        case fact
        /// Does not call the method of its base class when it allocates.
        case noal
        /// Has a state of its own.
        case stat
        /// States that it renders 1 channel to 2, and 8 to 3: the input, its negative, and half of it.
        case wide
        /// Allocates only for different numbers of channels, of which it states nothing.
        case odds
        /// Adds up its input, so that each block depends on all before.
        case sums
    }

    private let mode: Mode
    private let box: Box
    private let input: AUAudioUnitBus
    private let side: AUAudioUnitBus
    private let output: AUAudioUnitBus
    private var word = "none"

    /// What the render and the tree use.
    final class Box: @unchecked Sendable {
        // Unchecked: tests wait for each step before the next.
        var values: [AUParameterAddress: AUValue] = [:]
        var blocks = 0
        var fetched = 0
        var observed = 0
        /// The calls of two observers, and what a recording and an automation observer got.
        var calls: [Float] = [0, 0]
        var recorded: [Float] = []
        var automated: [Float] = []
        var own = [Float](repeating: 0.25, count: 4096)
        var sum: Float = 0
    }

    init(_ mode: Mode, _ desc: AudioComponentDescription) throws {
        let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2)!
        (self.mode, box) = (mode, Box())
        (input, side) = (try AUAudioUnitBus(format: format), try AUAudioUnitBus(format: format))
        output = try AUAudioUnitBus(format: format)
        input.supportedChannelCounts = [1, 2, 8]
        if mode == .wide { try input.setFormat(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1)!) }
        side.name = "Side chain"
        try super.init(componentDescription: desc, options: [])
        func parameter(_ name: String, _ address: AUParameterAddress, values: [String]? = nil) -> AUParameter {
            AUParameterTree.createParameter(
                withIdentifier: name, name: "Parameter \(name)", address: address, min: 0, max: 1000,
                unit: values == nil ? .generic : .indexed, unitName: values == nil ? "things" : nil,
                flags: [.flag_IsReadable, .flag_IsWritable], valueStrings: values, dependentParameters: nil)
        }
        let group = AUParameterTree.createGroup(
            withIdentifier: "inner", name: "Inner", children: [parameter("c", 1 << 40, values: ["low", "high"])])
        let tree = AUParameterTree.createTree(withChildren: [parameter("a", 0), parameter("b", 1), group])
        tree.implementorValueObserver = { [box, unowned tree] parameter, value in
            box.values[parameter.address] = value
            if mode == .link, parameter.address == 0 { tree.parameter(withAddress: 1)?.value = 2 * value }
        }
        tree.implementorValueProvider = { [box] parameter in box.values[parameter.address] ?? 3 }
        _ = tree.token(byAddingParameterObserver: { [box] _, _ in box.observed += 1 })
        if mode == .toke { Self.observe(tree, box) }
        parameterTree = tree
    }

    /// Observes with four tokens. The first observer sets `b` when it gets `a`, and is the originator unless that is 8.
    /// The second one is removed when `a` becomes 9.
    private static func observe(_ tree: AUParameterTree, _ box: Box) {
        var first: AUParameterObserverToken?
        let second = tree.token(byAddingParameterObserver: { address, _ in if address == 1 { box.calls[1] += 1 } })
        first = tree.token(byAddingParameterObserver: { [unowned tree] address, value in
            guard address == 0 else { return box.calls[0] += 1 }
            if value == 9 { tree.removeParameterObserver(second) }
            tree.parameter(withAddress: 1)?.setValue(
                2 * value, originator: value == 8 ? nil : first, atHostTime: 77, eventType: .touch)
        })
        _ = tree.token(byAddingParameterRecordingObserver: { count, events in
            guard events.pointee.address == 1 else { return }
            box.recorded = [Float(count), events.pointee.value, Float(events.pointee.hostTime)]
        })
        _ = tree.token(byAddingParameterAutomationObserver: { count, events in
            guard events.pointee.address == 1 else { return }
            box.automated = [Float(count), events.pointee.value, Float(events.pointee.eventType.rawValue)]
        })
    }

    private lazy var inputs = AUAudioUnitBusArray(audioUnit: self, busType: .input, busses: [input, side])
    private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [output])
    override var inputBusses: AUAudioUnitBusArray { inputs }
    override var outputBusses: AUAudioUnitBusArray { outputs }
    override var channelCapabilities: [NSNumber]? { mode == .wide ? [1, 2, 8, 3] : nil }
    override var latency: TimeInterval { 0.25 }
    override var tailTime: TimeInterval { 0.125 }

    override func allocateRenderResources() throws {
        guard mode != .odds || input.format.channelCount != output.format.channelCount else {
            throw NSError(
                domain: NSOSStatusErrorDomain, code: Int(kAudioUnitErr_FailedInitialization), userInfo: nil)
        }
        if mode != .noal { try super.allocateRenderResources() }
    }

    override func reset() { box.sum = 0 }

    override var fullState: [String: Any]? {
        get {
            guard mode == .stat else { return super.fullState }
            return ["word": word, "numbers": [1, 2.5], "data": Data([1, 2]), "nested": ["key": true]]
        }
        set {
            guard mode == .stat else { return super.fullState = newValue }
            word = newValue?["word"] as? String ?? "missing"
            box.values[0] = AUValue(word.count)
        }
    }

    override var internalRenderBlock: AUInternalRenderBlock {
        box.fetched += 1
        let (box, mode) = (box, mode)
        let rate = output.format.sampleRate
        let isOffline = isRenderingOffline
        let most = maximumFramesToRender
        let midiOut = midiOutputEventBlock
        return { flags, timestamp, frames, bus, outputData, events, pull in
            box.blocks += 1
            let buffers = UnsafeMutableAudioBufferListPointer(outputData)
            let start = Int64(timestamp.pointee.mSampleTime)
            func write(_ values: [Float]) {
                for buffer in buffers {
                    let samples = UnsafeMutableBufferPointer<Float>(buffer)
                    for index in 0..<min(values.count, samples.count) { samples[index] = values[index] }
                }
            }
            func pullAll() -> AUAudioUnitStatus {
                var flags = AudioUnitRenderActionFlags()
                return pull?(&flags, timestamp, frames, 0, outputData) ?? kAudioUnitErr_NoConnection
            }
            switch mode {
            case .null:
                for index in buffers.indices {
                    if buffers[index].mData == nil {
                        box.own.withUnsafeMutableBytes { own in
                            buffers[index].mData = own.baseAddress
                            buffers[index].mDataByteSize = frames * 4
                        }
                    } else {
                        let samples = UnsafeMutableBufferPointer<Float>(buffers[index])
                        for frame in 0..<Int(frames) { samples[frame] = 0.5 }
                    }
                }
            case .evts:
                var values: [Float] = []
                var next = events
                while let event = next {
                    let head = event.pointee.head
                    let offset = Float(head.eventSampleTime - start)
                    switch head.eventType {
                    case .parameter, .parameterRamp:
                        let parameter = event.pointee.parameter
                        values += [
                            Float(head.eventType.rawValue), offset, parameter.value,
                            Float(parameter.rampDurationSampleFrames) + Float(parameter.parameterAddress),
                        ]
                    case .MIDI:
                        let message = event.pointee.MIDI
                        values += [
                            8, offset, Float(message.length),
                            Float(message.data.0) + Float(message.data.1) / 256,
                        ]
                    case .midiSysEx:
                        // All of the bytes, of which the structure itself has three.
                        let count = Int(event.pointee.MIDI.length)
                        let bytes = UnsafeRawPointer(event) + (MemoryLayout<AUMIDIEvent>.offset(of: \.data) ?? 0)
                        let sum = (0..<count).reduce(0) { $0 + Int(bytes.load(fromByteOffset: $1, as: UInt8.self)) }
                        values += [9, offset, Float(count), Float(sum)]
                    default: values += [-1, -1, -1, -1]
                    }
                    next = UnsafePointer(head.next)
                }
                write(values)
            case .dies:
                if Float(box.blocks) == box.values[0] { kill(getpid(), SIGKILL) }
                return pullAll()
            case .hang:
                if box.blocks == 3 { while true { sleep(1000) } }
                return pullAll()
            case .slow:
                usleep(UInt32(1000 * (box.values[0] ?? 0)))
                return pullAll()
            case .echo:
                var next = events
                while let event = next {
                    let message = event.pointee.MIDI
                    let bytes = [message.data.0, message.data.1, message.data.2]
                    _ = midiOut?(message.eventSampleTime + 1, message.cable, Int(message.length), bytes)
                    next = UnsafePointer(event.pointee.head.next)
                }
            case .toke: write(box.calls + box.recorded + box.automated)
            case .lack:
                let names = [
                    "12AudioToolbox11AUAudioUnitC", "12AVFoundation13AVAudioEngineC", "12AVFoundation13AVAudioPlayerC",
                    "12AVFoundation15AVAudioRecorderC", "12AVFoundation14AVAudioSessionC",
                    "12AudioToolbox13AVAudioEngineC", "12AudioToolbox17AVAudioOutputNodeC",
                ]
                #if canImport(CoreMIDI)
                    let ports: Float = 1
                #else
                    let ports: Float = 0
                #endif
                write(names.map { _typeByName($0) == nil ? 0 : 1 } + [ports])
            case .fact:
                var silent = AudioUnitRenderActionFlags()
                let memory = AudioBufferList.allocate(maximumBuffers: 2)
                defer { free(memory.unsafeMutablePointer) }
                let second = pull?(&silent, timestamp, frames, 1, memory.unsafeMutablePointer) ?? -1
                let third = pull?(&silent, timestamp, frames, 2, memory.unsafeMutablePointer) ?? -1
                let sideSample = UnsafeMutableBufferPointer<Float>(memory[0]).first ?? -1
                write([
                    Float(box.fetched), isOffline ? 1 : 0, Float(rate), Float(most), Float(box.observed), Float(second),
                    Float(third), sideSample, silent.contains(.unitRenderAction_OutputIsSilence) ? 1 : 0,
                ])
            case .sums:
                let status = pullAll()
                for frame in 0..<Int(frames) {
                    let samples = buffers.map { UnsafeMutableBufferPointer<Float>($0) }
                    box.sum = box.sum * 0.999 + samples[0][frame]
                    for channel in samples { channel[frame] = channel[frame] * 0.5 + box.sum * 0.001 }
                }
                return status
            case .wide, .odds:
                let memory = AudioBufferList.allocate(maximumBuffers: 1)
                defer { free(memory.unsafeMutablePointer) }
                var flags = AudioUnitRenderActionFlags()
                let status = pull?(&flags, timestamp, frames, 0, memory.unsafeMutablePointer)
                guard status == noErr else { return status ?? kAudioUnitErr_NoConnection }
                let samples = UnsafeMutableBufferPointer<Float>(memory[0])
                for (buffer, factor) in zip(buffers, [Float(1), -1, 0.5]) {
                    let target = UnsafeMutableBufferPointer<Float>(buffer)
                    for frame in 0..<Int(frames) { target[frame] = factor * samples[frame] }
                }
            case .thru, .link, .noal, .stat: return pullAll()
            }
            return noErr
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
