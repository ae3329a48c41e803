// PointFramework: the session's view of the framework of an extension point.

package import Dispatch
package import ExtensionConnection
package import ExtensionItems
package import ExtensionWire
package import Foundation

/// The framework of the process's extension point, with the calls of hosts.
///
/// The module PointFrameworkKit has the one class, which the session finds by name. So an extension whose point needs
/// no calls is built without them.
package protocol PointFramework: AnyObject, Sendable {
    /// Makes the framework's object, once for the process.
    ///
    /// - Parameters:
    ///   - support: the class that the extension point's property list names.
    ///   - ends: the name of the call after whose answer the request is completed.
    ///   - channel: the connection to the daemon.
    /// - Returns: nil if the class is no `ExtensionPointSupport`.
    init?(_ support: AnyClass, ends: String?, _ channel: Channel)

    /// The class of the contexts that authors get.
    var contextClass: NSExtensionContext.Type { get }
    /// Whether the session shows the view of a new request.
    var showsViewAtBegin: Bool { get }

    /// Returns the reason why a person's action on the view is not possible; nil if it is.
    func refusal(of action: String) -> ExtensionHostError?

    /// Makes the session of a new request.
    ///
    /// - Parameter queue: the serial queue of the request, on which its calls begin.
    func open(
        _ request: RequestIdentifier, _ queue: DispatchQueue, _ activity: Activity, _ views: ViewPublisher
    ) -> any FrameworkSession

    /// Takes a packet of a call. Called on the connection's reader thread.
    ///
    /// - Throws: `ProtocolError` if the packet cannot be read.
    func receive(_ packet: Packet) throws

    /// Cancels all calls of hosts, which will make them again.
    func cancelCalls()
}

/// A request as the session sees it at an extension point with a framework.
package protocol FrameworkSession: AnyObject, Sendable {
    /// Takes the context, before the principal object is made.
    func adopt(_ context: NSExtensionContext)

    /// Makes the principal object, on the main actor if its class has a view.
    ///
    /// - Throws: `ExtensionHostError` if the class does not suit the extension point.
    func makePrincipal(_ type: NSObject.Type) throws -> NSObject

    /// Ends the calls of the request, and lets the framework go of it. Returns at once.
    func end()
}
