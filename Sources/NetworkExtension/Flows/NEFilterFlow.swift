// NEFilterFlow: a connection of a program, as a filter sees it.

public import Foundation
import PointMessages

/// The direction of a connection. The numbers are Apple's (header).
public enum NETrafficDirection: Int, Sendable {
    case any = 0
    case inbound = 1
    case outbound = 2
}

/// A connection of a program. A filter gets the same object for all questions about one flow.
open class NEFilterFlow: NSObject, @unchecked Sendable {
    // Unchecked: its values are set once, also those of its two subclasses, and only the kit makes objects.

    let value: NetworkFlow
    /// The identifier by which a filter and its app know the flow.
    public let identifier: UUID

    init(_ value: NetworkFlow) {
        self.value = value
        identifier = UUID(uuidString: value.identifier) ?? UUID()
    }

    static func make(_ value: NetworkFlow) -> NEFilterFlow {
        value.kind == .browser ? NEFilterBrowserFlow(value) : NEFilterSocketFlow(value)
    }

    /// The address of a load; nil for a connection of which only the other side is known.
    open var url: URL? { value.url.flatMap { URL(string: $0) } }
    /// The direction in which the connection was opened.
    open var direction: NETrafficDirection { value.isInbound == true ? .inbound : .outbound }
    /// The identifier of the program's app.
    open var sourceAppIdentifier: String? { value.app }
    /// The version of the program's app.
    open var sourceAppVersion: String? { value.appVersion }
    /// The identity of the program's app: the bytes of its identifier (ours).
    open var sourceAppUniqueIdentifier: Data? { value.app.map { Data($0.utf8) } }
}

/// A load of a web page, or of a part of one.
public final class NEFilterBrowserFlow: NEFilterFlow, @unchecked Sendable {
    /// The page that the load belongs to; nil for the page itself.
    public var parentURL: URL? { value.parentURL.flatMap { URL(string: $0) } }
}

/// A connection of a socket.
public final class NEFilterSocketFlow: NEFilterFlow, @unchecked Sendable {
    /// The other side, an `NWHostEndpoint`.
    public var remoteEndpoint: NWEndpoint? { value.remote.map { NWHostEndpoint($0) } }
    /// The program's side, an `NWHostEndpoint`.
    public var localEndpoint: NWEndpoint? { value.local.map { NWHostEndpoint($0) } }
    /// The name by which the program knows the other side, if it connects by name.
    public var remoteHostname: String? { value.hostname }
    /// The family of the addresses, in Apple's number: 2, or 30 for IPv6.
    public var socketFamily: Int32 { value.remote?.host.contains(":") == true ? 30 : 2 }
    /// The type of the socket: `SOCK_STREAM` 1 or `SOCK_DGRAM` 2.
    public var socketType: Int32 { value.kind == .datagrams ? 2 : 1 }
    /// The protocol: `IPPROTO_TCP` 6 or `IPPROTO_UDP` 17.
    public var socketProtocol: Int32 { value.kind == .datagrams ? 17 : 6 }
}

extension NWHostEndpoint {
    convenience init(_ value: FlowEndpoint) { self.init(hostname: value.host, port: String(value.port)) }

    /// The endpoint in a message; nil for a service's name in place of a number.
    var value: FlowEndpoint? {
        guard let port = Int(port), (0...65535).contains(port) else { return nil }
        return FlowEndpoint(hostname, port)
    }
}
