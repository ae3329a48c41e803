// RunningPrograms: the processes of a test's extensions, found from outside.

import Foundation
import Glibc
import LinuxSystem

/// Every process that runs something below `folder`, by its command line, which a fork keeps: what forks without end has no number
/// to wait for. The init or guardian around an extension is one of them.
func running(_ folder: String) -> [pid_t] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap(pid_t.init).filter { pid in
        guard let command = try? readFile("/proc/\(pid)/cmdline", maximumSize: 4096), !isGone(pid) else { return false }
        return String(decoding: command, as: UTF8.self).contains(folder + "/Tests.app/PlugIns/")
    }
}
