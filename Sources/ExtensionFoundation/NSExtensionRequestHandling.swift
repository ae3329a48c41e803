// NSExtensionRequestHandling: what a principal class adopts.

/// The entry into an extension: one new object of the principal class for each request (spec 1.4).
///
/// `init()` is asked for here because on Linux no object can be made from a class found by name otherwise: a final class,
/// or a subclass of a base with `required init`, fits unchanged; any other class adds `required override init()`.
public protocol NSExtensionRequestHandling: AnyObject, SendableMetatype {
    /// Makes the object that serves one request, on that request's queue. An object lives until its request is over and
    /// its completion handler has returned.
    init()

    /// Called once for each request, off the main thread, before any notification about that request. Requests of a
    /// shared process may be begun at the same time.
    func beginRequest(with context: NSExtensionContext)
}
