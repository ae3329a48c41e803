// HeldLockTests: locks of a process that runs while the daemon looks.

import ExtensionProtocol
import Foundation
import Glibc
import LinuxSystem
import TestPrograms
import Testing

@testable import ExtensionHostDaemon

@Suite struct HeldLockTests {
    /// The process opens a folder and a lock's file by turns, under one number: the lock must never have the folder's
    /// name.
    @Test func aLockHasTheNameOfItsOwnFile() async throws {
        let directory = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? directory.remove() }
        let (folder, lock) = (directory.path + "/folder", directory.path + "/lock")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: lock))
        let script = """
            import fcntl, os, random, sys
            def spin():
                for _ in range(random.randrange(1000)): pass
            print("begun", flush=True)
            while True:
                other = os.open(sys.argv[1], os.O_RDONLY)
                spin()
                os.close(other)
                file = os.open(sys.argv[2], os.O_RDWR)
                fcntl.flock(file, fcntl.LOCK_EX)
                spin()
                os.close(file)
            """
        let program = try Program("/usr/bin/python3", ["-c", script, folder, lock])
        try await program.shows("begun")
        var found = 0
        for _ in 0..<1_000_000 where found < 2_000 {
            guard let held = HeldLock.find(inTreeOf: program.pid, below: directory.path) else { continue }
            found += 1
            #expect(held.path.hasSuffix("/lock"), "\(held)")
        }
        #expect(found > 0)
    }
}
