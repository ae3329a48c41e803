// FileManager+AppGroups: the folder that the members of an app group share.

public import Foundation
internal import Glibc

extension FileManager {
    /// The folder of an app group, which this process may read and write, and every other member of the group too; made if need be.
    ///
    /// nil for a group that this process does not hold, with one line on standard error that says what is missing. Any thread may call.
    /// Source: Apple's documentation of the method; where the folder is, is this project's own (`docs/containers.md`).
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        switch HeldGroups.current.container(of: groupIdentifier) {
        case .success(let found):
            // Its parents are the daemon's, or of a program that runs before any daemon did.
            if mkdir(found.path, 0o700) != 0, errno == ENOENT {
                try? createDirectory(
                    atPath: found.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            return URL(fileURLWithPath: found.path, isDirectory: true)
        case .failure(let refusal):
            HeldGroups.say(groupIdentifier, refusal)
            return nil
        }
    }
}
