// WriterRun: one life of the program StoreWriter: what it said before it ended or was killed.

import Foundation
import Glibc
import LinuxSystem

/// What a writer said, and whether it was killed.
struct WriterRun {
    /// The numbers that it acknowledged, in order.
    var acknowledged: [Int] = []
    /// What it said behind the last of them.
    var registered: [String: String] = [:]
    var isOpen = false
    /// How many there are to be killed at; nil where it did not come to its end.
    var steps: Int?
    var wasKilled = false

    /// Runs it to its end; with `delay`, it is killed so many microseconds after its store was open.
    static func run(_ arguments: [String], killedAfter delay: Int? = nil) throws -> WriterRun {
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().path
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reading = OwnedDescriptor(owning: ends[0])
        let writing = OwnedDescriptor(owning: ends[1])
        var attributes = SpawnAttributes(executable: program + "/StoreWriter", arguments: arguments, environment: [])
        attributes.standardOutput = .descriptor(writing.raw)
        attributes.onDaemonExit = .keep
        let process = try spawn(attributes)
        _ = consume writing
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isKilled = false
        while true {
            let count = read(reading.raw, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
            // From its first word on, which is that the store is open.
            if let delay, !isKilled {
                isKilled = true
                usleep(UInt32(delay))  // the moment of the kill, not a wait
                _ = try? process.signalTree(SIGKILL)
            }
        }
        var entry = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, 30_000)
        var run = WriterRun()
        if case .signalled(SIGKILL, _) = try process.reap()?.status { run.wasKilled = true }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if let number = words.first.flatMap({ Int($0) }) {
                run.acknowledged.append(number)
                run.registered = Dictionary(
                    words.dropFirst().map { word in
                        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                        return (parts[0], parts.last ?? "")
                    }
                ) { $1 }
            }
            if line == "open" { run.isOpen = true }
            if line.hasPrefix("steps ") { run.steps = Int(line.dropFirst(6)) }
        }
        return run
    }
}
