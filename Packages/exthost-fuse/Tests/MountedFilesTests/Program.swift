// Program: a program that a test runs, in namespaces of its own, so that no mount and no process is left behind.

import Foundation
import Glibc
import LinuxDescriptors
import LinuxSystem

/// The end of a program.
struct Ending: Sendable {
    let status: Int32
    let output: String
    let errors: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    /// The lines of the file system's log.
    var log: [String] {
        errors.split(separator: "\n").filter { $0.hasPrefix("log: ") }.map { String($0.dropFirst(5)) }
    }
}

/// A folder of a test, which is removed with it.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("\(NSTemporaryDirectory())exthost-fuse.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError("mkdtemp") }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

enum Programs {
    /// The bound of a program, in milliseconds. It ends a hanging test.
    static let patience: Int32 = ProcessInfo.processInfo.environment["EXTHOST_LONG_TESTS"] == nil ? 300_000 : 3_600_000

    /// The folder of the built programs, in which the tests are, too.
    static let folder: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = Bundle.allBundles.map(\.bundlePath) + [tests] + CommandLine.arguments
        for path in beside {
            var folder = URL(fileURLWithPath: path)
            for _ in 0..<3 {
                folder.deleteLastPathComponent()
                let candidate = folder.path + "/MountedFolder"
                if FileManager.default.isExecutableFile(atPath: candidate) { return folder.path }
            }
        }
        return ""
    }()

    /// The folder of the scripts of these tests.
    static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Scripts"

    /// The options of unshare(1) by which this machine gives a program namespaces of its own. Empty if it gives none.
    static let namespaces: [String] = {
        let common = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        for options in [["--user", "--map-root-user"] + common, common] {
            if (try? run("/usr/bin/unshare", options + ["true"], in: "/"))?.status == 0 { return options }
        }
        return []
    }()

    /// The reason why no folder can be mounted here, or nil.
    static let hindrance: String? =
        namespaces.isEmpty
        ? "unshare(1) gives no namespaces" : access("/dev/fuse", R_OK | W_OK) != 0 ? "/dev/fuse is missing" : nil

    /// Runs a program to its end, and blocks this thread. All processes that it leaves are killed in namespaces only.
    static func run(_ path: String, _ arguments: [String], environment: [String: String] = [:], in folder: String)
        throws
        -> Ending
    {
        let streams = try (0..<2).map { _ in try unnamedFile() }
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var attributes = SpawnAttributes(
            executable: path, arguments: arguments, environment: variables.map { "\($0.key)=\($0.value)" },
            workingDirectory: folder)
        attributes.standardOutput = .descriptor(streams[0].raw)
        attributes.standardError = .descriptor(streams[1].raw)
        attributes.onDaemonExit = .keep
        let process = try spawn(attributes)
        var descriptor = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        while poll(&descriptor, 1, patience) < 0, errno == EINTR {}
        if descriptor.revents == 0 { _ = try? process.signalTree(SIGKILL) }
        var status: Int32 = 0
        while waitpid(process.pid, &status, 0) < 0, errno == EINTR {}
        let texts = streams.map { stream in
            var facts = stat()
            fstat(stream.raw, &facts)
            var bytes = [UInt8](repeating: 0, count: facts.st_size)
            let count = pread(stream.raw, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }
        return Ending(
            status: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F), output: texts[0],
            errors: texts[1])
    }

    private static func unnamedFile() throws -> SharedDescriptor {
        var template = Array("\(NSTemporaryDirectory())exthost-fuse-stream.XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw SystemError("mkostemp") }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        unlink(template)
        return SharedDescriptor(owning: file)
    }

    /// Runs a command in namespaces of its own.
    static func runEnclosed(_ command: [String], environment: [String: String] = [:], in folder: String) async throws
        -> Ending
    {
        let options = namespaces
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try run("/usr/bin/unshare", options + command, environment: environment, in: folder)
                    })
            }
        }
    }

    /// Mounts a folder for a command, in namespaces.
    static func mount(
        _ options: [String] = [], _ command: [String], environment: [String: String] = [:], in folder: TestFolder
    ) async throws -> Ending {
        try await runEnclosed(
            ["\(Self.folder)/MountedFolder"] + options + [folder.path] + command, environment: environment,
            in: folder.path)
    }

    /// Tries a situation of `trials.py`.
    static func trial(_ name: String, _ options: [String] = [], in folder: TestFolder? = nil) async throws -> Ending {
        try await mount(options, ["/usr/bin/python3", "\(scripts)/trials.py", name], in: folder ?? TestFolder())
    }
}
