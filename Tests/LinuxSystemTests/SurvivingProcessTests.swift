// SurvivingProcessTests: a process that is to outlive its daemon does so as long as somebody holds its report; one that
// was found again.

import Foundation
import Glibc
import LinuxSystem
import Testing

@Suite struct SurvivingProcessTests {
    private func kept(_ script: String) throws -> SpawnedProcess {
        var attributes = shell(script)
        attributes.enclosure = .processNamespace(initProgram: initProgram)
        attributes.onDaemonExit = .keep
        return try spawn(attributes)
    }

    /// As a store has it: a second pidfd and a second descriptor of the report.
    private func stored(_ process: consuming SpawnedProcess) throws -> SpawnedProcess {
        SpawnedProcess(
            pid: process.pid, pidfd: try process.pidfd.duplicate(), enclosure: .processNamespace,
            report: SharedDescriptor(try (process.report ?? { throw Impatient() }()).duplicate()),
            startTime: process.startTime,
            isAdopted: true)
    }

    /// What another daemon finds is this process's child here. One that nobody reaps would stand in the way of those
    /// who wait for any child: Swift Testing does, for its exit tests.
    private func reap(_ pid: Int32) {
        var status: Int32 = 0
        while waitpid(pid, &status, 0x4000_0000) < 0, errno == EINTR {}  // __WALL
    }

    @Test func itEndsWhenNobodyHoldsItsReport() throws {
        let pidfd: OwnedDescriptor
        let pid: Int32
        do {
            let process = try kept("setsid sh -c 'exec sleep 1000' & exec sleep 1000")
            pid = process.pid
            pidfd = try process.pidfd.duplicate()
            // A moment in which it could have ended.
            var entry = pollfd(fd: pidfd.raw, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 100) == 0)
        }
        try waitFor(pidfd.raw)
        reap(pid)
    }

    @Test func itGoesOnWhileAStoreHoldsItsReport() throws {
        let found = try stored(try kept("trap 'exit 7' TERM; while :; do sleep 0.01; done"))
        let pid = found.pid
        defer { reap(pid) }
        var entry = pollfd(fd: found.pidfd.raw, events: Int16(POLLIN), revents: 0)
        #expect(poll(&entry, 1, 100) == 0)
        // Its trap may not be set yet.
        while poll(&entry, 1, 20) == 0 { try found.signal(SIGTERM) }
        let status = try ending(of: found).status
        #expect(status == .exited(7) || status == .signalled(SIGTERM, coreDumped: false))
    }

    /// The daemon that has read it may be killed before it has told anybody.
    @Test func howItEndedIsThereForTheNextOneToo() throws {
        let process = try kept("exit 3")
        let pid = process.pid
        defer { reap(pid) }
        let report = SharedDescriptor(try (process.report ?? { throw Impatient() }()).duplicate())
        let next = SpawnedProcess(
            pid: pid, pidfd: try process.pidfd.duplicate(), enclosure: .processNamespace, report: report,
            startTime: process.startTime, isAdopted: true)
        #expect(try ending(of: stored(process)).status == .exited(3))
        #expect(try ending(of: next).status == .exited(3))
    }

    /// Dead, and its parent has not asked yet: there is nothing to be known before that, and then it is, where the
    /// kernel tells of others' children.
    @Test func theStatusIsKnownOnceTheParentKnows() throws {
        let input = Pipe()
        let output = Pipe()
        var attributes = shell("setsid sleep 1000 & echo $!; read line; wait; read line")
        attributes.standardInput = .descriptor(input.fileHandleForReading.fileDescriptor)
        attributes.standardOutput = .descriptor(output.fileHandleForWriting.fileDescriptor)
        let parent = try spawn(attributes)
        defer {
            _ = try? parent.signalTree(SIGKILL)
            reap(parent.pid)
        }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output.fileHandleForReading.fileDescriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        let pid = try #require(Int32(String(decoding: line, as: UTF8.self)))
        let found = SpawnedProcess(
            pid: pid, pidfd: try ProcessDescriptor.open(pid), enclosure: .session, report: nil, isAdopted: true)
        // A shell that is told of it before it reads asks at once; one that reads does not.
        let end = ContinuousClock.now + .seconds(60)
        while try !Self.reads(parent.pid) {
            guard ContinuousClock.now < end else { throw Impatient() }
            usleep(1000)
        }
        try found.signal(SIGKILL)
        try waitFor(found.pidfd.raw)
        let early = try found.reap(isFinal: false)
        #expect(early == nil || early?.status == .unknown)
        #expect(write(input.fileHandleForWriting.fileDescriptor, "\n", 1) == 1)
        // The hang-up comes with the reaping, unasked for; older kernels have none.
        if early == nil {
            #expect(try waitFor(found.pidfd.raw, 0) & POLLHUP != 0)
            #expect(try found.reap(isFinal: false)?.status == .signalled(SIGKILL, coreDumped: false))
        }
    }

    /// Whether it sleeps in read(2) of its standard input.
    private static func reads(_ pid: Int32) throws -> Bool {
        #if arch(arm64)
            let number = 63
        #else
            let number = 0
        #endif
        let call = String(decoding: try readFile("/proc/\(pid)/syscall", maximumSize: 256), as: UTF8.self)
        return call.hasPrefix("\(number) 0x0 ")
    }

    /// Its init was killed and told nothing, and somebody else reaps it: the kernel says, or nobody does.
    @Test func theStatusOfAStrangerIsWhatTheKernelTells() throws {
        let (output, _) = try run(shell("setsid sh -c 'echo $$; exec sleep 1000 >/dev/null' & sleep 0.1"))
        let pid = try #require(Int32(output.split(separator: "\n").first ?? ""))
        let pidfd = try ProcessDescriptor.open(pid)
        let watch = try pidfd.duplicate()
        let found = SpawnedProcess(pid: pid, pidfd: pidfd, enclosure: .session, report: nil, isAdopted: true)
        let early = try found.reap()
        #expect(early == nil)
        try found.signal(SIGKILL)
        try waitFor(watch.raw)
        let status = try ending(of: found).status
        #expect(status == .unknown || status == .signalled(SIGKILL, coreDumped: false), "\(status)")
    }
}
