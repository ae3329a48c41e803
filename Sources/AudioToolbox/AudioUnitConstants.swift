// AudioUnitConstants: the types, errors, units and flags of audio units, with Apple's numbers.

public let kAudioUnitType_Output: UInt32 = 0x6175_6f75
public let kAudioUnitType_MusicDevice: UInt32 = 0x6175_6d75
public let kAudioUnitType_MusicEffect: UInt32 = 0x6175_6d66
public let kAudioUnitType_FormatConverter: UInt32 = 0x6175_6663
public let kAudioUnitType_Effect: UInt32 = 0x6175_6678
public let kAudioUnitType_Mixer: UInt32 = 0x6175_6d78
public let kAudioUnitType_Panner: UInt32 = 0x6175_706e
public let kAudioUnitType_Generator: UInt32 = 0x6175_676e
public let kAudioUnitType_OfflineEffect: UInt32 = 0x6175_6f6c
public let kAudioUnitType_MIDIProcessor: UInt32 = 0x6175_6d69
public let kAudioUnitType_SpeechSynthesizer: UInt32 = 0x6175_7370
public let kAudioUnitManufacturer_Apple: UInt32 = 0x6170_706c

public let kAudioUnitErr_InvalidProperty: OSStatus = -10879
public let kAudioUnitErr_InvalidParameter: OSStatus = -10878
public let kAudioUnitErr_InvalidElement: OSStatus = -10877
public let kAudioUnitErr_NoConnection: OSStatus = -10876
public let kAudioUnitErr_FailedInitialization: OSStatus = -10875
public let kAudioUnitErr_TooManyFramesToProcess: OSStatus = -10874
public let kAudioUnitErr_InvalidFile: OSStatus = -10871
public let kAudioUnitErr_UnknownFileType: OSStatus = -10870
public let kAudioUnitErr_FileNotSpecified: OSStatus = -10869
public let kAudioUnitErr_FormatNotSupported: OSStatus = -10868
public let kAudioUnitErr_Uninitialized: OSStatus = -10867
public let kAudioUnitErr_InvalidScope: OSStatus = -10866
public let kAudioUnitErr_PropertyNotWritable: OSStatus = -10865
public let kAudioUnitErr_CannotDoInCurrentContext: OSStatus = -10863
public let kAudioUnitErr_InvalidPropertyValue: OSStatus = -10851
public let kAudioUnitErr_PropertyNotInUse: OSStatus = -10850
public let kAudioUnitErr_Initialized: OSStatus = -10849
public let kAudioUnitErr_InvalidOfflineRender: OSStatus = -10848
public let kAudioUnitErr_Unauthorized: OSStatus = -10847
public let kAudioUnitErr_MIDIOutputBufferFull: OSStatus = -66753
public let kAudioUnitErr_RenderTimeout: OSStatus = -66745
public let kAudioUnitErr_InvalidParameterValue: OSStatus = -66743
public let kAudioUnitErr_ExtensionNotFound: OSStatus = -66744

public struct AudioUnitRenderActionFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let unitRenderAction_PreRender = AudioUnitRenderActionFlags(rawValue: 1 << 2)
    public static let unitRenderAction_PostRender = AudioUnitRenderActionFlags(rawValue: 1 << 3)
    public static let unitRenderAction_OutputIsSilence = AudioUnitRenderActionFlags(rawValue: 1 << 4)
    public static let offlineUnitRenderAction_Preflight = AudioUnitRenderActionFlags(rawValue: 1 << 5)
    public static let offlineUnitRenderAction_Render = AudioUnitRenderActionFlags(rawValue: 1 << 6)
    public static let offlineUnitRenderAction_Complete = AudioUnitRenderActionFlags(rawValue: 1 << 7)
    public static let unitRenderAction_PostRenderError = AudioUnitRenderActionFlags(rawValue: 1 << 8)
    public static let unitRenderAction_DoNotCheckRenderArgs = AudioUnitRenderActionFlags(rawValue: 1 << 9)
}

/// The unit of a parameter's value.
public enum AudioUnitParameterUnit: UInt32, Sendable {
    case generic, indexed, boolean, percent, seconds, sampleFrames, phase, rate, hertz, cents, relativeSemiTones
    case midiNoteNumber, midiController, decibels, linearGain, degrees, equalPowerCrossfade, mixerFaderCurve1, pan
    case meters, absoluteCents, octaves, BPM, beats, milliseconds, ratio, customUnit, midi2Controller
}

public struct AudioUnitParameterOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let flag_CFNameRelease = AudioUnitParameterOptions(rawValue: 1 << 4)
    public static let flag_OmitFromPresets = AudioUnitParameterOptions(rawValue: 1 << 13)
    public static let flag_PlotHistory = AudioUnitParameterOptions(rawValue: 1 << 14)
    public static let flag_MeterReadOnly = AudioUnitParameterOptions(rawValue: 1 << 15)
    public static let flag_DisplayMask = AudioUnitParameterOptions(rawValue: 7 << 16)
    public static let flag_DisplaySquareRoot = AudioUnitParameterOptions(rawValue: 1 << 16)
    public static let flag_DisplaySquared = AudioUnitParameterOptions(rawValue: 2 << 16)
    public static let flag_DisplayCubed = AudioUnitParameterOptions(rawValue: 3 << 16)
    public static let flag_DisplayCubeRoot = AudioUnitParameterOptions(rawValue: 4 << 16)
    public static let flag_DisplayExponential = AudioUnitParameterOptions(rawValue: 5 << 16)
    public static let flag_HasClump = AudioUnitParameterOptions(rawValue: 1 << 20)
    public static let flag_ValuesHaveStrings = AudioUnitParameterOptions(rawValue: 1 << 21)
    public static let flag_DisplayLogarithmic = AudioUnitParameterOptions(rawValue: 1 << 22)
    public static let flag_IsHighResolution = AudioUnitParameterOptions(rawValue: 1 << 23)
    public static let flag_NonRealTime = AudioUnitParameterOptions(rawValue: 1 << 24)
    public static let flag_CanRamp = AudioUnitParameterOptions(rawValue: 1 << 25)
    public static let flag_ExpertMode = AudioUnitParameterOptions(rawValue: 1 << 26)
    public static let flag_HasCFNameString = AudioUnitParameterOptions(rawValue: 1 << 27)
    public static let flag_IsGlobalMeta = AudioUnitParameterOptions(rawValue: 1 << 28)
    public static let flag_IsElementMeta = AudioUnitParameterOptions(rawValue: 1 << 29)
    public static let flag_IsReadable = AudioUnitParameterOptions(rawValue: 1 << 30)
    public static let flag_IsWritable = AudioUnitParameterOptions(rawValue: 1 << 31)
}

/// The keys of `fullState`.
public let kAUPresetVersionKey = "version"
public let kAUPresetTypeKey = "type"
public let kAUPresetSubtypeKey = "subtype"
public let kAUPresetManufacturerKey = "manufacturer"
public let kAUPresetDataKey = "data"
public let kAUPresetNameKey = "name"
public let kAUPresetNumberKey = "preset-number"
