// Pipe: the pipe of an extension's standard stream to the daemon.

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
        // No other thread spawns a process between the two calls, because spawns come from the loop's thread only.
        guard fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0,
            fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0
        else { throw SystemError("fcntl") }
    }
}
