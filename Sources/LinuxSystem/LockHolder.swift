// LockHolder: who has a lock on a range of a file (F_GETLK of fcntl(2)), asked without taking one.

internal import Glibc

/// The process that keeps others from locking these bytes of an open file exclusively; nil when nobody does. The number is 0 where
/// it cannot be told: of a lock that belongs to an open file, or to a process of another namespace.
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
