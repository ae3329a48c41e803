// AURenderEvent: the events of a render, as a list in the order of their sample times.

public enum AURenderEventType: UInt8, Sendable {
    case parameter = 1
    case parameterRamp = 2
    case MIDI = 8
    case midiSysEx = 9
    case midiEventList = 10
}

public struct AURenderEventHeader: @unchecked Sendable {
    // Unchecked: the list belongs to the render that lends it.
    public var next: UnsafeMutablePointer<AURenderEvent>?
    public var eventSampleTime: AUEventSampleTime
    public var eventType: AURenderEventType
    public var reserved: UInt8

    public init(
        next: UnsafeMutablePointer<AURenderEvent>?, eventSampleTime: AUEventSampleTime, eventType: AURenderEventType,
        reserved: UInt8
    ) {
        (self.next, self.eventSampleTime) = (next, eventSampleTime)
        (self.eventType, self.reserved) = (eventType, reserved)
    }
}

// Unchecked: the render that lends the list owns the pointer in it.
public struct AUParameterEvent: @unchecked Sendable {
    public var next: UnsafeMutablePointer<AURenderEvent>?
    public var eventSampleTime: AUEventSampleTime
    public var eventType: AURenderEventType
    public var reserved: (UInt8, UInt8, UInt8)
    /// The length of the ramp; 0 for a change at once.
    public var rampDurationSampleFrames: AUAudioFrameCount
    public var parameterAddress: AUParameterAddress
    /// The value, of a ramp at its end.
    public var value: AUValue

    public init(
        next: UnsafeMutablePointer<AURenderEvent>?, eventSampleTime: AUEventSampleTime, eventType: AURenderEventType,
        reserved: (UInt8, UInt8, UInt8), rampDurationSampleFrames: AUAudioFrameCount,
        parameterAddress: AUParameterAddress, value: AUValue
    ) {
        (self.next, self.eventSampleTime) = (next, eventSampleTime)
        (self.eventType, self.reserved) = (eventType, reserved)
        self.rampDurationSampleFrames = rampDurationSampleFrames
        (self.parameterAddress, self.value) = (parameterAddress, value)
    }
}

// Unchecked: the render that lends the list owns the pointer in it.
public struct AUMIDIEvent: @unchecked Sendable {
    public var next: UnsafeMutablePointer<AURenderEvent>?
    public var eventSampleTime: AUEventSampleTime
    public var eventType: AURenderEventType
    public var reserved: UInt8
    /// The number of bytes. Those of a system exclusive message go on behind `data`.
    public var length: UInt16
    public var cable: UInt8
    public var data: (UInt8, UInt8, UInt8)

    public init(
        next: UnsafeMutablePointer<AURenderEvent>?, eventSampleTime: AUEventSampleTime, eventType: AURenderEventType,
        reserved: UInt8, length: UInt16, cable: UInt8, data: (UInt8, UInt8, UInt8)
    ) {
        (self.next, self.eventSampleTime) = (next, eventSampleTime)
        (self.eventType, self.reserved) = (eventType, reserved)
        (self.length, self.cable, self.data) = (length, cable, data)
    }
}

// Unchecked: the render that lends the list owns the pointers in it.
/// One event: a union, of which `head.eventType` names the member.
public struct AURenderEvent: @unchecked Sendable {
    /// The memory of the largest member.
    private var parameterEvent: AUParameterEvent

    public init() {
        parameterEvent = AUParameterEvent(
            next: nil, eventSampleTime: 0, eventType: .parameter, reserved: (0, 0, 0), rampDurationSampleFrames: 0,
            parameterAddress: 0, value: 0)
    }
    public init(head: AURenderEventHeader) {
        self.init()
        self.head = head
    }
    public init(parameter: AUParameterEvent) { parameterEvent = parameter }
    public init(MIDI: AUMIDIEvent) {
        self.init()
        self.MIDI = MIDI
    }

    public var head: AURenderEventHeader {
        get { read() }
        set { write(newValue) }
    }
    public var parameter: AUParameterEvent {
        get { parameterEvent }
        set { parameterEvent = newValue }
    }
    public var MIDI: AUMIDIEvent {
        get { read() }
        set { write(newValue) }
    }

    /// Reads a member. Each begins with the same three fields at the same offsets, and is no larger than the memory.
    private func read<Member>() -> Member { withUnsafeBytes(of: self) { $0.loadUnaligned(as: Member.self) } }

    private mutating func write<Member>(_ member: Member) {
        withUnsafeMutableBytes(of: &self) { memory in
            withUnsafeBytes(of: member) { memory.copyMemory(from: $0) }
        }
    }
}

public typealias AURenderPullInputBlock = (
    _ actionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
    _ frameCount: AUAudioFrameCount, _ inputBusNumber: Int, _ inputData: UnsafeMutablePointer<AudioBufferList>
) -> AUAudioUnitStatus

public typealias AURenderBlock = (
    _ actionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
    _ frameCount: AUAudioFrameCount, _ outputBusNumber: Int, _ outputData: UnsafeMutablePointer<AudioBufferList>,
    _ pullInputBlock: AURenderPullInputBlock?
) -> AUAudioUnitStatus

public typealias AUInternalRenderBlock = (
    _ actionFlags: UnsafeMutablePointer<AudioUnitRenderActionFlags>, _ timestamp: UnsafePointer<AudioTimeStamp>,
    _ frameCount: AUAudioFrameCount, _ outputBusNumber: Int, _ outputData: UnsafeMutablePointer<AudioBufferList>,
    _ realtimeEventListHead: UnsafePointer<AURenderEvent>?, _ pullInputBlock: AURenderPullInputBlock?
) -> AUAudioUnitStatus

public typealias AURenderObserver = (
    _ actionFlags: AudioUnitRenderActionFlags, _ timestamp: UnsafePointer<AudioTimeStamp>,
    _ frameCount: AUAudioFrameCount, _ outputBusNumber: Int
) -> Void

public typealias AUScheduleParameterBlock = (
    _ eventSampleTime: AUEventSampleTime, _ rampDurationSampleFrames: AUAudioFrameCount,
    _ parameterAddress: AUParameterAddress, _ value: AUValue
) -> Void

public typealias AUScheduleMIDIEventBlock = (
    _ eventSampleTime: AUEventSampleTime, _ cable: UInt8, _ length: Int, _ midiBytes: UnsafePointer<UInt8>
) -> Void

public typealias AUMIDIOutputEventBlock = (
    _ eventSampleTime: AUEventSampleTime, _ cable: UInt8, _ length: Int, _ midiBytes: UnsafePointer<UInt8>
) -> OSStatus

public typealias AUHostMusicalContextBlock = (
    _ currentTempo: UnsafeMutablePointer<Double>?, _ timeSignatureNumerator: UnsafeMutablePointer<Double>?,
    _ timeSignatureDenominator: UnsafeMutablePointer<Int>?, _ currentBeatPosition: UnsafeMutablePointer<Double>?,
    _ sampleOffsetToNextBeat: UnsafeMutablePointer<Int>?,
    _ currentMeasureDownbeatPosition: UnsafeMutablePointer<Double>?
) -> Bool

public struct AUHostTransportStateFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let changed = AUHostTransportStateFlags(rawValue: 1)
    public static let moving = AUHostTransportStateFlags(rawValue: 2)
    public static let recording = AUHostTransportStateFlags(rawValue: 4)
    public static let cycling = AUHostTransportStateFlags(rawValue: 8)
}

public typealias AUHostTransportStateBlock = (
    _ transportStateFlags: UnsafeMutablePointer<AUHostTransportStateFlags>?,
    _ currentSamplePosition: UnsafeMutablePointer<Double>?, _ cycleStartBeatPosition: UnsafeMutablePointer<Double>?,
    _ cycleEndBeatPosition: UnsafeMutablePointer<Double>?
) -> Bool

/// The constant `AUEventSampleTimeImmediate` of an event for the next block, to which a frame's offset may be added.
public let AUEventSampleTimeImmediate: AUEventSampleTime = AUEventSampleTime(bitPattern: 0xffff_ffff_0000_0000)
