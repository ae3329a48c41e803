// CXCallDirectoryProvider: the principal class of a call directory.

public import ExtensionFoundation
public import Foundation

/// The principal class of a call directory. Each load gets an object of its own.
open class CXCallDirectoryProvider: NSObject, NSExtensionRequestHandling {
    public override init() {}

    /// Gives the directory to the telephone: the author adds the entries to the context and completes the request.
    ///
    /// It runs on the queue of the request. Without `completeRequest` within 45 s (ours) the load has failed.
    open func beginRequest(with context: CXCallDirectoryExtensionContext) {}

    /// Does nothing: the telephone asks for the directory by a call.
    public final func beginRequest(with context: NSExtensionContext) {}
}

/// The receiver of the errors of a load.
public protocol CXCallDirectoryExtensionContextDelegate: NSObjectProtocol {
    /// The directory was not taken over, and the last one stays.
    ///
    /// It is called once, on another thread, after the author has completed the request.
    ///
    /// - Parameters:
    ///   - extensionContext: the context of the load.
    ///   - error: a `CXErrorCodeCallDirectoryManagerError`.
    func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error)
}
