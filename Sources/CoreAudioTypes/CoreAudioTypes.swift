// CoreAudioTypes: buffers, time stamps and formats of audio, laid out as in C.

public import CoreFoundationNames
import Glibc

public typealias AudioFormatID = UInt32
public typealias AudioFormatFlags = UInt32
public typealias AudioChannelLayoutTag = UInt32
public typealias AUValue = Float
public typealias AUAudioFrameCount = UInt32
public typealias AUAudioChannelCount = UInt32
public typealias AVAudioFrameCount = UInt32
public typealias AVAudioChannelCount = UInt32
public typealias AVAudioFramePosition = Int64
public typealias AUEventSampleTime = Int64
public typealias AUAudioUnitStatus = OSStatus
public typealias AUParameterAddress = UInt64

public let kAudio_ParamError: OSStatus = -50

/// The samples of one buffer: a channel, or interleaved ones.
public struct AudioBuffer: @unchecked Sendable {
    public var mNumberChannels: UInt32
    public var mDataByteSize: UInt32
    // Unchecked: the memory belongs to the render that lends it.
    public var mData: UnsafeMutableRawPointer?

    public init() { (mNumberChannels, mDataByteSize, mData) = (0, 0, nil) }

    public init(mNumberChannels: UInt32, mDataByteSize: UInt32, mData: UnsafeMutableRawPointer?) {
        (self.mNumberChannels, self.mDataByteSize, self.mData) = (mNumberChannels, mDataByteSize, mData)
    }

    /// Makes a buffer of a typed array's memory.
    public init<Element>(_ typed: UnsafeMutableBufferPointer<Element>, numberOfChannels: Int) {
        self.init(
            mNumberChannels: UInt32(numberOfChannels),
            mDataByteSize: UInt32(typed.count * MemoryLayout<Element>.stride),
            mData: UnsafeMutableRawPointer(typed.baseAddress))
    }
}

// Unchecked: the render that lends the list owns its memory.
/// A list of buffers of a variable length, of which only the first stands in the structure.
/// `UnsafeMutableAudioBufferListPointer` reaches the others.
public struct AudioBufferList: @unchecked Sendable {
    public var mNumberBuffers: UInt32
    public var mBuffers: AudioBuffer

    public init() { (mNumberBuffers, mBuffers) = (0, AudioBuffer()) }
    public init(mNumberBuffers: UInt32, mBuffers: AudioBuffer) {
        (self.mNumberBuffers, self.mBuffers) = (mNumberBuffers, mBuffers)
    }

    /// Returns the size of a list of so many buffers, in bytes.
    public static func sizeInBytes(maximumBuffers: Int) -> Int {
        precondition(maximumBuffers > 0, "a list has at least one buffer")
        return MemoryLayout<AudioBufferList>.size + (maximumBuffers - 1) * MemoryLayout<AudioBuffer>.stride
    }

    /// Allocates a list of so many empty buffers, which `free` of its `unsafeMutablePointer` releases.
    public static func allocate(maximumBuffers: Int) -> UnsafeMutableAudioBufferListPointer {
        let memory = calloc(1, sizeInBytes(maximumBuffers: maximumBuffers))
        // The list has a few bytes for each buffer, and the signature of Apple cannot fail.
        guard let memory else { fatalError("no memory for a list of \(maximumBuffers) buffers") }
        let list = UnsafeMutableAudioBufferListPointer(memory.assumingMemoryBound(to: AudioBufferList.self))
        list.count = maximumBuffers
        return list
    }
}

/// The buffers of a list as a collection.
public struct UnsafeMutableAudioBufferListPointer: MutableCollection, RandomAccessCollection, Hashable {
    public typealias Element = AudioBuffer
    public typealias Index = Int

    public var unsafeMutablePointer: UnsafeMutablePointer<AudioBufferList>
    public var unsafePointer: UnsafePointer<AudioBufferList> { UnsafePointer(unsafeMutablePointer) }

    public init(_ pointer: UnsafeMutablePointer<AudioBufferList>) { unsafeMutablePointer = pointer }
    public init?(_ pointer: UnsafeMutablePointer<AudioBufferList>?) {
        guard let pointer else { return nil }
        unsafeMutablePointer = pointer
    }

    private var buffers: UnsafeMutablePointer<AudioBuffer> {
        let offset = MemoryLayout<AudioBufferList>.offset(of: \.mBuffers) ?? 0
        return (UnsafeMutableRawPointer(unsafeMutablePointer) + offset).assumingMemoryBound(to: AudioBuffer.self)
    }

    /// The number of buffers. A larger number than that of the allocation is a fault of the caller.
    public var count: Int {
        get { Int(unsafeMutablePointer.pointee.mNumberBuffers) }
        nonmutating set { unsafeMutablePointer.pointee.mNumberBuffers = UInt32(newValue) }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public subscript(index: Int) -> AudioBuffer {
        get {
            precondition((0..<count).contains(index), "the list has \(count) buffers")
            return buffers[index]
        }
        nonmutating _modify {
            precondition((0..<count).contains(index), "the list has \(count) buffers")
            yield &buffers[index]
        }
    }
}

extension UnsafeMutableBufferPointer {
    /// Makes a typed view of a buffer's memory.
    public init(_ buffer: AudioBuffer) {
        self.init(
            start: buffer.mData?.assumingMemoryBound(to: Element.self),
            count: Int(buffer.mDataByteSize) / MemoryLayout<Element>.stride)
    }
}

extension UnsafeBufferPointer {
    /// Makes a typed view of a buffer's memory.
    public init(_ buffer: AudioBuffer) {
        self.init(
            start: buffer.mData.map { UnsafePointer($0.assumingMemoryBound(to: Element.self)) },
            count: Int(buffer.mDataByteSize) / MemoryLayout<Element>.stride)
    }
}

public struct AudioTimeStampFlags: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let sampleTimeValid = AudioTimeStampFlags(rawValue: 1)
    public static let hostTimeValid = AudioTimeStampFlags(rawValue: 2)
    public static let rateScalarValid = AudioTimeStampFlags(rawValue: 4)
    public static let wordClockTimeValid = AudioTimeStampFlags(rawValue: 8)
    public static let smpteTimeValid = AudioTimeStampFlags(rawValue: 16)
    public static let sampleHostTimeValid: AudioTimeStampFlags = [.sampleTimeValid, .hostTimeValid]
}

/// A time of video, which no time stamp here has.
public struct SMPTETime: Sendable, Hashable {
    public var mSubframes: Int16 = 0
    public var mSubframeDivisor: Int16 = 0
    public var mCounter: UInt32 = 0
    public var mType: UInt32 = 0
    public var mFlags: UInt32 = 0
    public var mHours: Int16 = 0
    public var mMinutes: Int16 = 0
    public var mSeconds: Int16 = 0
    public var mFrames: Int16 = 0
    public init() {}
}

public struct AudioTimeStamp: Sendable, Hashable {
    public var mSampleTime: Double = 0
    public var mHostTime: UInt64 = 0
    public var mRateScalar: Double = 0
    public var mWordClockTime: UInt64 = 0
    public var mSMPTETime = SMPTETime()
    public var mFlags: AudioTimeStampFlags = []
    public var mReserved: UInt32 = 0
    public init() {}
}

public let kAudioFormatLinearPCM: AudioFormatID = 0x6c70_636d
public let kAudioFormatFlagIsFloat: AudioFormatFlags = 1
public let kAudioFormatFlagIsBigEndian: AudioFormatFlags = 2
public let kAudioFormatFlagIsSignedInteger: AudioFormatFlags = 4
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 8
public let kAudioFormatFlagIsNonInterleaved: AudioFormatFlags = 32
public let kAudioFormatFlagsNativeEndian: AudioFormatFlags = 0
public let kAudioFormatFlagsNativeFloatPacked: AudioFormatFlags = 9
public let kLinearPCMFormatFlagIsFloat: AudioFormatFlags = 1
public let kLinearPCMFormatFlagIsSignedInteger: AudioFormatFlags = 4
public let kLinearPCMFormatFlagIsPacked: AudioFormatFlags = 8
public let kLinearPCMFormatFlagIsNonInterleaved: AudioFormatFlags = 32

public struct AudioStreamBasicDescription: Sendable, Hashable {
    public var mSampleRate: Double
    public var mFormatID: AudioFormatID
    public var mFormatFlags: AudioFormatFlags
    public var mBytesPerPacket: UInt32
    public var mFramesPerPacket: UInt32
    public var mBytesPerFrame: UInt32
    public var mChannelsPerFrame: UInt32
    public var mBitsPerChannel: UInt32
    public var mReserved: UInt32

    public init() {
        self.init(
            mSampleRate: 0, mFormatID: 0, mFormatFlags: 0, mBytesPerPacket: 0, mFramesPerPacket: 0, mBytesPerFrame: 0,
            mChannelsPerFrame: 0, mBitsPerChannel: 0, mReserved: 0)
    }

    public init(
        mSampleRate: Double, mFormatID: AudioFormatID, mFormatFlags: AudioFormatFlags, mBytesPerPacket: UInt32,
        mFramesPerPacket: UInt32, mBytesPerFrame: UInt32, mChannelsPerFrame: UInt32, mBitsPerChannel: UInt32,
        mReserved: UInt32
    ) {
        (self.mSampleRate, self.mFormatID, self.mFormatFlags) = (mSampleRate, mFormatID, mFormatFlags)
        (self.mBytesPerPacket, self.mFramesPerPacket) = (mBytesPerPacket, mFramesPerPacket)
        (self.mBytesPerFrame, self.mChannelsPerFrame) = (mBytesPerFrame, mChannelsPerFrame)
        (self.mBitsPerChannel, self.mReserved) = (mBitsPerChannel, mReserved)
    }
}

/// The codes by which an audio unit is found.
public struct AudioComponentDescription: Sendable, Hashable {
    public var componentType: OSType
    public var componentSubType: OSType
    public var componentManufacturer: OSType
    public var componentFlags: UInt32
    public var componentFlagsMask: UInt32

    public init() {
        self.init(
            componentType: 0, componentSubType: 0, componentManufacturer: 0, componentFlags: 0, componentFlagsMask: 0)
    }

    public init(
        componentType: OSType, componentSubType: OSType, componentManufacturer: OSType, componentFlags: UInt32,
        componentFlagsMask: UInt32
    ) {
        self.componentType = componentType
        self.componentSubType = componentSubType
        self.componentManufacturer = componentManufacturer
        self.componentFlags = componentFlags
        self.componentFlagsMask = componentFlagsMask
    }
}

public struct AudioComponentInstantiationOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let loadOutOfProcess = AudioComponentInstantiationOptions(rawValue: 1)
    public static let loadInProcess = AudioComponentInstantiationOptions(rawValue: 2)
}
