// ResourceLimits: how much of the machine a process may use, by name; a value that settings are laid over.

import ExtensionProtocol
public import PropertyListCoding

/// The limits of an extension's processes, whatever sets them. What is not named is not limited.
public struct ResourceLimits: Sendable, Hashable {
    /// The names that options, configuration, extension points, profiles and bundles use.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        /// Bytes that the processes of an extension hold in memory together; more ends them.
        case memory
        /// Processor time of all of them since their start, in milliseconds; more ends them.
        case cpu
        /// Processes and threads at once; more are refused.
        case tasks
        /// Open descriptors of each process; more are refused.
        case descriptors
        /// Bytes a second that are taken of what it prints, a second's worth at once; more are dropped.
        case output
    }

    /// What the model may limit besides, and nothing does here.
    public static let notSimulated: Set<String> = ["disk", "network", "energy"]

    /// What one source says of one limit.
    public enum Setting: Sendable, Hashable {
        /// Not limited, whatever a source further away says.
        case off
        /// In the unit of the name.
        case limit(Int)
    }

    private var settings: [Name: Setting]

    public init(_ settings: [Name: Setting] = [:]) { self.settings = settings }

    /// The limit in the unit of its name; nil where there is none.
    public subscript(name: Name) -> Int? {
        if case .limit(let value) = settings[name] { value } else { nil }
    }

    /// What this source says; nil where it says nothing.
    public subscript(setting name: Name) -> Setting? {
        get { settings[name] }
        set { settings[name] = newValue }
    }

    /// Whether nothing is limited.
    public var isEmpty: Bool { Name.allCases.allSatisfy { self[$0] == nil } }

    /// These limits with those of a nearer source on top.
    public func overridden(by nearer: ResourceLimits) -> ResourceLimits {
        ResourceLimits(settings.merging(nearer.settings) { $1 })
    }
}

extension ResourceLimits.Name {
    /// The values it may have, in its unit. Below the least no program of the kits starts.
    public var bounds: ClosedRange<Int> {
        switch self {
        case .memory: 1 << 20...1 << 40
        case .cpu: 10...86_400_000
        case .tasks: 1...65_536
        case .descriptors: 16...1_048_576
        case .output: 1024...1 << 30
        }
    }

    /// What a setting has to be, for messages.
    public var form: String {
        switch self {
        case .memory: "a size from 1MiB to 1TiB, such as 64MiB, or off"
        case .cpu: "a duration from 10ms to a day, such as 30s, or off"
        case .tasks: "a number from 1 to 65536, or off"
        case .descriptors: "a number from 16 to 1048576, or off"
        case .output: "bytes a second from 1KiB to 1GiB, such as 64KiB, or off"
        }
    }

    /// A value of it as people read it, such as `67108864 bytes`.
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
    /// Reads a setting as an option writes it; nil for anything that is none.
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

    /// The same as a property list says it: text, or a number in bytes, seconds, tasks, descriptors or bytes a second.
    public init?(_ name: ResourceLimits.Name, setting: PropertyList) {
        if case .string(let text) = setting {
            self.init(name, written: text)
            return
        }
        let value = name == .cpu ? Duration(setting: setting).map(Self.milliseconds) : setting.integer.flatMap(Int.init(exactly:))
        guard let value, name.bounds.contains(value) else { return nil }
        self = .limit(value)
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds) * 1000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
    }

    /// `1024`, `64KiB`, `64K`, `1MiB`, `2G`: of 1,024 each.
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
