// ResourceLimits: the resources that a process may use, by name, as a value that settings override.

import ExtensionProtocol
public import PropertyListCoding

/// The limits of an extension's processes, whatever sets them. An unnamed resource is not limited.
public struct ResourceLimits: Sendable, Hashable {
    /// The names that options, configuration, extension points, profiles and bundles use.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        /// The bytes that the processes of an extension hold in memory together. Exceeding the limit ends them.
        case memory
        /// The processor time of all of them since their start, in milliseconds. Exceeding the limit ends them.
        case cpu
        /// The processes and threads at once. More are refused.
        case tasks
        /// The open descriptors of each process. More are refused.
        case descriptors
        /// The bytes of printed output accepted per second, up to a second's worth at once. More are dropped.
        case output
    }

    /// The names of further limits that the model may have and that are not simulated here.
    public static let notSimulated: Set<String> = ["disk", "network", "energy"]

    /// The setting of one limit by one source.
    public enum Setting: Sendable, Hashable {
        /// No limit, whatever a source further away sets.
        case off
        /// A limit in the unit of the name.
        case limit(Int)
    }

    private var settings: [Name: Setting]

    public init(_ settings: [Name: Setting] = [:]) { self.settings = settings }

    /// The limit in the unit of its name; nil if there is none.
    public subscript(name: Name) -> Int? {
        if case .limit(let value) = settings[name] { value } else { nil }
    }

    /// The setting of this source; nil if it has none.
    public subscript(setting name: Name) -> Setting? {
        get { settings[name] }
        set { settings[name] = newValue }
    }

    /// Whether nothing is limited.
    public var isEmpty: Bool { Name.allCases.allSatisfy { self[$0] == nil } }

    /// Returns these limits, overridden by those of a nearer source.
    public func overridden(by nearer: ResourceLimits) -> ResourceLimits {
        ResourceLimits(settings.merging(nearer.settings) { $1 })
    }
}

extension ResourceLimits.Name {
    /// The permitted values, in the limit's unit. Below the minimum no program of the kits starts.
    public var bounds: ClosedRange<Int> {
        switch self {
        case .memory: 1 << 20...1 << 40
        case .cpu: 10...86_400_000
        case .tasks: 1...65_536
        case .descriptors: 16...1_048_576
        case .output: 1024...1 << 30
        }
    }

    /// The required form of a setting, for messages.
    public var form: String {
        switch self {
        case .memory: "a size from 1MiB to 1TiB, such as 64MiB, or off"
        case .cpu: "a duration from 10ms to a day, such as 30s, or off"
        case .tasks: "a number from 1 to 65536, or off"
        case .descriptors: "a number from 16 to 1048576, or off"
        case .output: "bytes a second from 1KiB to 1GiB, such as 64KiB, or off"
        }
    }

    /// Returns a value in a form for people, such as `67108864 bytes`.
    public func written(_ value: Int) -> String {
        switch self {
        case .memory: "\(value) bytes"
        case .cpu: "\(Double(value) / 1000) s of processor time"
        case .tasks: "\(value) tasks"
        case .descriptors: "\(value) descriptors"
        case .output: "\(value) bytes a second"
        }
    }
}

extension ResourceLimits.Setting {
    /// Reads a setting in the form of an option; nil for anything else.
    public init?(_ name: ResourceLimits.Name, written text: String) {
        guard text != "off" else {
            self = .off
            return
        }
        let value: Int? =
            switch name {
            case .memory, .output: Self.bytes(text)
            case .cpu: Duration(written: text).map(Self.milliseconds)
            case .tasks, .descriptors: Int(text)
            }
        guard let value, name.bounds.contains(value) else { return nil }
        self = .limit(value)
    }

    /// Reads a setting in a property list: text, or a number in bytes, seconds, tasks, descriptors or bytes a second.
    public init?(_ name: ResourceLimits.Name, setting: PropertyList) {
        if case .string(let text) = setting {
            self.init(name, written: text)
            return
        }
        let value =
            name == .cpu
            ? Duration(setting: setting).map(Self.milliseconds) : setting.integer.flatMap(Int.init(exactly:))
        guard let value, name.bounds.contains(value) else { return nil }
        self = .limit(value)
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds) * 1000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
    }

    /// Parses a size such as `1024`, `64KiB`, `64K`, `1MiB` or `2G`; each unit is 1,024 of the one below.
    private static func bytes(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits) else { return nil }
        let shift: Int
        switch text[digits.endIndex...] {
        case "", "B": shift = 0
        case "K", "KiB": shift = 10
        case "M", "MiB": shift = 20
        case "G", "GiB": shift = 30
        case "T", "TiB": shift = 40
        default: return nil
        }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: 1 << shift)
        return isTooLarge ? nil : bytes
    }
}
