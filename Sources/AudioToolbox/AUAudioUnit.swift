// AUAudioUnit: the base class of audio units.

import Locks
import PointMessages

/// An audio unit, as its author extends it.
///
/// The base class has no busses, no parameters and no sound. Musical context and transport state of a host, presets that
/// a user saves, MIDI 2.0 and devices are not there.
///
/// It is not Sendable, as on Apple's systems: the host uses the unit from one thread, and renders on another.
open class AUAudioUnit: NSObject {
    public let componentDescription: AudioComponentDescription
    /// The name of the component, such as `Maker: Name`, from the extension's `AudioComponents`.
    public let componentName: String?
    public let componentVersion: UInt32
    private lazy var noInputs = AUAudioUnitBusArray(audioUnit: self, busType: .input)
    private lazy var noOutputs = AUAudioUnitBusArray(audioUnit: self, busType: .output)

    /// - Throws: nothing here; the error of an author's initializer fails the instantiation.
    public init(
        componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
    ) throws {
        self.componentDescription = componentDescription
        let component = ComponentNames.shared[componentDescription]
        (componentName, componentVersion) = (component?.name, component?.version ?? 0)
    }

    /// The part of the component's name after the colon, and the one before it.
    open var audioUnitName: String? {
        componentName.map { name in
            name.firstIndex(of: ":").map {
                String(name[name.index(after: $0)...]).trimmingCharacters(in: .whitespaces)
            } ?? name
        }
    }
    open var manufacturerName: String? {
        componentName.flatMap { name in name.firstIndex(of: ":").map { String(name[..<$0]) } }
    }
    open var audioUnitShortName: String? { nil }

    // MARK: Busses, parameters, presets

    open var inputBusses: AUAudioUnitBusArray { noInputs }
    open var outputBusses: AUAudioUnitBusArray { noOutputs }
    open var parameterTree: AUParameterTree?
    open func parametersForOverview(withCount count: Int) -> [NSNumber] { [] }

    /// Pairs of numbers of channels, of inputs and outputs, that the unit renders; nil: any. −1 and −1 are any number,
    /// the same on both sides, and −1 and −2 any numbers. Numbers below −2 are the most channels of all busses together.
    open var channelCapabilities: [NSNumber]? { nil }

    /// Whether a bus of the unit takes a format. The base class takes the pairs of `channelCapabilities`, one side alone.
    open func shouldChange(to format: AVAudioFormat, for bus: AUAudioUnitBus) -> Bool {
        guard let pairs = channelCapabilities, !pairs.isEmpty else { return true }
        let busses = bus.busType == .input ? inputBusses : outputBusses
        let channels = busses.map { Int($0 === bus ? format.channelCount : $0.format.channelCount) }
        return stride(from: bus.busType == .input ? 0 : 1, to: pairs.count, by: 2).contains { place in
            let number = pairs[place].intValue
            // Other numbers are those of the first bus.
            if bus.index > 0, number >= -2 { return true }
            return AudioUnitFacts.takes(number, channels: channels)
        }
    }

    open var factoryPresets: [AUAudioUnitPreset]? { nil }
    open var currentPreset: AUAudioUnitPreset?
    /// Presets that a user has saved. There are none: `saveUserPreset(_:)` fails.
    open var userPresets: [AUAudioUnitPreset] { [] }
    open var supportsUserPresets: Bool { false }
    open func saveUserPreset(_ userPreset: AUAudioUnitPreset) throws { throw Self.noUserPresets }
    open func deleteUserPreset(_ userPreset: AUAudioUnitPreset) throws { throw Self.noUserPresets }
    open func presetState(for userPreset: AUAudioUnitPreset) throws -> [String: Any] { throw Self.noUserPresets }

    private static var noUserPresets: NSError {
        .audioUnit(kAudioUnitErr_PropertyNotInUse, "presets that a user saves are not simulated")
    }

    // MARK: State

    /// The values of all writable parameters under `data`, with the codes of the component. A subclass adds its own.
    open var fullState: [String: Any]? {
        get { ParameterState.make(self) }
        set { if let newValue { ParameterState.restore(newValue, to: self) } }
    }
    open var fullStateForDocument: [String: Any]? {
        get { fullState }
        set { fullState = newValue }
    }

    // MARK: Rendering

    /// The maximum number of frames of a block. It is set before `allocateRenderResources()`.
    open var maximumFramesToRender: AUAudioFrameCount = 512
    public private(set) var renderResourcesAllocated = false

    /// Allocates what a render needs. A subclass calls this, too.
    open func allocateRenderResources() throws { renderResourcesAllocated = true }

    /// Deallocates it. A subclass calls this, too.
    open func deallocateRenderResources() { renderResourcesAllocated = false }

    open func setRenderResourcesAllocated(_ flag: Bool) { renderResourcesAllocated = flag }

    open func reset() {}

    /// The function that renders, which a subclass returns. It is fetched once after `allocateRenderResources()`.
    open var internalRenderBlock: AUInternalRenderBlock {
        { _, _, _, _, _, _, _ in kAudioUnitErr_Uninitialized }
    }

    /// The function that a host calls: `internalRenderBlock` with the events that are due.
    open var renderBlock: AURenderBlock { Render(self).block }

    /// The events that are scheduled, and the observers of renders.
    let events = ScheduledEvents()
    let observers = RenderObservers()

    open var scheduleParameterBlock: AUScheduleParameterBlock {
        { [events] time, ramp, address, value in
            events.add(at: time, .parameter(address: address, value: value, ramp: ramp))
        }
    }

    /// The function that schedules MIDI; nil for units that take none: effects and generators.
    open var scheduleMIDIEventBlock: AUScheduleMIDIEventBlock? {
        guard takesMIDI else { return nil }
        return { [events] time, cable, length, bytes in
            events.add(at: time, .midi(cable: cable, bytes: Array(UnsafeBufferPointer(start: bytes, count: length))))
        }
    }

    private var takesMIDI: Bool {
        [kAudioUnitType_MusicDevice, kAudioUnitType_MusicEffect, kAudioUnitType_MIDIProcessor].contains(
            componentDescription.componentType)
    }
    open var isMusicDeviceOrEffect: Bool {
        [kAudioUnitType_MusicDevice, kAudioUnitType_MusicEffect].contains(componentDescription.componentType)
    }

    open func token(byAddingRenderObserver observer: @escaping AURenderObserver) -> Int { observers.add(observer) }
    open func removeRenderObserver(_ token: Int) { observers.remove(token) }

    open var latency: TimeInterval { 0 }
    open var tailTime: TimeInterval { 0 }
    open var renderQuality = 127
    open var shouldBypassEffect = false
    open var canProcessInPlace: Bool { false }
    /// Whether the host renders as fast as it can. The framework sets it before `allocateRenderResources()`.
    open var isRenderingOffline = false
    open var providesUserInterface: Bool { false }
    open var canPerformInput: Bool { false }
    open var canPerformOutput: Bool { false }
    open var contextName: String?

    /// The configurations of its view that the unit supports. It is not called: hosts here have none.
    open func supportedViewConfigurations(
        _ availableViewConfigurations: [AUAudioUnitViewConfiguration]
    ) -> IndexSet { [] }
    /// Chooses a configuration of the view. It is not called: hosts here have none.
    open func select(_ viewConfiguration: AUAudioUnitViewConfiguration) {}

    // MARK: The host's functions

    /// The tempo of the host: nil, for hosts here have none.
    open var musicalContextBlock: AUHostMusicalContextBlock?
    /// The transport of the host: nil, for hosts here have none.
    open var transportStateBlock: AUHostTransportStateBlock?
    /// The names of the unit's MIDI outputs.
    open var midiOutputNames: [String] { [] }
    /// The function by which the unit sends MIDI during a render. The framework sets it before
    /// `allocateRenderResources()`.
    open var midiOutputEventBlock: AUMIDIOutputEventBlock?

    // MARK: Loading

    /// Answers `notSimulated`: a unit is loaded into no other process.
    public class func instantiate(
        with componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = [],
        completionHandler: @escaping @Sendable (AUAudioUnit?, (any Error)?) -> Void
    ) {
        completionHandler(
            nil,
            ExtensionHostError(
                .notSimulated, "an extension or app here cannot load an audio unit",
                remedy: "Instantiate it in a host, with AudioUnitHost"))
    }
}

/// A size of a view, and whether the host has controls around it.
open class AUAudioUnitViewConfiguration: NSObject {
    public let width: CGFloat
    public let height: CGFloat
    public let hostHasController: Bool

    public init(width: CGFloat, height: CGFloat, hostHasController: Bool) {
        (self.width, self.height, self.hostHasController) = (width, height, hostHasController)
    }
}

/// The names and versions of components that the host has named, by their codes.
final class ComponentNames: Sendable {
    static let shared = ComponentNames()

    private let names = Mutex<[AudioComponentDescription: (name: String, version: UInt32)]>([:])

    subscript(description: AudioComponentDescription) -> (name: String, version: UInt32)? {
        get { names.withLock { $0[description] } }
        set { names.withLock { $0[description] = newValue } }
    }
}
