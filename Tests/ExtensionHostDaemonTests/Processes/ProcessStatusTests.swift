// ProcessStatusTests: what /proc says of a process that is on its way out, and of one that is not.

import Foundation
import TestPrograms
import Testing

@testable import ExtensionHostDaemon

@Suite struct ProcessStatusTests {
    /// As `dispatchMain()` leaves it: the first thread ends, the others live on.
    @Test func aProgramWhoseFirstThreadHasEndedIsNotExiting() async throws {
        let script = """
            import ctypes, os, threading, time
            def rest():
                while open(f"/proc/{os.getpid()}/stat").read().rpartition(") ")[2][0] != "Z": time.sleep(0.001)
                os.write(1, b"alone\\n")
                time.sleep(1000)
            threading.Thread(target=rest).start()
            ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)  # exit(2), of this thread alone
            """
        let program = try Program("/usr/bin/python3", ["-c", script])
        let pid = Int(program.pid)
        try await program.shows("alone")
        #expect(!ProcessStatus.isExiting(pid))
        try program.kill()
        #expect(try await program.ending().status == nil)
        #expect(ProcessStatus.isExiting(pid))
    }
}
