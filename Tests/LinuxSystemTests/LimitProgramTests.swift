// LimitProgramTests: what exthost-init does when limits are tried, and how a child comes into control groups.

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct LimitProgramTests {
    private func end(_ arguments: [String], _ limits: [SpawnAttributes.ResourceLimit] = []) throws
        -> LinuxSystem.ExitStatus
    {
        var attributes = SpawnAttributes(executable: initProgram, arguments: arguments)
        attributes.limits = limits
        return try run(attributes).ending.status
    }

    @Test func itFillsMemoryAndStartsATask() throws {
        #expect(try end(["memory", "8388608"]) == .exited(0))
        #expect(try end(["task"]) == .exited(0))
    }

    @Test(.disabled(if: isSanitized, "a sanitizer's own memory is beyond any limit")) func itSaysThatMemoryWasRefused()
        throws
    {
        let limit = SpawnAttributes.ResourceLimit(resource: Int32(RLIMIT_AS.rawValue), soft: 64 << 20, hard: 64 << 20)
        #expect(try end(["memory", "134217728"], [limit]) == .exited(75))
    }

    /// Starts processes until one is refused, below a guardian of an ordinary user; how many there were.
    private static func started(_ initProgram: String, besides others: Int, soft: UInt64?) throws -> Int? {
        var hard = rlimit()
        getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &hard)
        // They lie still beside it, and count for the same user.
        let count = "i=0; while [ $i -lt \(others) ]; do sleep 1000 & i=$((i+1)); done; echo; wait"
        let sleepers = SpawnAttributes(
            executable: "/bin/sh", arguments: ["-c", count], environment: ["PATH=/usr/bin:/bin"])
        var number: Int?
        try start(sleepers) { (_, socket) throws in
            _ = try line(from: socket)
            var attributes = shell(
                "i=0; while [ $i -lt 600 ]; do sleep 1000 2>/dev/null >/dev/null & i=$((i+1)); echo $i; done 2>/dev/null"
            )
            attributes.enclosure = .guardian(program: initProgram)
            if let soft {
                attributes.limits = [
                    .init(resource: Int32(__RLIMIT_NPROC.rawValue), soft: soft, hard: UInt64(hard.rlim_max))
                ]
            }
            number = try run(attributes).output.split(separator: "\n").last.flatMap { Int($0) }
        }
        return number
    }

    /// However many tasks its user has already: one alone would be refused by a limit that is below their number.
    @Test(.serialized, .disabled(if: isSanitized, "a sanitizer has threads of its own"), arguments: [0, 300])
    func aGuardianLeavesItsProgramAShareOfTheTasks(others: Int) async throws {
        let (directory, program) = try reachableInit()
        await #expect(processExitsWith: .success) { [others = others as Int, program = program as String] in
            // No other test has this user, nor the other case, whose processes may still be on their way out.
            let user = uid_t(65528 + min(others, 1))
            guard geteuid() == 0, setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0 else { return }
            let number = try #require(try Self.started(program, besides: others, soft: 200))
            #expect(number > 150 && number < 300, "\(number) besides \(others)")
            #expect(try Self.started(program, besides: others, soft: nil) == 600)
        }
        try directory.remove()
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
