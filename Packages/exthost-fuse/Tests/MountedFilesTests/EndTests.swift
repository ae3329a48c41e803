// EndTests: how a mount ends, and what programs say about a machine that lacks something.

import Foundation
import Testing

@testable import MountedFiles

@Suite(.enabled(if: Programs.hindrance == nil, "FUSE cannot be used here"), .serialized)
struct EndTests {
    @Test("The mount ends when somebody unmounts it, with all changes delivered.")
    func unmounted() async throws {
        let folder = try TestFolder()
        let ending = try await Programs.trial("unmounted", in: folder)
        #expect(ending.lines == ["umount while busy: 32", "umount: 0", "mount point: []"], "\(ending.errors)")
        #expect(ending.errors.contains("ended: unmounted, undelivered 0"))
        #expect(try String(contentsOfFile: folder.path + "/provider/a", encoding: .utf8) == "last")
    }

    @Test("The mount ends when the provider's files end.")
    func providerEnds() async throws {
        let ending = try await Programs.trial("ended_provider")
        #expect(ending.lines == ["unmounted"], "\(ending.errors)")
        #expect(ending.errors.contains("ended: providerEnded, undelivered 0"))
    }

    @Test("What a process has written and mapped is delivered, though it has the file open at the end.")
    func leftOpen() async throws {
        let folder = try TestFolder()
        let ending = try await Programs.trial("left_open", in: folder)
        #expect(ending.lines == ["left"], "\(ending.errors)")
        #expect(ending.errors.contains("ended: requested, undelivered 0"))
        let found = try String(contentsOfFile: folder.path + "/provider/a", encoding: .utf8)
        #expect(found.hasPrefix("changed"))
    }

    @Test("Without the device or the library, exthost-fuse says what is missing, and ends with status 69.")
    func missing() async throws {
        let folder = try TestFolder()
        let library = "for file in /usr/lib/*/libfuse3.so.3 /lib/*/libfuse3.so.3; do mount --bind /dev/null $file; done"
        for (preparation, text) in [
            ("mount -t tmpfs none /dev", "/dev/fuse cannot be opened"), (library, "libfuse3 cannot be used"),
        ] {
            let script = "(\(preparation)) 2>/dev/null; exec \(Programs.folder)/exthost-fuse org.example.files ."
            let ending = try await Programs.runEnclosed(["/bin/bash", "-c", script], in: folder.path)
            #expect(ending.status == 69)
            #expect(ending.errors.contains(text), "\(ending.errors)")
        }
    }

    @Test("A mount point that is missing, a file, or left by a killed program is refused with a remedy.")
    func mountPoint() async throws {
        let folder = try TestFolder()
        let script = """
            \(Programs.folder)/MountedFolder . /bin/true && rmdir mount && touch mount
            \(Programs.folder)/MountedFolder . /bin/true; echo $?
            rm mount
            \(Programs.folder)/MountedFolder . /bin/bash -c 'kill -9 $DRIVER'
            \(Programs.folder)/MountedFolder . /bin/true; echo $?
            umount mount
            \(Programs.folder)/MountedFolder . /bin/true; echo $?
            """
        let ending = try await Programs.runEnclosed(["/bin/bash", "-c", script], in: folder.path)
        #expect(ending.lines == ["66", "66", "0"], "\(ending.errors)")
        #expect(ending.errors.contains("is no folder"))
        #expect(ending.errors.contains("is a mount whose program has ended. Unmount it: fusermount3 -u"))
    }
}

@Suite
struct ValueTests {
    @Test("A limit that has passed is due at once, also if the thread was late to look.")
    func waits() {
        let now = ContinuousClock.now
        #expect(OperationTable.wait(until: nil, at: now, isPolling: false) == -1)
        #expect(OperationTable.wait(until: nil, at: now, isPolling: true) == 100)
        #expect(OperationTable.wait(until: now + .milliseconds(40), at: now, isPolling: false) == 41)
        #expect(OperationTable.wait(until: now + .seconds(9), at: now, isPolling: true) == 100)
        for late in [Duration.zero, .milliseconds(1), .milliseconds(2), .seconds(40), .seconds(100_000_000)] {
            let time = OperationTable.wait(until: now - late, at: now, isPolling: false)
            #expect(time == 0 || time == 1, "\(late) late: \(time)")
        }
    }

    @Test("A signal ends a process if it is pending, and neither blocked, ignored, handled nor harmless.")
    func signals() {
        func status(pending: UInt64, blocked: UInt64 = 0, ignored: UInt64 = 0, handled: UInt64 = 0) -> String {
            func line(_ name: String, _ value: UInt64) -> String { "\(name):\t\(String(value, radix: 16))\n" }
            return line("SigPnd", 0) + line("ShdPnd", pending) + line("SigBlk", blocked) + line("SigIgn", ignored)
                + line("SigCgt", handled)
        }
        let alarm: UInt64 = 1 << 13
        #expect(PendingSignals.end(status(pending: 1 << 8)))
        #expect(PendingSignals.end(status(pending: alarm)))
        #expect(!PendingSignals.end(status(pending: 0)))
        #expect(!PendingSignals.end(status(pending: alarm, blocked: alarm)))
        #expect(!PendingSignals.end(status(pending: alarm, ignored: alarm)))
        #expect(!PendingSignals.end(status(pending: alarm, handled: alarm)))
        #expect(!PendingSignals.end(status(pending: 1 << 16)))
        #expect(!PendingSignals.end(""))
    }

    @Test("The topmost mount at a path is found, also with blanks in its name.")
    func mounts() {
        let text = """
            21 1 8:1 / / rw - ext4 /dev/sda rw
            30 21 0:44 / /home/a\\040b rw - tmpfs none rw
            31 30 0:45 / /home/a\\040b rw - fuse.exthost x rw
            """
        #expect(MountPoint.device(at: "/home/a b", in: text) == "0:45")
        #expect(MountPoint.device(at: "/home", in: text) == nil)
    }

    @Test(
        "A name is one path component of at most 255 bytes.",
        arguments: [
            ("a", true), ("a b", true), ("...", true), (String(repeating: "é", count: 127), true), ("", false),
            (".", false), ("..", false), ("a/b", false), ("a\0", false), (String(repeating: "é", count: 128), false),
        ])
    func names(_ name: String, isValid: Bool) {
        #expect((ItemChecks.problem(ofName: name) == nil) == isValid)
    }
}
