// ProcessStatusTests: what /proc says of a process that is on its way out, and of one that is not.

import Foundation
import Testing

@testable import ExtensionHostDaemon

@Suite struct ProcessStatusTests {
    /// As `dispatchMain()` leaves it: the first thread ends, the others live on.
    @Test func aProgramWhoseFirstThreadHasEndedIsNotExiting() throws {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        program.arguments = [
            "-c",
            """
            import ctypes, os, threading, time
            def rest():
                while open(f"/proc/{os.getpid()}/stat").read().rpartition(") ")[2][0] != "Z": time.sleep(0.001)
                os.write(1, b"alone")
                time.sleep(1000)
            threading.Thread(target=rest).start()
            ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)  # exit(2), of this thread alone
            """,
        ]
        let output = Foundation.Pipe()
        program.standardOutput = output
        try program.run()
        let pid = Int(program.processIdentifier)
        defer { if program.isRunning { kill(pid_t(pid), SIGKILL) } }
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "alone")
        #expect(!ProcessStatus.isExiting(pid))
        #expect(kill(pid_t(pid), SIGKILL) == 0)
        program.waitUntilExit()
        #expect(ProcessStatus.isExiting(pid))
    }
}
