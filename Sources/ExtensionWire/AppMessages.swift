// AppMessages: apps: orders to open and close one (0x034x), what one is told (0x04xx), and a URL that an extension wants opened.

public import PropertyListCoding

/// For what an app is opened.
public enum OpeningReason: String, Sendable, Hashable, CaseIterable, WireValue {
    /// Its user wants to see it.
    case opened
    /// It is to open a URL.
    case url
    /// It has work to do in the background.
    case woken
    /// A newer daemon's.
    case unrecognized

    public init?(wire: PropertyList) {
        guard let name = wire.string else { return nil }
        self = OpeningReason(rawValue: name) ?? .unrecognized
    }
}

/// Tool or host → daemon: launches an app, or tells the one that runs.
public struct OpenApp: RequestMessage {
    public typealias Response = AppOpened
    public static let kind = MessageKind.openApp
    /// Of the `.app`, absolute.
    public var path: String
    public var reason: OpeningReason
    /// What it is to open; there if that is the reason.
    public var url: String?
    /// For its program; only one that does not run yet can have some.
    public var arguments: [String]
    /// Whether one that is launched is this connection's: what it prints comes as `output`, its end as `exited`, and the end of the connection
    /// closes it.
    public var follow: Bool

    public init(path: String, reason: OpeningReason, url: String? = nil, arguments: [String] = [], follow: Bool = false) {
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

/// The answer: the app runs and, if it speaks the protocol and was to open a URL, has it.
public struct AppOpened: Message {
    public static let kind = MessageKind.appOpened
    public var identifier: String
    public var pid: Int
    /// The number of the process among all that the daemon has launched.
    public var process: Int
    /// Whether it was launched for this; false of one that ran already.
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

/// Tool or host → daemon: ends an app in order, as its user who leaves it would: SIGTERM, and SIGKILL when its time is up.
public struct CloseApp: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.closeApp
    public var identifier: String
    public init(identifier: String) { self.identifier = identifier }
    public init(_ fields: Fields) throws(ProtocolError) { identifier = try fields.value(.identifier) }
    public func encode(into fields: inout FieldWriter) { fields.set(.identifier, identifier) }
}

/// Daemon → app: why it was launched, or what is wanted of it now. Answered when its delegate has been told.
public struct Activate: RequestMessage, Hashable {
    public typealias Response = Success
    public static let kind = MessageKind.activate
    public var reason: OpeningReason
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

/// Extension → daemon: `NSExtensionContext.open(_:)` (spec 1.1). Answered by `success` when an app has the URL, else by the error that says
/// why none has.
public struct OpenURL: RequestMessage {
    public typealias Response = Success
    public static let kind = MessageKind.openURL
    public var request: RequestIdentifier
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
