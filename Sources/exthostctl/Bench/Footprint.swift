// Footprint: a process's memory and its loaded libraries, read from /proc (proc(5)).

import LinuxSystem

struct Footprint: Sendable {
    /// The linking of a program, judged by the files mapped into its process.
    enum Linking: String, Sendable {
        /// Swift's libraries are shared ones, each found and bound at every start.
        case dynamic
        case staticStandardLibrary = "static-stdlib"
        /// The program has no library at all.
        case staticExecutable = "static"
        /// The program is an interpreter.
        case script

        var summary: String {
            switch self {
            case .dynamic: "dynamically"
            case .staticStandardLibrary: "Swift linked in"
            case .staticExecutable: "all linked in"
            case .script: "a script"
            }
        }
    }

    /// Memory in bytes: pages of this process alone; these with its share of the common ones; and all.
    let own: Int
    let proportional: Int
    let resident: Int
    /// The libraries by name, without folder.
    let libraries: [String]
    let linking: Linking

    /// Reads the footprint. Nil for a process that is gone, or may not be inspected.
    init?(of pid: Int) {
        let folder = "/proc/\(pid)"
        guard let sums = Self.sums("\(folder)/smaps_rollup"), let resident = sums["Rss"],
            let proportional = sums["Pss"],
            let maps = Self.text("\(folder)/maps")
        else { return nil }
        self.resident = resident
        self.proportional = proportional
        own = (sums["Private_Clean"] ?? 0) + (sums["Private_Dirty"] ?? 0)
        // Each line has address, permissions, offset, device, inode and path.
        let files = maps.split(separator: "\n").compactMap { line -> String? in
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            guard fields.count == 6, let path = fields.last?.drop(while: { $0 == " " }), path.hasPrefix("/") else {
                return nil
            }
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

    /// Returns the sums of lines such as `Name:   12 kB`, in bytes.
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
