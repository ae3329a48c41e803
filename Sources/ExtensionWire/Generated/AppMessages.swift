// AppMessages: orders to open and close an app (0x034x), what an app is told (0x04xx), and a URL that an extension
// wants opened.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks for a URL to be opened: `NSExtensionContext.open(_:)` (spec 1.1).
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
    /// Its user wants to see it.
    case opened
    /// It is to open a URL.
    case url
    /// It has work to do in the background.
    case woken
    /// A newer peer named something else.
    case unrecognized
}

/// Tells an app why it was launched, or what is wanted of it now.
///
/// Daemon → app; answered by `success` when its delegate has dealt with it.
public struct Activate: RequestMessage, Hashable {
    public typealias Response = Success
    public static let kind = MessageKind.activate
    public var reason: OpeningReason
    /// With the reason `url`.
    public var url: String?
    /// The identifier of the extension that opens the URL.
    public var source: String?

    public init(reason: OpeningReason, url: String? = nil, source: String? = nil) {
        self.reason = reason
        self.url = url
        self.source = source
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        reason = try fields.value(.reason)
        url = try fields.optional(.url)
        source = try fields.optional(.source)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.reason, reason)
        fields.set(.url, url)
        fields.set(.source, source)
    }
}

/// Launches an app, or tells the one that runs. Allowed to the daemon's own user. A connection follows one app at a
/// time.
///
/// Client → daemon; answered by `appOpened` when it runs; with a URL, when it has that.
public struct OpenApp: RequestMessage {
    public typealias Response = AppOpened
    public static let kind = MessageKind.openApp
    /// The path of the `.app`, absolute.
    public var path: String
    public var reason: OpeningReason
    /// With the reason `url`: at most 16,384 bytes.
    public var url: String?
    /// For its program. Only an app that does not run yet can have some.
    public var arguments: [String]
    /// Whether an app that is launched is this connection's. The connection gets its `output` and `exited`; its end
    /// closes the app, as does an `error` for an answer.
    public var follow: Bool

    public init(
        path: String, reason: OpeningReason, url: String? = nil, arguments: [String] = [], follow: Bool = false
    ) {
        self.path = path
        self.reason = reason
        self.url = url
        self.arguments = arguments
        self.follow = follow
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        path = try fields.value(.path)
        reason = try fields.value(.reason)
        url = try fields.optional(.url)
        arguments = try fields.optional(.arguments) ?? []
        follow = try fields.optional(.follow) ?? false
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.path, path)
        fields.set(.reason, reason)
        fields.set(.url, url)
        if !arguments.isEmpty { fields.set(.arguments, arguments) }
        if follow { fields.set(.follow, follow) }
    }
}

/// Says that the app runs and, if it speaks the protocol and was to open a URL, has it.
///
/// Daemon → client.
public struct AppOpened: Message {
    public static let kind = MessageKind.appOpened
    public var identifier: String
    public var pid: Int
    /// The number of the process among all that the daemon has launched.
    public var process: Int
    /// Whether the app was launched for this. One that ran already is not followed.
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

/// Ends an app in order, as its user would: SIGTERM, and SIGKILL when its time is up (section 3.1). Allowed to the
/// daemon's own user.
///
/// Client → daemon; answered by `success` when it has been told.
public struct CloseApp: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.closeApp
    /// The identifier of an app that runs.
    public var identifier: String
    public init(identifier: String) { self.identifier = identifier }
    public init(_ fields: Fields) throws(ProtocolError) { identifier = try fields.value(.identifier) }
    public func encode(into fields: inout FieldWriter) { fields.set(.identifier, identifier) }
}
