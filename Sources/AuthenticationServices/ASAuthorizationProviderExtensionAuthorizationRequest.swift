// ASAuthorizationProviderExtensionAuthorizationRequest: the names of single sign-on, whose point is not simulated.

public import Foundation

/// A request to sign on. No host makes one: the point is not simulated. So answers have no effect.
open class ASAuthorizationProviderExtensionAuthorizationRequest: NSObject {
    /// The address that needs a person's account.
    public let url: URL
    open var httpHeaders: [String: String] { [:] }
    open var httpBody: Data { Data() }
    open var realm: String { "" }
    open var callerBundleIdentifier: String { "" }
    open var localizedCallerDisplayName: String { "" }

    init(url: URL) { self.url = url }

    open func doNotHandle() {}
    open func cancel() {}
    open func complete() {}
    open func complete(httpAuthorizationHeaders: [String: String]) {}
    open func complete(error: any Error) {}

    /// Calls the completion with false on the main queue: nothing is presented.
    open func presentAuthorizationViewController(completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        DispatchQueue.main.async { completion(false, nil) }
    }
}

/// The principal object of an extension for single sign-on. No host calls it.
public protocol ASAuthorizationProviderExtensionAuthorizationRequestHandler: NSObjectProtocol {
    func beginAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest)
    func cancelAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest)
}

extension ASAuthorizationProviderExtensionAuthorizationRequestHandler {
    public func cancelAuthorization(with request: ASAuthorizationProviderExtensionAuthorizationRequest) {}
}
