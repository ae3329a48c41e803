// Compiler: swift as a child in this program's process group, so that a signal to a terminal's job ends both.

import Foundation
import Glibc
import LinuxSystem

/// One run of the compiler. Foundation's `Process` would use a separate process group, which Ctrl-C does not reach.
struct Compiler {
    let output: FileHandle
    private let pid: pid_t
    private let complaints: FileHandle

    /// Starts the compiler without input. Throws `SystemError`.
    init(_ program: String, _ arguments: [String], _ environment: [String: String]) throws {
        let pipe = Pipe()
        output = pipe.fileHandleForReading
        let writing = pipe.fileHandleForWriting.fileDescriptor
        // Only the child keeps the writing end; otherwise the end of its output would not be seen.
        defer { try? pipe.fileHandleForWriting.close() }
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        // Errors go to a file, because a second pipe that nobody reads would block the child. The file has no name, and
        // disappears with its last holder.
        var name = Array((NSTemporaryDirectory() + "exthost-build-XXXXXX").utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { throw SystemError("mkstemp") }
        unlink(name)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        complaints = FileHandle(fileDescriptor: file, closeOnDealloc: true)

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, writing, 1)
        posix_spawn_file_actions_adddup2(&actions, file, 2)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var number: pid_t = 0
        let code = posix_spawn(&number, program, &actions, nil, &words, &variables)
        guard code == 0 else { throw SystemError("posix_spawn", code: code) }
        pid = number
    }

    /// Waits for the end, once. A child ended by a signal has the status 128 plus its number, as in shells.
    func status() throws(SystemError) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw SystemError("waitpid") }
        }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Returns the standard error so far, or its end if it is longer than the limit.
    func errors(atMost limit: Int) -> [UInt8] {
        guard let size = try? complaints.seekToEnd() else { return [] }
        try? complaints.seek(toOffset: size - min(size, UInt64(limit)))
        return Array((try? complaints.readToEnd()) ?? Data())
    }
}
