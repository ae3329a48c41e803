// Janitor: removes a daemon's private folder, however the daemon ends.

import Glibc
import LinuxSystem

/// A process of `exthost-init` that waits for the end of this one. What is removed in order it finds gone.
struct Janitor: Sendable {
    /// Open for as long as this process lives; no child has it.
    private let lease: SharedDescriptor

    /// - Throws: `SystemError`, `SpawnError`: the folder would stay should the daemon be killed.
    init(_ folder: String, initProgram: String) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        let reading = OwnedDescriptor(owning: ends[0])
        lease = SharedDescriptor(owning: ends[1])
        for end in ends where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 { throw SystemError("fcntl") }
        var attributes = SpawnAttributes(
            executable: initProgram, arguments: ["janitor", "3", folder], environment: ["PATH=/usr/bin:/bin"],
            workingDirectory: "/")
        attributes.descriptors = [.init(parent: reading.raw, child: 3)]
        attributes.onDaemonExit = .keep
        // Never waited for: it ends after this process, or this process does not need it any more.
        _ = try spawn(attributes)
    }
}
