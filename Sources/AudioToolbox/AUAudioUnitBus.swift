// AUAudioUnitBus, AUAudioUnitBusArray, AUAudioUnitPreset: the connections of an audio unit, and its presets.

public enum AUAudioUnitBusType: Int, Sendable {
    case input = 1
    case output = 2
}

/// An input or an output of an audio unit, with its format.
open class AUAudioUnitBus: NSObject, @unchecked Sendable {
    // Unchecked: as on Apple's systems, the host sets formats while nothing is rendered.
    public private(set) var format: AVAudioFormat
    open var shouldAllocateBuffer = true
    open var isEnabled = true
    open var name: String?
    /// The numbers of channels that the bus takes; nil: any.
    open var supportedChannelCounts: [NSNumber]?
    /// The maximum number of channels; 0: not stated.
    open var maximumChannelCount: AUAudioChannelCount = 0
    open var contextPresentationLatency: TimeInterval = 0
    public internal(set) weak var ownerAudioUnit: AUAudioUnit?
    public internal(set) var busType = AUAudioUnitBusType.output
    public internal(set) var index = 0

    /// - Throws: `kAudioUnitErr_FormatNotSupported` for a format that is not of floats (ours; hosts here have no other).
    public init(format: AVAudioFormat) throws {
        guard format.commonFormat == .pcmFormatFloat32 else {
            throw NSError.audioUnit(kAudioUnitErr_FormatNotSupported, "an audio unit's samples are floats")
        }
        self.format = format
    }

    /// Sets the format.
    ///
    /// - Throws: `kAudioUnitErr_Initialized` while render resources are allocated, `kAudioUnitErr_FormatNotSupported` if
    ///   the bus or its unit does not take the format.
    open func setFormat(_ format: AVAudioFormat) throws {
        guard ownerAudioUnit?.renderResourcesAllocated != true else {
            throw NSError.audioUnit(
                kAudioUnitErr_Initialized, "the format of a bus is set before allocateRenderResources()")
        }
        let channels = format.channelCount
        let isSupported = supportedChannelCounts.map { $0.contains { $0.uint32Value == channels } } ?? true
        guard format.isStandard, isSupported, maximumChannelCount == 0 || channels <= maximumChannelCount,
            ownerAudioUnit?.shouldChange(to: format, for: self) ?? true
        else {
            throw NSError.audioUnit(
                kAudioUnitErr_FormatNotSupported,
                "the bus does not take \(channels) channels at \(format.sampleRate) Hz")
        }
        self.format = format
    }
}

/// The busses of one direction.
open class AUAudioUnitBusArray: NSObject, @unchecked Sendable, RandomAccessCollection {
    // Unchecked: as its busses.
    public private(set) var busses: [AUAudioUnitBus]
    public let busType: AUAudioUnitBusType
    public private(set) weak var ownerAudioUnit: AUAudioUnit?

    public init(audioUnit owner: AUAudioUnit, busType: AUAudioUnitBusType, busses: [AUAudioUnitBus]) {
        (ownerAudioUnit, self.busType, self.busses) = (owner, busType, busses)
        super.init()
        adopt()
    }

    public convenience init(audioUnit owner: AUAudioUnit, busType: AUAudioUnitBusType) {
        self.init(audioUnit: owner, busType: busType, busses: [])
    }

    private func adopt() {
        for (index, bus) in busses.enumerated() {
            (bus.ownerAudioUnit, bus.busType, bus.index) = (ownerAudioUnit, busType, index)
        }
    }

    open var count: Int { busses.count }
    public var startIndex: Int { 0 }
    public var endIndex: Int { busses.count }
    public subscript(index: Int) -> AUAudioUnitBus { busses[index] }

    /// Whether hosts may change the number of busses. None here does.
    open var isCountChangeable: Bool { false }

    open func setBusCount(_ count: Int) throws {
        guard count == busses.count else {
            throw NSError.audioUnit(kAudioUnitErr_PropertyNotWritable, "the number of busses is the unit's")
        }
    }

    open func replaceBusses(_ busArray: [AUAudioUnitBus]) {
        busses = busArray
        adopt()
    }
}

/// A preset: of the factory from 0 on, a user's with a negative number.
open class AUAudioUnitPreset: NSObject, @unchecked Sendable {
    // Unchecked: as on Apple's systems, its author sets it before others see it.
    open var number = 0
    open var name = ""

    public override init() {}

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AUAudioUnitPreset else { return false }
        return other.number == number && other.name == name
    }
    open override var hash: Int { number }
}

extension NSError {
    /// An error of Core Audio.
    static func audioUnit(_ status: OSStatus, _ description: String) -> NSError {
        NSError(
            domain: NSOSStatusErrorDomain, code: Int(status), userInfo: [NSLocalizedDescriptionKey: description])
    }
}
