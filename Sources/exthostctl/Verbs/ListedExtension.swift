// ListedExtension: a registered bundle with its place among its copies, as lists show it (spec 2.3).

import ExtensionHostTesting
import ExtensionProtocol

struct ListedExtension {
    let record: ExtensionRecord
    /// Whether this copy is the one that is used.
    let isWinner: Bool
    /// Blank for what is as it should be, `=` for a copy that another one supersedes. Elections are not kept yet.
    let prefix: String

    /// What is left of matching records: the winners; with `allVersions` one copy of every version of what can be used; with
    /// `allCopies` everything.
    static func reduce(_ records: [ExtensionRecord], allVersions: Bool, allCopies: Bool) -> [ListedExtension] {
        let usable = Set(records.filter { $0.problems.isEmpty }.map(\.identifier))
        let all = records.map { record in
            let isWinner = record.problems.isEmpty
            return ListedExtension(
                record: record, isWinner: isWinner, prefix: !isWinner && usable.contains(record.identifier) ? "=" : " ")
        }
        if allCopies { return all }
        guard allVersions else { return all.filter(\.isWinner) }
        var seen = Set(all.filter(\.isWinner).map { [$0.record.identifier, $0.record.version] })
        return all.filter { listed in
            listed.isWinner
                || usable.contains(listed.record.identifier)
                    && seen.insert([listed.record.identifier, listed.record.version]).inserted
        }
    }

    var json: JSON {
        [
            "identifier": .string(record.identifier), "version": .string(record.version),
            "shortVersion": .string(record.shortVersion), "point": .string(record.point), "path": .string(record.path),
            "containingApp": .optional(record.containingApp), "displayName": .string(record.displayName), "election": "default",
            "prefix": .string(prefix), "winner": .boolean(isWinner), "problems": .array(record.problems.map(JSON.string)),
        ]
    }

    // MARK: For people

    private var name: String { "\(prefix)    \(printable(record.identifier))(\(printable(record.version)))" }

    /// `pluginkit`'s line, and under it what is wrong with the bundle.
    var line: String {
        let problems = record.problems.map { "         \(Colour.red("disabled")): \(printable($0))\n" }.joined()
        let place = record.problems.isEmpty || record.path == record.identifier ? "" : "  \(printable(record.path))"
        return name + place + "\n" + problems
    }

    /// One line with tabs.
    var longLine: String {
        [name, printable(record.displayName), printable(record.point), printable(record.path)].joined(separator: "\t") + "\n"
            + record.problems.map { "         \(Colour.red("disabled")): \(printable($0))\n" }.joined()
    }

    /// Everything, the keys right-aligned as `pluginkit -m -vv` does.
    var block: String {
        var text = name + "\n" + Self.entry("Path", record.path) + Self.entry("SDK", record.point)
        if let app = record.containingApp { text += Self.entry("Parent Bundle", app) }
        text += Self.entry("Display Name", record.displayName) + Self.entry("Short Version", record.shortVersion)
        text += Self.entry("Election", "default")
        for problem in record.problems { text += Self.entry("Problem", problem) }
        return text
    }

    static func entry(_ key: String, _ value: String) -> String {
        "\t\(String(repeating: " ", count: max(0, 16 - key.count)))\(key) = \(printable(value))\n"
    }
}
