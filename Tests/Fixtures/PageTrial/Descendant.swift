// Descendant: a process below this one.

import Glibc

struct Descendant {
    let pid: Int32
    let start: String

    /// All processes below this one, parents first.
    static func all(below parent: Int32 = getpid()) -> [Descendant] {
        var found: [Descendant] = []
        for thread in names(in: "/proc/\(parent)/task") {
            for child in text(of: "/proc/\(parent)/task/\(thread)/children").split(separator: " ") {
                guard let pid = Int32(child), let fields = fields(of: pid) else { continue }
                found.append(Descendant(pid: pid, start: fields[19]))
                found += all(below: pid)
            }
        }
        return found
    }

    var hasEnded: Bool {
        guard let fields = Self.fields(of: pid) else { return true }
        return fields[0] == "Z" || fields[19] != start
    }

    /// The sum of the memory of the processes in kilobytes, where shared pages count in parts.
    static func memory(of pids: [Int32]) -> Int {
        pids.reduce(0) { sum, pid in
            let lines = text(of: "/proc/\(pid)/smaps_rollup").split(separator: "\n")
            let line = lines.first { $0.hasPrefix("Pss:") } ?? ""
            return sum + (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
        }
    }

    /// The fields of `/proc/PID/stat` from the third on, the state.
    private static func fields(of pid: Int32) -> [String]? {
        let text = text(of: "/proc/\(pid)/stat")
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].dropFirst(2).split(separator: " ").map(String.init)
        return fields.count > 19 ? fields : nil
    }

    private static func text(of path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
