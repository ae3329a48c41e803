// RunningPrograms: the processes of a test's extensions, found from outside.

import Foundation
import Glibc
import LinuxSystem

/// Every process that runs something below `folder`, by its command line, which a fork keeps: what forks without end
/// has no number to wait for. The init or guardian around an extension is one of them.
///
/// - Parameter name: of one extension's bundle, without suffix; nil for all of them.
func running(_ folder: String, _ name: String? = nil) -> [pid_t] {
    let place = folder + "/Tests.app/PlugIns/" + (name.map { $0 + ".appex/" } ?? "")
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap(pid_t.init).filter { pid in
        guard let command = try? readFile("/proc/\(pid)/cmdline", maximumSize: 4096), !isGone(pid) else { return false }
        return String(decoding: command, as: UTF8.self).contains(place)
    }
}
