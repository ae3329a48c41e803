// FileManager+AppGroups: the folder that the members of an app group share.

public import Foundation
internal import Glibc

extension FileManager {
    /// Returns the folder of an app group, which every member of the group may read and write; makes it if it is
    /// missing.
    ///
    /// Returns nil for a group that this process does not hold, and logs the missing part in one line to standard
    /// error. Any thread may call. Source: Apple's documentation of the method; the place of the folder is this
    /// project's own (`docs/containers.md`).
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        switch HeldGroups.current.container(of: groupIdentifier) {
        case .success(let found):
            // The daemon makes the parents, or a program that runs before any daemon did.
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
