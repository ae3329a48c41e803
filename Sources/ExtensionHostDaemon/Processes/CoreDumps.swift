// CoreDumps: the cores that systemd-coredump stores, found by the names of their files (systemd-coredump(8)).

import Glibc
import LinuxSystem

/// A folder of files `core.COMM.UID.BOOTID.PID.MICROSECONDS`, with the suffix of a compressor.
///
/// It reads folders, so it must not be used on the loop's thread.
public struct CoreDumps: Sendable {
    public static let standardFolder = "/var/lib/systemd/coredump"

    /// The most entries of a folder that is searched.
    private static let entriesLimit = 65_536

    let folder: String

    /// Returns the name of the file of the process `pid` of this boot that started at `start` or later (microseconds
    /// since 1970).
    ///
    /// It reads a folder. Nil while there is no file.
    func name(pid: Int, since start: Int) -> String? { names(of: [(pid, start)])[pid] }

    /// Returns the names of the files of several processes, by pid.
    func names(of processes: [(pid: Int, start: Int)]) -> [Int: String] {
        guard !processes.isEmpty, let entries = try? listDirectory(folder, maximumCount: Self.entriesLimit),
            let boot = try? readFile("/proc/sys/kernel/random/boot_id", maximumSize: 64)
        else { return [:] }
        let bootName = String(decoding: boot, as: UTF8.self).filter { $0.isHexDigit }
        var found: [Int: String] = [:]
        for entry in entries where entry.hasPrefix("core.") {
            // The program's name comes first and may hold dots.
            let parts = entry.split(separator: ".", omittingEmptySubsequences: false)
            guard let place = parts.lastIndex(where: { $0 == bootName }), place >= 3, parts.count > place + 2,
                let pid = Int(parts[place + 1]), let time = Int(parts[place + 2]),
                let process = processes.last(where: { $0.pid == pid }), time >= process.start
            else { continue }
            found[pid] = entry
        }
        return found
    }
}
