// LimitBackEnds: which back ends of limits this machine has for whoever runs the tests, by other evidence than the
// daemon's own.

import Foundation
import Glibc
import LinuxSystem

enum LimitBackEnds {
    /// The options that force one each.
    static let all: [String] = ["poll"] + (hasVersion1 ? ["cgroup1"] : []) + (hasVersion2 ? ["cgroup2"] : [])

    /// Root can make groups below its own in a mounted hierarchy.
    static let hasVersion1 = geteuid() == 0 && own("memory") != nil && own("pids") != nil
    private static let hasVersion2 =
        geteuid() == 0
        && ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].contains { folder in
            let text = (try? String(contentsOfFile: folder + "/cgroup.controllers", encoding: .utf8)) ?? ""
            return Set(text.split(whereSeparator: \.isWhitespace)).isSuperset(of: ["memory", "pids"])
        }

    /// The own group's folder in the hierarchy of a controller, mounted where it usually is.
    static func own(_ controller: String) -> String? {
        let text = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.contains(":\(controller):") }
        guard let path = line?.split(separator: ":", omittingEmptySubsequences: false).last else { return nil }
        let folder = "/sys/fs/cgroup/\(controller)\(path == "/" ? "" : path)"
        return access(folder + "/cgroup.procs", W_OK) == 0 ? folder : nil
    }

    /// The folders of groups that a daemon has made.
    static func folders(of daemon: Int) -> [String] {
        ["memory", "pids"].compactMap(own).flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
                $0.hasPrefix("exthost-\(daemon)-")
            }
            .map { folder + "/" + $0 }
        }
    }

    /// How often the daemon's thread that looks at processes has slept; nil where there is none.
    static func wakeUps(of daemon: Int) -> Int? {
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon)/task")) ?? [] {
            guard let text = try? readFile("/proc/\(daemon)/task/\(thread)/status", maximumSize: 64 * 1024) else {
                continue
            }
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
            guard lines.first?.hasSuffix("\texthost-limits") == true else { continue }
            return lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }.flatMap { Int($0.filter(\.isNumber)) }
        }
        return nil
    }
}
