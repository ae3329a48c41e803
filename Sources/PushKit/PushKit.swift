// PushKit: the registry of a device that gets no pushes.

@_exported public import Foundation

/// The kind of a push.
public struct PKPushType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var voIP: PKPushType { PKPushType(rawValue: "PKPushTypeVoIP") }
    public static var complication: PKPushType { PKPushType(rawValue: "PKPushTypeComplication") }
    public static var fileProvider: PKPushType { PKPushType(rawValue: "PKPushTypeFileProvider") }
}

/// The token of a device for pushes. None is made here.
open class PKPushCredentials: NSObject {
    public let type: PKPushType
    public let token: Data
    init(_ type: PKPushType, _ token: Data) { (self.type, self.token) = (type, token) }
}

/// The content of a push. None is made here.
open class PKPushPayload: NSObject {
    public let type: PKPushType
    public let dictionaryPayload: [AnyHashable: Any]
    init(_ type: PKPushType, _ payload: [AnyHashable: Any]) { (self.type, dictionaryPayload) = (type, payload) }
}

/// The observer of pushes. No method is called.
public protocol PKPushRegistryDelegate: NSObjectProtocol {
    func pushRegistry(
        _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)
    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void)
    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
    public func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) { completion() }
    public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}

/// A registry that keeps the kinds of pushes that are wanted. It gets no token: there is no service that pushes.
open class PKPushRegistry: NSObject {
    open weak var delegate: (any PKPushRegistryDelegate)?
    open var desiredPushTypes: Set<PKPushType>?
    public init(queue: DispatchQueue?) {}
    /// Returns nil.
    open func pushToken(for type: PKPushType) -> Data? { nil }
}
