// LockHolder: the process with a lock on a range of a file (F_GETLK of fcntl(2)), found without taking a lock.

internal import Glibc

/// Returns the process whose lock prevents an exclusive lock of these bytes of an open file; nil if there is none.
///
/// The number is 0 if the kernel does not tell it: for a lock of an open file, or of a process of another namespace.
public func lockHolder(of raw: Int32, from start: Int, count: Int) throws(SystemError) -> Int32? {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(start)
    lock.l_len = off_t(count)
    let result = withUnsafeMutablePointer(to: &lock) { fcntl(raw, F_GETLK, UnsafeMutableRawPointer($0)) }
    guard result == 0 else { throw SystemError("fcntl") }
    return lock.l_type == Int16(F_UNLCK) ? nil : max(0, lock.l_pid)
}
