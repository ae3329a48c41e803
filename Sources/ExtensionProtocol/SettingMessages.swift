// SettingMessages: the daemon's configuration, value by value, each with its source.

/// What is set, and by what?
public struct GetConfiguration: RequestMessage {
    public typealias Response = ConfigurationReport
    public static let kind = MessageKind.getConfiguration
    public init() {}
    public init(_ fields: Fields) {}
    public func encode(into fields: inout FieldWriter) {}
}

/// Every setting that there is, and what was left out.
public struct ConfigurationReport: Message, Hashable {
    public static let kind = MessageKind.configuration
    public var settings: [SettingRecord]
    public var problems: [SettingProblem]
    /// Those that were read, in order.
    public var files: [String]

    public init(settings: [SettingRecord], problems: [SettingProblem], files: [String]) {
        (self.settings, self.problems, self.files) = (settings, problems, files)
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

/// One setting.
public struct SettingRecord: Sendable, Hashable, WireStructure {
    /// As files nest it, with a dot between: `Timers.idle`.
    public var name: String
    /// In the form in which it is read; nil where nothing is set, and the extension point or the system decides.
    public var value: String?
    /// A file, an option, a variable, or `built in`.
    public var source: String

    public init(name: String, value: String?, source: String) { (self.name, self.value, self.source) = (name, value, source) }

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

/// A setting, or a whole file, that was left out.
public struct SettingProblem: Sendable, Hashable, WireStructure, CustomStringConvertible {
    /// A file, an option or a variable.
    public var source: String
    /// Nil: of the file as a whole.
    public var name: String?
    /// What is wrong, and what it should be.
    public var message: String

    public init(source: String, name: String?, message: String) {
        (self.source, self.name, self.message) = (source, name, message)
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

    public var description: String { "\(source): " + (name.map { "\($0) was left out: " } ?? "") + message }
}
