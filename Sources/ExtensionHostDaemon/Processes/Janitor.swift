// Janitor: the process that removes folders of a daemon, however the daemon ends.

import Glibc
import LinuxSystem

/// A process of `exthost-init` that waits for the end of this process and removes folders that are still there.
public struct Janitor: Sendable {
    public enum Kind: String, Sendable {
        /// Folders of files, one only.
        case files = "janitor"
        /// Control groups.
        case groups
    }

    /// The descriptor that is open for as long as this process lives, or this value. No child has it.
    private let lease: SharedDescriptor

    /// Starts a janitor for folders.
    ///
    /// - Throws: `SystemError`, `SpawnError`: the folders would stay if the daemon were killed.
    public init(_ kind: Kind, _ folders: [String], initProgram: String) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        let reading = OwnedDescriptor(owning: ends[0])
        lease = SharedDescriptor(owning: ends[1])
        for end in ends where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 { throw SystemError("fcntl") }
        var attributes = SpawnAttributes(
            executable: initProgram, arguments: [kind.rawValue, "3"] + folders, environment: ["PATH=/usr/bin:/bin"],
            workingDirectory: "/")
        attributes.descriptors = [.init(parent: reading.raw, child: 3)]
        attributes.onDaemonExit = .keep
        // The janitor is never reaped: it ends after this process, or this process does not need it any more.
        _ = try spawn(attributes)
    }
}
