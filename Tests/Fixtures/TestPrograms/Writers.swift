// Writers: a program that a test has just written, which nobody may have open for writing.

package import LinuxSystem
import Glibc

/// Waits until nobody has a program open for writing, so that it can be executed. Throws `ETXTBSY` after ten seconds.
///
/// A process that another test has started meanwhile has, until it executes, what this one had open for writing. A
/// lease for reading is refused as long (fcntl(2)).
package func waitForWriters(of program: String) throws(SystemError) {
    let file = open(program, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    let setLease: Int32 = 1024
    for _ in 0..<10_000 {
        if fcntl(file, setLease, Int32(F_RDLCK)) == 0 || errno != EAGAIN { return }
        usleep(1000)
    }
    throw SystemError("open", code: ETXTBSY)
}
