// Footprint: what a process takes of the machine's memory, and what was loaded into it, as /proc has it (proc(5)).

import LinuxSystem

struct Footprint: Sendable {
    /// How a program was linked, by what is mapped into its process.
    enum Linking: String, Sendable {
        /// Swift's libraries lie outside, each to be found and bound at every start.
        case dynamic
        case staticStandardLibrary = "static-stdlib"
        /// No library at all.
        case staticExecutable = "static"
        /// Its program is an interpreter.
        case script

        var summary: String {
            switch self {
            case .dynamic: "dynamically"
            case .staticStandardLibrary: "Swift within"
            case .staticExecutable: "all within"
            case .script: "a script"
            }
        }
    }

    /// Bytes: pages that no other process has; with its share of those that others have, too; all.
    let own: Int
    let proportional: Int
    let resident: Int
    /// By name, without folder.
    let libraries: [String]
    let linking: Linking

    /// Nil for a process that is gone, or may not be looked into.
    init?(of pid: Int) {
        let folder = "/proc/\(pid)"
        guard let sums = Self.sums("\(folder)/smaps_rollup"), let resident = sums["Rss"], let proportional = sums["Pss"],
            let maps = Self.text("\(folder)/maps")
        else { return nil }
        self.resident = resident
        self.proportional = proportional
        own = (sums["Private_Clean"] ?? 0) + (sums["Private_Dirty"] ?? 0)
        // Address, rights, offset, device, inode, path.
        let files = maps.split(separator: "\n").compactMap { line -> String? in
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6, let path = fields.last?.drop(while: { $0 == " " }), path.hasPrefix("/") else { return nil }
            return path.split(separator: "/").last.map(String.init)
        }
        libraries = Set(files.filter { $0.hasSuffix(".so") || $0.contains(".so.") }).sorted()
        let program = files.first ?? ""
        if libraries.contains("libswiftCore.so") {
            linking = .dynamic
        } else if ["python", "perl", "ruby", "node", "bash", "dash"].contains(where: program.hasPrefix) {
            linking = .script
        } else {
            linking = libraries.isEmpty ? .staticExecutable : .staticStandardLibrary
        }
    }

    /// Lines `Name:   12 kB`, in bytes.
    private static func sums(_ path: String) -> [String: Int]? {
        guard let text = text(path) else { return nil }
        return Dictionary(
            text.split(separator: "\n").compactMap { line -> (String, Int)? in
                let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
                guard words.count == 3, words[2] == "kB", let kilobytes = Int(words[1]) else { return nil }
                return (String(words[0].dropLast()), kilobytes * 1024)
            }
        ) { $1 }
    }

    private static func text(_ path: String) -> String? {
        (try? readFile(path, maximumSize: 16 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }
}
