// ThumbnailerProcess: the process of a running thumbnailer.

internal import CLinux
internal import Glibc
internal import LinuxDescriptors

/// A child process that leads its own session. It stays unreaped until `end()`.
///
/// The standard streams are `/dev/null`, it has no other descriptor, and the kernel kills it when the thread that
/// started it ends.
///
/// The engine's `spawn(_:)` can do more; an extension would be built with all of that.
struct ThumbnailerProcess: ~Copyable {
    private let pid: pid_t
    private let pidfd: OwnedDescriptor

    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - environment: `NAME=VALUE` strings; nothing is inherited.
    /// - Throws: `EINVAL` for a string that holds a zero byte, and the error of the step that failed.
    init(_ command: [String], environment: [String], directory: String) throws(SystemError) {
        guard !command.isEmpty, !(command + environment).contains(where: { $0.utf8.contains(0) }) else {
            throw SystemError("execve", code: EINVAL)
        }
        try FailureInjection.memory.check("clone")
        let arguments = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        let folder = strdup(directory)
        defer {
            for string in arguments + variables { free(string) }
            free(folder)
        }
        var streams = (0..<3).map { exthost_placement(source: -1, target: $0, staged: -1) }
        var request = exthost_spawn()
        request.mask = -1
        request.death_signal = SIGKILL
        request.path = UnsafePointer(arguments[0])
        request.directory = UnsafePointer(folder)
        let hasStarted = arguments.withUnsafeBufferPointer { arguments in
            variables.withUnsafeBufferPointer { variables in
                streams.withUnsafeMutableBufferPointer { streams in
                    request.arguments = arguments.baseAddress
                    request.environment = variables.baseAddress
                    request.placements = streams.baseAddress
                    request.placement_count = Int32(streams.count)
                    return exthost_spawn(&request)
                }
            }
        }
        guard hasStarted else { throw SystemError("clone", code: request.code) }
        pid = request.pid
        pidfd = OwnedDescriptor(owning: request.pidfd)
    }

    /// Waits up to `milliseconds` for the process; returns whether it has ended.
    borrowing func hasEnded(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: pidfd.raw, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Kills the process and everything left running in its group, and reaps it.
    consuming func end() throws(SystemError) {
        // No other process can have the pid before this one is reaped.
        _ = kill(-pid, SIGKILL)
        var ending = exthost_ended()
        while true {
            let code = exthost_reap(pidfd.raw, &ending)
            guard code == 0 else { throw SystemError("waitid", code: -code) }
            if ending.ended { return }
            _ = hasEnded(within: 1000)
        }
    }
}
