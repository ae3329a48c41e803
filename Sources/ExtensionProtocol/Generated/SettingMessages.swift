// SettingMessages: the daemon's configuration, value by value, each with its source.
// Made from docs/protocol.schema by Scripts/wire: edit the schema, not this file.

/// Asks for the daemon's settings.
///
/// Client → daemon; answered by `configuration`.
public struct GetConfiguration: RequestMessage {
    public typealias Response = ConfigurationReport
    public static let kind = MessageKind.getConfiguration
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Lists every setting, and every ignored setting or file.
///
/// Daemon → client.
public struct ConfigurationReport: Message, Hashable {
    public static let kind = MessageKind.configuration
    public var settings: [SettingRecord]
    public var problems: [SettingProblem]
    /// The files that were read, in order.
    public var files: [String]

    public init(settings: [SettingRecord], problems: [SettingProblem], files: [String]) {
        self.settings = settings
        self.problems = problems
        self.files = files
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        settings = try fields.value(.settings)
        problems = try fields.value(.problems)
        files = try fields.value(.files)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.settings, settings)
        fields.set(.problems, problems)
        fields.set(.files, files)
    }
}

/// One setting of the daemon.
public struct SettingRecord: Sendable, Hashable, WireStructure {
    /// The name as nested in files, with a dot between: `Timers.idle`.
    public var name: String
    /// The value in the form of configuration files. Absent if it is not set; the extension point or the system then
    /// decides.
    public var value: String?
    /// A file, an option, a variable, or `built in`.
    public var source: String

    public init(name: String, value: String?, source: String) {
        self.name = name
        self.value = value
        self.source = source
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        name = try fields.value(.name)
        value = try fields.optional(.value)
        source = try fields.value(.source)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.name, name)
        fields.set(.value, value)
        fields.set(.source, source)
    }
}

/// A setting, or a whole file, that the daemon ignored.
public struct SettingProblem: Sendable, Hashable, WireStructure {
    /// A file, an option or a variable.
    public var source: String
    /// The name of the setting. Absent for a whole file.
    public var name: String?
    /// The fault and its remedy.
    public var message: String

    public init(source: String, name: String?, message: String) {
        self.source = source
        self.name = name
        self.message = message
    }

    public init(_ fields: Fields) throws(ProtocolError) {
        source = try fields.value(.source)
        name = try fields.optional(.name)
        message = try fields.value(.message)
    }

    public func encode(into fields: inout FieldWriter) {
        fields.set(.source, source)
        fields.set(.name, name)
        fields.set(.message, message)
    }
}
