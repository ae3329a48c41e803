// EnclosureTimingTests: a kill waits for no process that stands still in the kernel.

import Glibc
import LinuxSystem
import Testing

@Suite(.serialized) struct EnclosureTimingTests {
    /// Whoever has used vfork(2) stands still in the kernel until its child executes or ends: it does not stop, and
    /// need not.
    @Test(arguments: EnclosureKind.allCases) func oneThatWaitsInTheKernelHoldsUpNoKill(_ kind: EnclosureKind) throws {
        let vfork =
            "python3 -c 'import ctypes, time; ctypes.CDLL(None).vfork(); print(\"up\", flush=True); time.sleep(1000)'"
        try start(enclosed(kind, "\(vfork) & wait")) { (process, socket) throws in
            #expect(try line(from: socket) == "up")
            #expect(try process.signalTree(SIGKILL))
            let ended = try ending(of: process)
            #expect(try output(of: socket) == "")
            // A kill that looks for a process in vain costs seconds of a processor.
            #expect(ended.processorMicroseconds.map { $0 < 500_000 } == true, "\(ended)")
        }
    }
}
