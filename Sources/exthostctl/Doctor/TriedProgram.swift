// TriedProgram: a program that is run to its end in the way in which extensions are started.

import Foundation
import Glibc
import LinuxSystem

enum TriedProgram {
    struct Answer {
        let status: Int32
        let output: String
    }

    struct Failure: Error {
        let what: String
        let remedy: String
    }

    /// The time limit of a program in milliseconds.
    private static let patience: Int32 = 10_000
    private static let outputLimit = 4096

    /// Runs a program. It blocks the calling thread, up to the time limit.
    static func run(
        _ path: String, _ arguments: [String], enclosure: SpawnAttributes.Enclosure = .session
    ) throws(Failure) -> Answer {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(what: "\(SystemError("pipe"))", remedy: "raise ulimit -n") }
        let reading = OwnedDescriptor(owning: ends[0])
        let writing = OwnedDescriptor(owning: ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var attributes = SpawnAttributes(
            executable: path, arguments: arguments,
            environment: ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" })
        attributes.standardOutput = .descriptor(writing.raw)
        attributes.enclosure = enclosure
        // The parent-death signal would follow this thread, which is not this program's last.
        attributes.onDaemonExit = .keep
        let process: SpawnedProcess
        do {
            process = try spawn(attributes)
        } catch {
            throw Failure(what: "\(error)", remedy: "check the limits below, and the cause in the message")
        }
        var entry = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        var count: Int32
        repeat { count = poll(&entry, 1, patience) } while count < 0 && errno == EINTR
        if count != 1 {
            _ = try? process.signalTree(SIGKILL)
            _ = poll(&entry, 1, 1000)
        }
        let ending = try? process.reap()
        guard count == 1 else {
            throw Failure(what: "it did not exit within \(patience / 1000) s", remedy: "run it by hand")
        }
        let status: Int32? =
            switch ending?.status {
            case .exited(let code): code
            default: nil
            }
        guard let status else { throw Failure(what: "a signal ended it", remedy: "run it by hand") }
        // The process has ended, so all its output is in the pipe, unless a child of it still writes.
        _ = fcntl(reading.raw, F_SETFL, O_NONBLOCK)
        var bytes = [UInt8](repeating: 0, count: outputLimit)
        let filled = read(reading.raw, &bytes, bytes.count)
        return Answer(status: status, output: String(decoding: bytes.prefix(max(0, filled)), as: UTF8.self))
    }
}
