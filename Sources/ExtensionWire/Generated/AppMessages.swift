// AppMessages: orders to open and close an app (0x034x), messages to an app (0x04xx), and an extension's order to open
// a URL.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks the daemon to open a URL: `NSExtensionContext.open(_:)` (spec 1.1).
///
/// Extension → daemon; answered by `success` when an app has it.
public struct OpenURL: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.openURL
    public var request: RequestIdentifier
    /// At most 16,384 bytes.
    public var url: String

    public init(request: RequestIdentifier, url: String) {
        self.request = request
        self.url = url
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        request = try fields.value(.request)
        url = try fields.value(.url)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.request, request)
        fields.set(.url, url)
    }
}

/// The reason for which an app is opened.
public enum OpeningReason: String, Sendable, Hashable, CaseIterable, OpenEnumeration {
    /// The user opened the app.
    case opened
    /// The app opens a URL.
    case url
    /// The app works in the background.
    case woken
    /// The app takes the events of a session in the background; `detail` names the session.
    case session
    /// The app continues an activity, such as the opening of an item that its user has found.
    case activity
    /// A newer peer named something else.
    case unrecognized
}

/// Activates an app, with the reason for its launch or for this activation.
///
/// Daemon → app; answered by `success` when the app's delegate has processed it.
public struct Activate: RequestMessage, Hashable {
    public typealias Response = Success
    public static let kind = MessageKind.activate
    public var reason: OpeningReason
    /// Present with the reason `url`.
    public var url: String?
    /// The identifier of the extension that opens the URL.
    public var source: String?
    /// Present with the reason `session`: the identifier of the session.
    public var detail: String?
    /// Present with the reason `activity`: the type of the activity.
    public var activity: String?
    /// The values of the activity: a dictionary, as a binary property list.
    public var values: [UInt8]?

    public init(
        reason: OpeningReason, url: String? = nil, source: String? = nil, detail: String? = nil,
        activity: String? = nil, values: [UInt8]? = nil
    ) {
        self.reason = reason
        self.url = url
        self.source = source
        self.detail = detail
        self.activity = activity
        self.values = values
    }

    /// An older peer would pass over the keys that it does not know, and do something else.
    public var since: ProtocolVersion {
        activity != nil ? ProtocolVersion(major: 1, minor: 3) : Self.kind.since
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        reason = try fields.value(.reason)
        url = try fields.optional(.url)
        source = try fields.optional(.source)
        detail = try fields.optional(.detail)
        activity = try fields.optional(.activity)
        values = try fields.optional(.values, as: Bytes.self)?.bytes
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.reason, reason)
        fields.set(.url, url)
        fields.set(.source, source)
        fields.set(.detail, detail)
        fields.set(.activity, activity)
        fields.set(.values, values.map(Bytes.init))
    }
}

/// Launches an app, or activates the running one. Allowed to the daemon's own user. A connection follows one app at a
/// time.
///
/// Client → daemon; answered by `appOpened` when the app runs; with a URL, when the app has it.
public struct OpenApp: RequestMessage {
    public typealias Response = AppOpened
    public static let kind = MessageKind.openApp
    /// The path of the `.app`, absolute.
    public var path: String
    public var reason: OpeningReason
    /// Present with the reason `url`. At most 16,384 bytes.
    public var url: String?
    /// Present with the reason `activity`: the type of the activity.
    public var activity: String?
    /// The values of the activity, as in `activate`. Both have at most 16,384 bytes.
    public var values: [UInt8]?
    /// The arguments of its program. Allowed only for an app that does not run yet.
    public var arguments: [String]
    /// Whether the connection follows an app that it launches. It receives the app's `output` and `exited`. The end of
    /// the connection closes the app, and so does an `error` as the answer.
    public var follow: Bool

    public init(
        path: String, reason: OpeningReason, url: String? = nil, activity: String? = nil, values: [UInt8]? = nil,
        arguments: [String] = [], follow: Bool = false
    ) {
        self.path = path
        self.reason = reason
        self.url = url
        self.activity = activity
        self.values = values
        self.arguments = arguments
        self.follow = follow
    }

    /// An older peer would pass over the keys that it does not know, and do something else.
    public var since: ProtocolVersion {
        activity != nil ? ProtocolVersion(major: 1, minor: 3) : Self.kind.since
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        path = try fields.value(.path)
        reason = try fields.value(.reason)
        url = try fields.optional(.url)
        activity = try fields.optional(.activity)
        values = try fields.optional(.values, as: Bytes.self)?.bytes
        arguments = try fields.optional(.arguments) ?? []
        follow = try fields.optional(.follow) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.path, path)
        fields.set(.reason, reason)
        fields.set(.url, url)
        fields.set(.activity, activity)
        fields.set(.values, values.map(Bytes.init))
        if !arguments.isEmpty { fields.set(.arguments, arguments) }
        if follow { fields.set(.follow, follow) }
    }
}

/// Reports that the app runs and, if the opening had a URL, that the app has it.
///
/// Daemon → client.
public struct AppOpened: Message {
    public static let kind = MessageKind.appOpened
    public var identifier: String
    public var pid: Int
    /// The number of the process among all that the daemon has launched.
    public var process: Int
    /// Whether this opening launched the app. The connection does not follow an app that ran already.
    public var isLaunched: Bool

    public init(identifier: String, pid: Int, process: Int, isLaunched: Bool) {
        self.identifier = identifier
        self.pid = pid
        self.process = process
        self.isLaunched = isLaunched
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        identifier = try fields.value(.identifier)
        pid = try fields.value(.pid)
        process = try fields.value(.process)
        isLaunched = try fields.value(.launched)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.identifier, identifier)
        fields.set(.pid, pid)
        fields.set(.process, process)
        fields.set(.launched, isLaunched)
    }
}

/// Terminates an app in order: SIGTERM, and SIGKILL after its `term` timer (section 3.1). Allowed to the daemon's own
/// user.
///
/// Client → daemon; answered by `success` when the termination has begun.
public struct CloseApp: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.closeApp
    /// The identifier of a running app.
    public var identifier: String
    public init(identifier: String) { self.identifier = identifier }
    public init(_ fields: Fields) throws(ProtocolError) { identifier = try fields.value(.identifier) }
    public func encode(into fields: inout FieldWriter) { fields.set(.identifier, identifier) }
}
