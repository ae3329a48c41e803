// TreeUsageTests: what a tree of processes uses, while some of them end.

import Glibc
import LinuxSystem
import Testing

@testable import ExtensionHostDaemon

@Suite struct TreeUsageTests {
    /// Holds 64 MiB, shares them with a fork that ends at the first line of input, and reaps nobody.
    private static let sharing = """
        import os, sys
        held = b"x" * (64 << 20)
        gate = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(gate[1])
            os.read(gate[0], 1)
            os._exit(0)
        print(child, flush=True)
        sys.stdin.readline()
        os.write(gate[1], b"x")
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        print("ended", flush=True)
        sys.stdin.read()
        """

    /// What the two shared has become one's alone by the time at which it is looked at more closely.
    @Test func whatWasSharedWithOneThatHasEndedSinceCountsOnce() throws {
        var (input, output) = ([Int32](repeating: -1, count: 2), [Int32](repeating: -1, count: 2))
        try #require(pipe(&input) == 0 && pipe(&output) == 0)
        for descriptor in [input[1], output[0]] { try #require(fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0) }
        var attributes = SpawnAttributes(
            executable: "/usr/bin/python3", arguments: ["-c", Self.sharing], environment: [])
        attributes.standardInput = .descriptor(input[0])
        attributes.standardOutput = .descriptor(output[1])
        attributes.onDaemonExit = .keep  // the parent-death signal would follow this thread
        let process = try spawn(attributes)
        close(input[0])
        close(output[1])
        defer {
            _ = try? process.signalTree(SIGKILL)
            var entry = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, 60_000)
            _ = try? process.reap()
            close(input[1])
            close(output[0])
        }
        func line() -> Int {
            var bytes = [UInt8](repeating: 0, count: 64)
            return read(output[0], &bytes, bytes.count)
        }
        try #require(line() > 0)
        var usage = TreeUsage(root: process.pid, isEnclosed: false, countsDescriptors: false)
        #expect(usage.tasks == 2 && usage.memory > 128 << 20)
        try #require(write(input[1], "\n", 1) == 1)
        try #require(line() > 0)
        usage.countSharedOnce()
        #expect(usage.memory > 64 << 20 && usage.memory < 96 << 20, "\(usage.memory)")
    }
}
