// The two enclosures, pid namespace and guardian: what comes through the init, and that nothing survives it.

import Foundation
import Glibc
import LinuxSystem
import Testing

enum EnclosureKind: String, CaseIterable, Codable, Sendable {
    case namespace, guardian

    func enclosure(_ program: String) -> SpawnAttributes.Enclosure {
        switch self {
        case .namespace: .processNamespace(initProgram: program)
        case .guardian: .guardian(program: program)
        }
    }
}

func enclosed(_ kind: EnclosureKind, _ script: String) -> SpawnAttributes {
    var attributes = shell(script)
    attributes.enclosure = kind.enclosure(initProgram)
    return attributes
}

@Suite struct EnclosureTests {
    /// Leaves a process with another parent and another session behind, which holds the output open.
    private static let escape = "setsid sh -c 'sleep 1000 & echo escaped' & wait;"

    @Test(arguments: EnclosureKind.allCases) func exitCodesAndSignalsComeThroughTheInit(_ kind: EnclosureKind) throws {
        #expect(try run(enclosed(kind, "exit 7")).ending.status == .exited(7))
        #expect(try run(enclosed(kind, "exit 0")).ending.status == .exited(0))
        #expect(try run(enclosed(kind, "kill -TERM $$")).ending.status == .signalled(SIGTERM, coreDumped: false))
        #expect(
            try run(enclosed(kind, "ulimit -c 0; kill -ABRT $$")).ending.status
                == .signalled(SIGABRT, coreDumped: false))
    }

    @Test(arguments: EnclosureKind.allCases) func theProgramIsNotPidOneAndLeadsItsOwnSession(_ kind: EnclosureKind)
        throws
    {
        let (output, _) = try run(enclosed(kind, "[ $$ != 1 ] && exec sh -c 'kill -0 -$$ && echo leader'"))
        #expect(output == "leader\n")
    }

    @Test(arguments: EnclosureKind.allCases) func theProgramsOwnNumberIsKnownHere(_ kind: EnclosureKind) throws {
        try start(enclosed(kind, "echo up; exec sleep 1000")) { (process, socket) throws in
            _ = try line(from: socket)
            let program = try startedProgram(of: process)
            let inside = try descendants(of: process.pid)
            #expect(inside.first == program.pid)
            let again = process.startedProgram()
            #expect(again == nil)
        }
    }

    /// libdispatch looks up its threads so, and ends the program when one is not there.
    @Test(arguments: EnclosureKind.allCases) func aProgramFindsItselfInProcByItsOwnNumber(_ kind: EnclosureKind) throws
    {
        // Other tests have mounts of their own meanwhile, in their temporary folders.
        func mounts() throws -> [Substring] {
            let lines = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8).split(separator: "\n")
            return lines.filter { !$0.contains(" \(NSTemporaryDirectory())") }
        }
        let before = try mounts()
        let script =
            "read number name rest < /proc/$$/stat; [ $number = $$ ] && echo $name; set -- /proc/[0-9]*; echo $#"
        let lines = try run(enclosed(kind, script)).output.split(separator: "\n")
        #expect(lines.first == "(sh)")
        // Of a namespace's processes it sees no other: the init and itself.
        if kind == .namespace { #expect(lines.last == "2") }
        #expect(try mounts() == before)
    }

    @Test(arguments: EnclosureKind.allCases) func aProgramThatCannotBeExecutedIsToldFromOneThatFailed(
        _ kind: EnclosureKind
    )
        throws
    {
        var attributes = SpawnAttributes(executable: "/nowhere/program")
        attributes.enclosure = kind.enclosure(initProgram)
        #expect(try run(attributes).ending.status == .notStarted(SystemError("execve", code: ENOENT)))
        #expect(try run(enclosed(kind, "exit 127")).ending.status == .exited(127))
    }

    @Test(arguments: EnclosureKind.allCases) func aMissingInitIsReportedAtOnce(_ kind: EnclosureKind) throws {
        var attributes = shell("exit")
        attributes.enclosure = kind.enclosure("/nowhere/init")
        #expect(throws: SpawnError.failed(step: .execute, SystemError("execve", code: ENOENT))) {
            _ = try spawn(attributes)
        }
    }

    @Test func theInitRefusesToRunOutsideANamespace() throws {
        let attributes = SpawnAttributes(executable: initProgram, arguments: ["namespace", "1", "--", "/bin/true"])
        #expect(try run(attributes).ending.status == .exited(64))
    }

    @Test(arguments: EnclosureKind.allCases) func argumentsAndDescriptorsReachTheProgramAndTheStatusPipeDoesNot(
        _ kind: EnclosureKind
    ) throws {
        let pair = try SocketPair()
        var attributes = enclosed(
            kind, "echo \"$0 $1\"; ls /proc/self/fd | sort -n | tr '\\n' ' '; grep SigBlk /proc/self/status")
        attributes.arguments += ["a b", "c"]
        attributes.descriptors = [.init(parent: pair.second.raw, child: 3), .init(parent: pair.second.raw, child: 6)]
        // ls holds the directory as 4, the lowest number free: the pipe had it in the init.
        #expect(try run(attributes).output == "a b c\n0 1 2 3 4 6 SigBlk:\t0000000000000000\n")
    }

    @Test(arguments: EnclosureKind.allCases) func aDescendantThatLeftItsSessionDiesWhenTheProgramExits(
        _ kind: EnclosureKind
    )
        throws
    {
        try start(enclosed(kind, Self.escape + "exit 3")) { (process, socket) throws in
            #expect(try output(of: socket) == "escaped\n")
            #expect(try ending(of: process).status == .exited(3))
        }
    }

    @Test(arguments: EnclosureKind.allCases) func aDescendantThatLeftItsSessionDiesWithAKilledInit(
        _ kind: EnclosureKind
    ) throws {
        try start(enclosed(kind, Self.escape + "sleep 1000")) { (process, socket) throws in
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

    @Test(arguments: EnclosureKind.allCases) func aTerminationSignalReachesTheProgram(_ kind: EnclosureKind) throws {
        try start(enclosed(kind, "trap 'exit 5' TERM; echo up; sleep 1000 & wait")) { (process, socket) throws in
            #expect(try line(from: socket) == "up")
            #expect(try process.signal(SIGTERM))
            #expect(try ending(of: process).status == .exited(5))
        }
    }

    @Test(arguments: EnclosureKind.allCases) func aTerminationSignalSentAtOnceIsNotLost(_ kind: EnclosureKind) throws {
        for _ in 0..<50 {
            let process = try spawn(enclosed(kind, "exec sleep 1000"))
            try process.signalTree(SIGTERM)
            #expect(try ending(of: process).status == .signalled(SIGTERM, coreDumped: false))
        }
    }

    @Test(arguments: EnclosureKind.allCases) func aStoppedTreeStandsStillAndGoesOn(_ kind: EnclosureKind) throws {
        let pair = try SocketPair()
        var attributes = enclosed(kind, "setsid cat <&3 & wait")
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

    /// Waits for it: the reaping would read over what is said of it.
    private func startedProgram(of process: borrowing SpawnedProcess) throws -> StartedProgram {
        if let report = process.report { try LinuxSystemTests.waitFor(report.raw) }
        let found = process.startedProgram()
        return try #require(found)
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

    private func drop(_ socket: consuming Socket) {}

    private func descendants(of pid: Int32) throws -> [Int32] {
        let text = String(decoding: try readFile("/proc/\(pid)/task/\(pid)/children", maximumSize: 4096), as: UTF8.self)
        let children = text.split(separator: " ").compactMap { Int32($0) }
        return try children + children.flatMap { try descendants(of: $0) }
    }

    @Test(arguments: EnclosureKind.allCases) func theInitHoldsNoneOfTheProgramsDescriptors(_ kind: EnclosureKind) throws
    {
        let pair = try SocketPair()
        let ours = pair.first
        let process = try spawn(enclosed(kind, "exec 3>&-; exec sleep 1000"), giving: pair.second, as: 3)
        defer { _ = try? process.signalTree(SIGKILL) }
        // Alive, and its socket at the end of file.
        #expect(try output(of: ours) == "")
        #expect(try process.reap() == nil)
        try process.signalTree(SIGKILL)
        _ = try ending(of: process)
    }

    @Test(arguments: EnclosureKind.allCases) func thePeakIsTheProgramsOwn(_ kind: EnclosureKind) throws {
        let small = try run(enclosed(kind, "exit")).ending
        let peak = try #require(small.peakMemory)
        #expect(peak > 100_000 && peak < 64_000_000)
        #expect(small.processorMicroseconds != nil)
    }

    @Test(arguments: EnclosureKind.allCases) func anOrdinaryUserGetsANamespaceAndKeepsItsIdentity(_ kind: EnclosureKind)
        async throws
    {
        let (directory, program) = try reachableInit()
        await #expect(processExitsWith: .success) { [program = program as String, kind] in
            try becomeOrdinaryUser()
            var attributes = shell("id -u; id -g; setsid sh -c 'sleep 1000 & echo escaped' & wait; exit 9")
            attributes.enclosure = kind.enclosure(program)
            let (output, ending) = try run(attributes)
            #expect(output == "\(geteuid())\n\(getegid())\nescaped\n")
            #expect(ending.status == .exited(9))
            // The parent-death signal has outlived the change of user namespace.
            attributes = SpawnAttributes(executable: "/bin/sleep", arguments: ["1000"])
            attributes.enclosure = kind.enclosure(program)
            let orphan = try spawnOnShortLivedThread(attributes)
            let status = try LinuxSystemTests.ending(of: orphan).status
            // The guardian itself exits once it has killed all.
            #expect(status == (kind == .guardian ? .exited(0) : .signalled(SIGKILL, coreDumped: false)))
        }
        try directory.remove()
    }

    /// Processes of which each lives for a moment and leaves a child: whoever is looked at is gone.
    @Test(arguments: EnclosureKind.allCases) func aChainOfForksIsCaught(_ kind: EnclosureKind) throws {
        let chain = "f() { (f &) ; exit; }; echo up; (f &); sleep 1000"
        for _ in 0..<5 {
            try start(enclosed(kind, chain)) { (process, socket) throws in
                #expect(try line(from: socket) == "up")
                #expect(try process.signalTree(SIGKILL))
                _ = try ending(of: process)
                // Every one of them held the output open.
                #expect(try output(of: socket) == "")
            }
        }
    }

    @Test func theProgramDiesWithAGuardianThatItKills() throws {
        try start(enclosed(.guardian, "echo up; kill -9 $PPID; while :; do :; done")) { (process, socket) throws in
            #expect(try output(of: socket) == "up\n")
            #expect(try ending(of: process).status == .signalled(SIGKILL, coreDumped: false))
        }
    }

    /// Two of its group hold the output open: one that it started, and itself, as it wants to hear nothing of its
    /// guardian's death.
    @Test func theGroupOfAProgramThatHasKilledItsGuardianIsStillReached() throws {
        let script = """
            import ctypes, os, signal, time
            ctypes.CDLL(None).prctl(1, 0)  # PR_SET_PDEATHSIG
            if os.fork() == 0:
                time.sleep(1000)
            os.kill(os.getppid(), signal.SIGKILL)
            print("alone", flush=True)
            time.sleep(1000)
            """
        var attributes = SpawnAttributes(executable: "/usr/bin/python3", arguments: ["-c", script])
        attributes.enclosure = .guardian(program: initProgram)
        try start(attributes) { (process, socket) throws in
            let program = try startedProgram(of: process)
            #expect(try line(from: socket) == "alone")
            #expect(try ending(of: process).status == .signalled(SIGKILL, coreDumped: false))
            #expect(try program.signalGroup(SIGKILL))
            #expect(try output(of: socket) == "")
        }
    }

    @Test(.enabled(if: signalsGroupsByDescriptor, "Linux 6.9"))
    func whatTheProgramStartedIsReachedAlsoWhenItDiedWithItsGuardian() throws {
        try start(enclosed(.guardian, "sleep 1000 & kill -9 $PPID; sleep 1000")) { (process, socket) throws in
            let program = try startedProgram(of: process)
            #expect(try ending(of: process).status == .signalled(SIGKILL, coreDumped: false))
            #expect(try program.signalGroup(SIGKILL))
            #expect(try output(of: socket) == "")
        }
    }

    @Test(arguments: EnclosureKind.allCases) func allOfItDiesWithTheSpawningThread(_ kind: EnclosureKind) throws {
        let pair = try SocketPair()
        let ours = pair.first
        var attributes = enclosed(kind, "setsid sh -c 'sleep 1000 & kill -STOP $$' & sleep 1000")
        attributes.descriptors = [.init(parent: pair.second.raw, child: 3)]
        let orphan = try spawnOnShortLivedThread(attributes)
        drop(pair.second)
        // Each of them holds the socket open.
        #expect(try output(of: ours) == "")
        _ = try ending(of: orphan)
    }
}
