// Terminal: a terminal of its own for a program that a test runs.

import Glibc
import LinuxSystem
import Locks

/// A terminal of its own for a program's standard error.
package final class Terminal: Sendable {
    private let reader: Reader
    private let programEnd: Mutex<SharedDescriptor?>

    package init() throws {
        // By ioctl (ioctl_tty(2)), as the C library's calls for it are not imported.
        let own = SharedDescriptor(owning: open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
        var (number, unlocked): (Int32, Int32) = (0, 0)
        guard own.raw >= 0, ioctl(own.raw, 0x4004_5431, &unlocked) == 0, ioctl(own.raw, 0x8004_5430, &number) == 0
        else {
            throw SystemError("ioctl")
        }
        programEnd = Mutex(SharedDescriptor(owning: open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)))
        reader = try Reader(own, separators: ["\n", "\r"])
    }

    /// The end for one program, until it is handed over.
    var program: SharedDescriptor? { programEnd.withLock { $0 } }

    /// From here on the program alone has its end: what it shows ends with it.
    func handOver() { programEnd.withLock { $0 = nil } }

    /// Waits until it shows `text`; false when its program has ended and had not.
    package func shows(_ text: String) async -> Bool { await reader.lines.contains { $0.contains(text) } }
}
