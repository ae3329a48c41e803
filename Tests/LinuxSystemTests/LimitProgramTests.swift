// LimitProgramTests: what exthost-init does when limits are tried, and how a child comes into control groups.

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct LimitProgramTests {
    private func end(_ arguments: [String], _ limits: [SpawnAttributes.ResourceLimit] = []) throws -> LinuxSystem.ExitStatus {
        var attributes = SpawnAttributes(executable: initProgram, arguments: arguments)
        attributes.limits = limits
        return try run(attributes).ending.status
    }

    @Test func itFillsMemoryAndStartsATask() throws {
        #expect(try end(["memory", "8388608"]) == .exited(0))
        #expect(try end(["task"]) == .exited(0))
    }

    @Test(.disabled(if: isSanitized, "a sanitizer's own memory is beyond any limit")) func itSaysThatMemoryWasRefused() throws {
        let limit = SpawnAttributes.ResourceLimit(resource: Int32(RLIMIT_AS.rawValue), soft: 64 << 20, hard: 64 << 20)
        #expect(try end(["memory", "134217728"], [limit]) == .exited(75))
    }

    @Test func aChildJoinsTheGroupsThatItIsGiven() throws {
        // A pipe stands in for cgroup.procs: what is written is what counts there.
        let pair = try SocketPair()
        var attributes = shell("exit 0")
        attributes.controlGroups = [pair.second.raw, pair.second.raw]
        #expect(try run(attributes).ending.status == .exited(0))
        for _ in 0..<2 { #expect(try line(from: pair.first) == "0") }
    }

    @Test func aGroupThatCannotBeJoinedKeepsTheChildFromRunning() throws {
        var attributes = shell("exit 0")
        attributes.controlGroups = [open("/dev/null", O_RDONLY | O_CLOEXEC)]
        defer { close(attributes.controlGroups[0]) }
        #expect { _ = try spawn(attributes) } throws: { error in
            guard case .failed(step: .controlGroups, let error)? = error as? SpawnError else { return false }
            return error.code == EBADF
        }
    }

    @Test func foldersGoWhenTheOtherEndOfThePipeIsClosed() throws {
        let directory = try TemporaryDirectory(prefix: "exthost-groups")
        defer { try? directory.remove() }
        let folder = directory.path + "/group"
        try FileManager.default.createDirectory(atPath: folder + "/1", withIntermediateDirectories: true)
        let process = try startKeeper(of: [folder, directory.path + "/none"], holding: folder)
        #expect(try ending(of: process).status == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    /// The writing end is closed when this returns.
    private func startKeeper(of folders: [String], holding folder: String) throws -> SpawnedProcess {
        let pair = try SocketPair()
        var attributes = SpawnAttributes(executable: initProgram, arguments: ["groups", "3"] + folders)
        try pair.second.setNonBlocking(false)
        attributes.descriptors = [.init(parent: pair.second.raw, child: 3)]
        let process = try spawn(attributes)
        #expect(FileManager.default.fileExists(atPath: folder))
        return process
    }
}
