// OpenFileLock: a lock that belongs to an open file, and so to neither a process nor a thread (F_OFD_SETLK of fcntl(2)).

internal import CLinux
internal import Glibc

/// Locks one byte of the file for this open file description alone; `false` when somebody has a lock on it. The file must be open for
/// writing, and may be empty. The lock ends with `unlockOpenFile`, or when the last descriptor of the open file is closed: so also with
/// the process.
public func lockOpenFile(_ raw: Int32, byte: Int) throws(SystemError) -> Bool {
    switch exthost_lock_open_file(raw, off_t(byte), true) {
    case 0: return true
    case -EAGAIN, -EACCES: return false
    case let failure: throw SystemError("fcntl", code: -failure)
    }
}

/// Takes back the lock of `lockOpenFile`, also where a child has inherited the open file.
public func unlockOpenFile(_ raw: Int32, byte: Int) { _ = exthost_lock_open_file(raw, off_t(byte), false) }
