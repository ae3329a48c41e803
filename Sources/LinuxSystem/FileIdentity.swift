// withFileAccess: another user's file rights, for some calls on this thread.

internal import CLinux
internal import Glibc

/// Runs `body` with the file rights of `identity` and no others (setfsuid(2)).
///
/// Files that `body` makes belong to that user, and `body` cannot reach files that the user may not reach. It affects
/// this thread alone; it needs `CAP_SETUID` and `CAP_SETGID`.
///
/// - Parameter group: a group other than the user's, whose file rights it has meanwhile, and which owns what is made.
/// - Returns: what `body` returned or threw. Throws if the rights cannot be changed; `body` has not run then.
public func withFileAccess<Value, Failure: Error>(
    of identity: UserIdentity, group: UInt32? = nil, _ body: () throws(Failure) -> Value
) throws(SystemError) -> Result<Value, Failure> {
    let own = (uid: geteuid(), gid: getegid())
    let code = exthost_access_files_as(identity.uid, group ?? identity.gid)
    guard code == 0 else { throw SystemError("setfsuid", code: -code) }
    let result = Result { () throws(Failure) in try body() }
    let back = exthost_access_files_as(own.uid, own.gid)
    precondition(back == 0, "a thread cannot restore its own rights to files: \(back)")
    return result
}
