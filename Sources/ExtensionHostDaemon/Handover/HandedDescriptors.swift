// HandedDescriptors: the descriptors of one process from the store, assigned by their inodes.

import Glibc
import LinuxSystem

/// The descriptors of a process that the store has. Dropping them unused ends the process.
struct HandedDescriptors: Sendable {
    let pidfd, door, report, output, error: SharedDescriptor

    struct Incomplete: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: `Incomplete` unless they are the descriptors that the journal names.
    init(_ descriptors: [SharedDescriptor], of process: HandedProcess) throws(Incomplete) {
        guard process.isStored else { throw Incomplete(description: "it was to end with its daemon") }
        guard process.isReady else { throw Incomplete(description: "it had not sent hello") }
        var parts: [SharedDescriptor?] = Array(repeating: nil, count: HandedProcess.parts)
        var pidfd: SharedDescriptor?
        for descriptor in descriptors {
            if let part = Self.inode(of: descriptor.raw).flatMap({ process.inodes.firstIndex(of: $0) }) {
                parts[part] = descriptor
            } else if Self.isProcess(descriptor.raw, process) {
                pidfd = descriptor
            }
        }
        guard let pidfd, let door = parts[0], let report = parts[1], let output = parts[2], let error = parts[3] else {
            throw Incomplete(description: "the store does not have all of its descriptors")
        }
        (self.pidfd, self.door, self.report, self.output, self.error) = (pidfd, door, report, output, error)
    }

    /// Returns the inode of a socket or a pipe; nil for any other file.
    static func inode(of descriptor: Int32) -> Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK || status.st_mode & S_IFMT == S_IFIFO
        else {
            return nil
        }
        return Int(truncatingIfNeeded: status.st_ino)
    }

    /// Whether `descriptor` is the pidfd of `process`.
    ///
    /// A process that has ended has no pid any more; the store has no other pidfd under this name.
    private static func isProcess(_ descriptor: Int32, _ process: HandedProcess) -> Bool {
        guard inode(of: descriptor) == nil else { return false }
        do {
            guard let pid = try ProcessDescriptor.pid(of: descriptor) else { return true }
            return Int(pid) == process.root
        } catch {
            return false
        }
    }
}
