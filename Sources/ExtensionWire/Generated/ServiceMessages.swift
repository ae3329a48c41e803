// ServiceMessages: services, which answer extensions, apps, hosts and tools outside requests (kinds 0x027x).
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// The client of a connection with a service, as the daemon knows it.
public struct ServiceClient: Sendable, Hashable, WireStructure {
    /// The client's role. A tool is `control`.
    public var role: Role
    /// The identifier of the extension or app, or the name of the host. Absent for a tool.
    public var identifier: String?
    /// The path of the app that contains the extension, or of the app itself.
    public var containingApp: String?
    /// The identifier of that app.
    public var app: String?
    public var pid: Int
    /// The app groups that it has.
    public var groups: [String]
    /// Whether it has the entitlement of a network client.
    public var isNetworkClient: Bool
    /// Whether it is an app that nobody has opened when it opens the connection.
    public var isInBackground: Bool

    public init(
        role: Role, identifier: String? = nil, containingApp: String? = nil, app: String? = nil, pid: Int,
        groups: [String] = [], isNetworkClient: Bool = false, isInBackground: Bool = false
    ) {
        self.role = role
        self.identifier = identifier
        self.containingApp = containingApp
        self.app = app
        self.pid = pid
        self.groups = groups
        self.isNetworkClient = isNetworkClient
        self.isInBackground = isInBackground
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        role = try fields.value(.role)
        identifier = try fields.optional(.identifier)
        containingApp = try fields.optional(.containingApp)
        app = try fields.optional(.app)
        pid = try fields.value(.pid)
        groups = try fields.optional(.groups) ?? []
        isNetworkClient = try fields.optional(.isNetworkClient) ?? false
        isInBackground = try fields.optional(.isInBackground) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.role, role)
        fields.set(.identifier, identifier)
        fields.set(.containingApp, containingApp)
        fields.set(.app, app)
        fields.set(.pid, pid)
        if !groups.isEmpty { fields.set(.groups, groups) }
        if isNetworkClient { fields.set(.isNetworkClient, isNetworkClient) }
        if isInBackground { fields.set(.isInBackground, isInBackground) }
    }
}

/// Offers a service for as long as the host is connected. Each user has one provider of a service at a time. A program
/// sends it only after a restart of the daemon.
///
/// Host → daemon; service → daemon; answered by `success`.
public struct Provide: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.provide
    /// The name of the service, of 1 to 128 letters, digits, hyphens and dots.
    public var service: String
    /// The connections that the provider had under another daemon. Those that no client opens again in 10 s end.
    public var connections: [RequestIdentifier]

    public init(service: String, connections: [RequestIdentifier] = []) {
        self.service = service
        self.connections = connections
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        service = try fields.value(.service)
        connections = try fields.optional(.connections) ?? []
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.service, service)
        if !connections.isEmpty { fields.set(.connections, connections) }
    }
}

/// Opens a connection with a service. Calls then travel on it in both directions, with `connection` as their `request`.
///
/// Client → daemon → host; answered by `success` when the provider has accepted.
public struct OpenService: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.openService
    /// The connection: a random identifier that the client chooses. After a restart of the daemon the client opens it
    /// again.
    public var connection: RequestIdentifier
    /// The name of the service.
    public var service: String
    /// The client. The daemon sets it, whatever the client says.
    public var client: ServiceClient?

    public init(connection: RequestIdentifier, service: String, client: ServiceClient? = nil) {
        self.connection = connection
        self.service = service
        self.client = client
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        connection = try fields.value(.connection)
        service = try fields.value(.service)
        client = try fields.optional(.client)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.connection, connection)
        fields.set(.service, service)
        fields.set(.client, client)
    }
}

/// Closes a connection, or reports that the other side is gone. Its open calls end.
///
/// Client → daemon → host; host → daemon → client.
public struct CloseService: Message {
    public static let kind = MessageKind.closeService
    public var connection: RequestIdentifier
    public init(connection: RequestIdentifier) { self.connection = connection }
    public init(_ fields: Fields) throws(ProtocolError) { connection = try fields.value(.connection) }
    public func encode(into fields: inout FieldWriter) { fields.set(.connection, connection) }
}

/// Opens an app in the background, so that it takes the events of a session.
///
/// Service → daemon; host → daemon; answered by `success` when the app has called its completion handler.
public struct WakeApp: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.wakeApp
    /// The identifier of an app that has a registered extension.
    public var app: String
    /// The identifier of the session.
    public var detail: String
    /// The seconds that the app has, its launch included.
    public var window: Double

    public init(app: String, detail: String, window: Double = 30) {
        self.app = app
        self.detail = detail
        self.window = window
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        app = try fields.value(.app)
        detail = try fields.value(.detail)
        window = try fields.optional(.window) ?? 30
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.app, app)
        fields.set(.detail, detail)
        fields.set(.window, window)
    }
}

/// Reports that the program has nothing to do. The daemon sends `terminate`, unless a connection is open.
///
/// Service → daemon.
public struct Rest: Message {
    public static let kind = MessageKind.rest
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Reports that an app was removed. A service deletes what it has of the app.
///
/// Daemon → service.
public struct AppRemoved: Message {
    public static let kind = MessageKind.appRemoved
    /// The identifier of the app.
    public var app: String
    public init(app: String) { self.app = app }
    public init(_ fields: Fields) throws(ProtocolError) { app = try fields.value(.app) }
    public func encode(into fields: inout FieldWriter) { fields.set(.app, app) }
}
