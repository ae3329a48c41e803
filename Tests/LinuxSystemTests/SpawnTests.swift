// spawn: what a child has and has not, and what a failure says.

import Foundation
import Glibc
import LinuxSystem
import Locks
import Testing

@Suite struct SpawnTests {
    @Test func aMissingProgramIsReportedWithItsStepAndErrno() throws {
        #expect(throws: SpawnError.failed(step: .execute, SystemError("execve", code: ENOENT))) {
            _ = try spawn(SpawnAttributes(executable: "/nowhere/program"))
        }
    }

    @Test func aMissingWorkingDirectoryIsReportedWithItsStepAndErrno() throws {
        #expect(throws: SpawnError.failed(step: .workingDirectory, SystemError("chdir", code: ENOENT))) {
            _ = try spawn(SpawnAttributes(executable: "/bin/true", workingDirectory: "/nowhere"))
        }
    }

    @Test func aClosedDescriptorIsReportedWithItsStepAndErrno() throws {
        var attributes = SpawnAttributes(executable: "/bin/true")
        attributes.descriptors = [.init(parent: 1_000_000, child: 3)]
        #expect(throws: SpawnError.failed(step: .descriptors, SystemError("dup2", code: EBADF))) {
            _ = try spawn(attributes)
        }
    }

    @Test func contradictoryAttributesAreRefused() throws {
        var attributes = SpawnAttributes(executable: "/bin/true")
        attributes.descriptors = [.init(parent: 0, child: 3), .init(parent: 0, child: 3)]
        #expect(throws: SpawnError.self) { _ = try spawn(attributes) }
        attributes.descriptors = [.init(parent: 0, child: 1)]
        #expect(throws: SpawnError.self) { _ = try spawn(attributes) }
        attributes.descriptors = [.init(parent: -1, child: 5)]
        #expect(throws: SpawnError.self) { _ = try spawn(attributes) }
        #expect(throws: SpawnError.self) { _ = try spawn(SpawnAttributes(executable: "/bin/tr\0ue")) }
    }

    @Test func everyErrorSaysWhatFailed() {
        for step in SpawnStep.allCases {
            let text = SpawnError.failed(step: step, SystemError("call", code: EPERM)).description
            #expect(text.contains("\(step)") && text.contains("Operation not permitted"))
        }
    }

    @Test func theChildHasExactlyTheDescriptorsPlacedAndNoOthers() throws {
        // Two that trade places, so that neither can be put down before the other is safe, and one far away.
        let pair = try SocketPair()
        let identities = [pair.first.raw, pair.second.raw].map {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        var attributes = shell(
            "ls /proc/self/fd | sort -n | tr '\\n' ' '; cd /proc/self/fd; readlink \(pair.first.raw) \(pair.second.raw) 200"
        )
        attributes.descriptors = [
            .init(parent: pair.first.raw, child: pair.second.raw),
            .init(parent: pair.second.raw, child: pair.first.raw),
            .init(parent: pair.first.raw, child: 200),
        ]
        let (output, ending) = try run(attributes)
        #expect(ending.status == .exited(0))
        let lines = output.split(separator: "\n").flatMap { $0.split(separator: " ") }.map(String.init)
        let numbers = lines.compactMap(Int32.init)
        var expected: Set<Int32> = [0, 1, 2, pair.first.raw, pair.second.raw, 200]
        // ls itself holds the directory it lists, under the lowest number that was free.
        expected.insert((3...).first { !expected.contains($0) } ?? 3)
        #expect(Set(numbers) == expected)
        #expect(lines.suffix(3) == [identities[1], identities[0], identities[0]])
    }

    @Test func standardStreamsAreNullUnlessGiven() throws {
        let (output, _) = try run(shell("readlink /proc/self/fd/0 /proc/self/fd/2; cat; echo end"))
        #expect(output == "/dev/null\n/dev/null\nend\n")
    }

    @Test func theEnvironmentIsWhatWasGivenWithoutWhatSystemdToldTheDaemon() throws {
        var attributes = SpawnAttributes(executable: "/usr/bin/env")
        attributes.environment = [
            "A=1", "NOTIFY_SOCKET=/run/x", "WATCHDOG_USEC=1", "WATCHDOG_PID=2", "LISTEN_FDS=1", "LISTEN_PID=3",
            "LISTEN_FDNAMES=a",
            "B=two words", "NOTIFY=kept",
        ]
        #expect(try run(attributes).output == "A=1\nB=two words\nNOTIFY=kept\n")
    }

    @Test func anEmptyEnvironmentAndEmptyArgumentsArrive() throws {
        #expect(try run(SpawnAttributes(executable: "/usr/bin/env")).output == "")
        let attributes = SpawnAttributes(executable: "/usr/bin/printf", arguments: ["[%s]", "", "ä b", "*"])
        #expect(try run(attributes).output == "[][ä b][*]")
    }

    @Test func signalsAreUnblockedAndDefaultInTheChildWhateverTheyAreHere() async {
        await #expect(processExitsWith: .success) {
            var all = sigset_t()
            sigfillset(&all)
            signal(SIGHUP, SIG_IGN)
            signal(SIGPIPE, SIG_IGN)
            signal(SIGUSR1) { _ in }
            pthread_sigmask(SIG_BLOCK, &all, nil)
            let (output, _) = try run(
                SpawnAttributes(executable: "/bin/grep", arguments: ["-E", "Sig(Blk|Ign)", "/proc/self/status"]))
            let values = output.split(separator: "\n").map { $0.split(separator: "\t").last }
            #expect(values == ["0000000000000000", "0000000000000000"])
            // And ours are as they were.
            var now = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &now)
            #expect(sigismember(&now, SIGUSR1) == 1)
        }
    }

    @Test func theChildLeadsItsOwnSessionInItsDirectoryWithItsLimitsAndMask() throws {
        var attributes = shell(
            "cut -d ' ' -f 1,5,6 /proc/self/stat; pwd; ulimit -n; ulimit -c; umask; exec cut -d ' ' -f 1,5,6 /proc/$$/stat"
        )
        attributes.workingDirectory = "/usr"
        attributes.limits = [.init(resource: 7, soft: 64, hard: 128), .init(resource: 4, soft: 0, hard: 0)]
        attributes.fileModeMask = 0o027
        try start(attributes) { (process, socket) throws in
            let lines = try output(of: socket).split(separator: "\n")
            #expect(lines[1...4] == ["/usr", "64", "0", "0027"])
            #expect(lines[5] == "\(process.pid) \(process.pid) \(process.pid)")
            #expect(try ending(of: process).status == .exited(0))
        }
    }

    @Test func endingsTellExitCodesFromSignals() throws {
        #expect(try run(shell("exit 0")).ending.status == .exited(0))
        #expect(try run(shell("exit 255")).ending.status == .exited(255))
        #expect(try run(shell("kill -TERM $$")).ending.status == .signalled(SIGTERM, coreDumped: false))
        #expect(try run(shell("ulimit -c 0; kill -SEGV $$")).ending.status == .signalled(SIGSEGV, coreDumped: false))
    }

    @Test func reapingNeverWaitsAndAnswersOnce() throws {
        try start(shell("exec sleep 1000")) { (process, _) throws in
            #expect(try process.reap() == nil)
            #expect(try process.signal(SIGKILL))
            #expect(try ending(of: process).status == .signalled(SIGKILL, coreDumped: false))
            #expect(try process.signal(0) == false)
            #expect(try process.signalTree(SIGKILL) == false)
        }
    }

    @Test func aSessionIsSignalledAsAWhole() throws {
        try start(shell("sleep 1000 & sleep 1000 & echo up; wait")) { (process, socket) throws in
            #expect(try line(from: socket) == "up")
            #expect(try process.signalTree(SIGKILL))
            // The end of the output: the last of them is gone.
            #expect(try output(of: socket) == "")
            #expect(try ending(of: process).status == .signalled(SIGKILL, coreDumped: false))
        }
    }

    @Test func theStartTimeAndThePidfdNameTheProcess() throws {
        try start(shell("exec sleep 1000")) { (process, _) throws in
            #expect(process.startTime > 0)
            #expect(try ProcessDescriptor.startTime(of: process.pid) == process.startTime)
            #expect(try ProcessDescriptor.pid(of: process.pidfd.raw) == process.pid)
            #expect(fcntl(process.pidfd.raw, F_GETFD) == FD_CLOEXEC)
            _ = try process.signalTree(SIGKILL)
            _ = try ending(of: process)
            #expect(try ProcessDescriptor.pid(of: process.pidfd.raw) == nil)
        }
    }

    @Test func aPeakBelowOurOwnIsNotMistakenForTheChilds() throws {
        #expect(try run(shell("exit")).ending.peakMemory == nil)
        #expect(try run(shell("exit")).ending.processorMicroseconds != nil)
    }

    @Test func aGroupOutlivesItsLeaderAndIsReachedWhereTheKernelCan() throws {
        try start(shell("sleep 1000 & exit 0")) { (process, socket) throws in
            #expect(try ending(of: process).status == .exited(0))
            let isReached = try ProcessDescriptor.signalGroup(process.pidfd.raw, pid: process.pid, SIGKILL)
            #expect(isReached == signalsGroupsByDescriptor)
            if isReached { #expect(try output(of: socket) == "") } else { kill(-process.pid, SIGKILL) }
        }
    }

    @Test func theStatusOfAStrangersChildIsKnownWhereTheKernelTells() throws {
        try start(shell("sleep 1000 & echo $!; wait")) { (process, socket) throws in
            let stranger = try ProcessDescriptor.open(try #require(Int32(try line(from: socket))))
            #expect(try ProcessDescriptor.ending(of: stranger.raw) == nil)
            #expect(try ProcessDescriptor.signal(stranger.raw, SIGKILL))
            _ = try ending(of: process)
            try waitFor(stranger.raw)
            let known = isLinux("6.15")
            if known { try waitFor(stranger.raw, 0) }
            let expected = known ? ExitStatus.signalled(SIGKILL, coreDumped: false) : .unknown
            #expect(try ProcessDescriptor.ending(of: stranger.raw)?.status == expected)
        }
    }

    @Test(arguments: [false, true])
    func aTerminatingChildDiesWithTheThreadThatSpawnedIt(inNamespace: Bool) throws {
        var attributes = SpawnAttributes(executable: "/bin/sleep", arguments: ["1000"])
        if inNamespace { attributes.enclosure = .processNamespace(initProgram: initProgram) }
        let process = try spawnOnShortLivedThread(attributes)
        defer { _ = try? process.signalTree(SIGKILL) }
        #expect(try ending(of: process).status == .signalled(SIGKILL, coreDumped: false))
    }

    @Test func aKeptChildOutlivesTheThreadThatSpawnedIt() throws {
        let pair = try SocketPair(blocking: true)
        var attributes = SpawnAttributes(executable: "/bin/cat")
        attributes.standardInput = .descriptor(pair.second.raw)
        attributes.standardOutput = .descriptor(pair.second.raw)
        attributes.onDaemonExit = .keep
        let process = try spawnOnShortLivedThread(attributes)
        defer { _ = try? process.signalTree(SIGKILL) }
        try pair.first.send(Array("still here".utf8))
        #expect(try line(from: pair.first) == "still here")
        try process.signalTree(SIGKILL)
        _ = try ending(of: process)
    }

    @Test func manyThreadsMaySpawnAtOnce() throws {
        let codes = Mutex<[Int32]>([])
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            do {
                let process = try spawn(SpawnAttributes(executable: "/bin/sh", arguments: ["-c", "exit \(index)"]))
                let status = try ending(of: process).status
                if case .exited(let code) = status { codes.withLock { $0.append(code) } }
            } catch { Issue.record(error) }
        }
        #expect(codes.withLock { $0.sorted() } == Array(0..<64))
    }

    @Test func twoThousandSpawnsLeaveNothingBehind() async {
        // A process of its own: there nobody else opens descriptors meanwhile.
        await #expect(processExitsWith: .success) {
            func spawnSome(_ count: Int) throws {
                for index in 0..<count {
                    #expect(throws: SpawnError.self) { _ = try spawn(SpawnAttributes(executable: "/nowhere")) }
                    var attributes = SpawnAttributes(executable: "/bin/true")
                    if index % 10 == 0 { attributes.enclosure = .processNamespace(initProgram: initProgram) }
                    let process = try spawn(attributes)
                    #expect(try ending(of: process).status == .exited(0))
                }
            }
            func holdings() throws -> (descriptors: [String], mappings: Int) {
                let maps = try readFile("/proc/self/maps", maximumSize: 1 << 22)
                return (
                    try listDirectory("/proc/self/fd", maximumCount: 10_000), maps.count { $0 == UInt8(ascii: "\n") }
                )
            }
            try spawnSome(20)
            let before = try holdings()
            try spawnSome(2000)
            let after = try holdings()
            #expect(after.descriptors == before.descriptors)
            // The allocator may have grown by an area or two; 4000 stacks would show.
            #expect(after.mappings < before.mappings + 20)
            // No zombie either.
            #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
        }
    }
}
