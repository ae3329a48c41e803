// OpenFileLock: a lock that belongs to an open file, not to a process or a thread (F_OFD_SETLK of fcntl(2)).

internal import CLinux
internal import Glibc

/// Locks one byte of the file for this open file description alone; returns `false` if another lock is on it.
///
/// The file must be open for writing, and may be empty. The lock ends with `unlockOpenFile`, or when the last
/// descriptor of the open file is closed, and therefore also with the process.
public func lockOpenFile(_ raw: Int32, byte: Int) throws(SystemError) -> Bool {
    switch exthost_lock_open_file(raw, off_t(byte), true) {
    case 0: return true
    case -EAGAIN, -EACCES: return false
    case let failure: throw SystemError("fcntl", code: -failure)
    }
}

/// Releases the lock of `lockOpenFile`, even if a child has inherited the open file.
public func unlockOpenFile(_ raw: Int32, byte: Int) { _ = exthost_lock_open_file(raw, off_t(byte), false) }
