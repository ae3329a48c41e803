// Configuration: the settings of --config; a bad setting is named and disables itself only.

import ExtensionHostDaemon
import ExtensionPoints
import ExtensionProtocol
import Glibc
import LinuxSystem
import Logging
import PropertyListCoding

/// A property list: `Timers` (dictionary of names and durations), `Limits` (dictionary of names and limits), `Profile` (string),
/// `HostQuota` and `UserQuota` (dictionaries of `Requests`, `Descriptors`, `Bytes` and `Processes`, integers), `RequestsPerHost` (the same as
/// `HostQuota.Requests`), `Sandbox` (`required`, `best` or `none`), `LogLevel` (string).
struct Configuration {
    var timers: [Timers.Name: Duration] = [:]
    var limits = ResourceLimits()
    var profile: PlatformProfile?
    var hostQuota = Usage.hostLimit
    var userQuota = Usage.userLimit
    var sandbox: ConfinementDemand?
    var logLevel: Logger.Level?

    /// A file that cannot be read at all is an error; a setting in it that is not one is said and left out.
    init(path: String?) throws(ExtensionHostError) {
        guard let path else { return }
        let plist: PropertyList
        do {
            plist = try PropertyList(file: try readFile(path, maximumSize: 1024 * 1024), limits: .file)
        } catch {
            throw ExtensionHostError(
                .invalidArgument, "the configuration \(path) cannot be read",
                remedy: "Name a readable property list, XML or binary, of at most 1 MiB", cause: "\(error)")
        }
        for (key, value) in plist.dictionary ?? [:] {
            switch key {
            case "Timers":
                for (name, setting) in value.dictionary ?? [:] { setTimer(name, setting, path) }
            case "Limits":
                for (name, setting) in value.dictionary ?? [:] { setLimit(name, setting, path) }
            case "Profile":
                if let found = value.string.flatMap(PlatformProfile.named) { profile = found } else { Self.reject(key, path) }
            case "RequestsPerHost":
                if let limit = value.integer, (1...65_536).contains(limit) {
                    hostQuota.requests = Int(limit)
                } else {
                    Self.reject(key, path)
                }
            case "HostQuota": Self.set(&hostQuota, key, value, path)
            case "UserQuota": Self.set(&userQuota, key, value, path)
            case "Sandbox":
                sandbox = value.string.flatMap(ConfinementDemand.init(rawValue:))
                if sandbox == nil { Self.reject(key, path) }
            case "LogLevel":
                if let level = value.string.flatMap(Logger.Level.init(rawValue:)) {
                    logLevel = level
                } else {
                    Self.reject(key, path)
                }
            default: Self.reject(key, path)
            }
        }
    }

    private mutating func setTimer(_ name: String, _ value: PropertyList, _ path: String) {
        guard let timer = Timers.Name(rawValue: name), let duration = Duration(setting: value) else {
            return Self.reject("Timers.\(name)", path)
        }
        timers[timer] = duration
    }

    private mutating func setLimit(_ text: String, _ value: PropertyList, _ path: String) {
        guard let name = ResourceLimits.Name(rawValue: text), let setting = ResourceLimits.Setting(name, setting: value) else {
            return Self.reject("Limits.\(text)", path)
        }
        limits[setting: name] = setting
    }

    private static func set(_ quota: inout Usage, _ key: String, _ value: PropertyList, _ path: String) {
        guard let entries = value.dictionary else { return reject(key, path) }
        for (name, setting) in entries {
            guard let limit = setting.integer, (1...1 << 40).contains(limit) else {
                reject("\(key).\(name)", path)
                continue
            }
            switch name {
            case "Requests": quota.requests = Int(limit)
            case "Descriptors": quota.descriptors = Int(limit)
            case "Bytes": quota.bytes = Int(limit)
            case "Processes": quota.processes = Int(limit)
            default: reject("\(key).\(name)", path)
            }
        }
    }

    private static func reject(_ key: String, _ path: String) {
        StandardStreams.writeError("exthostd: \(path): \(key) is no setting, or its value is none; it was left out\n")
    }
}
