// The pid namespace: what comes through the init, and that nothing survives it.

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct ProcessNamespaceTests {
    private func enclosed(_ script: String) -> SpawnAttributes {
        var attributes = shell(script)
        attributes.enclosure = .processNamespace(initProgram: initProgram)
        return attributes
    }

    /// Leaves a process with another parent and another session behind, which holds the output open.
    private static let escape = "setsid sh -c 'sleep 1000 & echo escaped' & wait;"

    @Test func exitCodesAndSignalsComeThroughTheInit() throws {
        #expect(try run(enclosed("exit 7")).ending.status == .exited(7))
        #expect(try run(enclosed("exit 0")).ending.status == .exited(0))
        #expect(try run(enclosed("kill -TERM $$")).ending.status == .signalled(SIGTERM, coreDumped: false))
        #expect(try run(enclosed("ulimit -c 0; kill -ABRT $$")).ending.status == .signalled(SIGABRT, coreDumped: false))
    }

    @Test func theProgramIsNotPidOneAndLeadsItsOwnSession() throws {
        let (output, _) = try run(enclosed("echo $$; exec sh -c 'kill -0 -$$ && echo leader'"))
        #expect(output == "2\nleader\n")
    }

    @Test func aProgramThatCannotBeExecutedIsToldFromOneThatFailed() throws {
        var attributes = SpawnAttributes(executable: "/nowhere/program")
        attributes.enclosure = .processNamespace(initProgram: initProgram)
        #expect(try run(attributes).ending.status == .notStarted(SystemError("execve", code: ENOENT)))
        #expect(try run(enclosed("exit 127")).ending.status == .exited(127))
    }

    @Test func aMissingInitIsReportedAtOnce() throws {
        var attributes = shell("exit")
        attributes.enclosure = .processNamespace(initProgram: "/nowhere/init")
        #expect(throws: SpawnError.failed(step: .execute, SystemError("execve", code: ENOENT))) { _ = try spawn(attributes) }
    }

    @Test func theInitRefusesToRunOutsideANamespace() throws {
        let attributes = SpawnAttributes(executable: initProgram, arguments: ["1", "--", "/bin/true"])
        #expect(try run(attributes).ending.status == .exited(64))
    }

    @Test func argumentsAndDescriptorsReachTheProgramAndTheStatusPipeDoesNot() throws {
        let pair = try SocketPair()
        var attributes = enclosed("echo \"$0 $1\"; ls /proc/self/fd | sort -n | tr '\\n' ' '; grep SigBlk /proc/self/status")
        attributes.arguments += ["a b", "c"]
        attributes.descriptors = [.init(parent: pair.second.raw, child: 3), .init(parent: pair.second.raw, child: 6)]
        // ls holds the directory as 4, the lowest number free: the pipe had it in the init.
        #expect(try run(attributes).output == "a b c\n0 1 2 3 4 6 SigBlk:\t0000000000000000\n")
    }

    @Test func aDescendantThatLeftItsSessionDiesWhenTheProgramExits() throws {
        try start(enclosed(Self.escape + "exit 3")) { (process, socket) throws in
            #expect(try output(of: socket) == "escaped\n")
            #expect(try ending(of: process).status == .exited(3))
        }
    }

    @Test func aDescendantThatLeftItsSessionDiesWithAKilledInit() throws {
        try start(enclosed(Self.escape + "sleep 1000")) { (process, socket) throws in
            #expect(try line(from: socket) == "escaped")
            #expect(try process.signalTree(SIGKILL))
            #expect(try output(of: socket) == "")
            #expect(try ending(of: process).status == .signalled(SIGKILL, coreDumped: false))
        }
    }

    @Test func withoutANamespaceSuchADescendantSurvives() throws {
        // The control of the two tests above: it shows that the escape is one.
        try start(shell("setsid sh -c 'sleep 1000 & echo $!' & wait; sleep 1000")) { (process, socket) throws in
            let escaped = try ProcessDescriptor.open(try #require(Int32(try line(from: socket))))
            try process.signalTree(SIGKILL)
            _ = try ending(of: process)
            #expect(try ProcessDescriptor.ending(of: escaped.raw) == nil)
            try ProcessDescriptor.signal(escaped.raw, SIGKILL)
            #expect(try output(of: socket) == "")
        }
    }

    @Test func aTerminationSignalReachesTheProgram() throws {
        try start(enclosed("trap 'exit 5' TERM; echo up; sleep 1000 & wait")) { (process, socket) throws in
            #expect(try line(from: socket) == "up")
            #expect(try process.signal(SIGTERM))
            #expect(try ending(of: process).status == .exited(5))
        }
    }

    @Test func aTerminationSignalSentAtOnceIsNotLost() throws {
        for _ in 0..<50 {
            let process = try spawn(enclosed("exec sleep 1000"))
            try process.signalTree(SIGTERM)
            #expect(try ending(of: process).status == .signalled(SIGTERM, coreDumped: false))
        }
    }

    @Test func aStoppedTreeStandsStillAndGoesOn() throws {
        let pair = try SocketPair()
        var attributes = enclosed("setsid cat <&3 & wait")
        attributes.descriptors = [.init(parent: pair.second.raw, child: 3)]
        try pair.second.setNonBlocking(false)
        try start(attributes) { (process, socket) throws in
            try pair.first.send(Array("one\n".utf8))
            #expect(try line(from: socket) == "one")
            try process.signalTree(SIGSTOP)
            #expect(try waitFor(statesInside: process.pid, "T") >= 2)
            try process.signalTree(SIGCONT)
            try pair.first.send(Array("two\n".utf8))
            #expect(try line(from: socket) == "two")
        }
    }

    /// Looks until every descendant of the init has the state; how many there are.
    private func waitFor(statesInside initPid: Int32, _ state: String) throws -> Int {
        let deadline = SystemClock.monotonicNanoseconds() + UInt64(patience) * 1_000_000
        while SystemClock.monotonicNanoseconds() < deadline {
            let states = try descendants(of: initPid).map { pid in
                let stat = String(decoding: try readFile("/proc/\(pid)/stat", maximumSize: 4096), as: UTF8.self)
                return String(stat[stat.index(stat.lastIndex(of: ")") ?? stat.startIndex, offsetBy: 2)...].prefix(1))
            }
            if !states.isEmpty, states.allSatisfy({ $0 == state }) { return states.count }
            sched_yield()
        }
        throw Impatient()
    }

    private func descendants(of pid: Int32) throws -> [Int32] {
        let text = String(decoding: try readFile("/proc/\(pid)/task/\(pid)/children", maximumSize: 4096), as: UTF8.self)
        let children = text.split(separator: " ").compactMap { Int32($0) }
        return try children + children.flatMap { try descendants(of: $0) }
    }

    @Test func theInitHoldsNoneOfTheProgramsDescriptors() throws {
        let pair = try SocketPair()
        let ours = pair.first
        let process = try spawn(enclosed("exec 3>&-; exec sleep 1000"), giving: pair.second, as: 3)
        defer { _ = try? process.signalTree(SIGKILL) }
        // Alive, and its socket at the end of file.
        #expect(try output(of: ours) == "")
        #expect(try process.reap() == nil)
        try process.signalTree(SIGKILL)
        _ = try ending(of: process)
    }

    @Test func thePeakIsTheProgramsOwn() throws {
        let small = try run(enclosed("exit")).ending
        let peak = try #require(small.peakMemory)
        #expect(peak > 100_000 && peak < 64_000_000)
        #expect(small.processorMicroseconds != nil)
    }

    @Test func anOrdinaryUserGetsANamespaceAndKeepsItsIdentity() async throws {
        let (directory, program) = try reachableInit()
        await #expect(processExitsWith: .success) { [program = program as String] in
            try becomeOrdinaryUser()
            var attributes = shell("id -u; id -g; setsid sh -c 'sleep 1000 & echo escaped' & wait; exit 9")
            attributes.enclosure = .processNamespace(initProgram: program)
            let (output, ending) = try run(attributes)
            #expect(output == "\(geteuid())\n\(getegid())\nescaped\n")
            #expect(ending.status == .exited(9))
            // The parent-death signal has outlived the change of user namespace.
            attributes = SpawnAttributes(executable: "/bin/sleep", arguments: ["1000"])
            attributes.enclosure = .processNamespace(initProgram: program)
            let orphan = try spawnOnShortLivedThread(attributes)
            #expect(try LinuxSystemTests.ending(of: orphan).status == .signalled(SIGKILL, coreDumped: false))
        }
        try directory.remove()
    }
}
