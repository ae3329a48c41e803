// ConfigurationTests: files over files, and what each does to the settings.

import ExtensionHostDaemon
import ExtensionPoints
import ExtensionProtocol
import Foundation
import LinuxSystem
import PropertyListCoding
import Testing

@Suite struct ConfigurationTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    @discardableResult
    private func write(_ name: String, _ entries: [String: Any]) throws -> String {
        let path = folder.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        let data = try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    private func value(_ name: String, _ configuration: DaemonConfiguration) -> [String?] {
        let record = configuration.report.first { $0.name == name }
        return [record?.value, record?.source.replacingOccurrences(of: folder.path, with: "")]
    }

    @Test func eachSourceIsLaidOverThoseBeforeValueByValue() throws {
        defer { try? folder.remove() }
        try write("vendor/exthostd.plist", ["Timers": ["idle": "1s", "term": "2s", "load": 5], "Profile": "ios-8"])
        try write("user/exthostd.plist", ["Timers": ["term": "250ms"], "Limits": ["memory": "64MiB", "cpu": "off"]])
        try write("vendor/exthostd.plist.d/20-a.plist", ["Timers": ["load": "7s"]])
        try write("vendor/exthostd.plist.d/10-b.plist", ["Timers": ["load": "6s", "launch": "9s"]])
        try write("user/exthostd.plist.d/10-b.plist", [:])
        try write("user/exthostd.plist.d/notes.txt", ["Timers": ["load": "8s"]])
        let files = ConfigurationFiles(folders: ["vendor", "system", "user"].map { "\(folder.path)/\($0)" })
        var configuration = DaemonConfiguration()
        configuration.read(files.present)
        configuration.set("Breaker", .integer(7), source: "--breaker")
        #expect(configuration.problems.isEmpty)
        #expect(value("Timers.idle", configuration) == ["1s", "/vendor/exthostd.plist"])
        #expect(value("Timers.term", configuration) == ["250ms", "/user/exthostd.plist"])
        #expect(value("Timers.load", configuration) == ["7s", "/vendor/exthostd.plist.d/20-a.plist"])
        #expect(
            value("Timers.launch", configuration) == [nil, "built in"],
            "a file of the same name in a later folder takes its place")
        #expect(value("Limits.memory", configuration) == ["67108864", "/user/exthostd.plist"])
        #expect(value("Limits.cpu", configuration) == ["off", "/user/exthostd.plist"])
        #expect(value("Profile", configuration) == ["ios-8", "/vendor/exthostd.plist"])
        #expect(value("Breaker", configuration) == ["7", "--breaker"])
        #expect(value("HostQuota.Requests", configuration) == ["64", "built in"])
        #expect(configuration.settings.timers == [.idle: .seconds(1), .term: .milliseconds(250), .load: .seconds(7)])
        #expect(configuration.settings.breakerLimit == 7)
    }

    /// The last of equal keys counts in a bundle's file, which lint examines. An operator's file is not examined.
    @Test(arguments: [
        "<key>Sandbox</key><string>required</string><key>Sandbox</key><string>none</string>",
        "<key>Sandbox</key><string note=\"a\">none</string>",
    ])
    func aFileWithRepeatedKeysOrAttributesIsRefused(_ entries: String) throws {
        defer { try? folder.remove() }
        let path = folder.path + "/exthostd.plist"
        try Data("<plist version=\"1.0\"><dict>\(entries)</dict></plist>".utf8).write(to: URL(fileURLWithPath: path))
        var configuration = DaemonConfiguration()
        #expect(throws: ExtensionHostError.self) { try configuration.read(path) }
        #expect(configuration.settings.sandbox == DaemonSettings().sandbox)
    }

    @Test(arguments: [
        ("Timers.idle", "soon", "a duration"), ("Timers.sleep", "1s", "no such setting"),
        ("Limits.memory", "lots", "a size from"),
        ("Profile", "ios-0", "a profile"), ("Sandbox", "some", "required, best or none"),
        ("LogLevel", "loud", "trace, debug"),
        ("SharedGroups", "group.a,b/c", "a list of app groups"), ("SharedGroups", "none", "a list of app groups"),
        ("Breaker", "0", "from 1 to 1000"), ("EndUnresponsive", "maybe", "true or false"),
        ("HostQuota.Bytes", "many", "a whole number"),
        ("Colour", "red", "no such setting"),
    ])
    func aBadSettingIsToldAndHarmsNoOther(_ name: String, _ text: String, _ words: String) throws {
        defer { try? folder.remove() }
        let parts = name.split(separator: ".").map(String.init)
        var entries: [String: Any] = ["Timers": ["term": "2s"]]
        if parts.count == 1 {
            entries[name] = text
        } else {
            entries[parts[0]] = (entries[parts[0]] as? [String: String] ?? [:]).merging([parts[1]: text]) { $1 }
        }
        let path = try write("one.plist", entries)
        var configuration = DaemonConfiguration()
        try configuration.read(path)
        #expect(configuration.problems.map(\.name) == [name] && configuration.problems.map(\.source) == [path])
        #expect(configuration.problems.first?.message.contains(words) == true, "\(configuration.problems)")
        #expect(configuration.settings.timers == [.term: .seconds(2)])
    }

    @Test func aFileThatCannotBeReadIsToldAndTheOthersCount() throws {
        defer { try? folder.remove() }
        let good = try write("good.plist", ["Timers": ["idle": "4s"]])
        let bad = folder.path + "/bad.plist"
        try Data("<plist><dict>".utf8).write(to: URL(fileURLWithPath: bad))
        var configuration = DaemonConfiguration()
        configuration.read([bad, folder.path + "/none.plist", good])
        #expect(configuration.problems.map(\.source) == [bad, folder.path + "/none.plist"])
        #expect(configuration.problems.allSatisfy { $0.name == nil } && configuration.files == [good])
        #expect(configuration.settings.timers == [.idle: .seconds(4)])
    }

    /// What is written can be read: a report is a configuration.
    @Test func everyValueIsWrittenAsItIsRead() throws {
        defer { try? folder.remove() }
        var configuration = DaemonConfiguration()
        let values: [(String, PropertyList)] = [
            ("Timers.idle", .real(0.5)), ("Timers.request", .integer(300)), ("Limits.cpu", .string("30s")),
            ("Limits.output", .string("64KiB")), ("Profile", .string("ios-12")), ("Sandbox", .string("none")),
            ("EndUnresponsive", .boolean(true)), ("LogLevel", .string("debug")), ("Breaker", .string("off")),
            ("UserQuota.Requests", .integer(9)),
            ("SharedGroups", .array([.string("group.org.a"), .string("group.b")])),
        ]
        for (name, value) in values { configuration.set(name, value, source: "test") }
        #expect(configuration.problems.isEmpty, "\(configuration.problems)")
        var again = DaemonConfiguration()
        for setting in configuration.report {
            guard let text = setting.value else { continue }
            let value: PropertyList =
                setting.name.contains("Quota")
                ? .integer(Int64(text) ?? 0)
                : ["true", "false"].contains(text) ? .boolean(text == "true") : .string(text)
            again.set(setting.name, value, source: setting.source)
        }
        #expect(again.problems.isEmpty && again.report.map(\.value) == configuration.report.map(\.value))
    }

    @Test func whatTakesEffectAtTheStartStaysAndIsTold() throws {
        defer { try? folder.remove() }
        var running = DaemonConfiguration()
        running.set("Sandbox", .string("required"), source: "--sandbox")
        var next = DaemonConfiguration()
        next.set("Sandbox", .string("none"), source: "/a")
        next.set("Timers.idle", .string("1s"), source: "/a")
        let adopted = running.adopting(next)
        #expect(adopted.settings.sandbox == .required && adopted.settings.timers == [.idle: .seconds(1)])
        #expect(value("Sandbox", adopted) == ["required", "--sandbox"])
        #expect(adopted.problems.map(\.name) == ["Sandbox"] && adopted.problems.first?.source == "/a")
        #expect(adopted.problems.first?.message == "none takes effect at the next start of the daemon")
    }

    @Test func `the manual page and the page on the configuration name every setting`() throws {
        defer { try? folder.remove() }
        let docs = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs")
        let manual = try String(contentsOf: docs.appendingPathComponent("man/exthostd.plist.5"), encoding: .utf8)
        let page = try String(contentsOf: docs.appendingPathComponent("configuration.md"), encoding: .utf8)
        // A line with `.It Li` begins a setting, and one with `.Li` lists the names in its dictionary.
        let items = manual.split(separator: "\n").filter { $0.hasPrefix(".It Li ") || $0.hasPrefix(".Li ") }
        let words = Set(items.flatMap { $0.split { $0 == " " || $0 == "," } })
        for setting in DaemonConfiguration().report {
            let parts = setting.name.split(separator: ".")
            #expect(words.isSuperset(of: parts), "exthostd.plist.5 lacks \(setting.name)")
            let isNamed = page.contains("| `\(parts[0])` |") || page.contains("`\(parts[0]).NAME`")
            #expect(isNamed, "configuration.md lacks \(setting.name)")
        }
    }
}
