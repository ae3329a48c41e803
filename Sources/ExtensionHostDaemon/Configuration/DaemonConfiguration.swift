// DaemonConfiguration: settings merged from several sources, the source of each value, and the rejected settings.

import ExtensionHostModel
public import ExtensionProtocol
import LinuxSystem
public import PropertyListCoding

/// The merged settings of a daemon. A bad setting is rejected and reported by name; it affects no other.
public struct DaemonConfiguration: Sendable {
    public private(set) var settings: DaemonSettings
    /// The source of each setting that was set, by name: the file, option or variable that counts.
    private var sources: [String: String] = [:]
    /// The rejected settings, in order of arrival; bounded.
    public private(set) var problems: [SettingProblem] = []
    /// Files that were read, in order.
    public private(set) var files: [String] = []

    private static let largestFile = 1 << 20
    private static let problemsKept = 64

    /// - Parameter settings: the default values.
    public init(_ settings: DaemonSettings = DaemonSettings()) { self.settings = settings }

    /// Applies a file's settings over the present ones.
    ///
    /// - Throws: `ExtensionHostError` `invalidArgument` if the file cannot be read at all; then the call changes
    ///   nothing.
    public mutating func read(_ path: String) throws(ExtensionHostError) {
        let plist: PropertyList
        do {
            plist = try PropertyList(file: try readFile(path, maximumSize: Self.largestFile), limits: .file)
        } catch {
            throw unreadable(path, "\(error)")
        }
        guard let entries = plist.dictionary else { throw unreadable(path, "its top level is not a dictionary") }
        files.append(path)
        // The order by name makes the reports on a file the same each time.
        for (name, value) in entries.sorted(by: { $0.0 < $1.0 }) {
            // The older name.
            let name = name == "RequestsPerHost" ? "HostQuota.Requests" : name
            if DaemonSetting.named(name) != nil {
                set(name, value, source: path)
            } else if let group = value.dictionary, !name.contains(".") {
                for (part, value) in group.sorted(by: { $0.0 < $1.0 }) { set("\(name).\(part)", value, source: path) }
            } else {
                reject(name, path, "there is no such setting")
            }
        }
    }

    /// Reads the files of `paths` in order, each over those before. A file that cannot be read is reported, and the
    /// others count.
    public mutating func read(_ paths: [String]) {
        for path in paths {
            do {
                try read(path)
            } catch {
                problem(
                    SettingProblem(
                        source: path, name: nil, message: error.cause.map { "\(error.message): \($0)" } ?? error.message
                    ))
            }
        }
    }

    /// Applies one value over the present one.
    ///
    /// - Parameter source: the source as reports name it: a file, an option, a variable.
    public mutating func set(_ name: String, _ value: PropertyList, source: String) {
        guard let setting = DaemonSetting.named(name) else { return reject(name, source, "there is no such setting") }
        guard setting.read(value, &settings) else { return reject(name, source, "the value must be \(setting.form)") }
        sources[name] = source
    }

    private mutating func reject(_ name: String, _ source: String, _ message: String) {
        problem(SettingProblem(source: source, name: name.cut(toBytes: 128), message: message))
    }

    private mutating func problem(_ problem: SettingProblem) {
        if problems.count < Self.problemsKept { problems.append(problem) }
    }

    private func unreadable(_ path: String, _ cause: String) -> ExtensionHostError {
        ExtensionHostError(
            .invalidArgument, "the configuration \(path) cannot be read",
            remedy: "Name a readable property list, XML or binary, of at most 1 MiB", cause: cause)
    }

    /// The settings in force, with their values and sources.
    public var report: [SettingRecord] {
        DaemonSetting.all.map { setting in
            SettingRecord(
                name: setting.name, value: setting.write(settings), source: sources[setting.name] ?? "built in")
        }
    }

    /// Returns `next` as the configuration of the same daemon while it runs.
    ///
    /// A setting that cannot change at run time keeps its value, and the difference is reported.
    public func adopting(_ next: DaemonConfiguration) -> DaemonConfiguration {
        var result = next
        for setting in DaemonSetting.all where setting.isForStart {
            guard setting.write(settings) != setting.write(next.settings) else { continue }
            let source = next.sources[setting.name] ?? "built in"
            result.problem(
                SettingProblem(
                    source: source, name: setting.name,
                    message: "\(setting.write(next.settings) ?? "nothing") takes effect at the next start of the daemon"
                ))
            result.sources[setting.name] = sources[setting.name]
            if let value = setting.write(settings) { _ = setting.read(.string(value), &result.settings) }
        }
        return result
    }
}
