// BusyMachineTimingTests: what happens under a virtual clock does not depend on how much else the machine has to do.

import ExtensionHostTesting
import ExtensionProtocol
import Glibc
import LinuxSystem
import Testing

/// See `MemoryKillTimingTests`. Other tests would be as slow meanwhile.
@Suite(.serialized) struct BusyMachineTimingTests {
    /// Programs that want a processor each, before others where this user may say so: by `setpriority(2)`, and by
    /// `/proc/PID/autogroup` (sched(7)) where the kernel shares out by sessions.
    private final class Load {
        private var programs: [pid_t] = []

        init(_ count: Int) throws {
            for _ in 0..<count {
                var attributes = SpawnAttributes(
                    executable: "/bin/sh", arguments: ["-c", "ulimit -t 30; while :; do :; done"], environment: [])
                // The parent-death signal would follow the thread.
                attributes.onDaemonExit = .keep
                let program = try spawn(attributes).pid
                programs.append(program)
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(program), -10)
                if let file = fopen("/proc/\(program)/autogroup", "w") {
                    fputs("-10", file)
                    fclose(file)
                }
            }
        }

        deinit {
            for program in programs { kill(program, SIGKILL) }
            for program in programs { waitpid(program, nil, 0) }
        }
    }

    /// Time moves while the extension starts, which takes it seconds here.
    private func play(_ bundles: TestBundles) async throws -> NormalForm {
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("notes")
            let served = try host.application.start(puppet, items: [order("sleep", "20")], timeout: .seconds(30))
            try await daemon.clock.advance(by: .seconds(25))
            let hanging = try host.application.start(puppet, items: [order("hang")], timeout: .seconds(30))
            // What came too late for the first 25 s ends in these, if otherwise.
            for _ in 1...3 { try await daemon.clock.advance(by: .seconds(30)) }
            #expect(await served.outcome.cause == .completed)
            #expect(await hanging.outcome.cause == .requestTimeout)
            return NormalForm(try await daemon.events())
        }
    }

    @Test func aBusyMachineChangesNothingInTheLog() async throws {
        let bundles = try TestBundles.withPuppet()
        let quiet = try await play(bundles)
        let load = try Load(12)
        let busy = try await play(bundles)
        withExtendedLifetime(load) {}
        #expect(busy.firstDifference(from: quiet) == nil, "\(quiet)\n\nand on a busy machine\n\n\(busy)")
    }
}
