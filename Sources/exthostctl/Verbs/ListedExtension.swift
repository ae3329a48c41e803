// ListedExtension: a registered bundle with its place among its copies, as lists show it (spec 2.3).

import ExtensionHostTesting
import ExtensionProtocol

struct ListedExtension {
    let record: ExtensionRecord

    var json: JSON {
        [
            "identifier": .string(record.identifier), "version": .string(record.version),
            "shortVersion": .string(record.shortVersion), "point": .string(record.point), "path": .string(record.path),
            "containingApp": .optional(record.containingApp), "displayName": .string(record.displayName),
            "election": .string(record.election.rawValue), "prefix": .string(record.prefix),
            "winner": .boolean(record.isWinner),
            "problems": .array(record.problems.map(JSON.string)),
        ]
    }

    // MARK: For people

    private var name: String {
        "\(printable(record.prefix))    \(printable(record.identifier))(\(printable(record.version)))"
    }

    /// The line of `pluginkit`, with the problems of the bundle below it.
    var line: String {
        let place = record.problems.isEmpty || record.path == record.identifier ? "" : "  \(printable(record.path))"
        return name + place + "\n" + faults
    }

    private var faults: String {
        (record.problems.map { "\(Colour.red("disabled")): \(printable($0))" }
            + record.warnings.map { "\(Colour.yellow("warning")): \(printable($0))" })
            .map { "         \($0)\n" }.joined()
    }

    /// One line with tabs, as `pluginkit -m -v` has it.
    var longLine: String {
        [name, record.uuid, written(universalTime: record.registered), record.path].map(printable).joined(
            separator: "\t") + "\n"
            + faults
    }

    /// All attributes, with right-aligned keys, as `pluginkit -m -vv` has them.
    var block: String {
        var text = name + "\n" + Self.entry("Path", record.path) + Self.entry("UUID", record.uuid)
        text += Self.entry("Timestamp", written(universalTime: record.registered)) + Self.entry("SDK", record.point)
        if let app = record.containingApp { text += Self.entry("Parent Bundle", app) }
        text += Self.entry("Display Name", record.displayName)
        if let name = record.shortName { text += Self.entry("Short Name", name) }
        if let name = record.parentName { text += Self.entry("Parent Name", name) }
        text += Self.entry("Short Version", record.shortVersion) + Self.entry("Election", record.election.rawValue)
        for problem in record.problems { text += Self.entry("Problem", problem) }
        for warning in record.warnings { text += Self.entry("Warning", warning) }
        return text
    }

    static func entry(_ key: String, _ value: String) -> String {
        "\t\(String(repeating: " ", count: max(0, 16 - key.count)))\(key) = \(printable(value))\n"
    }
}
