// DaemonSetting: all settings, each with its name, the form of its value, its reader and its writer.

import ExtensionHostModel
import ExtensionPoints
import ExtensionProtocol
import LinuxSystem
import Logging
import PropertyListCoding

/// One setting of the configuration.
struct DaemonSetting: Sendable {
    typealias Reader = @Sendable (PropertyList, inout DaemonSettings) -> Bool
    /// The name as files nest it, with a dot between: `Timers.idle`.
    let name: String
    /// The form that the value must have, for messages.
    let form: String
    /// Whether a new value takes effect only at the next start.
    var isForStart = false
    /// Applies a value to the settings; returns false, and changes nothing, if the value is invalid.
    let read: Reader
    /// Returns the value in the form in which it is read; nil where nothing is set.
    let write: @Sendable (DaemonSettings) -> String?

    static func named(_ name: String) -> DaemonSetting? { byName[name] }

    /// All settings, in the order in which they are shown.
    static let all: [DaemonSetting] =
        Timers.Name.allCases.map(timer) + ResourceLimits.Name.allCases.map(limit) + [profile]
        + quota("HostQuota", \.hostQuota) + quota("ProcessQuota", \.processQuota) + quota("UserQuota", \.userQuota) + [
            sandbox, breaker, endUnresponsive, sharedGroups, logLevel,
        ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    private static func timer(_ timer: Timers.Name) -> DaemonSetting {
        DaemonSetting(name: "Timers.\(timer.rawValue)", form: "a duration, such as 500ms, 3s or 5min") {
            value, settings in
            guard let duration = Duration(setting: value) else { return false }
            settings.timers[timer] = duration
            return true
        } write: {
            $0.timers[timer].map {
                $0 < .seconds(1) ? plain($0 / .milliseconds(1)) + "ms" : plain($0 / .seconds(1)) + "s"
            }
        }
    }

    /// Returns the number as text, without a fraction if the number is whole.
    private static func plain(_ number: Double) -> String {
        number.rounded() == number ? "\(Int64(number))" : "\(number)"
    }

    private static func limit(_ limit: ResourceLimits.Name) -> DaemonSetting {
        DaemonSetting(name: "Limits.\(limit.rawValue)", form: limit.form) { value, settings in
            guard let setting = ResourceLimits.Setting(limit, setting: value) else { return false }
            settings.limits[setting: limit] = setting
            return true
        } write: {
            switch $0.limits[setting: limit] ?? Backstop.limits[setting: limit] {
            case nil: nil
            case .off: "off"
            case .limit(let value): limit == .cpu ? "\(value)ms" : "\(value)"
            }
        }
    }

    private static let profile = DaemonSetting(
        name: "Profile", form: "a profile from exthostctl show --profile",
        read: { value, settings in
            guard let found = value.string.flatMap(PlatformProfile.named) else { return false }
            settings.profile = found
            return true
        }, write: { $0.profile?.name })

    private static func quota(
        _ name: String, _ quota: any WritableKeyPath<DaemonSettings, Usage> & Sendable
    ) -> [DaemonSetting] {
        let parts: [(String, any WritableKeyPath<Usage, Int> & Sendable)] = [
            ("Requests", \.requests), ("Descriptors", \.descriptors), ("Bytes", \.bytes), ("Processes", \.processes),
        ]
        return parts.map { part, path in
            DaemonSetting(name: "\(name).\(part)", form: "a whole number from 1 to 1099511627776") { value, settings in
                guard let limit = value.integer, (1...1 << 40).contains(limit) else { return false }
                settings[keyPath: quota][keyPath: path] = Int(limit)
                return true
            } write: {
                "\($0[keyPath: quota][keyPath: path])"
            }
        }
    }

    private static let sandbox = DaemonSetting(
        name: "Sandbox", form: "required, best or none", isForStart: true,
        read: { value, settings in
            guard let demand = value.string.flatMap(ConfinementDemand.init(rawValue:)) else { return false }
            settings.sandbox = demand
            return true
        }, write: { $0.sandbox.rawValue })

    private static let sharedGroups = DaemonSetting(
        name: "SharedGroups", form: "a list of app groups, such as group.org.example.notes, or all",
        read: { value, settings in
            let isAll = value.string == "all"
            let written = value.string?.split(separator: ",").map { PropertyList.string(String($0)) }
            let names = isAll ? [] : value.array ?? written ?? []
            let groups = names.compactMap { name in name.string.flatMap { try? GroupIdentifier($0) } }
            guard isAll || !groups.isEmpty, groups.count == names.count else { return false }
            settings.sharedGroups = Set(groups)
            settings.sharesAllGroups = isAll
            return true
        },
        write: {
            $0.sharesAllGroups
                ? "all" : $0.sharedGroups.isEmpty ? nil : $0.sharedGroups.map(\.text).sorted().joined(separator: ",")
        })

    private static let breaker = DaemonSetting(
        name: "Breaker", form: "a whole number from 1 to 1000, or off",
        read: { value, settings in
            if value.string == "off" {
                settings.breakerLimit = nil
                return true
            }
            guard let count = value.integer ?? value.string.flatMap(Int64.init), (1...1000).contains(count) else {
                return false
            }
            settings.breakerLimit = Int(count)
            return true
        }, write: { $0.breakerLimit.map(String.init) ?? "off" })

    private static let endUnresponsive = DaemonSetting(
        name: "EndUnresponsive", form: "true or false",
        read: { value, settings in
            guard let flag = value.boolean else { return false }
            settings.endsUnresponsive = flag
            return true
        }, write: { $0.endsUnresponsive.map { "\($0)" } })

    private static let logLevel = DaemonSetting(
        name: "LogLevel", form: "trace, debug, info, notice, warning, error or critical",
        read: { value, settings in
            guard let level = value.string.flatMap(Logger.Level.init(rawValue:)) else { return false }
            settings.logLevel = level
            return true
        }, write: { $0.logLevel.rawValue })
}
