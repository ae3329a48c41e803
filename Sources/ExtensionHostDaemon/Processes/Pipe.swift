// Pipe: an extension's standard stream on its way to the daemon.

import Glibc
import LinuxSystem

/// A pipe, close-on-exec; the reading end does not block.
struct Pipe {
    let reading: SharedDescriptor
    let writing: SharedDescriptor

    init() throws(SystemError) {
        try FailureInjection.descriptors.check("pipe")
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        reading = SharedDescriptor(owning: ends[0])
        writing = SharedDescriptor(owning: ends[1])
        // Nobody else starts processes here between the two calls: spawns come from the loop's thread only.
        guard fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0,
            fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0
        else { throw SystemError("fcntl") }
    }
}
