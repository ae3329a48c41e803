// ExtensionPointSupport: the work of an extension point's framework in an extension's process.

public import ExtensionFoundation
public import ExtensionItems
public import ExtensionPointKit
public import Foundation

/// The part of a framework that turns the calls of a host into calls of the author's code.
///
/// The property list of an extension point names the module (`Framework`) and, if it is not called
/// `ExtensionPointSupport`, the class (`Support`). The kit makes one object for the process. It calls `perform` and
/// `end` on the queue of the request, in the order in which the daemon sends; the others on any thread.
///
/// After the answer to the call under `Ends` the kit completes the request with no items.
public protocol ExtensionPointSupport: AnyObject, Sendable {
    /// Makes the object of the process.
    init()

    /// The class of the contexts that authors get.
    var contextClass: NSExtensionContext.Type { get }

    /// Whether the kit shows the view of a new request. If not, `PointSession.showView()` shows it later.
    var showsViewAtBegin: Bool { get }

    /// Makes the principal object of a request, on the main actor if its class has a view.
    ///
    /// - Throws: `ExtensionHostError` `principalUnsuitable` if the class lacks what the extension point needs. The
    ///   request is then cancelled with that error.
    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject

    /// Returns the reason why a person's action on the view, such as `setText`, is not possible at this point; nil if it
    /// is.
    func refusal(of action: String) -> ExtensionHostError?

    /// Performs a call: decodes its arguments, calls the author's code, and returns the encoded reply.
    ///
    /// - Throws: the author's error, or an `ExtensionHostError`.
    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue

    /// The request has ended. Calls of it are cancelled already.
    func end(_ session: PointSession)
}

extension ExtensionPointSupport {
    public var contextClass: NSExtensionContext.Type { NSExtensionContext.self }
    public var showsViewAtBegin: Bool { true }
    public func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        session.makeObject(of: type)
    }
    public func refusal(of action: String) -> ExtensionHostError? { nil }
    public func end(_ session: PointSession) {}
}
