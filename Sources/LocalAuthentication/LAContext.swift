// LAContext: the question for a person's presence, which a device without a code or a sensor refuses.

@_exported public import Foundation

/// A question for a finger, a face or the device's code. The device here has neither: each question is refused.
open class LAContext: NSObject, @unchecked Sendable {  // as Apple's: its values are set before it is used
    open var localizedFallbackTitle: String?
    open var localizedCancelTitle: String?
    open var localizedReason = ""
    open var interactionNotAllowed = false
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval = 0
    open var biometryType: LABiometryType { .none }
    open var evaluatedPolicyDomainState: Data? { nil }

    public override init() { super.init() }

    private static func refusal(_ policy: LAPolicy) -> LAError {
        LAError(policy == .deviceOwnerAuthentication ? .passcodeNotSet : .biometryNotAvailable)
    }

    /// Returns false.
    ///
    /// - Parameters:
    ///   - policy: the policy.
    ///   - error: gets `biometryNotAvailable`, or `passcodeNotSet` for the device's code.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool {
        let refusal = Self.refusal(policy)
        error?.pointee = NSError(domain: LAErrorDomain, code: refusal.code.rawValue, userInfo: refusal.errorUserInfo)
        return false
    }

    /// Refuses.
    ///
    /// - Parameters:
    ///   - policy: the policy.
    ///   - localizedReason: no effect.
    ///   - reply: gets false and the error of `canEvaluatePolicy`, on a global queue.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let refusal = Self.refusal(policy)
        DispatchQueue.global().async { reply(false, refusal) }
    }

    /// Has no effect: no question is open.
    open func invalidate() {}
}

/// The kind of question.
public enum LAPolicy: Int, Sendable { case deviceOwnerAuthenticationWithBiometrics = 1, deviceOwnerAuthentication }

/// The kind of sensor.
public enum LABiometryType: Int, Sendable {
    case none, touchID, faceID
    public static var LABiometryNone: LABiometryType { .none }
}

public let LAErrorDomain = "com.apple.LocalAuthentication"

/// The reason why a person's presence was not shown.
public struct LAError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case authenticationFailed = -1, userCancel = -2, userFallback = -3, systemCancel = -4, passcodeNotSet = -5
        case biometryNotAvailable = -6, biometryNotEnrolled = -7, biometryLockout = -8, appCancel = -9
        case invalidContext = -10, notInteractive = -1004

        public static func ~= (code: Code, error: any Error) -> Bool { (error as? LAError)?.code == code }
    }

    public let code: Code
    /// Makes the error of a code.
    public init(_ code: Code) { self.code = code }

    public static var errorDomain: String { LAErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: "notSimulated: there is neither a sensor for a person nor a code of the device"]
    }

    public static var authenticationFailed: Code { .authenticationFailed }
    public static var userCancel: Code { .userCancel }
    public static var userFallback: Code { .userFallback }
    public static var systemCancel: Code { .systemCancel }
    public static var passcodeNotSet: Code { .passcodeNotSet }
    public static var appCancel: Code { .appCancel }
    public static var biometryNotAvailable: Code { .biometryNotAvailable }
    public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
    public static var biometryLockout: Code { .biometryLockout }
    public static var touchIDNotAvailable: Code { .biometryNotAvailable }
    public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }
    public static var touchIDLockout: Code { .biometryLockout }
}
