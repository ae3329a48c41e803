// AudioMessages: the calls of an audio unit.

public import ExtensionPointKit

/// A four-character code triple, by which an audio unit is known.
public struct AudioDescription: Codable, Sendable, Hashable {
    /// The codes, each of four bytes, such as `aufx` as 0x61756678.
    public var type: Int
    public var subtype: Int
    public var manufacturer: Int

    public init(type: Int, subtype: Int, manufacturer: Int) {
        (self.type, self.subtype, self.manufacturer) = (type, subtype, manufacturer)
    }
}

/// Makes the audio unit: `createAudioUnit(with:)`. A request has one.
public struct CreateAudioUnit: PointMessage {
    public static let name = "audio.create"
    public typealias Reply = AudioUnitFacts
    public var description: AudioDescription
    /// The name of the component, such as `Maker: Name`, and its version.
    public var component: String
    public var version: Int

    public init(_ description: AudioDescription, component: String, version: Int) {
        (self.description, self.component, self.version) = (description, component, version)
    }
}

/// Asks for the audio unit as it is now.
public struct DescribeAudioUnit: PointMessage {
    public static let name = "audio.facts"
    public typealias Reply = AudioUnitFacts
    public init() {}
}

/// A bus of an audio unit.
public struct AudioBus: Codable, Sendable, Hashable {
    public var name: String
    /// The sample rate in hertz.
    public var rate: Double
    public var channels: Int
    public var isEnabled: Bool
    /// The maximum number of channels; 0: not stated.
    public var maximumChannels: Int
    /// The numbers of channels that the bus takes. Empty: any.
    public var supportedChannels: [Int]

    public init(
        name: String, rate: Double, channels: Int, isEnabled: Bool, maximumChannels: Int, supportedChannels: [Int]
    ) {
        (self.name, self.rate, self.channels, self.isEnabled) = (name, rate, channels, isEnabled)
        (self.maximumChannels, self.supportedChannels) = (maximumChannels, supportedChannels)
    }
}

/// A parameter of an audio unit.
public struct AudioParameter: Codable, Sendable, Hashable {
    /// The largest number of parameters of one unit that travels. A unit with more fails.
    public static let largestCount = 4096

    /// The bits of the address.
    public var address: Int64
    public var identifier: String
    /// The identifiers of its groups and its own, joined by full stops.
    public var keyPath: String
    public var name: String
    public var minimum: Double
    public var maximum: Double
    public var value: Double
    /// The raw value of `AudioUnitParameterUnit`, and the unit's name: empty if it has none.
    public var unit: Int
    public var unitName: String
    /// The raw value of `AudioUnitParameterOptions`.
    public var flags: Int
    /// The names of the values of an indexed parameter.
    public var valueNames: [String]

    public init(
        address: Int64, identifier: String, keyPath: String, name: String, minimum: Double, maximum: Double,
        value: Double, unit: Int, unitName: String, flags: Int, valueNames: [String]
    ) {
        (self.address, self.identifier, self.keyPath, self.name) = (address, identifier, keyPath, name)
        (self.minimum, self.maximum, self.value) = (minimum, maximum, value)
        (self.unit, self.unitName, self.flags, self.valueNames) = (unit, unitName, flags, valueNames)
    }
}

/// A preset, by its number: from 0 for those of the factory, negative for a user's.
public struct AudioPreset: Codable, Sendable, Hashable {
    public var number: Int
    public var name: String
    public init(number: Int, name: String) { (self.number, self.name) = (number, name) }
}

/// An audio unit as it is at one time.
public struct AudioUnitFacts: Codable, Sendable, Hashable {
    public var inputs: [AudioBus]
    public var outputs: [AudioBus]
    public var parameters: [AudioParameter]
    public var presets: [AudioPreset]
    public var currentPreset: AudioPreset?
    /// The delay between an input and its output, and the time for which the unit sounds after its input, in seconds.
    public var latency: Double
    public var tail: Double
    public var maximumFrames: Int
    /// The pairs of numbers of channels that the unit renders: input, output. Empty: not stated.
    public var channelPairs: [Int]
    public var takesMIDI: Bool
    public var isBypassed: Bool

    public init(
        inputs: [AudioBus], outputs: [AudioBus], parameters: [AudioParameter], presets: [AudioPreset],
        currentPreset: AudioPreset?, latency: Double, tail: Double, maximumFrames: Int, channelPairs: [Int],
        takesMIDI: Bool, isBypassed: Bool
    ) {
        (self.inputs, self.outputs, self.parameters) = (inputs, outputs, parameters)
        (self.presets, self.currentPreset) = (presets, currentPreset)
        (self.latency, self.tail, self.maximumFrames) = (latency, tail, maximumFrames)
        (self.channelPairs, self.takesMIDI, self.isBypassed) = (channelPairs, takesMIDI, isBypassed)
    }
}

extension AudioUnitFacts {
    /// Whether `channelPairs` have a pair for these numbers of channels, one for each bus. Any are rendered without
    /// pairs.
    ///
    /// The pair −1 and −1 is any number, the same on both sides; −1 and −2 are any numbers.
    public func rendersChannels(inputs: [Int], outputs: [Int]) -> Bool {
        guard channelPairs.count > 1 else { return true }
        return stride(from: 0, to: channelPairs.count - 1, by: 2).contains { place in
            let (input, output) = (channelPairs[place], channelPairs[place + 1])
            guard Self.takes(input, channels: inputs), Self.takes(output, channels: outputs) else { return false }
            guard input == -1, output == -1, let first = inputs.first, let second = outputs.first else { return true }
            return first == second
        }
    }

    /// Whether one number of a pair allows the numbers of channels of the busses on its side.
    ///
    /// A positive number is that of the first bus, and 0 stands for a side without busses. Numbers below −2 are the
    /// maximum number of channels of all busses together.
    public static func takes(_ number: Int, channels: [Int]) -> Bool {
        guard let first = channels.first else { return number <= 0 }
        guard number < -2 else { return number < 0 || number == first }
        // The unit states the numbers, so that their sum could be too large.
        return channels.reduce(UInt(0)) { $0 + UInt(min(max(0, $1), 1 << 32)) } <= number.magnitude
    }
}

/// Sets the format of a bus: float, not interleaved. The reply is the unit after that.
public struct SetAudioFormat: PointMessage {
    public static let name = "audio.setFormat"
    public typealias Reply = AudioUnitFacts
    public var isInput: Bool
    public var bus: Int
    public var rate: Double
    public var channels: Int

    public init(isInput: Bool, bus: Int, rate: Double, channels: Int) {
        (self.isInput, self.bus, self.rate, self.channels) = (isInput, bus, rate, channels)
    }
}

/// A value of a parameter.
public struct AudioValue: Codable, Sendable, Hashable {
    /// The bits of the address.
    public var address: Int64
    public var value: Double
    public init(address: Int64, value: Double) { (self.address, self.value) = (address, value) }
}

/// Sets parameters. The reply has their values after that, as the unit gives them.
public struct SetAudioParameters: PointMessage {
    public static let name = "audio.setParameters"
    public struct Reply: Codable, Sendable, Hashable {
        public var values: [AudioValue]
        public init(_ values: [AudioValue]) { self.values = values }
    }
    public var values: [AudioValue]
    public init(_ values: [AudioValue]) { self.values = values }
}

/// Makes a preset of the factory the current one. The reply is the unit after that.
public struct UseAudioPreset: PointMessage {
    public static let name = "audio.usePreset"
    public typealias Reply = AudioUnitFacts
    public var number: Int
    public init(_ number: Int) { self.number = number }
}

/// Asks for `fullState`, or for `fullStateForDocument`.
public struct ReadAudioState: PointMessage {
    public static let name = "audio.state"
    public struct Reply: Codable, Sendable, Hashable {
        public var state: PointValue?
        public init(_ state: PointValue?) { self.state = state }
    }
    public var isForDocument: Bool
    public init(isForDocument: Bool) { self.isForDocument = isForDocument }
}

/// Puts a state back. The reply is the unit after that.
public struct RestoreAudioState: PointMessage {
    public static let name = "audio.setState"
    public typealias Reply = AudioUnitFacts
    public var state: PointValue
    public var isForDocument: Bool
    public init(_ state: PointValue, isForDocument: Bool) { (self.state, self.isForDocument) = (state, isForDocument) }
}

/// Turns the effect off, or on again.
public struct BypassAudioUnit: PointMessage {
    public static let name = "audio.setBypass"
    public var isOn: Bool
    public init(_ isOn: Bool) { self.isOn = isOn }
}

/// Allocates what rendering needs. The blocks then travel as entries of the stream (`AudioBlock`).
public struct AllocateAudio: PointMessage {
    public static let name = "audio.allocate"
    public typealias Reply = AudioUnitFacts
    public var maximumFrames: Int
    public var isOffline: Bool
    public var stream: PointStreamOffer

    public init(maximumFrames: Int, isOffline: Bool, stream: PointStreamOffer) {
        (self.maximumFrames, self.isOffline, self.stream) = (maximumFrames, isOffline, stream)
    }
}

/// Deallocates it. Blocks that come later answer `kAudioUnitErr_Uninitialized`.
public struct DeallocateAudio: PointMessage {
    public static let name = "audio.deallocate"
    public init() {}
}

/// Resets the unit: delays and envelopes begin anew.
public struct ResetAudioUnit: PointMessage {
    public static let name = "audio.reset"
    public init() {}
}

/// Shows the view of an audio unit with an interface. It may come before and after the unit is made.
public struct ShowAudioView: PointMessage {
    public static let name = "audio.showView"
    public init() {}
}

/// Ends the session. The request completes without items.
public struct EndAudioUnit: PointMessage {
    public static let name = "audio.end"
    public init() {}
}

/// The unit's call: values that the unit's own code has set, the newest of each parameter.
public struct AudioParametersChanged: PointMessage {
    public static let name = "audio.parametersChanged"
    public var values: [AudioValue]
    public init(_ values: [AudioValue]) { self.values = values }
}
