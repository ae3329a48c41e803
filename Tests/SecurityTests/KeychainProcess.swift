// KeychainProcess: a running process of the fixture KeychainUser, and the folders of its keychains.

import Foundation
import Glibc
import LinuxSystem
import Testing

/// The folders of an app, of its extension and of their group.
final class KeychainFolders: Sendable {
    static let group = "group.org.example.tests"
    let path: String
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory(prefix: "exthost-keychain")
        path = folder.path
        for name in ["app", "extension", "groups"] { _ = mkdir("\(path)/\(name)", 0o700) }
    }

    deinit { try? folder.remove() }

    func file(_ container: String) -> String { "\(path)/\(container)/Library/Keychains/keychain.plist" }
    var groupFile: String { file("groups/\(Self.group)") }
}

/// Killed, and waited for, when the last reference goes.
final class KeychainProcess: @unchecked Sendable {
    // Unchecked: one test uses it, one call at a time.

    private let process: SpawnedProcess
    private let input: SharedDescriptor
    private let output: SharedDescriptor
    private var bytes: [UInt8] = []

    /// - Parameters:
    ///   - home: the name of its own container.
    ///   - groups: what it holds, as `EXTHOST_APP_GROUPS` has it.
    init(_ folders: KeychainFolders, home: String, groups: String = KeychainFolders.group) throws {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("KeychainUser")
            .path
        let (inputEnds, outputEnds) = (try Self.pipe(), try Self.pipe())
        var attributes = SpawnAttributes(
            executable: program, arguments: [],
            environment: [
                "EXTHOST_APP_GROUPS=\(groups)", "EXTHOST_GROUP_CONTAINERS=\(folders.path)/groups",
                "HOME=\(folders.path)/\(home)", "SWIFT_BACKTRACE=enable=no",
            ] + (getenv("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=" + String(cString: $0)] } ?? []))
        attributes.standardInput = .descriptor(inputEnds.reading.raw)
        attributes.standardOutput = .descriptor(outputEnds.writing.raw)
        attributes.standardError = .descriptor(2)
        attributes.onDaemonExit = .keep
        process = try spawn(attributes)
        input = inputEnds.writing
        output = outputEnds.reading
        #expect(line() == "ready")
    }

    deinit {
        _ = try? process.signalTree(SIGKILL)
        var entry = pollfd(fd: process.pidfd.raw, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, 30_000)
        _ = try? process.reap()
    }

    func signal(_ number: Int32) throws { try process.signal(number) }

    func tell(_ order: String) {
        let line = Array("\(order)\n".utf8)
        _ = write(input.raw, line, line.count)
    }

    /// The next line; nil at the end of its output, or when none comes for half a minute.
    func line() -> String? {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeSubrange(...end) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            var entry = pollfd(fd: output.raw, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 30_000) == 1 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(output.raw, &buffer, buffer.count)
            if count <= 0 { return nil }
            bytes += buffer[..<count]
        }
    }

    func ask(_ order: String) -> String? {
        tell(order)
        return line()
    }

    private static func pipe() throws -> (reading: SharedDescriptor, writing: SharedDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (SharedDescriptor(owning: ends[0]), SharedDescriptor(owning: ends[1]))
    }
}
