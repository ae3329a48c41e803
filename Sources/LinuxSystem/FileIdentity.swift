// withFileAccess: another user's rights to files, for the time of some calls on this thread.

internal import CLinux
internal import Glibc

/// Runs `body` with the rights to files that `identity` has, and none besides (setfsuid(2)): what it makes is that user's, and what that user
/// may not reach it does not reach, either. For this thread alone; takes `CAP_SETUID` and `CAP_SETGID`.
///
/// - Parameter group: another group than the user's, whose rights to files it has meanwhile, and which owns what is made.
/// - Returns: what `body` returned or threw. Throws where the rights cannot be changed, `body` has not run then.
public func withFileAccess<Value, Failure: Error>(
    of identity: UserIdentity, group: UInt32? = nil, _ body: () throws(Failure) -> Value
) throws(SystemError) -> Result<Value, Failure> {
    let own = (uid: geteuid(), gid: getegid())
    let code = exthost_access_files_as(identity.uid, group ?? identity.gid)
    guard code == 0 else { throw SystemError("setfsuid", code: -code) }
    let result = Result { () throws(Failure) in try body() }
    let back = exthost_access_files_as(own.uid, own.gid)
    precondition(back == 0, "a thread cannot have its own rights to files back: \(back)")
    return result
}
