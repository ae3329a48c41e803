// RPRecordingError: the errors of recordings and broadcasts.

public import Foundation

/// The domain of the errors of ReplayKit.
public let RPRecordingErrorDomain = "com.apple.ReplayKit.RPRecordingErrorDomain"

/// The codes of the errors. The numbers are from memory.
public struct RPRecordingErrorCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let unknown = RPRecordingErrorCode(rawValue: -5800)
    public static let userDeclined = RPRecordingErrorCode(rawValue: -5801)
    public static let disabled = RPRecordingErrorCode(rawValue: -5802)
    public static let failedToStart = RPRecordingErrorCode(rawValue: -5803)
    public static let failed = RPRecordingErrorCode(rawValue: -5804)
    public static let insufficientStorage = RPRecordingErrorCode(rawValue: -5805)
    public static let interrupted = RPRecordingErrorCode(rawValue: -5806)
    public static let contentResize = RPRecordingErrorCode(rawValue: -5807)
    public static let broadcastInvalidSession = RPRecordingErrorCode(rawValue: -5808)
    public static let systemDormancy = RPRecordingErrorCode(rawValue: -5809)
    public static let entitlements = RPRecordingErrorCode(rawValue: -5810)
    public static let activePhoneCall = RPRecordingErrorCode(rawValue: -5811)
    public static let failedToSave = RPRecordingErrorCode(rawValue: -5812)
    public static let carPlay = RPRecordingErrorCode(rawValue: -5813)
    public static let failedApplicationConnectionInvalid = RPRecordingErrorCode(rawValue: -5814)
    public static let failedApplicationConnectionInterrupted = RPRecordingErrorCode(rawValue: -5815)
    public static let failedNoMatchingApplicationContext = RPRecordingErrorCode(rawValue: -5816)
    public static let failedMediaServicesFailure = RPRecordingErrorCode(rawValue: -5817)
    public static let videoMixingFailure = RPRecordingErrorCode(rawValue: -5818)
    public static let broadcastSetupFailed = RPRecordingErrorCode(rawValue: -5819)
}

/// An error of ReplayKit.
public struct RPRecordingError: Error, CustomNSError, Sendable {
    public typealias Code = RPRecordingErrorCode

    public static var errorDomain: String { RPRecordingErrorDomain }
    public let code: Code
    public var errorCode: Int { code.rawValue }

    public init(_ code: Code) { self.code = code }
}
