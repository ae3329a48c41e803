// NSExtensionRequestHandling: the protocol that a principal class adopts.

public import Foundation

/// The entry into an extension: one new object of the principal class for each request (spec 1.4).
///
/// The class is a subclass of `NSObject`. Its `init()` makes the object that serves one request, on that request's
/// queue. The object lives until its request is over and its completion handler has returned.
public protocol NSExtensionRequestHandling: NSObjectProtocol, SendableMetatype {
    /// Begins a request.
    ///
    /// It is called once for each request, off the main thread, before any notification about that request.
    ///
    /// Requests of a shared process may begin at the same time.
    func beginRequest(with context: NSExtensionContext)
}
